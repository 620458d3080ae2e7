/* The file contract between gannet and a simulation that is a program of its own.
 *
 * One directory per evaluation, CAMPAIGN/evals/000123/. Before the launch it gets params.json,
 * params.in, the rendered templates and attempt.json; the simulation leaves results.out (or prints
 * its results, for a pattern to pick out); the launcher leaves outcome.json. What an earlier
 * attempt left is moved to attempt-K/ inside, so that nothing stale is ever read.
 *
 *   case_folder       copies a folder of the user's into the directory
 *   directory         makes and fills the directory; reads and writes attempt.json
 *   substitute        the values of placeholders, and replacing them in templates and commands
 *   results           reads all that a simulation reports (see found_results.h)
 *   patterns          finds numbers by regular expressions in what is printed or written
 *   output_files      finds files by name or wildcards, and takes numbers from tables
 *   classify_outcome  how an attempt ended: done, cannot run, failed, or bad luck
 *
 * An attempt that "cannot run" says that the design is bad; "bad luck" is a failure after which
 * another attempt may succeed.
 */
#ifndef GANNET_EVALUATE_CONTRACT_CONTRACT_H
#define GANNET_EVALUATE_CONTRACT_CONTRACT_H

#include <regex.h>

#include "evaluate/contract/output_search.h"
#include "evaluate/contract/placeholder.h"
#include "evaluate/contract/text_rules.h"
#include "evaluate/evaluator.h"
#include "evaluate/launcher/leftovers.h"

/* A folder that is copied into the directory of every evaluation. Everything is borrowed. */
typedef struct {
  const char *copy;                  /* the folder; NULL = there is none */
  const gannet_text_list *templates; /* patterns of files whose placeholders are replaced */
  const gannet_text_list *link;      /* patterns of what becomes a link to the original */
  const char *campaign;              /* directory that is no part of it; NULL = not known */
} gannet_case;

/* What all evaluations of a campaign share. Everything is borrowed. */
typedef struct {
  const gannet_problem *problem;
  const char *evaluations;     /* absolute path of CAMPAIGN/evals */
  const char *input_directory; /* absolute; relative templates start from it */
  const gannet_text_list *templates;
  const gannet_case *a_case; /* NULL = none */
  bool durable; /* whether attempt.json must outlive this machine: others run the simulation */
  const gannet_delimiters *delimiters; /* of templates and scripts; NULL = braces */
  bool starts_from_nearest;            /* {nearest} is the folder of request->start_from */
  bool has_places; /* {cores}, {gpus}, {hosts} and {launcher} are those of request->place */
} gannet_contract;

/* A name and what it stands for. */
typedef struct {
  char *name, *text; /* owned */
  gannet_field_kind kind;
  double number; /* of kinds that are numbers */
} gannet_binding;

/* What placeholders stand for: params, results, directory, input_directory, id, attempt, seed,
 * slot, perhaps nearest, and perhaps the words of a place, and then the variables, which win.
 * gannet.NAME is that of a fixed meaning in any case. */
typedef struct {
  int n, n_fixed;       /* n_fixed: those before the variables */
  gannet_binding *item; /* [n] owned */
} gannet_bindings;

/* Names with a fixed meaning, NULL-terminated. */
extern const char *const gannet_fixed_placeholders[];

/* The name that has one only where simulations start from the nearest design. */
extern const char gannet_nearest_placeholder[];

/* Names that have one only where simulations have places, NULL-terminated. */
extern const char *const gannet_place_placeholders[];

/* Which of these have their meanings. */
typedef struct {
  bool nearest, place;
} gannet_placeholder_scope;

/* The same as a text for messages: "{params} {results} ...". */
extern const char gannet_fixed_placeholder_list[];

/* The kind of a variable in a field.
 *
 * Local.
 */
gannet_field_kind gannet_variable_kind(const gannet_variable *variable);

/* Whether a placeholder has a name that is known, the kind of its value, and its variable.
 *
 * Local.
 *
 * problem      in   may be NULL: then only names with a fixed meaning are known
 * scope        in   which names besides the fixed ones have their meaning
 * variable     out  NULL = a fixed meaning
 */
