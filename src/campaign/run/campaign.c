#include "campaign/run/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/config/changes.h"
#include "campaign/config/config.h"
#include "campaign/run/campaign_parts.h"
#include "campaign/run/change.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/import.h"
#include "campaign/run/resume.h"
#include "optimizer/optimizer.h"
#include "store/lock.h"

/* Make the history of the campaign, with the settings that the optimiser's own history has. */
static gannet_err create_history(gannet_campaign *campaign) {
  gannet_optimizer_options options;
  GANNET_TRY(gannet_history_create(campaign->input->problem, &campaign->history));
  const gannet_err err = gannet_campaign_options(campaign->input, &options);
  if (err == GANNET_OK && !options.method.penalties)
    gannet_history_take_at_its_word(campaign->history);
  if (err == GANNET_OK) gannet_history_join_runs(campaign->history, options.method.replicates);
  gannet_optimizer_options_release(&options);
  return err;
}

static gannet_err create_optimizer(gannet_campaign *campaign, const char *file) {
  const gannet_campaign_input *input = campaign->input;
  GANNET_TRY(gannet_agree(campaign->context->comm, gannet_residuals_load(campaign->input, file)));
  return gannet_campaign_optimizer_create(campaign->context, input, &campaign->optimizer);
}

gannet_err gannet_campaign_setup(gannet_campaign *campaign, const char *file) {
  GANNET_TRY(create_optimizer(campaign, file));
  GANNET_TRY(gannet_agree(campaign->context->comm, create_history(campaign)));
  gannet_ledger_init(&campaign->ledger, campaign->input->problem, campaign->history);
  return GANNET_OK;
}

/* Describe the problem of the campaign that is resumed, which the file may leave parts of unsaid;
 * what is wrong with the file is told when it is read. Rank 0 only. */
