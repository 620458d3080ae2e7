/* Numbers with a point, whatever the language of the program around the library.
 *
 * The locale of a process belongs to its program, and plugins may change it at any time; that of a
 * thread counts more, and setlocale does not touch it. Every function that programs outside may
 * call, and that reads or writes numbers, begins with
 *
 *   const gannet_plain_locale plain GANNET_UNTIL_RETURN = gannet_plain_locale_begin();
 */
#ifndef GANNET_BASE_PLAIN_LOCALE_H
#define GANNET_BASE_PLAIN_LOCALE_H

#include <locale.h>

typedef struct {
  locale_t plain, before;
} gannet_plain_locale;

/* Clang takes a variable that is only cleaned up for an unused one. */
#define GANNET_UNTIL_RETURN __attribute__((unused, cleanup(gannet_plain_locale_end)))

/* This thread reads and writes as in the locale "C" from now on. Where there is no memory for that,
 * everything stays as it is.
 *
 * Local.
 */
gannet_plain_locale gannet_plain_locale_begin(void);

/* It does again what it did before; called on every return by GANNET_UNTIL_RETURN.
 *
 * Local.
 */
void gannet_plain_locale_end(const gannet_plain_locale *locale);

#endif
