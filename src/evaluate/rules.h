/* The user's own rules: what a text in the output of a simulation says about its end. */
#ifndef GANNET_EVALUATE_RULES_H
#define GANNET_EVALUATE_RULES_H

#include <regex.h>
#include <stdbool.h>

#include "base/complaints.h"
#include "base/option.h"

/* POSIX extended regular expressions, each for one line. */
typedef struct {
  int n;
  regex_t *regex;
} gannet_texts;

/* Compile; what is wrong with the expressions becomes complaints about the key.
 *
 * Local.
 *
 * texts  out  zeroed before; free with gannet_texts_release, also after failure
 */
GANNET_CHECKED gannet_err gannet_texts_create(const char *key, const gannet_text_list *list,
                                              gannet_complaints *complaints, gannet_texts *texts);
void gannet_texts_release(gannet_texts *texts);

/* The first line of stdout.log, then of stderr.log, that one of the expressions matches.
 *
 * Local.
 *
 * texts  in   NULL = none
 * found  out  [size] that line without leading blanks
 */
bool gannet_texts_find(const gannet_texts *texts, const char *directory, char *found, size_t size);

/* Cut a line of what a simulation printed before its LF or CR LF. A CR inside stays: progress bars
 * write over their line with it.
 *
 * Local.
 */
void gannet_cut_line_end(char *line);

#endif
