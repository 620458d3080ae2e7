/* The user's own rules: what a text in the output of a simulation says about its end. */
#ifndef GANNET_EVALUATE_CONTRACT_TEXT_RULES_H
#define GANNET_EVALUATE_CONTRACT_TEXT_RULES_H

#include <regex.h>
#include <stdbool.h>

#include "base/complaints.h"
#include "base/option.h"
#include "evaluate/contract/output_search.h"

/* POSIX extended regular expressions, each for one line. */
typedef struct {
  int n;
  regex_t *regex;
} gannet_text_rules;

/* Compile; what is wrong with the expressions becomes complaints about the key.
 *
 * Local.
 *
 * texts  out  zeroed before; free with gannet_text_rules_release, also after failure
 */
GANNET_CHECKED gannet_err gannet_text_rules_create(const char *key, const gannet_text_list *list,
                                                   gannet_complaints *complaints,
                                                   gannet_text_rules *texts);
void gannet_text_rules_release(gannet_text_rules *texts);

typedef struct {
  bool any;
  char line[160];              /* the first that one of the expressions matches, without leading
                                  blanks */
  const char *name;            /* of the file that was searched last */
  gannet_search_report report; /* its end; over unless something came between */
} gannet_text_rule_match;

/* Complain about a backslash and a letter that mean something in other dialects: here \d is the
 * letter d, and in a list in square brackets a backslash stands for itself. Such an expression
 * finds nothing, or something else.
 *
 * Local.
 */
void gannet_regex_check_dialect(const char *key, const char *text, gannet_complaints *complaints);

/* Say why regcomp refuses an expression: (?...) of other dialects is called by its name.
 *
 * Local.
 */
void gannet_regex_explain(int failed, const regex_t *regex, const char *text, char *reason,
                          size_t size);

/* Look for a line of stdout.log, then of stderr.log, that one of the expressions matches.
 *
 * Local.
 *
 * texts  in  NULL = none
 */
gannet_text_rule_match gannet_text_rules_search(const gannet_text_rules *texts,
                                                const char *directory,
                                                const gannet_search_limits *limits);

#endif