bool gannet_placeholder_kind(const gannet_problem *problem, gannet_placeholder_scope scope,
                             const char *name, gannet_field_kind *kind,
                             const gannet_variable **variable);

/* Find the binding of a name: that of a variable before that of a fixed meaning; NULL = there is
 * none.
 *
 * Local.
 */
const gannet_binding *gannet_binding_find(const gannet_bindings *bindings, const char *name);

/* Path of the directory of an evaluation.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_contract_directory(const gannet_contract *contract, int64_t id,
                                                    char *path, size_t size);

/* Path of the folder that an evaluation may start from; "" when there is none.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_contract_start_folder(const gannet_contract *contract,
                                                       const gannet_request *request, char *path,
                                                       size_t size);

enum { GANNET_SUBMISSION_NAME = 128 };

/* The place of an evaluation among several that a scheduler takes together. */
typedef struct {
  char submission[GANNET_SUBMISSION_NAME]; /* its name; "" = none */
  int element;                             /* of an array, -1 = no array */
  int runs;                                /* evaluations in that element's job, at most */
} gannet_submission_element;

/* What attempt.json keeps for a later process that takes the attempt over. */
typedef struct {
  int slot;                                    /* of the evaluator */
  double submitted;                            /* seconds since 1970 */
  const gannet_submission_element *submission; /* NULL = it has a job or a process of its own */
  const char *place;                           /* for people; NULL = none */
} gannet_attempt_handover;

/* Write a template into a folder, with its placeholders replaced, under the same name and with the
 * same permissions.
 *
 * Local.
 *
 * path  in  of the template
 */
GANNET_CHECKED gannet_err gannet_contract_render(const gannet_contract *contract, const char *path,
                                                 const gannet_bindings *bindings,
                                                 const char *folder);

/* Make the directory ready for an attempt: move an earlier one aside, write parameters, templates
 * and attempt.json.
 *
 * Local.
 *
 * bindings   in  of this request
 * directory  in  from gannet_contract_directory
 * handover   in  goes into attempt.json; NULL = nothing
 *
 * Errors: those of the file system.
 */
GANNET_CHECKED gannet_err gannet_contract_prepare(const gannet_contract *contract,
                                                  const gannet_request *request,
                                                  const gannet_bindings *bindings,
                                                  const char *directory,
                                                  const gannet_attempt_handover *handover);

/* The two steps of gannet_contract_prepare. The second one may be repeated when it failed: nothing
 * has run in the directory then.
 *
 * Local.
 *
 * before   in  number of the attempt whose files are moved aside, where its attempt.json is missing
 * durable  in  the directory is to be there after a power failure
 *
 * Errors: those of the file system.
 */
GANNET_CHECKED gannet_err gannet_contract_make_directory(const char *directory, int before,
                                                         bool durable);
GANNET_CHECKED gannet_err gannet_contract_fill_directory(const gannet_contract *contract,
                                                         const gannet_request *request,
                                                         const gannet_bindings *bindings,
                                                         const char *directory,
                                                         const gannet_attempt_handover *handover);

/* Who runs an attempt: a process, or a job of a scheduler. */
typedef struct {
  int attempt;
  uint64_t nonce;
  int pid;          /* 0 = none, or not started yet */
  int slot;         /* of the evaluator, -1 = none yet */
  double submitted; /* seconds since 1970; 0 = unknown */
  double started;   /* seconds since 1970 */
  const char *job;  /* id of a scheduler's job; NULL = none, or not submitted yet */
  const gannet_submission_element *submission; /* NULL = none */
  const char *place;                           /* for people; NULL = none */
  bool durable; /* also after a power failure: for what goes on without this machine */
} gannet_attempt_runner;

/* Write attempt.json, whole or not at all.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_attempt_write(const char *directory,
                                               const gannet_attempt_runner *runner);

/* Whether attempt.json names this nonce. Writes the job that it names, "" when it names none.
 *
 * Local.
 *
 * job  out  [size]
 */