static gannet_err find_before(const gannet_campaign_start_options *options, char **before) {
  gannet_campaign_source source = {
      .file = options->file, .n_sets = options->n_sets, .sets = options->sets};
  char *text = NULL, *name = NULL, directory[PATH_MAX], journal[PATH_MAX];
  if (gannet_campaign_file_read(options->file, &text, &source.size) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  source.text = text;
  gannet_err err = gannet_campaign_find_name(&source, &name);
  gannet_free(&text);
  if (err == GANNET_OK) {
    err = gannet_directory_locate(options, name, directory);
    if (err == GANNET_OK && directory[0])
      err = gannet_join_path(directory, "journal", journal, sizeof journal);
    if (err == GANNET_OK && directory[0]) err = gannet_resume_find_problem(journal, before);
    if (err == GANNET_ERR_INPUT) {
      gannet_error_clear(); /* a path that is too long */
      err = GANNET_OK;
    }
  }
  gannet_free(&name);
  return err;
}

gannet_err gannet_campaign_read_file(MPI_Comm comm, const gannet_campaign_start_options *options,
                                     gannet_campaign_input **input, gannet_complaints *complaints) {
  char *before = NULL;
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_err err = rank == 0 && options->resume ? find_before(options, &before) : GANNET_OK;
  err = gannet_agree(comm, err);
  if (err == GANNET_OK)
    err = gannet_campaign_load(comm, options->file, options->n_sets, options->sets, before, input,
                               complaints);
  gannet_free(&before);
  return err;
}

/* A file of designs to start with that cannot be opened: a campaign that is resumed has proposed
 * them, or can do without. */
static gannet_err check_start_file(const gannet_campaign *campaign, bool exists) {
  const gannet_start *start = &campaign->input->start;
  const char *location = gannet_campaign_location(campaign->input, "start");
  if (!start->not_opened) return GANNET_OK;
  GANNET_REQUIRE(exists, GANNET_ERR_INPUT,
                 "%s: start: %s; relative paths start from the campaign file, or from "
                 "input_directory",
                 location, start->not_opened);
  if (campaign->context->rank == 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "%s: start: %s; the campaign continues with the designs that it has", location,
               start->not_opened);
  return GANNET_OK;
}

/* Rank 0 makes the directory unless it holds a campaign that is to be continued. */
static gannet_err find_campaign(const gannet_campaign_start_options *options,
                                const gannet_campaign *campaign, int *exists) {
  const gannet_context *context = campaign->context;
  gannet_err err = GANNET_OK;
  if (context->rank == 0) {
    err = gannet_directory_check_start(options, campaign->directory, exists);
    if (err == GANNET_OK) err = check_start_file(campaign, *exists);
    char text[2000];
    for (int i = 0; err == GANNET_OK && !*exists && i < campaign->input->n_imports; ++i)
      err = gannet_import_preview(campaign, i, false, text, sizeof text);
    if (err == GANNET_OK && !*exists) err = gannet_make_lasting_directory(campaign->directory);
  }
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY_MPI(MPI_Bcast(exists, 1, MPI_INT, 0, context->comm));
  return GANNET_OK;
}

/* Warn of a path that is no UTF-8: YAML has no way to write it. */
static void warn_of_path(const gannet_campaign *campaign, const char *key, const char *path) {
  if (!path || gannet_utf8_is_valid(path)) return;
  gannet_log(campaign->context, GANNET_LOG_WARNING,
             "%s: '%s' is not valid UTF-8, so that campaign.yaml cannot name it; resume with your "
             "own campaign file, or rename the directory",
             key, path);
}

static gannet_err write_effective(const gannet_campaign *campaign) {
  const gannet_general *general = &campaign->input->general;
  char path[PATH_MAX];
  if (campaign->context->rank != 0) return GANNET_OK;
  warn_of_path(campaign, "input_directory", general->input_directory);
  warn_of_path(campaign, "candidates", general->candidates);
  GANNET_TRY(gannet_campaign_path(campaign, "campaign.yaml", path));
  return gannet_effective_write(path, campaign->input);
}

/* Look at a campaign that was begun. Rank 0 only: the history of the other ranks stays empty. */
static gannet_err dry_run_begun(gannet_campaign *campaign) {
  char journal[PATH_MAX], snapshot[PATH_MAX], lock[PATH_MAX];
  gannet_lock_holder holder;
  GANNET_TRY(gannet_campaign_path(campaign, "journal", journal));
  GANNET_TRY(gannet_campaign_path(campaign, "journal.lock", lock));
  GANNET_TRY(gannet_campaign_path(campaign, "state.h5", snapshot));
  gannet_lock_look(lock, &holder);
  GANNET_REQUIRE(!holder.pid || !holder.is_here || !holder.is_alive, GANNET_ERR_BUSY,
                 "'%s' is held by process %ld on %s; wait until it has ended, or end it there",
                 lock, holder.pid, holder.host);
  if (access(journal, F_OK) == 0 && access(journal, W_OK))
    return gannet_raise_errno("write to", journal);
  const gannet_resume_paths paths = {journal, snapshot, campaign->input->general.name,
                                     &campaign->context->seed};
  GANNET_TRY(gannet_resume_dry_run(&paths, &campaign->ledger, &campaign->damage));
  GANNET_REQUIRE(!campaign->damage.is_partial, GANNET_ERR_DAMAGED, "%s", campaign->damage.text);
  GANNET_TRY(gannet_campaign_try_change(campaign));
  gannet_changes_warn_list(campaign->context, campaign->input->problem, campaign->history);
  return GANNET_OK;
}

gannet_err gannet_campaign_dry_run(const gannet_campaign_start_options *options,
                                   gannet_campaign *campaign) {
  int exists = 0;
  gannet_err err = GANNET_OK;
  if (campaign->context->rank == 0) {
    err = gannet_directory_check_start(options, campaign->directory, &exists);
    if (err == GANNET_OK) err = check_start_file(campaign, exists);
    if (err == GANNET_OK) err = gannet_directory_check_writable(campaign->directory);
    if (err == GANNET_OK && exists) err = dry_run_begun(campaign);
    campaign->is_resumed = exists;
  }
  return gannet_agree(campaign->context->comm, err);
}

static gannet_err open_directory(const gannet_campaign_start_options *options,
                                 gannet_campaign *campaign) {
  char journal[PATH_MAX], snapshot[PATH_MAX];
  int exists = 0;
  GANNET_TRY(find_campaign(options, campaign, &exists));
  GANNET_TRY(gannet_campaign_path(campaign, "journal", journal));
  GANNET_TRY(gannet_campaign_path(campaign, "state.h5", snapshot));
  campaign->is_resumed = exists;
  if (exists) {
    GANNET_TRY(gannet_resume_continue(campaign->context, journal, snapshot,
                                      campaign->input->general.name, &campaign->ledger));
    GANNET_TRY(gannet_campaign_change(campaign));
    GANNET_TRY(gannet_campaign_restore_optimizer(campaign));
    /* The journal has the change by now: the configuration does not stay behind when an import is
     * refused. */
    if (campaign->change.is_made)
      GANNET_TRY(gannet_agree(campaign->context->comm, write_effective(campaign)));
    gannet_changes_warn_list(campaign->context, campaign->input->problem, campaign->history);
  } else {
    GANNET_TRY(gannet_resume_begin(campaign->context, journal, campaign->input->general.name,
                                   &campaign->ledger));
  }
  GANNET_TRY(gannet_import_sources(campaign, options->reimport));
  return gannet_agree(campaign->context->comm, write_effective(campaign));
}

void gannet_campaign_show_warnings(const gannet_campaign *campaign, const char *file,
                                   gannet_complaints *complaints) {
  char line[1024];
  if (campaign->context->rank == 0 && !gannet_file_is_effective(file)) {
    gannet_complaints_log(complaints, campaign->context);
    return;
  }
  while (gannet_complaints_next_warning(complaints, line, sizeof line)) continue;
}

/* Complain about outputs that nobody can read where the results are told by hand. */
static gannet_err check_told_results(const gannet_campaign_input *input,
                                     gannet_complaints *complaints) {
  const gannet_evaluator_setup setup = {
      .problem = input->problem,
      .starts_from_nearest = input->evaluate.start_from == GANNET_START_NEAREST,
      .resources = gannet_resources_are_given(&input->evaluate.resources)
                       ? &input->evaluate.resources
                       : NULL};
  gannet_complaints found = {0};
  if (strcmp(input->evaluator->name, "manual") != 0) return GANNET_OK;
  gannet_err err = input->evaluator->check(input->evaluator_options, &setup, &found);
  gannet_campaign_complain(input, &found, complaints);
  gannet_complaints_release(&found);
  return err == GANNET_OK ? gannet_complaints_raise(complaints) : err;
}

gannet_err gannet_campaign_start(MPI_Comm comm, const gannet_campaign_start_options *options,
                                 gannet_complaints *complaints, gannet_campaign *campaign) {
  memset(campaign, 0, sizeof *campaign);
  GANNET_TRY(gannet_campaign_read_file(comm, options, &campaign->input, complaints));
  GANNET_TRY(
      gannet_context_create(comm, (uint64_t)campaign->input->general.seed, &campaign->context));
  gannet_context_set_log(campaign->context, options->level, options->log, options->log_user);
  gannet_campaign_show_warnings(campaign, options->file, complaints);
  GANNET_TRY(gannet_agree(comm, check_told_results(campaign->input, complaints)));
  GANNET_TRY(gannet_campaign_choose_directory(options, campaign));
  GANNET_TRY(gannet_campaign_setup(campaign, options->file));
  /* Names of attempts are made from it: a directory that was removed, copied or moved, or another
   * campaign of the same seed, must not meet jobs that seem to be its own. */
  campaign->instance = gannet_identity_create(campaign->directory);
  GANNET_TRY_MPI(MPI_Bcast(&campaign->instance, 1, MPI_UINT64_T, 0, campaign->context->comm));
  return open_directory(options, campaign);
}

static gannet_err read_configuration(const char *directory, char *path, gannet_campaign *campaign) {
  char *text = NULL;
  gannet_campaign_source source = {.file = path};
  gannet_complaints complaints = {0};
  memset(campaign, 0, sizeof *campaign);
  (void)snprintf(campaign->directory, sizeof campaign->directory, "%s", directory);
  GANNET_TRY(gannet_campaign_path(campaign, "campaign.yaml", path));
  if (access(path, F_OK)) return gannet_campaign_raise_none(directory);
  GANNET_TRY(gannet_campaign_file_read(path, &text, &source.size));
  source.text = text;
  gannet_err err = gannet_campaign_parse(&source, &campaign->input, &complaints);
  gannet_free(&text);
  gannet_complaints_release(&complaints);
  /* A campaign goes on without its configuration, which is written anew from the campaign file. */
  GANNET_REQUIRE(
      err != GANNET_ERR_INPUT || !gannet_directory_has_campaign(directory), GANNET_ERR_DAMAGED,
      "%s; gannet run FILE --resume --directory '%s' writes it again from the campaign file",
      gannet_error_detail(), directory);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_campaign_look(const char *directory, gannet_campaign *campaign) {
  char path[PATH_MAX];
  GANNET_TRY(read_configuration(directory, path, campaign));
  GANNET_TRY(create_history(campaign));
  gannet_ledger_init(&campaign->ledger, campaign->input->problem, campaign->history);
  return GANNET_OK;
}

gannet_err gannet_campaign_adopt_problem(gannet_campaign *campaign) {
  gannet_ledger *ledger = &campaign->ledger;
  const gannet_problem *saved = campaign->input->problem;
  if (!ledger->described) return GANNET_OK;
  GANNET_REQUIRE(gannet_ledger_had_problem(ledger, gannet_problem_fingerprint(saved)),
                 GANNET_ERR_INPUT,
                 "campaign.yaml is not that of the journal: variables, constraints or goal differ; "
                 "gannet run FILE --resume --directory '%s' writes it again from the campaign file",
                 campaign->directory);
  gannet_problem_destroy(&campaign->input->problem);
  campaign->input->problem = ledger->described;
  ledger->target = ledger->described;
  ledger->described = NULL;
  return GANNET_OK;
}

static gannet_err read_ledger(bool replay, gannet_campaign *campaign) {
  char path[PATH_MAX], snapshot[PATH_MAX];
  GANNET_TRY(gannet_campaign_path(campaign, "journal", path));
  GANNET_TRY(gannet_campaign_path(campaign, "state.h5", snapshot));
  const uint64_t seed = (uint64_t)campaign->input->general.seed;
  const gannet_resume_paths paths = {path, snapshot, campaign->input->general.name, &seed};
  GANNET_TRY(gannet_resume_query(&paths, replay, &campaign->ledger, &campaign->damage));
  return gannet_campaign_adopt_problem(campaign);
}

gannet_err gannet_campaign_query(const char *directory, bool replay, gannet_campaign *campaign) {
  GANNET_TRY(gannet_campaign_look(directory, campaign));
  return read_ledger(replay, campaign);
}

gannet_err gannet_campaign_query_optimizer(const char *directory, gannet_log_sink log,
                                           void *log_user, gannet_campaign *campaign) {
  char file[PATH_MAX];
  GANNET_TRY(read_configuration(directory, file, campaign));
  GANNET_TRY(
      gannet_context_create_alone((uint64_t)campaign->input->general.seed, &campaign->context));
  gannet_context_set_log(campaign->context, GANNET_LOG_WARNING, log, log_user);
  GANNET_TRY(create_history(campaign));
  gannet_ledger_init(&campaign->ledger, campaign->input->problem, campaign->history);
  GANNET_TRY(read_ledger(false, campaign));
  GANNET_TRY(create_optimizer(campaign, file));
  return gannet_campaign_restore_optimizer(campaign);
}

void gannet_campaign_close(gannet_campaign *campaign) {
  gannet_ledger_release(&campaign->ledger);
  gannet_free(&campaign->start_left);
  gannet_history_destroy(&campaign->history);
  gannet_optimizer_destroy(&campaign->optimizer);
  gannet_campaign_destroy(&campaign->input);
  gannet_context_destroy(&campaign->context);
}

void gannet_campaign_scheduler_status(const gannet_campaign *campaign,
                                      gannet_scheduler_status *status) {
  const bool found = strcmp(campaign->input->evaluate.backend, "slurm") == 0 &&
                     gannet_ledger_pending(&campaign->ledger) > 0 &&
                     gannet_scheduler_status_read(campaign->directory, status);
  if (!found) *status = (gannet_scheduler_status){0};
}
