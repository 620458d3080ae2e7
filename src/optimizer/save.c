/* An optimiser in a file: saving it, going on with it in another process, and the points that it is
 * still waiting for.
 *
 * The datasets of problem, history and state are those of a campaign's snapshot. Besides them the
 * file has the seed, the settings and the noise, so that whoever loads it learns what differs.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/plain_environment.h"
#include "gannet/version.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/rank_digest.h"
#include "optimizer/related_columns.h"
#include "optimizer/state_columns.h"
#include "problem/history_columns.h"
#include "problem/problem_columns.h"
#include "store/fields.h"

/* PLAIN is GANNET_STATE_SCHEMA of snapshots, whose datasets these are. Versions that know only that
 * one would number evaluations otherwise where some were discarded, and know no functions. */
enum { SCHEMA_PLAIN = 2, SCHEMA = 3 };

/* The result of an evaluation, as far as asks depend on it. */
typedef struct {
  gannet_eval_status status;
  double objective;
  bool crashed;
} outcome;

#define OUTCOME(member, kind) GANNET_STRUCT_AT(outcome, member, kind)

static const gannet_struct_field outcome_fields[] = {
    {.name = "history/status",
     OUTCOME(status, INT),
     .upper = GANNET_EVAL_STATUS_COUNT - 1,
     .help = "0 pending, 1 done, 2 cannot run, 3 failed"},
    {.name = "history/objective",
     OUTCOME(objective, REAL),
     .fallback = NAN,
     .help = "in the user's sense and units; NaN where there is none"},
    {.name = "history/crashed", OUTCOME(crashed, TRUTH), .help = "1 = failed, and not by bad luck"},
    {0}};

/* What else must be the same in the optimiser that loads the file. Digests are of lists that are
 * not in the file. */
typedef struct {
  uint64_t seed, candidates, equations, variable_constraints, functions, objectives;
  double noise_sd;
} identity;

#define IDENTITY(member, kind) GANNET_STRUCT_AT(identity, member, kind)

static const gannet_struct_field identity_fields[] = {
    {.name = "optimizer/seed", IDENTITY(seed, BITS)},
    {.name = "problem/noise_sd",
     IDENTITY(noise_sd, REAL),
     .help = "of the objective, NaN = to be learnt"},
    {.name = "problem/candidates_digest", IDENTITY(candidates, BITS), .help = "0 = no list"},
    {.name = "problem/equations_digest", IDENTITY(equations, BITS), .help = "0 = no equations"},
    {.name = "problem/variable_constraints_digest",
     IDENTITY(variable_constraints, BITS),
     .help = "0 = none"},
    {.name = "problem/variable_functions",
     IDENTITY(functions, BITS),
     .help = "how many variable constraints are functions of the program"},
    {.name = "problem/objectives_digest",
     IDENTITY(objectives, BITS),
     .optional = true,
     .help = "of names, goals, noise, transforms and penalties of several objectives; 0 = there is "
             "one"},
    {0}};

static identity identify(const gannet_optimizer *o) {
  return (identity){.seed = o->context->seed,
                    .candidates = gannet_rank_digest_candidates(o->problem),
                    .equations = gannet_rank_digest_equations(o->problem),
                    .variable_constraints = gannet_rank_digest_variable_constraints(o->problem),
                    .functions = (uint64_t)o->problem->n_functions,
                    .objectives = gannet_rank_digest_objectives(o->problem),
                    .noise_sd = o->problem->spec.noise_sd};
}

/* The effective settings of a method. */
typedef struct {
  int n, capacity;
  char **key, **text; /* [n] owned */
  gannet_err err;
} settings;

