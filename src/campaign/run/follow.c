#include "campaign/run/follow.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "campaign/run/budget.h"
#include "campaign/run/resume.h"

/* A process that has just ended may be followed by the next one. */
static const double succession_seconds = 1;

enum { MOST_BAD_LOOKS = 3, LOG_TAIL = 4096 };

static gannet_err read_on(gannet_follow *f, bool *replaced) {
  char journal[PATH_MAX], snapshot[PATH_MAX];
  GANNET_TRY(gannet_campaign_path(&f->campaign, "journal", journal));
  GANNET_TRY(gannet_campaign_path(&f->campaign, "state.h5", snapshot));
  const uint64_t seed = (uint64_t)f->campaign.input->general.seed;
  const gannet_resume_paths paths = {journal, snapshot, f->campaign.input->general.name, &seed};
  return gannet_resume_follow(&paths, &f->position, replaced, &f->campaign.ledger);
}

/* Seconds since 1970 of the last change of a file; 0 when there is none. */
static double change_of(const gannet_follow *f, const char *name) {
  char path[PATH_MAX];
  struct stat status;
  if (gannet_campaign_path(&f->campaign, name, path) != GANNET_OK || stat(path, &status)) return 0;
  return (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
}

/* Before the journal is read: what a process wrote before it ended is then seen with its end. */
static void look_around(gannet_follow *f) {
  char path[PATH_MAX];
  f->changed = change_of(f, "journal");
  if (gannet_campaign_path(&f->campaign, "journal.lock", path) == GANNET_OK)
    gannet_lock_look(path, &f->holder);
}

gannet_err gannet_follow_open(const char *directory, gannet_follow *follow) {
  bool replaced = false;
  memset(follow, 0, sizeof *follow);
  (void)snprintf(follow->campaign.directory, sizeof follow->campaign.directory, "%s", directory);
  follow->configured = change_of(follow, "campaign.yaml");
  GANNET_TRY(gannet_campaign_look(directory, &follow->campaign));
  follow->total = gannet_budget_total(follow->campaign.input);
  look_around(follow);
  gannet_err err = read_on(follow, &replaced);
  if (err == GANNET_OK) err = gannet_campaign_adopt_problem(&follow->campaign);
  if (err == GANNET_OK) gannet_campaign_scheduler_status(&follow->campaign, &follow->scheduler);
  if (err != GANNET_ERR_DAMAGED && err != GANNET_ERR_MISSING) return err;
  if (follow->campaign.ledger.sequence == 0) return err;
  (void)snprintf(follow->note, sizeof follow->note,
                 "%.400s; shown is the newest snapshot: `gannet run` with --resume rebuilds the "
                 "journal from it and keeps the damaged one",
                 gannet_error_message());
  gannet_error_clear();
  return gannet_ledger_tell_held(&follow->campaign.ledger);
}

void gannet_follow_borrow(const gannet_campaign *campaign, gannet_follow *follow) {
  memset(follow, 0, sizeof *follow);
  follow->campaign = *campaign;
  (void)snprintf(follow->note, sizeof follow->note, "%.500s", campaign->damage.text);
  follow->total = gannet_budget_total(campaign->input);
  look_around(follow);
  gannet_campaign_scheduler_status(campaign, &follow->scheduler);
}

void gannet_follow_close(gannet_follow *follow) {
  gannet_campaign_close(&follow->campaign);
}

static gannet_err open_again(gannet_follow *f) {
  char directory[PATH_MAX];
  const int generation = f->generation + 1;
  (void)snprintf(directory, sizeof directory, "%s", f->campaign.directory);
  gannet_follow_close(f);
  const gannet_err err = gannet_follow_open(directory, f);
  f->generation = generation;
  return err;
}

gannet_err gannet_follow_look(gannet_follow *follow, bool *changed) {
  const int64_t before = follow->campaign.ledger.sequence;
  const int64_t changes = follow->campaign.ledger.n_changes;
  bool replaced = false;
  *changed = false;
  if (follow->note[0]) return GANNET_OK;
  look_around(follow);
  const gannet_err err = read_on(follow, &replaced);
  /* A resumed campaign may have another budget, and corrections change what was seen. */
  if (replaced || follow->campaign.ledger.n_changes != changes ||
      change_of(follow, "campaign.yaml") != follow->configured) {
    *changed = true;
    return open_again(follow);
  }
  follow->bad_looks = err == GANNET_OK ? 0 : follow->bad_looks + 1;
  if (err == GANNET_OK) gannet_campaign_scheduler_status(&follow->campaign, &follow->scheduler);
  *changed = follow->campaign.ledger.sequence != before;
  if (err == GANNET_OK || follow->bad_looks >= MOST_BAD_LOOKS) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* What the last process wrote about its end, "" when it did not. */
static void read_last_words(const gannet_campaign *campaign, char *words, size_t size) {
  static const char *const ends[] = {" ended: ", " ended by an error: "};
  char path[PATH_MAX], text[LOG_TAIL + 1];
  words[0] = '\0';
  if (gannet_campaign_path(campaign, "campaign.log", path) != GANNET_OK) return;
  if (gannet_file_read_end(path, sizeof text, text, NULL) != GANNET_OK) gannet_error_clear();
  for (char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    if (strstr(line, " started on ") || strstr(line, " resumed on ")) words[0] = '\0';
    for (int i = 0; i < 2; ++i) {
      const char *end = strstr(line, ends[i]);
      if (end) (void)snprintf(words, size, "%s%s", i ? "an error: " : "", end + strlen(ends[i]));
    }
  }
}

static int64_t count_in_flight(const gannet_ledger *ledger) {
  const int64_t pending = gannet_ledger_pending(ledger);
  int64_t seen = 0, n = 0;
  for (int64_t id = ledger->n - 1; id >= 0 && seen < pending; --id) {
    if (ledger->ticket[id].has_result) continue;
    ++seen;
    n += ledger->ticket[id].nonce != 0;
  }
  return n;
}

/* Designs of the user's own count in the budget, but need not be of a list of candidates. */
static bool is_spent(const gannet_follow *f) {
  const gannet_history *history = f->campaign.history;
  const int budget = f->campaign.input->budget.evaluations;
  if (gannet_ledger_pending(&f->campaign.ledger) > 0) return false;
  if (budget != GANNET_AUTO && gannet_budget_used(&f->campaign) >= budget) return true;
  int64_t proposed = 0;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const gannet_evaluation *row = gannet_history_get(history, id);
    proposed += row->origin != GANNET_ORIGIN_USER && row->origin != GANNET_ORIGIN_IMPORT &&
                row->status != GANNET_EVAL_DISCARDED;
  }
  return f->total > 0 && proposed >= f->total;
}

/* Nobody works on it, and the budget is not spent. */
static gannet_follow_state state_without_process(const gannet_follow *f, char *why, size_t size) {
  const gannet_campaign *c = &f->campaign;
  const char *backend = c->input->evaluate.backend;
  const int64_t in_flight = count_in_flight(&c->ledger);
  if (gannet_budget_has_failed(c, why, size)) return GANNET_FOLLOW_FAILURES;
  if (strcmp(backend, "manual") == 0) {
    (void)snprintf(why, size, "waits for gannet ask and gannet tell");
    return GANNET_FOLLOW_WAITING;
  }
  if (strcmp(backend, "slurm") == 0 && in_flight > 0) {
    (void)snprintf(why, size, "left to the scheduler");
    return GANNET_FOLLOW_WAITING;
  }
  read_last_words(c, why, size);
  if (strncmp(why, "finished", strlen("finished")) == 0) {
    why[0] = '\0';
    return GANNET_FOLLOW_FINISHED;
  }
  if (!why[0])
    (void)snprintf(why, size, "no process works on it%s",
                   f->holder.pid ? ", and the last one did not say why it ended" : "");
  return GANNET_FOLLOW_STOPPED;
}

gannet_follow_state gannet_follow_classify(const gannet_follow *follow, char *why, size_t size) {
  char words[320];
  why[0] = '\0';
  if (follow->holder.pid && follow->holder.is_alive) return GANNET_FOLLOW_AT_WORK;
  if (follow->note[0]) {
    (void)snprintf(why, size, "the journal is damaged");
    return GANNET_FOLLOW_STOPPED;
  }
  if (is_spent(follow) && gannet_budget_has_failed(&follow->campaign, why, size))
    return GANNET_FOLLOW_FAILURES;
  const char *reason = follow->campaign.ledger.stop_reason;
  if (reason) (void)snprintf(why, size, "%s", reason);
  if (reason || is_spent(follow)) return GANNET_FOLLOW_FINISHED;
  read_last_words(&follow->campaign, words, sizeof words);
  const bool is_open = follow->holder.pid == 0 && !words[0]; /* a next process may be starting */
  if (is_open && gannet_clock_epoch() - follow->changed < succession_seconds)
    return GANNET_FOLLOW_AT_WORK;
  return state_without_process(follow, why, size);
}