bool gannet_attempt_has_nonce(const char *directory, uint64_t nonce, char *job, size_t size);

/* What attempt.json tells somebody who only looks. */
typedef struct {
  int attempt, pid, slot; /* 0, 0 and -1 = unknown */
  uint64_t nonce;
  double started;   /* seconds since 1970, or when it was handed to the scheduler; NAN = unknown */
  double submitted; /* seconds since 1970; NAN = unknown */
  char host[GANNET_HOST_SIZE];     /* of the controller */
  gannet_process_identity process; /* of pid; zeroed = unknown */
  char job[GANNET_JOB_SIZE];       /* of a scheduler, "" = none or not known yet */
  char place[GANNET_PLACE_SIZE];   /* its cores and GPUs, "" = not known */
} gannet_attempt_info;

/* Read it; false when there is none.
 *
 * Local.
 */
bool gannet_attempt_read(const char *directory, gannet_attempt_info *sight);

/* Read the submission that attempt.json names; its name is "" when there is none.
 *
 * Local.
 */
void gannet_attempt_read_submission(const char *directory, gannet_submission_element *submission);

/* Read the nonce and the job of the attempt in a directory; the nonce is 0 when there is none.
 *
 * Local.
 *
 * job  out  [size]
 */
uint64_t gannet_attempt_nonce(const char *directory, char *job, size_t size);

/* Make the values of all placeholders for one request; free with gannet_bindings_release, also
 * after failure.
 *
 * Local.
 *
 * slot  in  of the evaluator; -1 = unknown
 */
GANNET_CHECKED gannet_err gannet_bindings_create(const gannet_contract *contract,
                                                 const gannet_request *request,
                                                 const char *directory, int slot,
                                                 gannet_bindings *bindings);
void gannet_bindings_release(gannet_bindings *bindings);

/* Make the environment of a simulation: the user's variables, with placeholders replaced in their
 * values, and gannet's own, such as GANNET_EVAL_ID=123.
 *
 * Local.
 *
 * slot  in   of the evaluator; -1 = unknown
 * list  out  zeroed before; free with gannet_text_list_release, also after failure
 */
GANNET_CHECKED gannet_err gannet_contract_environment(
    const gannet_contract *contract, const gannet_request *request, const gannet_bindings *bindings,
    const char *directory, int slot, const gannet_text_list *users, gannet_text_list *list);

/* Append a copy of a text; item[n] is always NULL.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_text_list_add(gannet_text_list *list, const char *text);
void gannet_text_list_release(gannet_text_list *list);

/* Where placeholders are replaced. */
typedef enum {
  GANNET_IN_TEMPLATE, /* with the campaign's delimiters; a backslash before an unknown name stays */
  GANNET_IN_SCRIPT,  /* with the campaign's delimiters; every backslash before a placeholder goes */
  GANNET_IN_CAMPAIGN /* command and environment: the same, and braces count as well */
} gannet_text_kind;

/* Replace every placeholder of a known name by its value, once, from left to right, and remove the
 * backslash before those that have one. Everything else stays as it is, also unknown placeholders
 * and formats that cannot be read: templates are often programs full of braces.
 *
 * Local.
 *
 * contract  in   its delimiters count
 * source    in   name of the file or key for messages
 * text      in   size bytes, zero bytes allowed
 * out       out  to be freed with gannet_free; a zero byte follows that is not counted
 *
 * Errors: GANNET_ERR_INPUT when a value has more characters than the width of its format.
 */
GANNET_CHECKED gannet_err gannet_substitute(const gannet_contract *contract,
                                            const gannet_bindings *bindings,
                                            gannet_text_kind text_kind, const char *source,
                                            const char *text, size_t size, char **out,
                                            size_t *out_size);

/* Line and column of a place in a text, counted from 1.
 *
 * Local.
 */
void gannet_text_position(const char *text, size_t at, int *line, int *column);

/* The delimiters that count at a place.
 *
 * Local.
 */
