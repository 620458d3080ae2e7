/* Beginning and continuing a campaign: rank 0 opens the journal, all ranks replay it. */
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/text.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/resume_parts.h"

static gannet_err write_first_record(const gannet_context *context, const char *name,
                                     gannet_ledger *ledger) {
  const gannet_err err = gannet_ledger_campaign(ledger, name, context->seed,
                                                gannet_problem_fingerprint(ledger->problem));
  return gannet_agree(context->comm, err);
}

gannet_err gannet_resume_begin(const gannet_context *context, const char *journal, const char *name,
                               gannet_ledger *ledger) {
  gannet_err err = GANNET_OK;
  gannet_journal_report report = {0};
  if (context->rank == 0)
    err = gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, &report,
                              &ledger->journal);
  GANNET_TRY(gannet_agree(context->comm, err));
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  ledger->identity = report.identity;
  return write_first_record(context, name, ledger);
}

/* Add the payload of a record to the lines that rank 0 sends to the other ranks. */
static gannet_err add_payload(void *user, int64_t sequence, const char *payload, size_t length) {
  (void)sequence;
  GANNET_TRY(gannet_text_add(user, payload, length));
  return gannet_text_add(user, "\n", 1);
}

/* Open a sound journal, and read all its payloads, one per line. Rank 0 only. */
static gannet_err open_journal(const gannet_context *context, const gannet_resume_paths *paths,
                               gannet_ledger *ledger, gannet_text *payloads, bool *renews) {
  const char *journal = paths->journal;
  gannet_journal_report report = {0};
  GANNET_TRY(gannet_journal_make_sound(context, paths, ledger->problem, renews));
  GANNET_TRY(gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_APPEND, &report,
                                 &ledger->journal));
  ledger->identity = report.identity;
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  return gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_payload, payloads, NULL);
}

/* Send a text from rank 0 to all ranks. Collective. */
static gannet_err share_text(const gannet_context *context, gannet_text *text) {
  uint64_t bytes = text->used;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, context->comm));
  text->used = (size_t)bytes;
  const gannet_err err = context->rank ? gannet_alloc(text->used + 1, 1, &text->text) : GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, err));
  return gannet_bytes_broadcast(context->comm, 0, text->used, text->text);
}

/* The first record holds the fingerprint: it is checked before points are taken over. */
static gannet_err replay(gannet_ledger *ledger, const gannet_text *payloads, uint64_t seed) {
  int64_t sequence = 0;
  for (size_t at = 0; at < payloads->used;) {
    const char *payload = payloads->text + at;
    const char *end = memchr(payload, '\n', payloads->used - at);
    GANNET_TRY(gannet_ledger_apply(ledger, ++sequence, payload, (size_t)(end - payload)));
    if (sequence == 1) GANNET_TRY(gannet_resume_check_campaign(ledger, seed));
    at += (size_t)(end - payload) + 1;
  }
  return GANNET_OK;
}

/* Let the ledgers of all ranks read the journal in the terms of the problem that it begins with. */
static gannet_err begin_replay(const gannet_context *context, const char *journal,
                               const gannet_text *payloads, gannet_ledger *ledger) {
  gannet_text description = {0};
  const char *end = memchr(payloads->text, '\n', payloads->used);
  gannet_err err = GANNET_OK;
  if (context->rank == 0)
    err = gannet_resume_describe_first(journal, ledger, payloads->text,
                                       (size_t)(end - payloads->text), &description.text);
  if (description.text) description.used = strlen(description.text);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share_text(context, &description);
  if (err == GANNET_OK && description.used > 0)
    err = gannet_agree(context->comm, gannet_ledger_begin_as(ledger, description.text));
  gannet_free(&description.text);
  return err;
}

gannet_err gannet_resume_continue(const gannet_context *context, const char *journal,
                                  const char *snapshot, const char *name, gannet_ledger *ledger) {
  const gannet_resume_paths paths = {journal, snapshot, name, &context->seed};
  gannet_text payloads = {0};
  bool renews = false; /* only rank 0 knows */
  const int64_t last = context->rank ? -1 : gannet_resume_find_last_row(journal);
  gannet_err err =
      context->rank ? GANNET_OK : open_journal(context, &paths, ledger, &payloads, &renews);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share_text(context, &payloads);
  if (err == GANNET_OK && payloads.used > 0)
    err = begin_replay(context, journal, &payloads, ledger);
  if (err == GANNET_OK) err = gannet_agree(context->comm, replay(ledger, &payloads, context->seed));
  /* Whoever opens the campaign replaces history.csv. */
  if (err == GANNET_OK && last >= ledger->n && !renews)
    err = gannet_resume_raise_lost(last, ledger->n);
  const int64_t lost =
      context->rank || err != GANNET_OK ? -1 : gannet_resume_find_lost_row(journal, ledger);
  if (lost >= 0) err = gannet_journal_keep_table(context, journal, lost);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK)
    err = gannet_agree(
        context->comm,
        renews ? gannet_journal_renew_snapshots(context, snapshot, ledger) : GANNET_OK);
  /* Killed between making the journal and its first record. */
  if (err == GANNET_OK && payloads.used == 0) err = write_first_record(context, name, ledger);
  gannet_free(&payloads.text);
  return err;
}
