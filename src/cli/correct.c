/* gannet discard, gannet correct, gannet retry */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/utf8.h"
#include "campaign/run/corrections.h"
#include "campaign/run/loop.h"
#include "campaign/tables/table.h"
#include "cli/open_campaign.h"
#include "cli/point.h"
#include "evaluate/result_record.h"
#include "simulations/registry.h"

#define ID_FLAG \
  { "id", 'i', "N[,N]", "evaluation, or several; may be repeated", true }
#define WHY_FLAG \
  { "why", 'm', "TEXT", "reason, which status and history.csv show from now on", false }

static const cli_flag discard_flags[] = {
    ID_FLAG,
    WHY_FLAG,
    {"undo", 0, NULL, "the evaluation counts again, with its result", false},
    CLI_WAIT_FLAG,
    {NULL, 0, NULL, NULL, false},
};

static const cli_flag correct_flags[] = {
    {"id", 'i', "N", "evaluation", true},
    {"objective", 'y', "VALUE",
     "value of the objective, with its standard deviation as in 3.2+-0.1, or 'missing'", false},
    {"constraint", 'c', "NAME=VALUE", "value of a constraint, likewise; may be repeated", true},
    {"quantity", 0, "NAME=VALUE", "value of any quantity that was reported; may be repeated", true},
    WHY_FLAG,
    {"undo", 0, NULL, "the result is again what it was before the last gannet correct", false},
    CLI_WAIT_FLAG,
    {NULL, 0, NULL, NULL, false},
};

static const cli_flag retry_flags[] = {
    ID_FLAG,       {"failed", 0, NULL, "all evaluations that failed", false},
    WHY_FLAG,      {"undo", 0, NULL, "the result is again what it was before gannet retry", false},
    CLI_WAIT_FLAG, {NULL, 0, NULL, NULL, false},
};

/* What the command asks for, and where it is asked. */
typedef struct {
  gannet_correction_request request;
  const cli_world *world;
  char directory[PATH_MAX]; /* of the campaign */
  char answer[GANNET_ANSWER_SIZE];
  bool was_posted; /* the request is in a file */
} errand;

static gannet_err add_ids(const char *text, gannet_correction_request *request) {
  for (const char *at = text;;) {
    char *end = NULL;
    errno = 0;
    const long long id = strtoll(at, &end, 10);
    GANNET_REQUIRE(
        end != at && !errno && id >= 0 && (*end == '\0' || *end == ',') && *at >= '0' && *at <= '9',
        GANNET_ERR_INPUT, "--id '%s': expected numbers of evaluations, such as 3 or 3,5,8", text);
    GANNET_TRY(gannet_resize((size_t)request->n, (size_t)request->n + 1, sizeof *request->id,
                             &request->id));
    request->id[request->n++] = id;
    if (!*end) return GANNET_OK;
    at = end + 1;
  }
}

static gannet_err add_value(const char *flag, const char *name, const char *text,
                            gannet_correction_request *request) {
  gannet_quantity quantity = {.name = name};
  char what[160];
  const bool is_named = strcmp(flag, name) != 0;
  (void)snprintf(what, sizeof what, "--%s%s%s", flag, is_named ? " " : "", is_named ? name : "");
  GANNET_TRY(cli_read_stated(what, text, &quantity));
  GANNET_REQUIRE(!gannet_quantities_find(&request->values, name), GANNET_ERR_INPUT,
                 "%s is given twice; leave one out", name);
  return gannet_quantities_set(&request->values, 0, &quantity);
}

static gannet_err read_values(const cli_arguments *arguments, gannet_correction_request *request) {
  static const char *const flags[] = {"constraint", "quantity"};
  const char *objective = cli_value(arguments, "objective"), *text, *value = NULL;
  char name[128];
  GANNET_REQUIRE(cli_times(arguments, "objective") <= 1, GANNET_ERR_INPUT,
                 "--objective is given twice; leave one out");
  if (objective) GANNET_TRY(add_value("objective", "objective", objective, request));
  for (int k = 0; k < 2; ++k)
    for (int i = 0; (text = cli_repeated(arguments, flags[k], i)); ++i) {
      GANNET_TRY(cli_split_pair(flags[k], text, name, sizeof name, &value));
      GANNET_TRY(add_value(flags[k], name, value, request));
      const gannet_reported *added = gannet_quantities_find(&request->values, name);
      const gannet_quantity constraint = {.name = name, .value = added->value, .sd = added->sd};
      if (k == 0) GANNET_TRY(gannet_quantities_set(&request->constraints, 0, &constraint));
    }
  GANNET_REQUIRE(request->undo || request->values.n > 0, GANNET_ERR_INPUT,
                 "give the right value: --objective VALUE, --constraint NAME=VALUE or --quantity "
                 "NAME=VALUE");
  GANNET_REQUIRE(!request->undo || request->values.n == 0, GANNET_ERR_INPUT,
                 "--undo takes no values: leave them out, and the result is again what it was");
  GANNET_REQUIRE(request->n <= 1, GANNET_ERR_INPUT,
                 "--id: values are those of one evaluation; correct one after the other");
  return GANNET_OK;
}

