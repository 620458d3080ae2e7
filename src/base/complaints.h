/* Complaints: the errors of a user's input, collected so that all can be shown at once; and
 * warnings.
 *
 * A complaint is one line, "location: key: what". The location is "file:line:column" or the name of
 * a command-line option.
 */
#ifndef GANNET_BASE_COMPLAINTS_H
#define GANNET_BASE_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"

/* A line of the text of all complaints. */
typedef struct {
  uint64_t hash;          /* of the line: equal complaints of several readers are shown once */
  size_t begin;           /* of the line in the text */
  size_t location_length; /* bytes of the location at its begin, 0 = it has none */
  size_t key_begin;       /* of the key of the input that the line is about, in the text */
  size_t key_length;      /* bytes of that key; 0 = the line is about no key */
} gannet_complaint_line;

/* Zero-initialise; free with gannet_complaints_release. */
typedef struct {
  int count;
  int told;   /* different complaints */
  char *text; /* one line each, "location: what", ending in a newline; NULL while count is 0 */
  size_t used, capacity;
  int n_lines, line_capacity; /* used and allocated length of line; n_lines = told, unless memory
                                 ran out */
  gannet_complaint_line *line;
  char *warnings; /* lines like those of text, about what is accepted; NULL = none */
  size_t warnings_used, warnings_capacity;
  size_t warnings_shown; /* bytes of warnings that the user has seen */
} gannet_complaints;

/* Add a complaint. Ends of lines and other control characters of what it quotes become spaces.
 * location may also be the key of a campaign file whose location gannet_complaints_pass will add;
 * NULL = none.
 *
 * Local.
 */
void gannet_complain(gannet_complaints *complaints, const char *location, const char *format, ...)
    GANNET_PRINTF(3, 4);

/* Add a complaint about a key, "location: section.key: what". The section is NULL or "" at the top
 * level.
 *
 * Local.
 */
void gannet_complain_of_key(gannet_complaints *complaints, const char *location,
                            const char *section, const char *key, const char *format, ...)
    GANNET_PRINTF(5, 6);

/* Whether one of the first n lines is about a key, "section.key".
 *
 * Local.
 */
bool gannet_complaints_name_key(const gannet_complaints *complaints, int n, const char *key);

/* Add the complaints and the warnings of others that are not there yet.
 *
 * Local.
 */
void gannet_complaints_merge(const gannet_complaints *from, gannet_complaints *to);

/* Gives the location, "file:line:column" or NULL, of the key that a complaint is about; false = the
 * complaint is to be left out. */
typedef bool (*gannet_complaint_locator)(const void *user, const char *key, const char **location);

/* Add complaints that were made about keys (their location) to others, each with the location of
 * its key before it.
 *
 * Local.
 */
void gannet_complaints_pass(const gannet_complaints *from, gannet_complaint_locator locate,
                            const void *user, gannet_complaints *to);

/* Add a warning of one line about what is accepted; the same line is added once.
 *
 * Local.
 */
void gannet_complaints_warn(gannet_complaints *complaints, const char *location, const char *format,
                            ...) GANNET_PRINTF(3, 4);

/* The next warning that was not shown yet, which counts as shown from then on.
 *
 * Local.
 *
 * line  out  [size] without the end of the line
 *
 * Returns whether there is one.
 */
bool gannet_complaints_next_warning(gannet_complaints *complaints, char *line, size_t size);

/* Write the warnings that were not shown yet to the log; they count as shown from then on.
 *
 * Local.
 */
void gannet_complaints_log(gannet_complaints *complaints, const gannet_context *context);

/* Print the lines of all complaints in the order of their places in the input: those without one
 * first, then by line and column. Complaints about the same place stay in their order.
 *
 * Local.
 */
void gannet_complaints_print(const gannet_complaints *complaints, FILE *out);

/* GANNET_OK when there were none, else GANNET_ERR_INPUT with as many of them as the error record
 * holds and "... and N more" (the full text stays in complaints).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_complaints_raise(const gannet_complaints *complaints);

/* Free the text.
 *
 * Local.
 */
void gannet_complaints_release(gannet_complaints *complaints);

#endif
