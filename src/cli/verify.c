/* gannet verify */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"
#include "campaign/tables/table.h"
#include "cli/query.h"
#include "store/lock.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

typedef struct {
  const gannet_campaign *campaign;
  int bad; /* findings of damage */
  /* The process that changed the problem ended before it had written the files anew. */
  bool is_changing;
} inspection;

/* Print a finding about a file. */
static void report_finding(inspection *i, const char *file, bool bad, const char *what) {
  cli_say(stdout, "%-14s %s%s\n", file, bad ? "DAMAGED: " : "", what);
  i->bad += bad;
}

static void check_journal(inspection *i, gannet_journal_report *report) {
  char path[PATH_MAX], text[512];
  if (gannet_campaign_path(i->campaign, "journal", path) != GANNET_OK) return;
  const gannet_err err = gannet_journal_read(path, GANNET_JOURNAL_SCHEMA, NULL, NULL, report);
  if (err != GANNET_OK) {
    report_finding(i, "journal", true, gannet_error_message());
    return;
  }
  if (i->campaign->damage.has_foreign_journal) {
    report_finding(i, "journal", true, i->campaign->damage.text);
    return;
  }
  if (report->records == 0 && gannet_leftovers_find(path)) {
    report_finding(i, "journal", true,
                   "without records, but other files show that there were some");
    return;
  }
  (void)snprintf(text, sizeof text, "sound, %lld records%s%s", (long long)report->records,
                 report->note[0] ? "; " : "", report->note);
  report_finding(i, "journal", false, text);
}

/* The command that repairs such files when it is called next. */
static const char *name_repairer(const inspection *i) {
  const bool manual = strcmp(i->campaign->input->evaluate.backend, "manual") == 0;
  return manual ? "the next gannet tell" : "gannet run --resume";
}

/* Whether a sound file was copied here from another campaign; tells of it. What was read says whose
 * campaign this is, even where a snapshot stands in for the journal. */
static bool find_foreign(inspection *i, const char *name, const gannet_snapshot_mark *mark) {
  const gannet_campaign *c = i->campaign;
  const gannet_ledger *ledger = &c->ledger;
  char text[512];
  const bool is_its_problem = ledger->name ? gannet_ledger_had_problem(ledger, mark->fingerprint)
                                           : !c->input || gannet_problem_has_fingerprint(
                                                              c->input->problem, mark->fingerprint);
  const uint64_t seed = ledger->name ? ledger->seed
                        : c->input   ? (uint64_t)c->input->general.seed
                                     : mark->seed;
  if (is_its_problem && gannet_snapshot_is_of(mark, seed, ledger->name ? ledger->name : mark->name))
    return false;
  const bool newest = strcmp(name, "state.h5") == 0 && c->input;
  (void)snprintf(text, sizeof text, "of another campaign, '%s' with seed %lld%s%s%s", mark->name,
                 (long long)mark->seed, newest ? "; " : "", newest ? name_repairer(i) : "",
                 newest ? " moves it aside" : "");
  report_finding(i, name, true, text);
  return true;
}

/* Count the records of the journal again: a campaign that runs has added some since it was read. */
static int64_t count_records(const inspection *i, int64_t before) {
  gannet_journal_report now = {0};
  char path[PATH_MAX];
  if (gannet_campaign_path(i->campaign, "journal", path) == GANNET_OK &&
      gannet_journal_read(path, GANNET_JOURNAL_SCHEMA, NULL, NULL, &now) == GANNET_OK)
    return now.records;
  gannet_error_clear();
  return before;
}

/* Check one generation of the snapshot. The newest one must not know more than the journal. */
static void check_snapshot(inspection *i, const char *name, const gannet_journal_report *journal,
                           bool must_exist) {
  char path[PATH_MAX], text[512];
  int schema = 0;
  if (gannet_campaign_path(i->campaign, name, path) != GANNET_OK) return;
  if (access(path, F_OK) != 0) {
    if (must_exist) report_finding(i, name, false, "not written yet");
    return;
  }
  if (gannet_store_verify(path, GANNET_STATE_SCHEMA, &schema) != GANNET_OK) {
    report_finding(i, name, true, gannet_error_message());
    return;
  }
  gannet_snapshot_mark mark;
  if (gannet_snapshot_look(path, NULL, &mark) != GANNET_OK) {
    report_finding(i, name, true, gannet_error_message());
    return;
  }
  if (find_foreign(i, name, &mark)) return;
  /* A configuration of another problem was told already; the columns are those of the journal's. */
  const gannet_ledger *ledger = &i->campaign->ledger;
  const bool is_its_problem =
      ledger->problem && gannet_problem_has_fingerprint(ledger->problem, mark.fingerprint);
  if (is_its_problem && gannet_snapshot_check(path, ledger) != GANNET_OK) {
    report_finding(i, name, true, gannet_error_detail());
    gannet_error_clear();
    return;
  }
  const bool is_old = !is_its_problem && ledger->n_revisions > 0;
  i->is_changing = i->is_changing || is_old;
  const bool same = gannet_snapshot_counts_in(mark.journal, journal);
  bool ahead = same && journal->records > 0 && mark.sequence > journal->records;
  if (ahead) ahead = mark.sequence > count_records(i, journal->records);
  (void)snprintf(text, sizeof text, "sound, up to journal record %lld%s", (long long)mark.sequence,
                 ahead    ? ", which the journal has lost"
                 : !same  ? " of the journal before this one"
                 : is_old ? ", before the problem was changed"
                          : "");
  report_finding(i, name, ahead, text);
}

