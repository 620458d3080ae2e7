#include "report/study.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/models/transform.h"
#include "report/parts.h"

bool report_study_takes(const gannet_campaign *c, int64_t id) {
  const gannet_ticket *t = &c->ledger.ticket[id];
  return t->has_result && t->status == GANNET_EVAL_DONE && isfinite(t->objective) &&
         !report_is_penalty(c, id);
}

static void collect_results(report_study *s, int64_t best) {
  const gannet_campaign *c = s->campaign;
  int64_t n_done = 0, seen = 0;
  for (int64_t id = 0; id < c->ledger.n; ++id) n_done += report_study_takes(c, id);
  const int64_t stride = (n_done + STUDY_MOST - 1) / STUDY_MOST;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    if (!report_study_takes(c, id)) continue;
    if (seen++ % stride != 0 && id != best) continue;
    s->id[s->n] = id;
    memcpy(s->x + (ptrdiff_t)s->n * s->d, gannet_history_x_unit(c->history, id),
           (size_t)s->d * sizeof *s->x);
    s->raw[s->n++] = gannet_problem_flip(s->problem, c->ledger.ticket[id].objective);
  }
}

static gannet_err take_data(report_study *s, int64_t best) {
  const size_t most = STUDY_MOST + 1;
  GANNET_TRY(gannet_alloc(most, sizeof *s->id, &s->id));
  GANNET_TRY(gannet_alloc(most * (size_t)s->d, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(most, sizeof *s->raw, &s->raw));
  GANNET_TRY(gannet_alloc(most, sizeof *s->y, &s->y));
  collect_results(s, best);
  return GANNET_OK;
}

/* The first member whose surrogate tells its uncertainty. */
static const gannet_member_options *find_member(const gannet_optimizer_options *options) {
  for (int i = 0; i < options->n_members; ++i) {
    const gannet_member_options *one = &options->member[i];
    if (one->proposer != GANNET_PROPOSE_MODEL || !one->surrogate_options) continue;
    if (one->surrogate_type->no_sd && one->surrogate_type->no_sd(one->surrogate_options)) continue;
    return one;
  }
  return NULL;
}

static gannet_err choose_model(report_study *s) {
  const gannet_campaign_input *input = s->campaign->input;
  gannet_complaints complaints = {0};
  gannet_setting *settings = NULL;
  GANNET_TRY(gannet_alloc((size_t)input->n_method + 1, sizeof *settings, &settings));
  for (int i = 0; i < input->n_method; ++i)
    settings[i] = (gannet_setting){.key = input->method[i].key, .text = input->method[i].text};
  gannet_err err =
      gannet_optimizer_options_parse(input->n_method, settings, &s->options, &complaints);
  if (err == GANNET_OK && complaints.count == 0) s->member = find_member(&s->options);
  gannet_complaints_release(&complaints);
  gannet_free(&settings);
  if (err == GANNET_OK && s->member) s->type = s->member->surrogate_type;
  if (err == GANNET_OK && !s->member) err = gannet_surrogate_find("gp", &s->type);
  return err;
}

/* As optimizer/models/models_fit.c does it. */
static gannet_err standardise(report_study *s, double *work) {
  const gannet_campaign *c = s->campaign;
  const int64_t best = gannet_history_best(c->history);
  gannet_transform_choice choice = {GANNET_TRANSFORM_LOG, -1};
  if (s->member) GANNET_TRY(gannet_transform_choose(s->member, c->history, s->residuals, &choice));
  gannet_transform_choice_learn(&choice, c->history, s->n, s->x, s->raw, s->y, work, &s->transform);
  if (!s->residuals && best >= 0)
    gannet_transform_reach(gannet_problem_flip(s->problem, c->ledger.ticket[best].objective),
                           &s->transform);
  for (int i = 0; i < s->n; ++i)
    s->y[i] = s->residuals ? gannet_transform_affine(&s->transform, s->raw[i])
                           : gannet_transform_apply(&s->transform, s->raw[i]);
  s->noise_var = gannet_transform_noise_var(&s->transform, s->problem->spec.noise_sd);
  return GANNET_OK;
}

static gannet_err fit_surrogate(report_study *s) {
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, s->campaign->ledger.seed, &s->context));
  if (s->member && s->type->set_pde_constraint)
    GANNET_TRY(gannet_pde_constraint_create(s->context, s->problem, &s->residuals));
  double *work = NULL;
  GANNET_TRY(gannet_alloc((size_t)s->n + 1, sizeof *work, &work));
  const gannet_err err = standardise(s, work);
  gannet_free(&work);
  GANNET_TRY(err);
  GANNET_TRY(gannet_surrogate_create(s->context, s->type,
                                     s->member ? s->member->surrogate_options : NULL, s->d, 0,
                                     &s->surrogate));
  if (s->residuals) {
    const double sign = gannet_problem_flip(s->problem, 1);
    const gannet_pde_constraint constraint = {s->residuals,
                                              sign * gannet_transform_scale(&s->transform),
                                              sign * gannet_transform_center(&s->transform)};
    GANNET_TRY(gannet_surrogate_set_pde_constraint(s->surrogate, &constraint));
  }
  const gannet_data data = {s->n, s->x, s->y, s->noise_var};
  return gannet_surrogate_fit(s->surrogate, &data, true, 0);
}

gannet_err report_study_begin(const gannet_campaign *campaign, int64_t best, report_study *study) {
  *study = (report_study){.campaign = campaign, .problem = campaign->input->problem};
  study->d = study->problem->d;
  GANNET_TRY(take_data(study, best));
  GANNET_TRY(choose_model(study));
  return fit_surrogate(study);
}

void report_study_release(report_study *s) {
  gannet_surrogate_destroy(&s->surrogate);
  gannet_pde_residuals_destroy(&s->residuals);
  gannet_optimizer_options_release(&s->options);
  gannet_context_destroy(&s->context);
  gannet_free(&s->id);
  gannet_free(&s->x);
  gannet_free(&s->raw);
  gannet_free(&s->y);
}

gannet_err report_study_predict(const report_study *s, int m, const double *x, double *mean,
                                double *sd) {
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    GANNET_TRY(gannet_surrogate_predict(s->surrogate, rows, x + (ptrdiff_t)first * s->d,
                                        mean + first, sd ? sd + first : NULL));
  }
  return GANNET_OK;
}

double report_study_units(const report_study *s, double value) {
  return gannet_problem_flip(s->problem, gannet_transform_invert(&s->transform, value));
}

gannet_err report_study_refit(report_study *s, int n, const double *x, const double *y) {
  const gannet_data data = {n, x, y, s->noise_var};
  GANNET_TRY(gannet_surrogate_start_over(s->surrogate));
  return gannet_surrogate_fit(s->surrogate, &data, false, 0);
}
