/* Clocks, time stamps, and sleeping. */
#ifndef GANNET_BASE_CLOCK_H
#define GANNET_BASE_CLOCK_H

#include <stddef.h>

/* Seconds of a clock that never jumps, for durations.
 *
 * Local.
 */
double gannet_clock_seconds(void);

/* Seconds of processor time that this process has used, system calls included.
 *
 * Local.
 */
double gannet_clock_processor(void);

/* Seconds since 1970-01-01 UTC, for time stamps.
 *
 * Local.
 */
double gannet_clock_epoch(void);

/* "2026-03-01T12:34:56Z".
 *
 * Local.
 */
void gannet_clock_format(double epoch, char *buffer, size_t size);

/* Sleep; a signal may end it early.
 *
 * Local.
 */
void gannet_clock_sleep(double seconds);

#endif
