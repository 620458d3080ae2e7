/* What the back-ends share whose simulations are programs of their own: where the program is, what
 * it is called with, by which rules its end is classified.
 */
#ifndef GANNET_EVALUATE_COMMAND_PROGRAM_H
#define GANNET_EVALUATE_COMMAND_PROGRAM_H

#include <limits.h>

#include "evaluate/command/command.h"
#include "evaluate/contract/placeholder_uses.h"
#include "evaluate/places/resources.h"

/* What all evaluations of a campaign share. It must not move, as contract points into it. */
typedef struct {
  const gannet_command_options *options;
  gannet_delimiters delimiters;
  gannet_case a_case;
  gannet_contract contract;
  gannet_outcome_rules rules;
  gannet_patterns patterns;
  gannet_placeholder_uses *uses; /* owned; of command, environment and templates */
  gannet_text_rules bad_luck_texts, cannot_run_texts;
  char evaluations[PATH_MAX], input_directory[PATH_MAX], program[PATH_MAX];
  char campaign[PATH_MAX];
  const gannet_needs *needs; /* of jobs of a scheduler; NULL = not said; borrowed */
  bool starts_jobs;          /* the programs run in jobs of a scheduler */
  bool runs_copy;            /* the program of the case folder is run, by env in its copy */
  char shell[PATH_MAX];      /* bash, or /bin/sh where there is none: runs job scripts and shell */
} gannet_program;

/* Find the program and the directories, and make CAMPAIGN/evals. Zeroed before; free with
 * gannet_program_release, also after failure.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_program_create(const gannet_command_options *options,
                                                const gannet_evaluator_setup *setup,
                                                gannet_program *program);
void gannet_program_release(gannet_program *program);

/* See gannet_placeholder_uses_check; a request whose values do not fit becomes a failed result.
 *
 * Local.
 *
 * ready  inout  gets the result
 * fits   out    false when there is one
 */
GANNET_CHECKED gannet_err gannet_program_check_request(const gannet_program *program,
                                                       const gannet_context *context,
                                                       const gannet_request *request,
                                                       gannet_result_queue *ready, bool *fits);

/* Whether the program is to end at once: what has ended can be classified by a later process.
 *
 * Local.
 */
bool gannet_program_is_stopped(const gannet_program *program);

/* Whether no further simulation is to begin, though those that run may end.
 *
 * Local.
 */
bool gannet_program_begins_nothing(const gannet_program *program);

/* What the program of one attempt is called with. */
typedef struct {
  gannet_bindings bindings;
  gannet_text_list arguments, environment;
} gannet_command_line;

/* Zeroed before; free with gannet_command_line_release, also after failure.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_command_line_create(const gannet_program *program,
                                                     const gannet_request *request,
                                                     const char *directory, int slot,
                                                     gannet_command_line *command_line);
void gannet_command_line_release(gannet_command_line *command_line);

/* The attempt of an evaluation that is under way. */
typedef struct {
  int64_t id;
  int number, slot; /* number: 1 for the first attempt; slot: -1 = unknown */
  uint64_t nonce;
  double submitted;    /* seconds since 1970, NAN = unknown */
  bool unwanted;       /* cancelled: its end is awaited, its result is not */
  double unread_since; /* gannet_clock_seconds, when what it left could not be read; NAN = it can */
  char directory[PATH_MAX];
  char place[GANNET_PLACE_SIZE]; /* its cores and GPUs; "" = none or unknown */
} gannet_current_attempt;

/* Begin the attempt of a request, in the smallest slot that is free.
 *
 * Local.
 *
 * others  in  [n] elements of this size that begin with a gannet_current_attempt
 *
 * Errors: GANNET_ERR_ARG when the evaluation is among the others.
 */
GANNET_CHECKED gannet_err gannet_attempt_begin(const gannet_program *program,
                                               const gannet_request *request, const void *others,
                                               int n, size_t size, gannet_current_attempt *attempt);

/* Read the slot and the time of submission of an attempt that an earlier process began, from
 * attempt.json; what is missing there becomes unknown.
 *
 * Local.
 */
void gannet_attempt_recall(gannet_current_attempt *attempt);

/* Whether to read again, after a while, what an attempt has left and cannot be read now. The first
 * time the log says why.
 *
 * Local.
 *
 * reason    in  what cannot be read
 * patience  in  seconds for which it is read again; then the campaign has to stop
 */
bool gannet_attempt_reads_again(const gannet_context *context, gannet_current_attempt *attempt,
                                const char *reason, double patience);

/* Put into a cleared result what the attempt knows.
 *
 * Local.
 */
void gannet_attempt_identify(const gannet_current_attempt *attempt, gannet_result_record *result);

#endif
