/* The one reader of numbers, durations and sizes from outside: campaign files, command lines, CSV,
 * results.
 *
 * A number is decimal and finite, with a point whatever the locale says. Fortran's forms count:
 * 1.5D+03, 1d-5, 1.5Q3, and 1.5-103, whose letter made room for the third digit. No numbers are
 * nan, inf, hexadecimal digits, 1,000, 1_000 and 3,14.
 */
#ifndef GANNET_BASE_NUMBER_H
#define GANNET_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  GANNET_NUMBER_ANY,
  GANNET_NUMBER_BEFORE_UNIT /* a unit may follow, as in 1d12h: D and Q begin an exponent only when a
                               sign follows them */
} gannet_number_form;

/* Read a number at the begin of a text, without blanks before it. Returns how many characters it
 * has, 0 when there is none. What is beyond all numbers gives an infinity.
 *
 * Local.
 */
size_t gannet_number_read(const char *text, gannet_number_form form, double *value);

/* Parse a finite number, consumed whole but for blanks around it. Returns 0, or -1 when the text is
 * not one.
 *
 * Local.
 */
int gannet_parse_number(const char *text, double *value);

/* The same, also for nan and infinity, and for what is beyond all numbers.
 *
 * Local.
 */
int gannet_parse_any_number(const char *text, double *value);

/* Cut the standard deviation off a value: "3.2 +- 0.1" or "3.2 ± 0.1". Returns the text behind
 * the sign, NULL when there is none.
 *
 * Local.
 *
 * text  inout  ends where the sign was
 */
char *gannet_number_cut_deviation(char *text);

/* What is wrong with a text that is no number, to be put behind a message: "; write ..." or "".
 *
 * Local.
 */
const char *gannet_number_hint(const char *text);

/* Parse a duration ("10m", "1h30m", "01:30:00", "90") into seconds, or a size into bytes. Returns
 * 0, or -1 when the text is not one.
 *
 * Local.
 */
int gannet_parse_duration(const char *text, double *seconds);
int gannet_parse_size(const char *text, int64_t *bytes);

/* The shortest text, of at least 6 digits where it has as many, that reads back as the same number.
 *
 * Local.
 */
void gannet_format_number(double value, char *buffer, size_t size);

/* "1 h 05 min", "12.3 s", "850 ms".
 *
 * Local.
 */
void gannet_format_duration(double seconds, char *buffer, size_t size);

#endif