static void take_setting(void *user, const char *key, const char *text,
                         const gannet_option *option) {
  settings *s = user;
  (void)option;
  if (s->err == GANNET_OK && s->n == s->capacity) {
    const size_t old = (size_t)s->capacity, new = old ? 2 * old : 64;
    s->err = gannet_resize(old, new, sizeof *s->key, &s->key);
    if (s->err == GANNET_OK) s->err = gannet_resize(old, new, sizeof *s->text, &s->text);
    if (s->err == GANNET_OK) s->capacity = (int)new;
  }
  if (s->err == GANNET_OK) s->err = gannet_copy_text(key, &s->key[s->n]);
  if (s->err == GANNET_OK) s->err = gannet_copy_text(text, &s->text[s->n]);
  if (s->err == GANNET_OK) s->n += 1;
}

static void release_settings(settings *s) {
  for (int i = 0; i < s->capacity; ++i) {
    gannet_free(&s->key[i]);
    gannet_free(&s->text[i]);
  }
  gannet_free(&s->key);
  gannet_free(&s->text);
}

/* Writing. */

static const char discarded_name[] = "optimizer/discarded";

static gannet_err write_settings(gannet_store *store, const gannet_optimizer *o) {
  settings s = {0};
  gannet_optimizer_options_visit(&o->options, take_setting, &s);
  gannet_err err = s.err;
  if (err == GANNET_OK)
    err = gannet_store_write_texts(store, "optimizer/settings", s.n, (const char *const *)s.key);
  if (err == GANNET_OK)
    err = gannet_store_write_texts(store, "optimizer/setting_texts", s.n,
                                   (const char *const *)s.text);
  release_settings(&s);
  return err;
}

static gannet_err write_results(gannet_store *store, const gannet_optimizer *o) {
  const gannet_history *h = o->history;
  const int64_t n = gannet_history_count(h);
  const gannet_quantities **lists = NULL;
  outcome *outcomes = NULL;
  gannet_err err = gannet_alloc((size_t)n, sizeof *outcomes, &outcomes);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *lists, &lists);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i) {
    const gannet_evaluation *row = gannet_history_get(h, i);
    outcomes[i] = (outcome){row->status, row->objective, row->run.crashed};
    lists[i] = gannet_history_reported(h, i);
  }
  if (err == GANNET_OK)
    err = gannet_store_write_fields(store, outcome_fields, n, outcomes, sizeof *outcomes);
  if (err == GANNET_OK)
    err = gannet_reported_columns_write(store, o->problem->spec.n_variables, n, lists);
  gannet_free(&outcomes);
  gannet_free(&lists);
  return err;
}

static gannet_err read_related(const gannet_store *store, const gannet_optimizer *o) {
  gannet_related_rows *sources = NULL;
  int n = 0;
  gannet_err err = gannet_related_columns_read(store, o->problem, &n, &sources);
  gannet_related_clear(o->related);
  for (int i = 0; i < n && err == GANNET_OK; ++i) err = gannet_related_add(o->related, &sources[i]);
  gannet_related_columns_release(n, &sources);
  return err;
}

/* Everything but the state, which all ranks have put together. */
static gannet_err write_optimizer(gannet_store *store, const gannet_optimizer *o) {
  const int64_t n = gannet_history_count(o->history);
  const identity own = identify(o);
  GANNET_TRY(gannet_store_write_text(store, "optimizer/gannet", GANNET_VERSION));
  GANNET_TRY(gannet_store_write_fields(store, identity_fields, 1, &own, sizeof own));
  GANNET_TRY(write_settings(store, o));
  if (o->discarded.n > 0) {
    GANNET_TRY(
        gannet_store_write_int64s(store, discarded_name, 1, &o->discarded.n, o->discarded.id));
    GANNET_TRY(gannet_store_annotate(store, discarded_name, NULL,
                                     "numbers of evaluations that were discarded, ascending; the "
                                     "other columns do not have them"));
  }
  GANNET_TRY(gannet_problem_columns_write(store, o->problem));
  GANNET_TRY(gannet_history_columns_write(
      store, o->history, n > 0 ? gannet_history_constraints(o->history, 0) : NULL));
  gannet_related_rows sources[GANNET_RELATED_MOST];
  const int n_related = gannet_related_count(o->related);
  for (int i = 0; i < n_related; ++i) sources[i] = *gannet_related_results(o->related, i);
  GANNET_TRY(gannet_related_columns_write(store, o->problem, n_related, sources));
  return write_results(store, o);
}

