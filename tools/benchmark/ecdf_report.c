/* Tables of the ecdf benchmark. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "benchmark/ecdf.h"
#include "benchmark/file.h"

static const ecdf_result *result_of(const ecdf_study *study, int problem, int method) {
  return &study->result[(size_t)problem * (size_t)study->n_methods + (size_t)method];
}

/* Problems of one dimension, and of one landscape unless that is NULL. */
static bool is_in(const ecdf_study *study, int problem, int d, const gannet_landscape_base *base) {
  return study->problem[problem].d == d && (!base || study->problem[problem].base == base);
}

typedef struct {
  int n;
  double area, gain, gain_error, seconds; /* means; gain over the first method, standard error */
} summary;

static summary summarise(const ecdf_study *study, int method, int d,
                         const gannet_landscape_base *base) {
  summary s = {0};
  double squares = 0;
  for (int p = 0; p < study->n_problems; ++p) {
    if (!is_in(study, p, d, base)) continue;
    const ecdf_result *mine = result_of(study, p, method), *first = result_of(study, p, 0);
    const double gain = mine->area - first->area, away = gain - s.gain;
    s.n += 1;
    s.area += (mine->area - s.area) / s.n;
    s.seconds += (mine->seconds - s.seconds) / s.n;
    s.gain += away / s.n;
    squares += away * (gain - s.gain);
  }
  s.gain_error = s.n > 1 ? sqrt(squares / (s.n - 1) / s.n) : 0;
  return s;
}

static void print_line(const ecdf_study *study, int d, const gannet_landscape_base *base) {
  (void)printf("| %s |", base ? base->name : "**all**");
  for (int k = 0; k < study->n_methods; ++k) {
    const summary s = summarise(study, k, d, base);
    (void)printf(" %.3f", s.area);
    if (!base && k > 0) (void)printf(" (%+.3f ± %.3f)", s.gain, s.gain_error);
    if (!base) (void)printf(" %.0f ms", 1e3 * s.seconds);
    (void)printf(" |");
  }
  (void)printf("\n");
}

static void print_dimension(const ecdf_study *study, int d) {
  (void)printf("\n| D = %d |", d);
  for (int k = 0; k < study->n_methods; ++k) (void)printf(" %s |", study->method[k].name);
  (void)printf("\n|---|");
  for (int k = 0; k < study->n_methods; ++k) (void)printf("---|");
  (void)printf("\n");
  for (int b = 0; gannet_landscape_bases[b] && study->settings->detail; ++b)
    if (summarise(study, 0, d, gannet_landscape_bases[b]).n > 0)
      print_line(study, d, gannet_landscape_bases[b]);
  print_line(study, d, NULL);
}

/* Decimal logarithm of a regret, of which those below the last target are the same. */
static double depth_of(const ecdf_result *result, int which) {
  const double regret[] = {result->regret, result->looked, result->chosen};
  return log10(fmin(fmax(regret[which], 1e-8), 1e8));
}

/* At the end, over the problems of one dimension: the mean of one method less that of another, and
 * its standard error; other < 0 = the mean itself. */
static double compare(const ecdf_study *study, int d, int which, int method, int other,
                      double *error) {
  double mean = 0, squares = 0;
  int n = 0;
  for (int p = 0; p < study->n_problems; ++p) {
    if (study->problem[p].d != d) continue;
    double value = depth_of(result_of(study, p, method), which);
    if (other >= 0) value -= depth_of(result_of(study, p, other), which);
    const double away = value - mean;
    mean += away / ++n;
    squares += away * (value - mean);
  }
  *error = n > 1 ? sqrt(squares / (n - 1) / n) : 0;
  return mean;
}

static void print_reported(const ecdf_study *study, int d) {
  static const char *const rows[] = {"best evaluated", "least value seen", "recommended"};
  double error = 0;
  (void)printf("\n| log10 of the regret at the end, D = %d |", d);
  for (int k = 0; k < study->n_methods; ++k) (void)printf(" %s |", study->method[k].name);
  (void)printf("\n|---|");
  for (int k = 0; k < study->n_methods; ++k) (void)printf("---|");
  for (int which = 0; which < 3; ++which) {
    (void)printf("\n| %s |", rows[which]);
    for (int k = 0; k < study->n_methods; ++k) {
      (void)printf(" %.3f", compare(study, d, which, k, -1, &error));
      const double gain = compare(study, d, which, k, 0, &error);
      if (k > 0) (void)printf(" (%+.3f ± %.3f)", gain, error);
      (void)printf(" |");
    }
  }
  (void)printf("\n");
}

/* A number that was not measured is an empty cell. */
static void put(FILE *out, double value) {
  (void)(isnan(value) ? fprintf(out, ",") : fprintf(out, ",%.6g", value));
}

static gannet_err write_csv(const ecdf_study *study) {
  FILE *out = NULL;
  GANNET_TRY(bench_file_open(study->settings->csv, &out));
  (void)fprintf(out,
                "landscape,d,instance,method,area,regret,seconds_per_evaluation,looked,chosen\n");
  for (int p = 0; p < study->n_problems; ++p)
    for (int k = 0; k < study->n_methods; ++k) {
      const ecdf_problem *problem = &study->problem[p];
      const ecdf_result *r = result_of(study, p, k);
      (void)fprintf(out, "%s,%d,%d,%s,%.6g,%.6g,%.4g", problem->base->name, problem->d,
                    problem->instance, study->method[k].name, r->area, r->regret, r->seconds);
      put(out, r->looked);
      put(out, r->chosen);
      (void)fprintf(out, "\n");
    }
  return bench_file_close(out, study->settings->csv);
}

gannet_err ecdf_report(const ecdf_study *study) {
  for (int k = 0; k < study->settings->dimensions.n; ++k) {
    print_dimension(study, (int)study->settings->dimensions.item[k]);
    if (study->settings->noise > 0) print_reported(study, (int)study->settings->dimensions.item[k]);
  }
  return study->settings->csv ? write_csv(study) : GANNET_OK;
}