gannet_delimiters gannet_contract_delimiters(const gannet_contract *contract,
                                             gannet_text_kind text_kind);

/* Regular expressions that pick quantities out of the simulation's output. */
typedef struct {
  int n;
  char **name; /* [n] of the quantity; "" = not known, for want of a problem */
  char **file; /* [n] that is searched, NULL = stdout.log; those of one file follow each other */
  bool *is_output;  /* [n] belongs to outputs, not to evaluate.pattern */
  bool *by_columns; /* [n] counts characters, as (.{8}) does: numbers may touch each other */
  bool *has_comma;  /* [n] names a comma: one that it matches beside its group is between numbers */
  regex_t *regex;
} gannet_patterns;

/* Compile "name=regex" texts and the patterns of the problem's outputs; what is wrong with them
 * becomes complaints.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_patterns_create(const gannet_text_list *texts,
                                                 const gannet_problem *problem,
                                                 gannet_complaints *complaints,
                                                 gannet_patterns *patterns);
void gannet_patterns_release(gannet_patterns *patterns);

/* What takes the number of a quantity, or the reason why there is none. Other than 0 ends the
 * search.
 *
 *   value  in  NULL = there is none
 *   text   in  where the value is from, or the reason
 */
typedef struct {
  int (*take)(void *user, const char *name, const double *value, const char *text);
  void *user;
} gannet_quantity_taker;

/* A search that could not be finished. */
typedef struct {
  gannet_search_report report; /* report.end is GANNET_SEARCH_OVER when the taker ended it */
  const char *name;            /* of the quantity */
  char file[120];
} gannet_pattern_failure;

/* Search the files of an evaluation for patterns, and give each quantity to the taker.
 *
 * Local.
 *
 * Returns 0, or -1 when the search failed or the taker ended it.
 */
int gannet_patterns_search(const gannet_patterns *patterns, const char *directory,
                           const gannet_search_limits *limits, const gannet_quantity_taker *taker,
                           gannet_pattern_failure *failure);

/* The rules by which the end of a process is classified. */
typedef struct {
  const gannet_real_list *bad_luck;   /* exit codes after which another attempt may succeed */
  const gannet_real_list *cannot_run; /* exit codes that say: the simulation cannot run here */
  const gannet_patterns *patterns;
  double time_limit;
  const gannet_text_rules *bad_luck_texts;   /* in the output of a failed attempt; NULL = none */
  const gannet_text_rules *cannot_run_texts; /* in the output of any attempt; NULL = none */
  gannet_search_limits limits;               /* of looking for patterns and texts */
  const char *evaluations; /* absolute path of CAMPAIGN/evals; NULL = it is where it was */
  const char *program;     /* path of what is started; NULL = not told */
} gannet_outcome_rules;

/* Read the results of a simulation that ended with exit code 0: from stdout.log by patterns, from
 * results.out for the rest. The result becomes done, cannot run, or failed with the reason: what
 * was wrong, where, and what was found instead. It becomes pending when somebody asks the program
 * to end meanwhile.
 *
 * Local.
 */
void gannet_contract_read_results(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                  const char *directory, gannet_result_record *result);

/* Whether a file is not there that has the objective, a constraint, or what they are computed from:
 * results.out, or one of an output. What is printed does not count.
 *
 * Local.
 */
bool gannet_contract_lacks_files(const gannet_problem *problem, const char *directory);

/* Whether results.out is cut off within its last line. A JSON object never counts as cut off, as it
 * shows itself whether it is whole.
 *
 * Local.
 */
bool gannet_contract_is_torn(const char *directory);

/* Whether results.out says that the simulation cannot run. That counts however the simulation
 * ended, and the result then says so. Otherwise the result is still to be filled.
 *
 * Local.
 *
 * result  inout  cleared
 */
bool gannet_contract_says_cannot_run(const gannet_problem *problem, const char *directory,
                                     gannet_result_record *result);