static gannet_err write_file(const gannet_optimizer *o, const char *path) {
  const bool is_plain = o->discarded.n == 0 && o->problem->n_functions == 0;
  const int schema = is_plain ? SCHEMA_PLAIN : SCHEMA;
  gannet_state state = {0};
  gannet_store *store = NULL;
  gannet_err err = gannet_optimizer_get_state(o, &state);
  if (err == GANNET_OK) err = gannet_store_create(path, schema, &store);
  if (err == GANNET_OK) err = write_optimizer(store, o);
  if (err == GANNET_OK) err = gannet_state_write(store, &state);
  if (err == GANNET_OK) err = gannet_store_commit(store);
  gannet_store_destroy(&store);
  gannet_state_release(&state);
  return err;
}

/* Check the arguments on this rank; n is the number of evaluations that there may not be. */
static gannet_err check_arguments(const char *path, int64_t n) {
  GANNET_REQUIRE_POINTER(path, "path");
  GANNET_REQUIRE(*path, GANNET_ERR_ARG, "path is empty, expected the name of a file");
  GANNET_REQUIRE(n == 0, GANNET_ERR_STATE,
                 "the optimiser has %lld evaluations already; load into a new one", (long long)n);
  return GANNET_OK;
}

gannet_err gannet_optimizer_save(const gannet_optimizer *o, const char *path) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(o, "optimizer");
  GANNET_TRY(gannet_agree(o->context->comm, check_arguments(path, 0)));
  return gannet_agree(o->context->comm, o->context->rank ? GANNET_OK : write_file(o, path));
}

/* Reading. */

/* What a file holds. */
typedef struct {
  gannet_history_columns history;
  gannet_discarded discarded;
  outcome *outcomes;           /* [history.n] */
  gannet_quantities *reported; /* [history.n] */
  gannet_state state;
} contents;

static gannet_err read_discarded(const gannet_store *store, gannet_discarded *discarded) {
  int64_t size[GANNET_STORE_MAX_RANK];
  int rank = 0;
  if (!gannet_store_has(store, discarded_name)) return GANNET_OK;
  GANNET_TRY(gannet_store_shape(store, discarded_name, &rank, size));
  GANNET_REQUIRE(rank == 1, GANNET_ERR_DAMAGED, "%s has %d dimensions", discarded_name, rank);
  GANNET_TRY(gannet_alloc((size_t)size[0], sizeof *discarded->id, &discarded->id));
  GANNET_TRY(gannet_store_read_int64s(store, discarded_name, 1, size, discarded->id));
  discarded->n = size[0];
  for (int64_t i = 0; i < discarded->n; ++i)
    GANNET_REQUIRE(discarded->id[i] > (i > 0 ? discarded->id[i - 1] : -1), GANNET_ERR_DAMAGED,
                   "%s: row %lld is %lld, expected numbers that ascend from 0", discarded_name,
                   (long long)i, (long long)discarded->id[i]);
  return GANNET_OK;
}

