#include "cli/open_campaign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "campaign/run/loop.h"

gannet_err cli_open_campaign(const cli_world *world, const gannet_campaign_start_options *options,
                             double patience, gannet_complaints *complaints,
                             gannet_campaign *campaign) {
  const double pause = 0.25, silent = 3; /* seconds */
  const double start = gannet_clock_seconds();
  bool said = false;
  for (;;) {
    gannet_err err = gannet_campaign_start(world->comm, options, complaints, campaign);
    if (err == GANNET_OK) err = gannet_campaign_finish_change(campaign);
    const double waited = gannet_clock_seconds() - start;
    /* A process that begins the same campaign is seen only once it has begun: EXISTS then. */
    const bool is_taken = err == GANNET_ERR_BUSY || (err == GANNET_ERR_EXISTS && options->resume);
    int again = is_taken && waited < patience;
    GANNET_TRY_MPI(MPI_Bcast(&again, 1, MPI_INT, 0, world->comm));
    if (!again) {
      if (err != GANNET_ERR_BUSY || !(patience > 0)) return err;
      char text[32];
      gannet_format_duration(patience, text, sizeof text);
      return GANNET_RAISE(err, "%s (waited %s; `gannet run` keeps a campaign until it ends)",
                          gannet_error_detail(), text);
    }
    if (!said && waited >= silent && world->rank == 0)
      cli_warn("waiting: %s", gannet_error_detail());
    said = said || waited >= silent;
    gannet_campaign_close(campaign);
    gannet_error_clear();
    gannet_clock_sleep(pause);
  }
}

/* GANNET_ERR_MISSING with the words for a directory when a place is a directory without a campaign
 * file, or is not there and does not have the name of a campaign file. */
static gannet_err check_place(const char *place, bool is_directory, const char *file) {
  const char *ending = strrchr(place, '.');
  const bool is_file = ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0);
  if ((is_directory || !is_file) && access(file, F_OK)) return gannet_campaign_raise_none(place);
  return GANNET_OK;
}

gannet_err cli_patience(const cli_arguments *arguments, double *patience) {
  const double usual = 60; /* seconds: a call takes half a second, so many calls are through then */
  return cli_duration(arguments, "wait", 0, "such as 0s, 90s or 10m", usual, patience);
}

/* A session, and how it is opened. */
typedef struct {
  cli_session act;
  void *user;
  double patience;
  bool tells_held;
  char *directory; /* [PATH_MAX] where the campaign is; NULL = nobody wants to know */
} session_plan;

static gannet_err hold_session(const cli_arguments *arguments, const cli_world *world,
                               const session_plan *plan) {
  const char *place = arguments->positional[0];
  char file[PATH_MAX], log_path[PATH_MAX];
  struct stat about;
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
  if (err == GANNET_OK && world->rank == 0) err = check_place(place, is_directory, file);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK)
    err = cli_open_campaign(world, &options, plan->patience, &complaints, &campaign);
  if (plan->directory) memcpy(plan->directory, campaign.directory, sizeof campaign.directory);
  if (err == GANNET_OK && world->rank == 0 &&
      gannet_campaign_path(&campaign, "campaign.log", log_path) == GANNET_OK)
    cli_log_open(&log, log_path);
  if (err == GANNET_OK && plan->tells_held)
    err = gannet_agree(world->comm, gannet_campaign_tell_held(&campaign));
  if (err == GANNET_OK) err = plan->act(arguments, &campaign, plan->user);
  gannet_campaign_close(&campaign);
  cli_log_end(&log);
  err = cli_complain(&complaints, file, world->rank, err);
  gannet_complaints_release(&complaints);
  return err;
}

gannet_err cli_in_session(const cli_arguments *arguments, const cli_world *world,
                          cli_session session) {
  session_plan plan = {.act = session, .tells_held = true};
  GANNET_TRY(cli_patience(arguments, &plan.patience));
  return hold_session(arguments, world, &plan);
}

gannet_err cli_try_session(const cli_arguments *arguments, const cli_world *world,
                           cli_session session, void *user, char *directory) {
  const session_plan plan = {.act = session, .user = user, .directory = directory};
  return hold_session(arguments, world, &plan);
}
