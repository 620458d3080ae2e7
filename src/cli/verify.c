/* gannet verify */
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "campaign/snapshot.h"
#include "cli/query.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

typedef struct {
  const gannet_campaign *campaign;
  int bad; /* findings that lose something */
} inspection;

static void found(inspection *i, const char *file, bool bad, const char *what) {
  (void)printf("%-14s %s%s\n", file, bad ? "DAMAGED: " : "", what);
  i->bad += bad;
}

static void check_journal(inspection *i, gannet_journal_report *report) {
  char path[PATH_MAX], text[512];
  if (gannet_campaign_path(i->campaign, "journal", path) != GANNET_OK) return;
  const gannet_err err = gannet_journal_read(path, GANNET_JOURNAL_SCHEMA, NULL, NULL, report);
  if (err != GANNET_OK) {
    found(i, "journal", true, gannet_error_message());
    return;
  }
  (void)snprintf(text, sizeof text, "sound, %lld records%s%s", (long long)report->records,
                 report->note[0] ? "; " : "", report->note);
  found(i, "journal", false, text);
}

/* One generation of the snapshot; the newest must not know more than the journal. */
static void check_snapshot(inspection *i, const char *name, const gannet_journal_report *journal,
                           bool must_exist) {
  char path[PATH_MAX], text[512];
  int schema = 0;
  if (gannet_campaign_path(i->campaign, name, path) != GANNET_OK) return;
  if (access(path, F_OK) != 0) {
    if (must_exist) found(i, name, false, "not written yet");
    return;
  }
  if (gannet_store_verify(path, GANNET_STATE_SCHEMA, &schema) != GANNET_OK) {
    found(i, name, true, gannet_error_message());
    return;
  }
  gannet_snapshot_mark mark;
  if (gannet_snapshot_look(path, &mark) != GANNET_OK) {
    found(i, name, true, gannet_error_message());
    return;
  }
  const bool same = gannet_snapshot_counts_in(mark.journal, journal);
  const bool ahead = same && journal->records > 0 && mark.sequence > journal->records;
  (void)snprintf(text, sizeof text, "sound, up to journal record %lld%s", (long long)mark.sequence,
                 ahead  ? ", which the journal has lost"
                 : same ? ""
                        : " of the journal before this one");
  found(i, name, ahead, text);
}

static void check_history(inspection *i) {
  char text[128];
  (void)snprintf(text, sizeof text, "%lld evaluations, digest %016llx",
                 (long long)i->campaign->ledger.n,
                 (unsigned long long)gannet_history_digest(i->campaign->history));
  found(i, "history", false, text);
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  gannet_campaign campaign;
  gannet_journal_report report = {0};
  (void)world;
  const gannet_err err = gannet_campaign_query(arguments->positional[0], true, &campaign);
  inspection i = {.campaign = &campaign};
  if (err == GANNET_OK || err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING) {
    if (campaign.input) {
      found(&i, "campaign.yaml", false, "sound");
      check_journal(&i, &report);
      check_snapshot(&i, "state.h5", &report, true);
      check_snapshot(&i, "state.h5.1", &report, false);
    }
    if (err == GANNET_OK && !campaign.damage.is_partial) check_history(&i);
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
    .run = run,
};