static gannet_err read_contents(const gannet_store *store, const gannet_problem *problem,
                                contents *c) {
  gannet_quantities **lists = NULL;
  GANNET_TRY(read_discarded(store, &c->discarded));
  GANNET_TRY(gannet_history_columns_read(store, problem, &c->history));
  const int64_t last = c->discarded.n > 0 ? c->discarded.id[c->discarded.n - 1] : -1;
  GANNET_REQUIRE(last < c->history.n + c->discarded.n, GANNET_ERR_DAMAGED,
                 "%s: evaluation %lld of %lld", discarded_name, (long long)last,
                 (long long)(c->history.n + c->discarded.n));
  const size_t n = (size_t)c->history.n;
  GANNET_TRY(gannet_alloc(n, sizeof *c->outcomes, &c->outcomes));
  GANNET_TRY(gannet_alloc(n, sizeof *c->reported, &c->reported));
  GANNET_TRY(gannet_store_read_fields(store, outcome_fields, c->history.n, c->outcomes,
                                      sizeof *c->outcomes));
  GANNET_TRY(gannet_alloc(n, sizeof *lists, &lists));
  for (size_t i = 0; i < n; ++i) lists[i] = &c->reported[i];
  const gannet_err err =
      gannet_reported_columns_read(store, problem->spec.n_variables, c->history.n, lists);
  gannet_free(&lists);
  GANNET_TRY(err);
  return gannet_state_read(store, &c->state);
}

/* Enter the evaluations into an empty history. */
static gannet_err enter_evaluations(const contents *c, const gannet_problem *problem,
                                    gannet_history *history) {
  const size_t k = (size_t)problem->spec.n_constraints;
  GANNET_TRY(gannet_history_columns_propose(&c->history, history));
  for (int64_t at = 0; at < c->history.n_told; ++at) {
    const int64_t id = c->history.order[at];
    const gannet_result_record result = {.id = id,
                                         .status = c->outcomes[id].status,
                                         .objective = c->outcomes[id].objective,
                                         .constraints = c->history.constraints + (size_t)id * k,
                                         .reported = c->reported[id],
                                         .run = gannet_run_unknown()};
    gannet_result_record told = result;
    told.run.crashed = c->outcomes[id].crashed;
    GANNET_TRY(gannet_history_tell(history, &told));
  }
  return GANNET_OK;
}

/* Add what differs to a list for people, of which the first few are told. */
static void add_difference(char *list, size_t size, int *n, const char *key, const char *there,
                           const char *here) {
  enum { TOLD = 3 };
  const size_t used = strlen(list);
  if (++*n <= TOLD)
    (void)snprintf(list + used, size - used, "%s%.60s is %.60s in the file, %.60s here",
                   used ? "; " : "", key, there, here);
}

static const char *find_setting(int n, char *const *keys, char *const *texts, const char *key) {
  for (int i = 0; i < n; ++i)
    if (strcmp(keys[i], key) == 0) return texts[i];
  return "not set";
}

/* Compare the settings of a file with the optimiser's. */
static void compare_settings(const settings *own, int n, char *const *keys, char *const *texts,
                             char *list, size_t size, int *n_differences) {
  for (int i = 0; i < own->n; ++i) {
    const char *there = find_setting(n, keys, texts, own->key[i]);
    if (strcmp(there, own->text[i]) != 0)
      add_difference(list, size, n_differences, own->key[i], there, own->text[i]);
  }
  for (int i = 0; i < n; ++i)
    if (strcmp(find_setting(own->n, own->key, own->text, keys[i]), "not set") == 0 &&
        strcmp(texts[i], "not set") != 0)
      add_difference(list, size, n_differences, keys[i], texts[i], "not set");
}

static gannet_err check_settings(const gannet_store *store, const gannet_optimizer *o) {
  settings own = {0};
  char **keys = NULL, **texts = NULL, list[600] = "";
  int n = 0, n_texts = 0, differences = 0;
  gannet_optimizer_options_visit(&o->options, take_setting, &own);
  gannet_err err = own.err;
  if (err == GANNET_OK) err = gannet_store_read_texts(store, "optimizer/settings", &n, &keys);
  if (err == GANNET_OK)
    err = gannet_store_read_texts(store, "optimizer/setting_texts", &n_texts, &texts);
  if (err == GANNET_OK && n != n_texts)
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%d settings have %d texts", n, n_texts);
  if (err == GANNET_OK) compare_settings(&own, n, keys, texts, list, sizeof list, &differences);
  if (err == GANNET_OK && differences > 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "the file is of another method or other settings: %s%s; "
                       "create the optimiser with those of the file, or start without it",
                       list, differences > 3 ? "; and more" : "");
  gannet_free(&keys);
  gannet_free(&texts);
  release_settings(&own);
  return err;
}

