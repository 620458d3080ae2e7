/* A plain environment for numbers: a decimal point, and default floating-point arithmetic, whatever
 * the program around the library has set.
 *
 * The locale of a process belongs to its program, and plugins may change it at any time. The locale
 * of a thread takes precedence, and setlocale does not change it. The floating-point environment
 * belongs to the program, too. With traps, as -ffpe-trap of Fortran sets them, comparisons with NAN
 * would end the program. With another rounding, or numbers flushed to zero as by -ffast-math, the
 * proposed points would differ. Every function that programs outside may call, and that reads,
 * writes or computes numbers, begins with
 *
 *   const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
 */
#ifndef GANNET_BASE_PLAIN_ENVIRONMENT_H
#define GANNET_BASE_PLAIN_ENVIRONMENT_H

#include <fenv.h>
#include <locale.h>

typedef struct {
  locale_t plain, before;
  fenv_t arithmetic; /* before */
} gannet_plain_environment;

/* unused: Clang warns about a variable that is only cleaned up. */
#define GANNET_UNTIL_RETURN __attribute__((unused, cleanup(gannet_plain_environment_end)))

/* Set the plain environment for this thread: the locale "C", no traps, rounding to nearest, and
 * subnormal numbers. The locale stays as it is when there is no memory for another one.
 *
 * Local.
 */
gannet_plain_environment gannet_plain_environment_begin(void);

/* Restore the environment from before, without the floating-point exceptions raised in between.
 * GANNET_UNTIL_RETURN calls it on every return.
 *
 * Local.
 */
void gannet_plain_environment_end(const gannet_plain_environment *environment);

#endif
