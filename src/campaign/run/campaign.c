#include "campaign/run/campaign.h"

#include <errno.h>
#include <math.h>
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
#include "campaign/config/paths.h"
#include "campaign/run/change.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/import.h"
#include "campaign/run/neighbours.h"
#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/start_left.h"
#include "optimizer/optimizer.h"
#include "store/lock.h"

gannet_err gannet_campaign_path(const gannet_campaign *campaign, const char *name, char *path) {
  return gannet_join_path(campaign->directory, name, path, PATH_MAX);
}

/* directory  in   NULL = NAME.campaign
 * path       out  [PATH_MAX]
 */
static gannet_err resolve_directory(const char *directory, const char *name, char *path) {
  const char *format = directory ? "%s" : "%s.campaign";
  const char *base = directory ? directory : name;
  char local[PATH_MAX];
  const int written = snprintf(local, sizeof local, format, base);
  GANNET_REQUIRE(written >= 0 && (size_t)written < sizeof local, GANNET_ERR_INPUT,
                 "--directory: too long; choose a shorter path");
  size_t length = (size_t)written;
  while (length > 1 && local[length - 1] == '/') local[--length] = '\0';
  if (local[0] == '/') {
    memcpy(path, local, sizeof local);
    return GANNET_OK;
  }
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return gannet_raise_errno("find", "working directory");
  if (strcmp(local, ".") == 0) {
    memcpy(path, here, sizeof here);
    return GANNET_OK;
  }
  return gannet_join_path(here, local, path, PATH_MAX);
}

/* As the optimiser's own. */
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

static bool has_file(const char *directory, const char *name) {
  char path[PATH_MAX];
  const gannet_err err = gannet_join_path(directory, name, path, sizeof path);
  if (err != GANNET_OK) gannet_error_clear();
  return err == GANNET_OK && access(path, F_OK) == 0;
}

/* Whether a directory holds a campaign, though files of it may be lost. */
static bool is_begun(const char *directory) {
  char journal[PATH_MAX];
  return has_file(directory, "journal") ||
         (gannet_join_path(directory, "journal", journal, sizeof journal) == GANNET_OK &&
          gannet_leftovers_find(journal));
}

/* Rank 0 only: whether there is a campaign, and whether that is wanted. */
static gannet_err check_asked_for(const gannet_campaign_start_options *options,
                                  const char *directory, int *exists) {
  *exists = is_begun(directory);
  GANNET_REQUIRE(
      !*exists || options->resume, GANNET_ERR_EXISTS,
      "'%s' already holds a campaign; continue it with --resume, choose another place with "
      "--directory, or remove it to start afresh",
      directory);
  GANNET_REQUIRE(*exists || !options->must_exist, GANNET_ERR_MISSING,
                 "no campaign in '%s'; start it without --resume", directory);
  return GANNET_OK;
}

/* Whether gannet wrote a configuration, though somebody may have changed it since. */
static bool is_effective(const char *file) {
  bool sealed = false;
  if (gannet_effective_check(file, &sealed) != GANNET_OK) gannet_error_clear();
  return sealed;
}

/* A campaign that is resumed from its own effective configuration is meant itself: NAME.campaign in
 * the working directory would be a second one, with a whole budget to spend.
 *
 * around  out  [PATH_MAX] directory of the file
 */
static bool means_itself(const gannet_campaign_start_options *options, char *around) {
  gannet_directory_of(options->file, around, PATH_MAX);
  return options->resume && !options->directory &&
         strcmp(gannet_file_name_of(options->file), "campaign.yaml") == 0 &&
         (has_file(around, "journal.lock") || is_effective(options->file)) && is_begun(around);
}

/* Rank 0 looks. */
gannet_err gannet_campaign_choose_directory(const gannet_campaign_start_options *options,
                                            gannet_campaign *campaign) {
  char around[PATH_MAX];
  int own = 0;
  if (campaign->context->rank == 0) own = means_itself(options, around);
  gannet_directory_of(options->file, around, sizeof around);
  GANNET_TRY_MPI(MPI_Bcast(&own, 1, MPI_INT, 0, campaign->context->comm));
  return gannet_agree(campaign->context->comm,
                      resolve_directory(own ? around : options->directory,
                                        campaign->input->general.name, campaign->directory));
}

/* Describe the problem of the campaign that is resumed, which the file may leave parts of unsaid;
 * what is wrong with the file is told when it is read. Rank 0 only. */
