#include "campaign/restore.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "campaign/snapshot.h"

/* The payloads of a journal, one per line: what rank 0 sends to the others. */
typedef struct {
  char *text;
  size_t used, capacity;
} payloads;

static gannet_err add_payload(void *user, int64_t sequence, const char *payload, size_t length) {
  payloads *p = user;
  (void)sequence;
  if (p->used + length + 1 > p->capacity) {
    const size_t larger = 2 * (p->used + length + 1);
    GANNET_TRY(gannet_resize(p->used, larger, 1, &p->text));
    p->capacity = larger;
  }
  memcpy(p->text + p->used, payload, length);
  p->text[p->used + length] = '\n';
  p->used += length + 1;
  return GANNET_OK;
}

static gannet_err share(const gannet_context *context, payloads *p) {
  const size_t step = (size_t)1 << 30; /* MPI counts are ints */
  uint64_t bytes = p->used;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, context->comm));
  p->used = (size_t)bytes;
  const gannet_err err = context->rank ? gannet_alloc(p->used + 1, 1, &p->text) : GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, err));
  for (size_t at = 0; at < p->used; at += step) {
    const size_t count = p->used - at < step ? p->used - at : step;
    GANNET_TRY_MPI(MPI_Bcast(p->text + at, (int)count, MPI_CHAR, 0, context->comm));
  }
  return GANNET_OK;
}

static gannet_err apply_all(gannet_ledger *ledger, const payloads *p) {
  int64_t sequence = 0;
  for (size_t at = 0; at < p->used;) {
    const char *end = memchr(p->text + at, '\n', p->used - at);
    const size_t length = (size_t)(end - (p->text + at));
    GANNET_TRY(gannet_ledger_apply(ledger, ++sequence, p->text + at, length));
    at += length + 1;
  }
  return GANNET_OK;
}

gannet_err gannet_restore_begin(const gannet_context *context, const char *journal,
                                const char *name, gannet_ledger *ledger) {
  gannet_err err = GANNET_OK;
  if (context->rank == 0)
    err = gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, NULL,
                              &ledger->journal);
  GANNET_TRY(gannet_agree(context->comm, err));
  err = gannet_ledger_campaign(ledger, name, context->seed,
                               gannet_problem_fingerprint(ledger->problem));
  return gannet_agree(context->comm, err);
}

/* A name that is not taken: path.damaged, path.damaged.1, ... */
static void damaged_name(const char *path, char *name, size_t size) {
  (void)snprintf(name, size, "%s.damaged", path);
  for (int i = 1; access(name, F_OK) == 0 && i < 1000; ++i)
    (void)snprintf(name, size, "%s.damaged.%d", path, i);
}

/* Rank 0 only: a fresh journal with everything that the snapshot knows. */
static gannet_err write_from_snapshot(const gannet_context *context, const char *journal,
                                      const char *snapshot, const gannet_problem *problem) {
  char fresh[4096 + 16];
  gannet_history *history = NULL;
  gannet_ledger ledger;
  gannet_store_report report;
  GANNET_TRY(gannet_history_create(problem, &history));
  gannet_ledger_init(&ledger, problem, history);
  (void)snprintf(fresh, sizeof fresh, "%s.rebuilt", journal);
  (void)unlink(fresh);
  gannet_err err = gannet_snapshot_read(snapshot, &ledger, &report);
  if (err == GANNET_OK)
    err = gannet_journal_open(fresh, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, NULL,
                              &ledger.journal);
  if (err == GANNET_OK) err = gannet_ledger_rewrite(&ledger, context->seed);
  if (err == GANNET_OK)
    gannet_log(context, GANNET_LOG_WARNING,
               "journal rebuilt from %s%s: %lld evaluations, complete up to journal record %lld",
               snapshot, report.generation ? ".1" : "", (long long)ledger.n,
               (long long)ledger.sequence);
  gannet_ledger_release(&ledger);
  gannet_history_destroy(&history);
  if (err == GANNET_OK) err = gannet_file_rename(fresh, journal);
  return err;
}

static gannet_err rebuild(const gannet_context *context, const char *journal, const char *snapshot,
                          const gannet_problem *problem) {
  char aside[4096 + 32], why[1400];
  (void)snprintf(why, sizeof why, "%s", gannet_error_message());
  gannet_log(context, GANNET_LOG_WARNING, "the journal cannot be used: %s", why);
  damaged_name(journal, aside, sizeof aside);
  if (rename(journal, aside) == 0)
    gannet_log(context, GANNET_LOG_WARNING, "moved it to %s", aside);
  else if (errno != ENOENT)
    return gannet_raise_errno("rename", journal);
  const gannet_err err = write_from_snapshot(context, journal, snapshot, problem);
  if (err == GANNET_OK) return GANNET_OK;
  return GANNET_RAISE(err == GANNET_ERR_MISSING ? GANNET_ERR_DAMAGED : err,
                      "journal: %s; and it cannot be rebuilt from %s: %s", why, snapshot,
                      gannet_error_message());
}

/* Rank 0 only. */
static gannet_err open_journal(const gannet_context *context, const char *journal,
                               const char *snapshot, gannet_ledger *ledger, payloads *p) {
  gannet_journal_report report = {0};
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, NULL, NULL, &report);
  if (err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING)
    GANNET_TRY(rebuild(context, journal, snapshot, ledger->problem));
  else if (err != GANNET_OK)
    return err;
  GANNET_TRY(gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_APPEND, &report,
                                 &ledger->journal));
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  return gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_payload, p, NULL);
}

static gannet_err check_problem(const gannet_ledger *ledger) {
  GANNET_REQUIRE(ledger->fingerprint == gannet_problem_fingerprint(ledger->problem),
                 GANNET_ERR_INPUT,
                 "variables, constraints or goal differ from those of the campaign to be resumed; "
                 "start another campaign with --directory");
  return GANNET_OK;
}

/* The first record holds the fingerprint: it is checked before points are taken over. */
static gannet_err replay(gannet_ledger *ledger, const payloads *p) {
  const char *end = p->used ? memchr(p->text, '\n', p->used) : NULL;
  if (!end) return GANNET_OK;
  GANNET_TRY(gannet_ledger_apply(ledger, 1, p->text, (size_t)(end - p->text)));
  GANNET_TRY(check_problem(ledger));
  return apply_all(ledger, p);
}

gannet_err gannet_restore_continue(const gannet_context *context, const char *journal,
                                   const char *snapshot, gannet_ledger *ledger) {
  payloads p = {0};
  gannet_err err = context->rank ? GANNET_OK : open_journal(context, journal, snapshot, ledger, &p);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share(context, &p);
  if (err == GANNET_OK) err = gannet_agree(context->comm, replay(ledger, &p));
  gannet_free(&p.text);
  return err;
}

static gannet_err tell_held(gannet_ledger *ledger) {
  for (int64_t id = 0; id < ledger->n; ++id) {
    gannet_ticket *t = &ledger->ticket[id];
    if (!t->has_result || t->is_told) continue;
    GANNET_TRY(
        gannet_history_tell(ledger->history, id, t->status, t->objective, t->constraints, &t->run));
  }
  return GANNET_OK;
}

gannet_err gannet_restore_query(const char *journal, const char *snapshot, gannet_ledger *ledger,
                                gannet_journal_report *report) {
  payloads p = {0};
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_payload, &p, report);
  if (err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING)
    err = gannet_snapshot_read(snapshot, ledger, NULL);
  else if (err == GANNET_OK)
    err = replay(ledger, &p);
  if (err == GANNET_OK) err = tell_held(ledger);
  gannet_free(&p.text);
  return err;
}