/* Refuse a file that is not of the same problem, method and seed. */
static gannet_err check_identity(const gannet_store *store, const gannet_optimizer *o) {
  const identity own = identify(o);
  identity there;
  GANNET_REQUIRE(
      gannet_store_has(store, "optimizer/seed"), GANNET_ERR_INPUT,
      "it is not a file of gannet_optimizer_save%s",
      gannet_store_has(store, "campaign/name") ? ", but the snapshot of a campaign" : "");
  if (gannet_problem_columns_check(store, o->problem) != GANNET_OK)
    return GANNET_RAISE(GANNET_ERR_INPUT, "the file is of another problem: %s",
                        gannet_error_detail());
  GANNET_TRY(gannet_store_read_fields(store, identity_fields, 1, &there, sizeof there));
  GANNET_REQUIRE(there.noise_sd == own.noise_sd || (isnan(there.noise_sd) && isnan(own.noise_sd)),
                 GANNET_ERR_INPUT,
                 "the file is of another problem: noise is %g in the file, expected "
                 "%g",
                 there.noise_sd, own.noise_sd);
  GANNET_REQUIRE(there.objectives == 0 || there.objectives == own.objectives, GANNET_ERR_INPUT,
                 "the file is of another problem: expected the same names, goals and noise of all "
                 "objectives");
  GANNET_REQUIRE(there.candidates == own.candidates, GANNET_ERR_INPUT,
                 "the file is of another problem: expected the "
                 "same list of candidates");
  GANNET_REQUIRE(there.equations == own.equations, GANNET_ERR_INPUT,
                 "the file is of another problem: expected the same equations");
  GANNET_REQUIRE(there.variable_constraints == own.variable_constraints, GANNET_ERR_INPUT,
                 "the file is of another problem: expected the same variable constraints");
  GANNET_REQUIRE(
      there.functions == own.functions, GANNET_ERR_INPUT,
      "the file is of another problem: %llu of its variable constraints are functions of "
      "the program, expected %llu",
      (unsigned long long)there.functions, (unsigned long long)own.functions);
  GANNET_TRY(check_settings(store, o));
  GANNET_REQUIRE(there.seed == own.seed, GANNET_ERR_INPUT,
                 "the file is of an optimiser with seed %llu, expected %llu",
                 (unsigned long long)there.seed, (unsigned long long)own.seed);
  return GANNET_OK;
}

/* Rank 0 reads the file. A damaged one is not silently replaced by the one before. */
static gannet_err read_bytes(const char *path, int *schema, char **bytes, size_t *size) {
  char before[PATH_MAX], why[800];
  const gannet_err err = gannet_store_read_bytes(path, SCHEMA, schema, bytes, size);
  if (err != GANNET_ERR_DAMAGED && err != GANNET_ERR_MISSING) return err;
  (void)snprintf(before, sizeof before, "%.4000s.1", path);
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  if (gannet_store_verify(before, SCHEMA, NULL) != GANNET_OK) return GANNET_RAISE(err, "%s", why);
  return GANNET_RAISE(err, "%s; '%s', which was saved before it, is sound and can be loaded", why,
                      before);
}

/* Send the bytes of the file, which rank 0 has, to all ranks. */
static gannet_err share_bytes(const gannet_context *context, int *schema, char **bytes,
                              size_t *size) {
  int64_t about[2] = {*schema, (int64_t)*size};
  GANNET_TRY_MPI(MPI_Bcast(about, 2, MPI_INT64_T, 0, context->comm));
  *schema = (int)about[0];
  *size = (size_t)about[1];
  GANNET_TRY(gannet_agree(context->comm, *bytes ? GANNET_OK : gannet_alloc(*size, 1, bytes)));
  return gannet_bytes_broadcast(context->comm, 0, *size, *bytes);
}