static gannet_err read_request(const cli_arguments *arguments, gannet_correction_kind kind,
                               gannet_correction_request *request) {
  const char *text, *why = cli_value(arguments, "why");
  request->kind = kind;
  request->undo = cli_has(arguments, "undo");
  request->all_failed = kind == GANNET_CORRECTION_RETRY && cli_has(arguments, "failed");
  for (int i = 0; (text = cli_repeated(arguments, "id", i)); ++i)
    GANNET_TRY(add_ids(text, request));
  GANNET_REQUIRE((request->n > 0) != request->all_failed, GANNET_ERR_INPUT,
                 kind == GANNET_CORRECTION_RETRY ? "give either --id N or --failed"
                                                 : "give --id N: which evaluation is meant");
  if (kind == GANNET_CORRECTION_VALUES) GANNET_TRY(read_values(arguments, request));
  request->note.when = gannet_clock_epoch();
  request->note.key = gannet_identity_create(arguments->positional[0]);
  gannet_user_name(request->note.who, sizeof request->note.who);
  (void)snprintf(request->note.why, sizeof request->note.why, "%s", why ? why : "");
  gannet_utf8_line(request->note.why);
  return GANNET_OK;
}

/* The attempts that run, as far as the journal knows, of the evaluations of a request. */
static gannet_err list_attempts(const gannet_campaign *campaign,
                                const gannet_correction_request *request, int *n,
                                gannet_request **attempts) {
  *n = 0;
  GANNET_TRY(gannet_alloc((size_t)request->n, sizeof **attempts, attempts));
  for (int i = 0; i < request->n; ++i) {
    const int64_t id = request->id[i];
    if (id >= campaign->ledger.n) continue;
    const gannet_ticket *ticket = &campaign->ledger.ticket[id];
    if (!ticket->has_result && ticket->nonce != 0)
      (*attempts)[(*n)++] =
          (gannet_request){.id = id,
                           .attempt = ticket->attempt,
                           .nonce = ticket->nonce,
                           .x_user = gannet_history_x_user(campaign->history, id)};
  }
  return GANNET_OK;
}

/* End simulations that run on without a gannet. Where that fails, the user is told, and it is no
 * error: the correction is made. */
static gannet_err end_attempts(const gannet_campaign *campaign, const errand *e, int n,
                               const gannet_request *attempts) {
  const gannet_run_options options = {
      .simulations = gannet_simulations, .launcher = e->world->launcher, .time_limit = INFINITY};
  const gannet_err err = gannet_campaign_end_left(campaign, &options, n, attempts);
  if (err == GANNET_OK || err == GANNET_ERR_MPI) return err;
  if (e->world->rank == 0)
    cli_warn("its running simulation could not be ended: %s; the result will not be used",
             gannet_error_detail());
  gannet_error_clear();
  return GANNET_OK;
}

/* The files that people read. Results of a batch that has not ended count in them, as after a run.
 */
static gannet_err write_files(gannet_campaign *campaign) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_campaign_save(campaign));
  GANNET_TRY(gannet_agree(campaign->context->comm, gannet_ledger_show_held(&campaign->ledger)));
  gannet_err err = gannet_campaign_path(campaign, "history.csv", path);
  if (err == GANNET_OK && campaign->context->rank == 0)
    err = gannet_table_replace(path, &campaign->ledger);
  return gannet_agree(campaign->context->comm, err);
}

/* Make the correction in a campaign that was opened for it, which no other process has. */
static gannet_err make_correction(const cli_arguments *arguments, gannet_campaign *campaign,
                                  void *user) {
  errand *e = user;
  gannet_request *attempts = NULL;
  int n = 0, others = 0;
  (void)arguments;
  if (e->was_posted && e->world->rank == 0) /* the process that had it is gone */
    (void)gannet_corrections_withdraw(e->directory, e->request.note.key);
  GANNET_TRY(gannet_corrections_take(campaign, &others));
  gannet_err err = list_attempts(campaign, &e->request, &n, &attempts);
  if (err == GANNET_OK) err = gannet_corrections_make(campaign, &e->request, e->answer);
  err = gannet_agree(campaign->context->comm, err);
  if (err == GANNET_OK) err = end_attempts(campaign, e, n, attempts);
  if (err == GANNET_OK || others > 0) {
    const gannet_err written = write_files(campaign);
    if (err == GANNET_OK) err = written;
  }
  gannet_free(&attempts);
  return err;
}

enum { ASK_AGAIN, IS_ANSWERED, IS_REFUSED, IS_OVER };

/* Leave the request to the process that has the campaign, and wait for a while. Rank 0 does it, all
 * know what comes of it. */
