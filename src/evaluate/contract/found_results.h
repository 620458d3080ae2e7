/* What the files of one evaluation have given so far, while they are read.
 *
 * A simulation may report its numbers in results.out, in what it prints, and in tables. Each reader
 * gives what it finds to gannet_found_set and the functions beside it, which decide whether it
 * counts, is only recorded, contradicts something else, or makes the evaluation fail.
 *
 *   results_file     reads results.out, as lines or as a JSON object
 *   results          reads the other files, and has the functions of contract.h
 *   missing_results  decides whether what was not found may be missing, and says what was expected
 *
 * Functions that return an int return 0, or -1 when the evaluation ends with the status and the
 * reason that the result then has. "location" is where something stands, for messages, such as
 * "results.out line 3".
 */
#ifndef GANNET_EVALUATE_CONTRACT_FOUND_RESULTS_H
#define GANNET_EVALUATE_CONTRACT_FOUND_RESULTS_H

#include "evaluate/result_record.h"
#include "problem/problem.h"

enum {
  GANNET_PASSED_OVER_SIZE = 80,     /* bytes for what is told of a line without a number */
  GANNET_RESULTS_LARGEST = 16 << 20 /* bytes: a larger results.out is refused, not read */
};

/* An output that gives no number, although the campaign needs it. */
typedef struct {
  char *name, *why; /* owned */
} gannet_lacking_output;

/* An objective or a constraint of the result that is still NAN was not given yet: a NAN that a
 * simulation gives is refused. */
typedef struct {
  const gannet_problem *problem;             /* borrowed */
  gannet_result_record *result;              /* borrowed; gets the numbers */
  char passed_over[GANNET_PASSED_OVER_SIZE]; /* the first line without a number, "" = none */
  char note[GANNET_REASON_SIZE];             /* what to warn of: outputs that are missing and
                                                only recorded, numbers that do not count; "" =
                                                nothing */
  int n_lacking;
  gannet_lacking_output *lacking; /* [n_lacking] owned */
  gannet_quantities missing;      /* names that are said to be missing */
  gannet_quantities word;         /* what the word "objective" gives where the objective has another
                                     name */
} gannet_found_results;

/* What a file writes instead of a number that the simulation does not have. */
extern const char gannet_missing_word[];

/* Free what was kept beside the result.
 *
 * Local.
 */
void gannet_found_release(gannet_found_results *to);

/* Make a result failed, because a file cannot be read. An error that may pass, as while a file
 * server restarts, says nothing about the simulation: the result then becomes pending, with the
 * reason, and is to be read again.
 *
 * Local.
 *
 * error  in  an errno
 */
void gannet_found_fail_to_read(int error, const char *why, gannet_result_record *result);

/* Whether the objective (index 0) or a constraint (index 1 and on) was given.
 *
 * Local.
 */
bool gannet_found_is_given(const gannet_found_results *to, int index);

/* Take a quantity. One that the campaign does not ask for is recorded as far as it can be, and
 * never fails an evaluation: the last value of a name counts; a name or a standard deviation that
 * cannot be one is passed over.
 *
 * Local.
 */
int gannet_found_set(gannet_found_results *to, gannet_quantity quantity, const char *location);

/* Note that a quantity, or an output that is only recorded, is said to be missing.
 *
 * Local.
 */
int gannet_found_set_missing(gannet_found_results *to, const char *name, const char *location);

/* Whether the word "missing" says something in the place of the number of this name.
 *
 * Local.
 */
bool gannet_found_may_be_missing(const gannet_found_results *to, const char *name);

/* With unknown_outputs: fail, refuse a name that the campaign file does not have and that cannot be
 * recorded, as its value is no number. Numbers of such names are refused when all are there.
 *
 * Local.
 */
int gannet_found_refuse_unknown(gannet_found_results *to, const char *name, const char *location);

/* Add a warning to those that were noted before, if there is room for it.
 *
 * Local.
 */
void gannet_found_note(gannet_found_results *to, const char *text);

/* Take what the word "objective" gave when no number of the objective's own name came.
 *
 * Local.
 */
int gannet_found_take_word(gannet_found_results *to);

/* Take what a pattern or a column gave, or the reason why it gave nothing. Without a number that
 * the campaign needs the evaluation fails, unless it may be missing (see
 * gannet_found_check_complete). For an output that is only recorded the reason becomes a note,
 * unless the output is said to be missing.
 *
 * Local.
 *
 * value  in  NULL = there is none
 * text   in  where the value is from, or the reason
 */
int gannet_found_take_output(gannet_found_results *to, const char *name, const double *value,
                             const char *text);

/* Read results.out; returns 1 when it does not exist.
 *
 * Local.
 */
int gannet_results_file_read(gannet_found_results *to, const char *directory);

/* Check that what is missing may be, after everything was computed that can be: each quantity that
 * is missing was said to be, or a constraint is violated. A name that is nearly that of a missing
 * quantity is always taken for a misspelling. Also notes outputs that are only recorded and did not
 * come; where a violated constraint has ended the simulation early, no outputs are to be expected,
 * and all notes go.
 *
 * Local.
 *
 * directory  in  of the evaluation
 * has_file   in  whether there is a results.out
 */
int gannet_found_check_complete(gannet_found_results *to, const char *directory, bool has_file);

#endif
