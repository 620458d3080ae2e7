/* Numbers with a point and plain arithmetic, whatever the program around the library has set.
 *
 * The locale of a process belongs to its program, and plugins may change it at any time; that of a
 * thread counts more, and setlocale does not touch it. The floating-point environment of a thread
 * is its program's, too: with traps, as -ffpe-trap of Fortran sets them, comparisons with NAN would
 * end the program, and numbers that are rounded otherwise or flushed to zero, as by -ffast-math,
 * would give other points. Every function that programs outside may call, and that reads, writes or
 * computes numbers, begins with
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

/* Clang takes a variable that is only cleaned up for an unused one. */
#define GANNET_UNTIL_RETURN __attribute__((unused, cleanup(gannet_plain_environment_end)))

/* This thread reads and writes as in the locale "C" from now on, and computes without traps, rounds
 * to the nearest number and keeps small ones. Where there is no memory for a locale, that stays as
 * it is.
 *
 * Local.
 */
gannet_plain_environment gannet_plain_environment_begin(void);

/* It does again what it did before, and no exception was raised in between; called on every return
 * by GANNET_UNTIL_RETURN.
 *
 * Local.
 */
void gannet_plain_environment_end(const gannet_plain_environment *environment);

#endif
