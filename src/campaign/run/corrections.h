/* Corrections: what a user asks for, whether it can be, and how a campaign that runs gets to know.
 *
 * A request is a text: what `gannet discard`, `correct` and `retry` want. The process that has the
 * campaign makes it: the command itself when it finds the campaign free, or else the gannet that
 * runs. For that one the command leaves the text in a file, and reads the answer from another:
 *
 *   requests/KEY.json     the request; its name appears when it is whole
 *   requests/KEY.answer   '+' or '-', then what was done, or why not; written once the journal has
 *                         the correction. The request is removed after that
 *
 * KEY is the key of the request. The journal has it too, so that a request which is read twice,
 * because a process ended in between, is made once.
 */
#ifndef GANNET_CAMPAIGN_RUN_CORRECTIONS_H
#define GANNET_CAMPAIGN_RUN_CORRECTIONS_H

#include "campaign/run/campaign.h"

/* What a user asks for. Zero-initialise; free with gannet_correction_request_release. */
typedef struct {
  gannet_correction_kind kind;
  bool undo;       /* such a correction is to be taken back */
  bool all_failed; /* of GANNET_CORRECTION_RETRY: every evaluation that failed, instead of ids */
  int n;
  int64_t *id; /* [n] owned */
  gannet_correction_note note;
  /* Of GANNET_CORRECTION_VALUES, by name; owned: */
  gannet_quantities values;
  gannet_quantities constraints; /* those of the values that the user calls constraints */
} gannet_correction_request;

/* Free what a request owns.
 *
 * Local.
 */
void gannet_correction_request_release(gannet_correction_request *request);

/* A request as text in one line, for gannet_free, and back.
 *
 * Local.
 *
 * Errors of parse: GANNET_ERR_INPUT for what is no request.
 */
GANNET_CHECKED gannet_err gannet_correction_request_text(const gannet_correction_request *request,
                                                         char **text);
GANNET_CHECKED gannet_err gannet_correction_request_parse(const char *text,
                                                          gannet_correction_request *request);

/* "discard", "correct", "retry": by gannet_correction_kind. */
extern const char *const gannet_correction_words[];

enum { GANNET_ANSWER_SIZE = 800 };

/* Make a request: the journal gets it, the optimiser begins anew with the results that count.
 *
 * Local; the caller agrees on the outcome between ranks. The same on all ranks.
 *
 * answer  out  [GANNET_ANSWER_SIZE] what was done, for the user
 *
 * Errors: GANNET_ERR_INPUT saying why it cannot be, and nothing was changed; those of the journal.
 */
GANNET_CHECKED gannet_err gannet_corrections_make(gannet_campaign *campaign,
                                                  const gannet_correction_request *request,
                                                  char *answer);

/* Leave a request to the process that has the campaign.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_corrections_post(const char *directory,
                                                  const gannet_correction_request *request);

/* Look for the answer, which is removed. When there is none, and the request is not wanted any
 * more, withdraw it, unless somebody has taken it already.
 *
 * Local.
 *
 * has_answer  out
 * answer      out  [GANNET_ANSWER_SIZE]
 *
 * Errors: GANNET_ERR_INPUT with the words of a refusal.
 */
GANNET_CHECKED gannet_err gannet_corrections_look(const char *directory, uint64_t key,
                                                  bool *has_answer, char *answer);
bool gannet_corrections_withdraw(const char *directory, uint64_t key);

/* Make the requests that others have left, in the order in which they were asked for, and answer
 * them.
 *
 * Collective over the campaign's context; the same on all ranks.
 *
 * n  out  how many were made; those that cannot be only get an answer
 *
 * Errors: those of the journal; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_corrections_take(gannet_campaign *campaign, int *n);

/* "discarded on 2026-11-27 10:00:00 by ann@node-7: wrong mesh", and whether that was taken back.
 *
 * Local.
 *
 * text  out  [size]
 */
void gannet_correction_format(const gannet_correction *correction, char *text, size_t size);

#endif