static gannet_err find_before(const gannet_campaign_start_options *options, char **before) {
  gannet_campaign_source source = {
      .file = options->file, .n_sets = options->n_sets, .sets = options->sets};
  char *text = NULL, *name = NULL, around[PATH_MAX], directory[PATH_MAX], journal[PATH_MAX];
  if (gannet_campaign_file_read(options->file, &text, &source.size) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  source.text = text;
  gannet_err err = gannet_campaign_find_name(&source, &name);
  gannet_free(&text);
  const char *given = means_itself(options, around) ? around : options->directory;
  if (err == GANNET_OK && (name || given)) {
    err = resolve_directory(given, name, directory);
    if (err == GANNET_OK) err = gannet_join_path(directory, "journal", journal, sizeof journal);
    if (err == GANNET_OK) err = gannet_resume_find_problem(journal, before);
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
    err = check_asked_for(options, campaign->directory, exists);
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

/* YAML has no way to write such a path. */
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

/* Give the state of a journal of version 0.1.0 its names. That journal does not say of which method
 * its numbers are; the effective configuration that was saved with them does. Numbers without names
 * go to the same method with the same settings only; of others the number of the batch is known. */
static gannet_err name_state(gannet_campaign *campaign) {
  gannet_ledger *ledger = &campaign->ledger;
  char path[PATH_MAX];
  int same = 0;
  if (campaign->context->rank == 0 &&
      gannet_campaign_path(campaign, "campaign.yaml", path) == GANNET_OK)
    same = gannet_changes_none_in_models(path, campaign->input);
  GANNET_TRY_MPI(MPI_Bcast(&same, 1, MPI_INT, 0, campaign->context->comm));
  gannet_err err = GANNET_OK;
  if (same)
    err = gannet_state_name_positional(campaign->optimizer, ledger->n_positional,
                                       ledger->positional, &ledger->state);
  if (err == GANNET_OK && ledger->state.n == 0)
    err = gannet_state_put(&ledger->state, "", "batch", GANNET_STATE_WHOLE, ledger->positional[0]);
  return gannet_agree(campaign->context->comm, err);
}

static gannet_err tell_optimizer(gannet_campaign *campaign, int64_t id, int64_t number) {
  gannet_result_record result = campaign->ledger.ticket[id].result;
  result.id = number;
  return gannet_history_tell(gannet_optimizer_history(campaign->optimizer), &result);
}

/* Tell the optimiser what related problems have, instead of what it knew of them. */
static gannet_err enter_related(gannet_campaign *campaign) {
  gannet_optimizer_forget_related(campaign->optimizer);
  for (int i = 0; i < campaign->ledger.n_imports; ++i) {
    const gannet_import *import = &campaign->ledger.imports[i];
    if (import->related.n > 0)
      GANNET_TRY(gannet_optimizer_enter_related(campaign->optimizer, &import->related));
  }
  return GANNET_OK;
}

/* Enter the evaluations that count into an optimiser that has none, in the order in which they were
 * proposed and told. */
static gannet_err enter_evaluations(gannet_campaign *campaign) {
  const gannet_history *from = campaign->history;
  gannet_history *to = gannet_optimizer_history(campaign->optimizer);
  int64_t *number = NULL;
  GANNET_TRY(enter_related(campaign));
  GANNET_TRY(gannet_alloc((size_t)gannet_history_count(from), sizeof *number, &number));
  gannet_err err = GANNET_OK;
  for (int64_t id = 0; id < gannet_history_count(from) && err == GANNET_OK; ++id) {
    const gannet_evaluation *row = gannet_history_get(from, id);
    if (row->status != GANNET_EVAL_DISCARDED)
      err = gannet_history_enter(to, gannet_history_x_user(from, id), row->batch, row->origin,
                                 &number[id]);
  }
  for (int64_t at = 0; at < gannet_history_count_told(from) && err == GANNET_OK; ++at) {
    const int64_t id = gannet_history_order(from)[at];
    if (gannet_history_get(from, id)->status != GANNET_EVAL_DISCARDED)
      err = tell_optimizer(campaign, id, number[id]);
  }
  gannet_free(&number);
  return gannet_agree(campaign->context->comm, err);
}

/* After a correction the optimiser is one that was told the evaluations that count, and nothing
 * else. */
static gannet_err renew_optimizer(gannet_campaign *campaign) {
  if (!campaign->is_stale) return GANNET_OK;
  GANNET_TRY(gannet_optimizer_reset(campaign->optimizer));
  GANNET_TRY(enter_evaluations(campaign));
  const gannet_err err =
      gannet_optimizer_set_state(campaign->optimizer, &campaign->ledger.state, NULL);
  campaign->is_stale = false;
  return gannet_agree(campaign->context->comm, err);
}

static void warn_of_what_is_learnt(gannet_campaign *campaign, const gannet_state_report *report) {
  const char *before = gannet_state_find_text(&campaign->ledger.state, "", "method");
  bool is_forgotten = campaign->ledger.n_corrections > 0;
  for (int i = 0; i < campaign->ledger.n_revisions; ++i)
    is_forgotten = is_forgotten || campaign->ledger.revision[i].fingerprint != 0;
  is_forgotten = is_forgotten && campaign->ledger.state.n <= 2;
  if (campaign->context->rank != 0 || is_forgotten) return;
  if (report->n_members > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "the saved state%s%s has no hyperparameters for the model%s of %s with these "
               "settings: they are learnt again from the results",
               *before ? " of method " : "", before, report->n_members > 1 ? "s" : "",
               report->members);
  if (report->missing > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "the saved state lacks %d hyperparameters that this version has: they are learnt "
               "from the results",
               report->missing);
}

/* What the saved state does not have for this method is learnt. */
static gannet_err restore_optimizer(gannet_campaign *campaign) {
  gannet_ledger *ledger = &campaign->ledger;
  const MPI_Comm comm = campaign->context->comm;
  gannet_state_report report;
  if (ledger->n_positional > 0) GANNET_TRY(name_state(campaign));
  if (ledger->state.n == 0) return GANNET_OK;
  gannet_err err = gannet_optimizer_set_state(campaign->optimizer, &ledger->state, &report);
  GANNET_TRY(gannet_agree(comm, err));
  warn_of_what_is_learnt(campaign, &report);
  if (ledger->n_positional == 0) return GANNET_OK;
  err = gannet_optimizer_get_state(campaign->optimizer, &ledger->state);
  if (err == GANNET_OK) err = gannet_ledger_name_state(ledger);
  return gannet_agree(comm, err);
}

/* Rank 0 only. What is not there is made in the nearest directory that is. */
static gannet_err check_writable(const char *directory) {
  char near[PATH_MAX];
  struct stat about;
  char *slash;
  (void)snprintf(near, sizeof near, "%s", directory);
  while (stat(near, &about) && (errno == ENOENT || errno == ENOTDIR) &&
         (slash = strrchr(near, '/')) && near[1])
    slash[slash == near] = '\0';
  GANNET_REQUIRE(stat(near, &about) || S_ISDIR(about.st_mode), GANNET_ERR_EXISTS,
                 "'%s' exists and is not a directory; move it away, or choose another", near);
  return access(near, W_OK | X_OK) ? gannet_raise_errno("write to", near) : GANNET_OK;
}

/* Rank 0 only. The history of the others stays empty. */
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
    err = check_asked_for(options, campaign->directory, &exists);
    if (err == GANNET_OK) err = check_start_file(campaign, exists);
    if (err == GANNET_OK) err = check_writable(campaign->directory);
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
    GANNET_TRY(enter_evaluations(campaign));
    GANNET_TRY(restore_optimizer(campaign));
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
  if (campaign->context->rank == 0 && !is_effective(file)) {
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

gannet_err gannet_campaign_raise_none(const char *directory) {
  char near[PATH_MAX], path[PATH_MAX], target[PATH_MAX];
  struct stat about;
  GANNET_TRY(gannet_join_path(directory, "campaign.yaml", path, sizeof path));
  if (access(path, F_OK) && errno == EACCES) return gannet_raise_errno("look into", directory);
  GANNET_REQUIRE(!gannet_link_leads_nowhere(directory, target, sizeof target), GANNET_ERR_MISSING,
                 "'%s' is not a campaign directory: it is a symbolic link to '%s', which does not "
                 "exist; give the path where the campaign is now, or move it back",
                 directory, target);
  const bool exists = stat(directory, &about) == 0;
  GANNET_REQUIRE(!is_begun(directory), GANNET_ERR_MISSING,
                 "'%s' holds a campaign without its campaign.yaml; gannet run FILE --resume "
                 "--directory '%s' writes it again from the campaign file",
                 directory, directory);
  const char *why = !exists                  ? "it does not exist"
                    : S_ISDIR(about.st_mode) ? "it has no campaign.yaml"
                                             : "it is a file";
  gannet_nearby(directory, ".campaign", near, sizeof near);
  if (!has_file(near, ".")) near[0] = '\0';
  GANNET_REQUIRE(!near[0], GANNET_ERR_MISSING,
                 "'%s' is not a campaign directory: %s; did you mean '%s'?", directory, why, near);
  if (!exists) gannet_nearest_directory(directory, near, sizeof near);
  return GANNET_RAISE(GANNET_ERR_MISSING,
                      "'%s' is not a campaign directory: %s; %s%s%sgannet run makes one, "
                      "NAME.campaign",
                      directory, why, near[0] ? "the nearest directory that exists is '" : "", near,
                      near[0] ? "'; " : "");
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
      err != GANNET_ERR_INPUT || !is_begun(directory), GANNET_ERR_DAMAGED,
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
  GANNET_TRY(enter_evaluations(campaign));
  return restore_optimizer(campaign);
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

gannet_err gannet_campaign_ask(gannet_campaign *campaign, int q, int64_t *first) {
  gannet_optimizer *optimizer = campaign->optimizer;
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  int n_start = 0; /* of the q points: designs to start with */
  const bool has_starts = campaign->input->evaluate.start_from == GANNET_START_NEAREST;
  int64_t *id = NULL, *start_from = NULL;
  double *x = NULL;
  gannet_state state = {0};
  GANNET_TRY(renew_optimizer(campaign));
  const gannet_history *own = gannet_optimizer_history(optimizer);
  const int64_t asked = gannet_history_count(own);
  gannet_err err = gannet_alloc((size_t)q, sizeof *id, &id);
  if (err == GANNET_OK) err = gannet_alloc((size_t)q, sizeof *start_from, &start_from);
  if (err == GANNET_OK) err = gannet_alloc((size_t)q * v, sizeof *x, &x);
  err = gannet_agree(campaign->context->comm, err);
  *first = gannet_history_count(campaign->history);
  if (err == GANNET_OK) err = gannet_start_enter(campaign, q, &n_start);
  if (err == GANNET_OK && q > n_start) err = gannet_optimizer_ask(optimizer, q - n_start, id, x);
  if (err == GANNET_OK) {
    err = gannet_optimizer_get_state(optimizer, &state);
    for (int64_t i = asked; i < asked + q && err == GANNET_OK; ++i) {
      const gannet_evaluation *row = gannet_history_get(own, i);
      err = gannet_history_propose(campaign->history, gannet_history_x_user(own, i), row->batch,
                                   row->origin, NULL);
    }
    if (err == GANNET_OK && has_starts)
      err = gannet_neighbours_choose(campaign, q, *first, start_from);
    if (err == GANNET_OK)
      err = gannet_ledger_propose(&campaign->ledger, *first, has_starts ? start_from : NULL, &state,
                                  q > n_start ? gannet_optimizer_ask_seconds(optimizer) : NAN);
    err = gannet_agree(campaign->context->comm, err);
  }
  gannet_free(&id);
  gannet_free(&start_from);
  gannet_free(&x);
  gannet_state_release(&state);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_campaign_propose(gannet_campaign *campaign, const double *x_user, int64_t *id) {
  const int64_t batch = gannet_optimizer_next_batch(campaign->optimizer);
  GANNET_TRY(gannet_problem_check_point(campaign->input->problem, x_user));
  GANNET_TRY(gannet_history_propose(campaign->history, x_user, batch, GANNET_ORIGIN_USER, id));
  GANNET_TRY(gannet_ledger_propose(&campaign->ledger, *id, NULL, NULL, NAN));
  if (campaign->is_stale) return GANNET_OK;
  return gannet_history_propose(gannet_optimizer_history(campaign->optimizer), x_user, batch,
                                GANNET_ORIGIN_USER, NULL);
}

gannet_err gannet_campaign_tell(gannet_campaign *campaign, int n, const int64_t *ids) {
  const gannet_history *h = campaign->history;
  GANNET_TRY(gannet_ledger_tell(&campaign->ledger, n, ids));
  const bool has_discarded = gannet_history_count_kept(h) < gannet_history_count(h);
  for (int i = 0; i < n && !campaign->is_stale; ++i) {
    int64_t number = ids[i]; /* the optimiser counts only evaluations that were not discarded */
    for (int64_t id = 0; has_discarded && id < ids[i]; ++id)
      number -= gannet_history_get(h, id)->status == GANNET_EVAL_DISCARDED;
    GANNET_TRY(tell_optimizer(campaign, ids[i], number));
  }
  return GANNET_OK;
}

gannet_err gannet_campaign_tell_held(gannet_campaign *campaign) {
  for (int64_t id = 0; id < campaign->ledger.n; ++id) {
    const gannet_ticket *ticket = &campaign->ledger.ticket[id];
    if (ticket->has_result && !ticket->is_told) campaign->is_stale = true;
  }
  return gannet_ledger_tell_held(&campaign->ledger);
}

gannet_err gannet_campaign_correct(gannet_campaign *campaign,
                                   const gannet_correction_order *order) {
  campaign->is_stale = true;
  return gannet_ledger_correct(&campaign->ledger, order);
}

gannet_err gannet_campaign_save(gannet_campaign *campaign) {
  char path[PATH_MAX];
  gannet_err err = gannet_campaign_path(campaign, "state.h5", path);
  if (err == GANNET_OK) err = gannet_ledger_sync(&campaign->ledger); /* never behind a snapshot */
  if (err == GANNET_OK && campaign->context->rank == 0)
    err = gannet_snapshot_write(path, &campaign->ledger);
  return gannet_agree(campaign->context->comm, err);
}
