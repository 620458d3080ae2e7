/* Which library runs: for programs that open it at run time, and for bindings of other languages.
 *
 * The linker sees that a program and the library belong together: their soname changes when
 * programs must be compiled anew. A binding that describes the structures itself has to ask.
 *
 * Set every structure that is handed to the library to zero before its members are given values, in
 * C with an initialiser: {.name = "x"}. New members are added at the end, and 0 in them means what
 * was there before.
 */
#ifndef GANNET_LIBRARY_H
#define GANNET_LIBRARY_H

#include <stddef.h>

#include "gannet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library, such as "0.2.0"; a static string. GANNET_VERSION of gannet/version.h is
 * the version of the headers.
 *
 * Local.
 */
GANNET_API const char *gannet_version(void);

/* Size in bytes that a structure of the headers has in the library; 0 when it knows none of this
 * name.
 *
 * Local.
 *
 * name  in  such as "gannet_result"; NULL is no structure
 */
GANNET_API size_t gannet_struct_size(const char *name);

#ifdef __cplusplus
}
#endif
#endif
