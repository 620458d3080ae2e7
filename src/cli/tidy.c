/* gannet tidy */
#include <string.h>

#include "base/memory.h"
#include "campaign/run/tidy.h"
#include "cli/query.h"
#include "store/lock.h"

static const cli_flag flags[] = {
    {"dry-run", 'n', NULL, "remove nothing, and say what would be removed", false},
    {"keep", 'k', "PATTERN", "files that stay, instead of those of evaluate.keep; may be repeated",
     true},
    {"all-files-of", 'a', "WHICH", "'best 5', 'last 5' or 'failed'; may be repeated", true},
    {NULL, 0, NULL, NULL, false},
};

/* The values of a repeated option as a list, which borrows them. */
static int list_values(const cli_arguments *arguments, const char *flag, char **items,
                       gannet_text_list *list) {
  const char *text;
  *list = (gannet_text_list){.item = items};
  while ((text = cli_repeated(arguments, flag, list->n)))
    memcpy(&items[list->n++], &text, sizeof text);
  return list->n;
}

static gannet_err tidy_campaign(const cli_arguments *arguments, const gannet_campaign *campaign) {
  char *patterns[CLI_MOST_VALUES], *which[CLI_MOST_VALUES];
  gannet_text_list files, all_files_of;
  gannet_complaints complaints = {0};
  gannet_keep keep;
  gannet_tidied tidied = {0};
  const bool is_dry = cli_has(arguments, "dry-run");
  const gannet_evaluate_keys *keys = &campaign->input->evaluate;
  if (list_values(arguments, "keep", patterns, &files) == 0) files = keys->keep_files;
  if (list_values(arguments, "all-files-of", which, &all_files_of) == 0)
    all_files_of = keys->keep_all_files_of;
  gannet_keep_read(&files, &all_files_of, "--keep", "--all-files-of", &complaints, &keep);
  gannet_err err =
      cli_complain(&complaints, "the command line", 0, gannet_complaints_raise(&complaints));
  gannet_complaints_release(&complaints);
  GANNET_TRY(err);
  GANNET_REQUIRE(!keep.all, GANNET_ERR_INPUT,
                 "the campaign keeps all files; give --keep PATTERN for those that are to stay");
  GANNET_TRY(gannet_tidy(campaign, &keep, is_dry, NULL, &tidied));
  cli_say(stdout, "%s %lld file%s with %.3g MB of %lld evaluation%s\n",
          is_dry ? "would remove" : "removed", (long long)tidied.files,
          tidied.files == 1 ? "" : "s", (double)tidied.bytes / 1e6, (long long)tidied.evaluations,
          tidied.evaluations == 1 ? "" : "s");
  GANNET_REQUIRE(tidied.failed == 0, GANNET_ERR_IO,
                 "%lld file%s or folder%s of '%s' cannot be removed; the first is '%s': %s",
                 (long long)tidied.failed, tidied.failed == 1 ? "" : "s",
                 tidied.failed == 1 ? "" : "s", campaign->directory, tidied.first,
                 strerror(tidied.error));
  return GANNET_OK;
}

static gannet_err run_tidy(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  gannet_campaign campaign;
  gannet_lock lock = {.descriptor = -1};
  char path[PATH_MAX];
  (void)world;
  (void)code;
  gannet_err err = cli_query(arguments, false, &campaign); /* that it is a campaign at all */
  if (err == GANNET_OK) err = gannet_campaign_path(&campaign, "journal.lock", path);
  if (err == GANNET_OK) err = gannet_lock_acquire(path, &lock);
  if (err == GANNET_OK) { /* again, as it may have gone on meanwhile */
    gannet_campaign_close(&campaign);
    err = cli_query(arguments, false, &campaign);
  }
  if (err == GANNET_OK) err = tidy_campaign(arguments, &campaign);
  if (lock.descriptor >= 0) gannet_lock_release(path, &lock);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_tidy = {
    .name = "tidy",
    .usage = "DIR [options]",
    .summary = "remove files of evaluations that have ended",
    .details =
        "evaluate.keep of the campaign, or --keep and --all-files-of, say which files stay.\n"
        "Parameters, results and logs that gannet itself needs always stay, and so do all files\n"
        "of evaluations without a result. While the campaign runs, nothing is removed.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_tidy,
};