/* Make the result of an attempt from the launcher's last event about it. A text of the user's that
 * means 'cannot run' counts more than the exit code and the results. What the simulation itself
 * says in results.out comes next: that it cannot work, however it ended; its numbers, when it ended
 * well. The result becomes pending, to be classified again by a later process, when somebody asks
 * the program to end meanwhile.
 *
 * Local.
 *
 * result  inout  cleared; id and run.slot, submitted and attempts stay as they are
 *
 * Errors: GANNET_ERR_MISSING when there are no results and rules->evaluations is not there either:
 *   the campaign was moved away, and the results may be with it.
 */
GANNET_CHECKED gannet_err gannet_classify_outcome(const gannet_problem *problem,
                                                  const gannet_outcome_rules *rules,
                                                  const char *directory,
                                                  const gannet_launch_event *event,
                                                  gannet_result_record *result);

/* Forget an attempt that failed where nothing more can be written: that says nothing about its
 * design, and it is made again. Only for attempts that have ended, as another one would run beside
 * one that goes on.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NO_SPACE when the attempt failed and its directory has no room for anything.
 */
GANNET_CHECKED gannet_err gannet_contract_check_space(const char *directory,
                                                      const gannet_result_record *result);

/* Find the interpreter that the first line of a script names; "" when there is none.
 *
 * Local.
 *
 * name  out  [size]
 */
void gannet_contract_find_interpreter(const char *program, char *name, size_t size);

/* Explain an error of exec, to be put behind the error's own text: of a script whose interpreter is
 * missing, exec says that there is no such file.
 *
 * Local.
 *
 * program  in   path; NULL = not told
 * why      out  [size]
 */
void gannet_contract_explain_exec(const char *program, int error, char *why, size_t size);

/* Whether a result is pending because it cannot be read for now: it is to be read again.
 *
 * Local.
 */
bool gannet_contract_is_unread(const gannet_result_record *result);

/* Check that the files that tell how far an attempt has come, outcome.json and attempt.json, can be
 * read or are not there. Damaged ones, and what is no regular file, can be read in this sense.
 *
 * Local.
 *
 * with_results  in  check results.out as well
 *
 * Errors: GANNET_ERR_IO and the like, with the file, when nobody can know whether the attempt has
 *   ended: it must not be made again.
 */
GANNET_CHECKED gannet_err gannet_attempt_check_files(const char *directory, bool with_results);

/* Forget the attempt in a directory: no later process finds it, nor how it ended, and it is made
 * again.
 *
 * Local.
 */
void gannet_attempt_forget(const char *directory);

/* Whether a signal comes from outside: from a scheduler, the kernel out of memory, a dying node. A
 * simulation that breaks down by itself gets others (SIGSEGV, SIGFPE, SIGABRT).
 *
 * Local.
 */
bool gannet_contract_is_from_outside(int signal);

/* Whether an error of the system says nothing about what was tried: it may pass.
 *
 * Local.
 */
bool gannet_contract_is_transient(int error);

/* Set a result for a search that could not be finished: failed, or pending when the program is to
 * end.
 *
 * Local.
 *
 * what  in  that was looked for
 * name  in  of the file
 */
void gannet_contract_fail_search(const gannet_search_report *report, const char *what,
                                 const char *name, gannet_result_record *result);

/* Make a result failed, with a reason and the end of stderr.log. The caller sets the class of the
 * failure.
 *
 * Local.
 */
void gannet_contract_fail(const char *directory, bool retry, const char *reason,
                          gannet_result_record *result);

/* Whether the attempt with this nonce has left its outcome.json. Writes its end into event.
 *
 * Local.
 *
 * host  out  [GANNET_HOST_SIZE] that it says it ran on, "" when it does not; may be NULL
 */
bool gannet_contract_find_outcome(const char *directory, uint64_t nonce, gannet_launch_event *event,
                                  char *host);

/* Whether the outcome.json of this nonce says that the script of a job did not start the
 * simulation, and why.
 *
 * Local.
 *
 * why  out  [size]
 */
bool gannet_contract_is_not_begun(const char *directory, uint64_t nonce, char *why, size_t size);

#endif
