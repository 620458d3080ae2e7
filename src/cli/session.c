#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "cli/opening.h"

/* What is meant as a directory is told as one. */
static gannet_err find(const char *place, bool is_directory, const char *file) {
  const size_t length = strlen(place), suffix = strlen(".campaign");
  const bool meant = length > suffix && strcmp(place + length - suffix, ".campaign") == 0;
  if ((is_directory || meant) && access(file, F_OK)) return gannet_campaign_raise_none(place);
  return GANNET_OK;
}

/* A call takes half a second, so that a crowd is through by then. */
static gannet_err read_patience(const cli_arguments *arguments, double *patience) {
  const char *text = cli_value(arguments, "wait");
  *patience = 60;
  if (!text) return GANNET_OK;
  GANNET_REQUIRE(gannet_parse_duration(text, patience) == 0 && *patience >= 0, GANNET_ERR_INPUT,
                 "--wait: '%s' is not a duration such as 0s, 90s or 10m", text);
  return GANNET_OK;
}

gannet_err cli_in_session(const cli_arguments *arguments, const cli_world *world,
                          cli_session session) {
  const char *place = arguments->positional[0];
  char file[PATH_MAX], log_path[PATH_MAX];
  struct stat about;
  double patience = 0;
  GANNET_TRY(read_patience(arguments, &patience));
  const bool is_there = stat(place, &about) == 0;
  const bool is_directory = is_there && S_ISDIR(about.st_mode);
  gannet_err err = GANNET_OK;
  if (!is_there && errno != ENOENT && errno != ENOTDIR) err = gannet_raise_errno("look at", place);
  (void)snprintf(file, sizeof file, is_directory ? "%s/campaign.yaml" : "%s", place);
  cli_log log;
  cli_log_begin(&log, GANNET_LOG_WARNING);
  const gannet_campaign_start_options options = {.file = file,
                                                 .directory = is_directory ? place : NULL,
                                                 .resume = true,
                                                 .must_exist = is_directory,
                                                 .level = GANNET_LOG_WARNING,
                                                 .log = cli_log_line,
                                                 .log_user = &log};
  gannet_complaints complaints = {0};
  gannet_campaign campaign = {0};
  if (err == GANNET_OK && world->rank == 0) err = find(place, is_directory, file);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) err = cli_open_campaign(world, &options, patience, &complaints, &campaign);
  if (err == GANNET_OK && world->rank == 0 &&
      gannet_campaign_path(&campaign, "campaign.log", log_path) == GANNET_OK)
    cli_log_open(&log, log_path);
  if (err == GANNET_OK) err = gannet_agree(world->comm, gannet_ledger_tell_held(&campaign.ledger));
  if (err == GANNET_OK) err = session(arguments, &campaign);
  gannet_campaign_close(&campaign);
  cli_log_end(&log);
  err = cli_complain(&complaints, file, world->rank, err);
  gannet_complaints_release(&complaints);
  return err;
}
