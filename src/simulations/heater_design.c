#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulations/heater.h"

/* Points of Roberts' R2 sequence (fractional parts of multiples of the inverse plastic number and
 * of its square) in the middle of the plate; 300, 400 and 500 W in turn. */
void gannet_heater_reference(int n, gannet_heater_design *design) {
  memset(design, 0, sizeof *design);
  design->n = n;
  design->fins = 3;
  for (int k = 0; k < n; ++k) {
    const double a = 0.5 + 0.7548776662466927 * (k + 1), b = 0.5 + 0.5698402909980532 * (k + 1);
    design->source[k].x = 0.15 + 0.7 * (a - floor(a));
    design->source[k].y = 0.15 + 0.7 * (b - floor(b));
    design->source[k].power = 300 + 100 * (k % 3);
  }
}

/* Where the design keeps the value of a name; NULL for a name that is not one of its variables. */
static double *find_value(gannet_heater_design *design, const char *name) {
  if (strcmp(name, "fins") == 0) return &design->fins;
  if (name[0] == '\0' || !strchr("xyp", name[0])) return NULL;
  if (name[1] < '1' || name[1] > '9') return NULL;
  char *end = NULL;
  const long k = strtol(name + 1, &end, 10);
  if (*end != '\0' || k > design->n) return NULL;
  gannet_heater_source *source = &design->source[k - 1];
  return name[0] == 'x' ? &source->x : name[0] == 'y' ? &source->y : &source->power;
}

int gannet_heater_read_design(int heaters, const gannet_simulation_input *input,
                              gannet_heater_design *design, char reason[256]) {
  gannet_heater_reference(heaters, design);
  for (int i = 0; i < input->n_variables; ++i) {
    double *value = find_value(design, input->names[i]);
    if (!value) {
      (void)snprintf(reason, 256,
                     "no variable '%.60s'; with %d heaters there are fins and x1 y1 p1 up to p%d",
                     input->names[i], heaters, heaters);
      return -1;
    }
    *value = input->x[i];
  }
  return 0;
}

static int refuse(char reason[256], char letter, int k, double value) {
  (void)snprintf(reason, 256, "%c%d = %g %s", letter, k + 1, value,
                 letter == 'p' ? "W: a heater cannot cool" : "m is off the plate");
  return -1;
}

int gannet_heater_check_design(const gannet_heater_design *design, char reason[256]) {
  for (int k = 0; k < design->n; ++k) {
    const gannet_heater_source *s = &design->source[k];
    if (!(s->x >= 0 && s->x <= 1)) return refuse(reason, 'x', k, s->x);
    if (!(s->y >= 0 && s->y <= 1)) return refuse(reason, 'y', k, s->y);
    if (!(s->power >= 0 && isfinite(s->power))) return refuse(reason, 'p', k, s->power);
  }
  if (!(design->fins >= 0 && design->fins <= GANNET_HEATER_FINS_MOST) ||
      design->fins != floor(design->fins)) {
    (void)snprintf(reason, 256, "fins = %g is not a whole number from 0 to %d", design->fins,
                   GANNET_HEATER_FINS_MOST);
    return -1;
  }
  return 0;
}

static int compare_sources(const void *left, const void *right) {
  const gannet_heater_source *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return (a->power > b->power) - (a->power < b->power);
}

/* Share of a Gaussian in each of n cells of [0, 1], the whole being what lies in [0, 1]. */
static void spread_along(double centre, double width, int n, double *share) {
  const double scale = 1 / (width * sqrt(2));
  const double inside = erf((1 - centre) * scale) + erf(centre * scale);
  double below = -erf(centre * scale);
  for (int i = 0; i < n; ++i) {
    const double above = erf(((i + 1.0) / n - centre) * scale);
    share[i] = (above - below) / inside;
    below = above;
  }
}

void gannet_heater_spread(const gannet_heater_design *design, double width, int n, double *along_x,
                          double *along_y) {
  gannet_heater_design sorted = *design;
  qsort(sorted.source, (size_t)sorted.n, sizeof *sorted.source, compare_sources);
  for (int k = 0; k < sorted.n; ++k) {
    const gannet_heater_source *s = &sorted.source[k];
    double *x = along_x + (size_t)k * (size_t)n;
    spread_along(s->x, width, n, x);
    for (int i = 0; i < n; ++i) x[i] *= s->power;
    spread_along(s->y, width, n, along_y + (size_t)k * (size_t)n);
  }
}