static gannet_err ask_owner(errand *e, double until, int *state) {
  const double turn = fmin(until, gannet_clock_seconds() + 1); /* then the campaign may be free */
  bool has_answer = false;
  gannet_err err = GANNET_OK;
  *state = ASK_AGAIN;
  if (e->world->rank == 0) {
    if (!e->was_posted) err = gannet_corrections_post(e->directory, &e->request);
    while (err == GANNET_OK && *state == ASK_AGAIN) {
      const double now = gannet_clock_seconds();
      err = gannet_corrections_look(e->directory, e->request.note.key, &has_answer, e->answer);
      if (has_answer) *state = err == GANNET_OK ? IS_ANSWERED : IS_REFUSED;
      if (has_answer || now >= turn) break;
      gannet_clock_sleep(0.05);
    }
    /* Somebody who has taken it answers. */
    if (*state == ASK_AGAIN && gannet_clock_seconds() >= until &&
        gannet_corrections_withdraw(e->directory, e->request.note.key))
      *state = IS_OVER;
  }
  e->was_posted = true;
  GANNET_TRY(gannet_agree(e->world->comm, err));
  GANNET_TRY_MPI(MPI_Bcast(state, 1, MPI_INT, 0, e->world->comm));
  return GANNET_OK;
}

/* A campaign that is free is corrected here; one that runs by the gannet that runs it. */
static gannet_err bring_about(const cli_arguments *arguments, errand *e) {
  char why[600];
  double patience = 0;
  GANNET_TRY(cli_patience(arguments, &patience));
  const double until = gannet_clock_seconds() + patience;
  for (int state = ASK_AGAIN; state == ASK_AGAIN;) {
    const gannet_err err = cli_try_session(arguments, e->world, make_correction, e, e->directory);
    if (err != GANNET_ERR_BUSY) return err;
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    gannet_error_clear();
    GANNET_TRY(ask_owner(e, until, &state));
    GANNET_REQUIRE(state != IS_OVER, GANNET_ERR_BUSY,
                   "%s; it did not take the correction within %g s, and nothing was changed. A "
                   "simulation inside the job lets it wait until it has ended: try again with a "
                   "longer --wait, or when the campaign has ended",
                   why, patience);
  }
  return GANNET_OK;
}

static gannet_err run_errand(const cli_arguments *arguments, const cli_world *world,
                             gannet_correction_kind kind) {
  errand e = {.world = world};
  gannet_err err = read_request(arguments, kind, &e.request);
  /* Key, time and user of rank 0 are those of all. */
  gannet_correction_note *note = &e.request.note;
  if (err == GANNET_OK)
    GANNET_TRY_MPI(MPI_Bcast(note, (int)sizeof *note, MPI_BYTE, 0, world->comm));
  if (err == GANNET_OK) err = bring_about(arguments, &e);
  if (err == GANNET_OK && world->rank == 0) {
    cli_say(stdout, "%s\n", e.answer);
    if (kind == GANNET_CORRECTION_RETRY && !e.request.undo && !e.was_posted)
      cli_say(stdout,
              "`gannet run` with --resume runs what is open; with backend: manual `gannet tell` "
              "reports the results\n");
  }
  gannet_correction_request_release(&e.request);
  return err;
}

static gannet_err run_discard(const cli_arguments *arguments, const cli_world *world,
                              gannet_exit *code) {
  (void)code;
  return run_errand(arguments, world, GANNET_CORRECTION_DISCARD);
}

static gannet_err run_correct(const cli_arguments *arguments, const cli_world *world,
                              gannet_exit *code) {
  (void)code;
  return run_errand(arguments, world, GANNET_CORRECTION_VALUES);
}

static gannet_err run_retry(const cli_arguments *arguments, const cli_world *world,
                            gannet_exit *code) {
  (void)code;
  return run_errand(arguments, world, GANNET_CORRECTION_RETRY);
}

const cli_command cli_discard = {
    .name = "discard",
    .usage = "DIR --id N[,N] [options]",
    .summary = "remove evaluations from a campaign because their results are wrong",
    .details =
        "The optimiser continues as if it had never seen them, and they do not count towards\n"
        "the budget. They stay in the journal and, marked as discarded, in history.csv. A\n"
        "running one is ended. Works while the campaign runs. --undo restores them.\n",
    .flags = discard_flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_discard,
};

const cli_command cli_correct = {
    .name = "correct",
    .usage = "DIR --id N VALUE ... [options]",
    .summary = "replace wrong values of an evaluation by correct ones",
    .details =
        "VALUE is --objective Y, --constraint NAME=VALUE or --quantity NAME=VALUE.\n"
        "Values that you do not give stay. gannet computes again what the campaign file computes\n"
        "from them, and fits its models to the corrected results. Works while the campaign runs.\n"
        "--undo restores the earlier values.\n",
    .flags = correct_flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_correct,
};

const cli_command cli_retry = {
    .name = "retry",
    .usage = "DIR (--id N[,N] | --failed) [options]",
    .summary = "run evaluations again, also after the campaign has ended",
    .details =
        "Their earlier results no longer count. A running campaign starts them as soon as a slot\n"
        "is free. For a campaign that has ended, use `gannet run` with --resume. --undo restores\n"
        "the results.\n",
    .flags = retry_flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_retry,
};
