/* Tables of the quality benchmark. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "benchmark/file.h"
#include "benchmark/quality.h"
#include "suite/statistics.h"

/* Shares of the budget at which regrets are shown. */
static const double shares[] = {0.25, 0.5, 1};
enum { N_SHARES = 3 };

static const quality_curve *curve_of(const quality_study *study, int p, int k, int seed) {
  return &study->curve[(p * study->n_methods + k) * study->settings->seeds + seed];
}

static int evaluation_at(const quality_problem *problem, double share) {
  const int at = (int)(share * problem->evaluations + 0.5) - 1;
  return at < 0 ? 0 : at;
}

/* Regrets of all seeds after one evaluation. */
static void regrets(const quality_study *study, int p, int k, int at, double *regret) {
  for (int s = 0; s < study->settings->seeds; ++s)
    regret[s] = curve_of(study, p, k, s)->best[at] - study->problem[p].base.minimum;
}

typedef struct {
  double low, median, high;
} quartiles;

static quartiles quartiles_of(const quality_study *study, int p, int k, int at, double *work) {
  const int n = study->settings->seeds;
  regrets(study, p, k, at, work);
  suite_sort(n, work);
  return (quartiles){suite_quantile(n, work, 0.25), suite_quantile(n, work, 0.5),
                     suite_quantile(n, work, 0.75)};
}

static int find_method(const quality_study *study, const char *name) {
  for (int k = 0; k < study->n_methods; ++k)
    if (strcmp(study->method[k].name, name) == 0) return k;
  return -1;
}

/* p-value of method k being no better than a baseline, or a dash. */
static gannet_err print_p(const quality_study *study, int p, int k, const char *baseline,
                          double *work) {
  const int other = find_method(study, baseline), n = study->settings->seeds;
  const int at = study->problem[p].evaluations - 1;
  double p_value = 1;
  if (other < 0 || other == k) {
    (void)printf(" – |");
    return GANNET_OK;
  }
  regrets(study, p, k, at, work);
  regrets(study, p, other, at, work + n);
  GANNET_TRY(suite_rank_test(n, work, n, work + n, &p_value));
  (void)printf(" %.2g |", p_value);
  return GANNET_OK;
}

static double seconds_per_point(const quality_study *study, int p, int k, double *work) {
  const int n = study->settings->seeds, last = study->problem[p].evaluations - 1;
  for (int s = 0; s < n; ++s) work[s] = curve_of(study, p, k, s)->seconds[last] / (last + 1);
  suite_sort(n, work);
  return suite_quantile(n, work, 0.5);
}

static gannet_err print_row(const quality_study *study, int p, int k, double *work) {
  (void)printf("| %s |", study->method[k].name);
  for (int i = 0; i < N_SHARES; ++i) {
    const quartiles r =
        quartiles_of(study, p, k, evaluation_at(&study->problem[p], shares[i]), work);
    (void)printf(" %.2g (%.2g – %.2g) |", r.median, r.low, r.high);
  }
  GANNET_TRY(print_p(study, p, k, "random", work));
  GANNET_TRY(print_p(study, p, k, "sobol", work));
  (void)printf(" %.1f |\n", 1e3 * seconds_per_point(study, p, k, work));
  return GANNET_OK;
}

static gannet_err print_problem(const quality_study *study, int p, double *work) {
  const quality_problem *problem = &study->problem[p];
  (void)printf("\n%s, %d variables\n\n| method |", problem->base.name, problem->base.d);
  for (int i = 0; i < N_SHARES; ++i)
    (void)printf(" regret at %d |", evaluation_at(problem, shares[i]) + 1);
  (void)printf(" p, random | p, sobol | ms per point |\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < study->n_methods; ++k) GANNET_TRY(print_row(study, p, k, work));
  return GANNET_OK;
}

static void write_runs(const quality_study *study, FILE *out) {
  (void)fprintf(out, "problem,method,seed,evaluation,best,regret,seconds\n");
  for (int p = 0; p < study->n_problems; ++p)
    for (int k = 0; k < study->n_methods; ++k)
      for (int s = 0; s < study->settings->seeds; ++s) {
        const quality_curve *c = curve_of(study, p, k, s);
        for (int i = 0; i < study->problem[p].evaluations; ++i)
          (void)fprintf(out, "%s,%s,%d,%d,%.17g,%.9g,%.4g\n", study->problem[p].base.name,
                        study->method[k].name, study->settings->first_seed + s, i + 1, c->best[i],
                        c->best[i] - study->problem[p].base.minimum, c->seconds[i]);
      }
}

/* Quartiles after every batch. */
static gannet_err write_summary(const quality_study *study, FILE *out) {
  double *work = NULL;
  GANNET_TRY(gannet_alloc((size_t)study->settings->seeds, sizeof *work, &work));
  (void)fprintf(out, "problem,method,evaluation,lower_quartile,median,upper_quartile\n");
  for (int p = 0; p < study->n_problems; ++p)
    for (int k = 0; k < study->n_methods; ++k)
      for (int i = 0; i < N_SHARES; ++i) {
        const int at = evaluation_at(&study->problem[p], shares[i]);
        const quartiles r = quartiles_of(study, p, k, at, work);
        (void)fprintf(out, "%s,%s,%d,%.4g,%.4g,%.4g\n", study->problem[p].base.name,
                      study->method[k].name, at + 1, r.low, r.median, r.high);
      }
  gannet_free(&work);
  return GANNET_OK;
}

static gannet_err write_files(const quality_study *study) {
  const char *const path[] = {study->settings->csv, study->settings->summary};
  for (int i = 0; i < 2; ++i) {
    if (!path[i]) continue;
    FILE *out = NULL;
    gannet_err err = bench_file_open(path[i], &out);
    GANNET_TRY(err);
    if (i == 0)
      write_runs(study, out);
    else
      err = write_summary(study, out);
    const gannet_err closed = bench_file_close(out, path[i]);
    GANNET_TRY(err == GANNET_OK ? closed : err);
  }
  return GANNET_OK;
}

gannet_err quality_report(const quality_study *study) {
  const quality_settings *s = study->settings;
  double *work = NULL;
  (void)printf(
      "Median regret (quartiles) of %d seeds from %d, q = %d, noise %g, shift %g; p: "
      "one-sided Mann-Whitney test of the final regret against a baseline.\n",
      s->seeds, s->first_seed, s->q, s->noise, s->shift);
  GANNET_TRY(gannet_alloc(2 * (size_t)s->seeds, sizeof *work, &work));
  gannet_err err = GANNET_OK;
  for (int p = 0; p < study->n_problems && err == GANNET_OK; ++p)
    err = print_problem(study, p, work);
  gannet_free(&work);
  GANNET_TRY(err);
  return write_files(study);
}