/* history.csv, which people read, against the results that count. A resume writes the file anew. */
static void check_table(inspection *i) {
  char path[PATH_MAX], lock[PATH_MAX], text[1600];
  int64_t n = 0;
  gannet_lock_holder holder;
  struct stat about;
  if (gannet_campaign_path(i->campaign, "history.csv", path) != GANNET_OK ||
      gannet_campaign_path(i->campaign, "journal.lock", lock) != GANNET_OK)
    return;
  gannet_lock_look(lock, &holder);
  /* Whoever was at work while the journal was read may have ended since. */
  const int64_t known = i->campaign->ledger.sequence;
  const bool is_idle = (!holder.pid || !holder.is_alive) && count_records(i, known) <= known;
  const gannet_err err = gannet_table_check(path, &i->campaign->ledger, is_idle, &n);
  const int64_t told = gannet_history_count_told(i->campaign->history);
  const char *writer = name_repairer(i);
  const bool is_old = err == GANNET_ERR_DAMAGED && i->is_changing;
  const bool is_directory = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  if (err == GANNET_ERR_MISSING)
    (void)snprintf(text, sizeof text, "not there; %s writes it", writer);
  else if (is_old)
    (void)snprintf(text, sizeof text, "as it was before the problem was changed; %s writes it anew",
                   writer);
  else if (err != GANNET_OK)
    (void)snprintf(text, sizeof text, "%s; %s%s writes it anew", gannet_error_detail(),
                   is_directory ? "move it away, then " : "", writer);
  else if (n < told)
    (void)snprintf(text, sizeof text, "sound, %lld of %lld results; %s writes the others",
                   (long long)n, (long long)told, writer);
  else
    (void)snprintf(text, sizeof text, "sound, %lld of %lld results", (long long)n, (long long)told);
  report_finding(i, "history.csv", err != GANNET_OK && err != GANNET_ERR_MISSING && !is_old, text);
}

/* campaign.yaml, which says what the other files should contain. */
static void check_configuration(inspection *i, gannet_err queried) {
  const gannet_campaign *c = i->campaign;
  char path[PATH_MAX], text[1600];
  const bool unreadable = !c->input, other = queried == GANNET_ERR_INPUT;
  bool sealed = false;
  if (gannet_campaign_path(c, "campaign.yaml", path) != GANNET_OK) return;
  if (unreadable || other) {
    report_finding(i, "campaign.yaml", true, gannet_error_detail());
    return;
  }
  const uint64_t seed = (uint64_t)c->input->general.seed;
  if (c->ledger.sequence > 0 && seed != c->ledger.seed)
    (void)snprintf(text, sizeof text, "seed %llu, but that of the journal is %llu",
                   (unsigned long long)seed, (unsigned long long)c->ledger.seed);
  else if (gannet_effective_check(path, &sealed) == GANNET_OK)
    text[0] = '\0';
  else
    (void)snprintf(text, sizeof text,
                   "%s; gannet run FILE --resume writes it again from the campaign file",
                   gannet_error_detail());
  report_finding(i, "campaign.yaml", text[0],
                 text[0]  ? text
                 : sealed ? "sound"
                          : "sound as far as can be checked: it has no checksum yet");
}

/* Whether files are lost or hurt, by what gannet_campaign_query says. A campaign that was killed
 * before it wrote campaign.yaml has lost nothing. */
static bool has_findings(const gannet_campaign *campaign, gannet_err err) {
  char journal[PATH_MAX];
  if (err != GANNET_OK && err != GANNET_ERR_DAMAGED && err != GANNET_ERR_MISSING &&
      err != GANNET_ERR_INPUT)
    return false;
  return campaign->input || (gannet_campaign_path(campaign, "journal", journal) == GANNET_OK &&
                             gannet_leftovers_find(journal));
}

static gannet_err run_verify(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  gannet_campaign campaign;
  gannet_journal_report report = {0};
  char text[128];
  (void)world;
  const gannet_err err = gannet_campaign_query(arguments->positional[0], true, &campaign);
  inspection i = {.campaign = &campaign};
  if (has_findings(&campaign, err)) {
    check_configuration(&i, err);
    check_journal(&i, &report);
    check_snapshot(&i, "state.h5", &report, true);
    check_snapshot(&i, "state.h5.1", &report, false);
    if (err == GANNET_OK && (!campaign.damage.text[0] || !i.bad)) check_table(&i);
    if (err == GANNET_OK && !campaign.damage.is_partial) {
      (void)snprintf(text, sizeof text, "%lld evaluations, digest %016llx",
                     (long long)campaign.ledger.n,
                     (unsigned long long)gannet_history_digest(campaign.history));
      report_finding(&i, "history", false, text);
    }
  }
  if (i.bad) *code = GANNET_EXIT_DAMAGED;
  gannet_campaign_close(&campaign);
  return campaign.directory[0] && i.bad ? GANNET_OK : err;
}

const cli_command cli_verify = {
    .name = "verify",
    .usage = "DIR",
    .summary = "check the files of a campaign against their checksums and against each other",
    .details =
        "Prints a line per file and a digest of the history, which is the same on any number of\n"
        "ranks and after any number of interruptions. Exit code 5 when something is damaged.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_verify,
};