/* Read the contents on every rank. An empty history takes the evaluations first, so that the
 * optimiser's own stays empty when something cannot be. */
static gannet_err read_store(const gannet_optimizer *o, const char *path, int schema, char *bytes,
                             size_t size, contents *c) {
  gannet_store *store = NULL;
  gannet_history *scratch = NULL;
  GANNET_TRY(gannet_store_open_bytes(path, schema, bytes, size, &store));
  gannet_err err = check_identity(store, o);
  if (err == GANNET_OK) err = read_contents(store, o->problem, c);
  if (err == GANNET_OK) err = gannet_history_create(o->problem, &scratch);
  if (err == GANNET_OK) {
    err = enter_evaluations(c, o->problem, scratch);
    if (err == GANNET_ERR_ARG || err == GANNET_ERR_STATE || err == GANNET_ERR_INPUT)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s", gannet_error_detail());
  }
  if (err == GANNET_OK) err = read_related(store, o);
  gannet_history_destroy(&scratch);
  gannet_store_destroy(&store);
  if (err == GANNET_OK) return GANNET_OK;
  return GANNET_RAISE(err, "'%s': %s", path, gannet_error_detail());
}

/* The bytes on every rank become the optimiser's evaluations and state. */
static gannet_err take_contents(gannet_optimizer *o, contents *c) {
  gannet_state_report report;
  GANNET_TRY(enter_evaluations(c, o->problem, o->history));
  GANNET_TRY(gannet_optimizer_set_state(o, &c->state, &report));
  gannet_free(&o->discarded.id);
  o->discarded = c->discarded;
  c->discarded = (gannet_discarded){0};
  if (report.missing > 0 || report.n_members > 0)
    gannet_log(o->context, GANNET_LOG_WARNING,
               "the file lacks %d hyperparameters of this version%s%s: they are learnt again",
               report.missing, report.n_members > 0 ? ", and all of " : "", report.members);
  return GANNET_OK;
}

gannet_err gannet_optimizer_load(gannet_optimizer *o, const char *path) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  contents c = {0};
  char *bytes = NULL;
  size_t size = 0;
  int schema = 0;
  GANNET_REQUIRE_POINTER(o, "optimizer");
  const gannet_context *context = o->context;
  GANNET_TRY(gannet_agree(
      context->comm, check_arguments(path, gannet_history_count(o->history) + o->discarded.n)));
  gannet_err err = gannet_agree(
      context->comm, context->rank ? GANNET_OK : read_bytes(path, &schema, &bytes, &size));
  if (err == GANNET_OK) err = share_bytes(context, &schema, &bytes, &size);
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, read_store(o, path, schema, bytes, size, &c));
  if (err == GANNET_OK) err = gannet_agree(context->comm, take_contents(o, &c));
  for (int64_t i = 0; c.reported && i < c.history.n; ++i) gannet_quantities_release(&c.reported[i]);
  gannet_free(&c.reported);
  gannet_free(&c.outcomes);
  gannet_free(&c.discarded.id);
  gannet_history_columns_release(&c.history);
  gannet_state_release(&c.state);
  gannet_free(&bytes);
  GANNET_TRY(err);
  return GANNET_OK;
}

int64_t gannet_optimizer_pending(const gannet_optimizer *o, int64_t most, int64_t *id,
                                 double *x_user) {
  int64_t n = 0;
  if (!o) return 0;
  const size_t v = (size_t)o->problem->spec.n_variables;
  for (int64_t i = 0; i < gannet_history_count(o->history); ++i) {
    if (gannet_history_get(o->history, i)->status != GANNET_EVAL_PENDING) continue;
    if (n < most && id) id[n] = gannet_discarded_id(&o->discarded, i);
    if (n < most && x_user)
      memcpy(x_user + (size_t)n * v, gannet_history_x_user(o->history, i), v * sizeof *x_user);
    n += 1;
  }
  return n;
}
