#include "network/table.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/registers.h"
#include "network/table/lookup.h"

enum {
  TERMS = GANNET_TABLE_TERMS,
  CHECKS = 2 * TERMS,
  SIZES = 65,
  LANES = TABLE_LANES,
  ROWS = GANNET_TABLE_ROWS,
  OCTAVES = 16 /* of v, at most */
};

/* Terms go in steps, as every number of them is code of its own (table/lookup.h). */
enum { BIAS = 1023, STEP = 2 };

/* Errors over the largest value, as small as wanted and as allowed; and how far v stays from the
 * ends of its range, in units of its largest value: reach, slope, their product and base are each
 * rounded. */
static const double good_error = 1e-10, fair_error = 1e-8, margin = 0x1p-50;

/* Numbers of pieces, each with the fewest and the most terms that pay, in the order in which they
 * are tried: for registers of 64 bytes and others, and for those of 32 bytes. With AVX2 all terms
 * take 11 or 13 ns of 64 bytes from rows, where shuffles take 1.2 for each of 12 to 18 with 4
 * pieces (AMD EPYC, family 25). */
typedef struct {
  int pieces, fewest_terms, most_terms;
} cut;

enum { CUTS = 2 };

static const cut all_cuts[2][CUTS] = {
    {{TABLE_FEW, TABLE_FEWEST, TABLE_MOST}, {LANES, TABLE_FEWEST, TABLE_MOST}},
    {{ROWS, TABLE_FEWEST_ROW, TABLE_MOST_ROW}}};

typedef struct {
  gannet_table_function function;
  const void *user;
  double size;  /* largest value found */
  double limit; /* errors beyond it are of no interest */
  int hardest;  /* piece that was beyond it last, which is likely to be so again */
} target;

/* Registers are looked up by the low bits of exponent and mantissa, bias included. */
static int slot_of(const gannet_table *t, int piece) {
  return (piece + (BIAS << t->bits)) % t->pieces;
}

static double width_of(const gannet_table *t) {
  return ldexp(1, -t->bits);
}

/* |x| at r from the middle of a piece. */
static double place_of(const gannet_table *t, int piece, double r) {
  const int per_octave = 1 << t->bits;
  const double width = width_of(t);
  const double v = ldexp(1 + width * (piece % per_octave) + width / 2 + r, piece / per_octave);
  return (v - t->base) / t->slope;
}

/* The other way round, exact enough that rounding of x does not count. */
static long double middle_distance(const gannet_table *t, int piece, double x) {
  const int per_octave = 1 << t->bits;
  const long double width = (long double)width_of(t);
  const long double v = (long double)t->base + (long double)t->slope * (long double)x;
  return ldexpl(v, -(piece / per_octave)) - 1 - width * (piece % per_octave) - width / 2;
}

/* Interpolation in Newton's form, expanded into powers of r. */
static void expand_powers(int terms, const long double *r, long double *y, long double *power) {
  for (int k = 1; k < terms; ++k)
    for (int i = terms - 1; i >= k; --i) y[i] = (y[i] - y[i - 1]) / (r[i] - r[i - k]);
  memset(power, 0, (size_t)terms * sizeof *power);
  for (int k = terms - 1; k >= 0; --k) {
    for (int i = terms - 1; i > 0; --i) power[i] = power[i - 1] - r[k] * power[i];
    power[0] = y[k] - r[k] * power[0];
  }
}

/* Largest error on a piece, at evenly spaced points. */
static double fit_error(const target *f, const gannet_table *t, int piece) {
  const int checks = 2 * t->terms, slot = slot_of(t, piece);
  double x[CHECKS], y[CHECKS], most = 0;
  for (int i = 0; i < checks; ++i)
    x[i] = place_of(t, piece, width_of(t) * (i / (checks - 1.0) - 0.5));
  f->function(f->user, checks, x, y);
  for (int i = 0; i < checks; ++i) {
    const double r = (double)middle_distance(t, piece, x[i]);
    double sum = 0;
    for (int k = t->terms - 1; k >= 0; --k)
      sum = sum * r + (t->pieces == ROWS ? t->power.row[slot][k] : t->power.column[k][slot]);
    if (!(fabs(sum - y[i]) <= most)) most = fabs(sum - y[i]);
    if (isnan(most)) return INFINITY;
  }
  return most;
}

static double fit_piece(const target *f, gannet_table *t, int piece) {
  const double pi = 3.14159265358979323846;
  long double r[TERMS], value[TERMS], power[TERMS];
  double x[TERMS], y[TERMS];
  for (int i = 0; i < t->terms; ++i) {
    x[i] = place_of(t, piece, width_of(t) / 2 * cos(pi * (i + 0.5) / t->terms));
    r[i] = middle_distance(t, piece, x[i]);
  }
  f->function(f->user, t->terms, x, y);
  for (int i = 0; i < t->terms; ++i) value[i] = (long double)y[i];
  expand_powers(t->terms, r, value, power);
  for (int k = 0; k < t->terms; ++k) /* columns of few pieces repeat themselves */
    for (int i = slot_of(t, piece); i < t->pieces || i < LANES; i += t->pieces)
      *(t->pieces == ROWS ? &t->power.row[i][k] : &t->power.column[k][i]) = (double)power[k];
  return fit_error(f, t, piece);
}

/* Fit all pieces, with v rising or falling with |x|. Returns the largest error, or INFINITY as soon
 * as the error of a piece is beyond the limit. */
static double fit_pieces(target *f, bool rising, gannet_table *t) {
  const int pieces = t->pieces, octaves = pieces >> t->bits;
  const double low = 1 + ldexp(margin, octaves);
  const double high = ldexp(1 - margin, octaves);
  double worst = 0;
  t->base = rising ? low : high;
  t->slope = (rising ? high - low : low - high) / t->reach;
  for (int k = 0; k < pieces; ++k) {
    const int i = (f->hardest + k) % pieces;
    const double error = fit_piece(f, t, i);
    if (!(error <= f->limit)) {
      f->hardest = i;
      return INFINITY;
    }
    worst = fmax(worst, error);
  }
  t->error = worst;
  return worst;
}

/* Try every way to cut [0, reach] into pieces, with the terms of trial. */
static void try_terms(target *f, gannet_table *trial, gannet_table *best) {
  trial->bits = 0;
  while (1 << trial->bits < trial->pieces) ++trial->bits;
  for (; trial->bits >= 0 && trial->pieces >> trial->bits <= OCTAVES; --trial->bits)
    for (int rising = 0; rising < 2; ++rising) {
      const double error = fit_pieces(f, rising, trial);
      if (!(error < f->limit)) continue;
      f->limit = error;
      *best = *trial;
    }
}

static bool measure_size(target *f, double reach) {
  double x[SIZES], y[SIZES];
  for (int i = 0; i < SIZES; ++i) x[i] = reach * i / (SIZES - 1);
  f->function(f->user, SIZES, x, y);
  for (int i = 0; i < SIZES; ++i) {
    if (!isfinite(y[i])) return false;
    f->size = fmax(f->size, fabs(y[i]));
  }
  return f->size < 1e30;
}

bool table_fit_for(int width, gannet_table_function function, const void *user, double reach,
                   bool odd, gannet_table *table) {
  const cut *cuts = all_cuts[width == 32];
  target f = {.function = function, .user = user};
  gannet_table trial = {.reach = reach, .odd = odd};
  if (!(reach > 1e-15 && reach < 1e15)) return false;
  if (!measure_size(&f, reach)) return false;
  const double fair = fair_error * f.size + DBL_MIN, good = good_error * f.size;
  f.limit = fair;
  for (int i = 0; i < CUTS && cuts[i].pieces; ++i) {
    trial.pieces = cuts[i].pieces;
    f.hardest = 0;
    for (trial.terms = cuts[i].fewest_terms;
         trial.terms <= cuts[i].most_terms && !(f.limit <= good); trial.terms += STEP)
      try_terms(&f, &trial, table);
  }
  return f.limit < fair;
}

bool gannet_table_fit(gannet_table_function function, const void *user, double reach, bool odd,
                      gannet_table *table) {
  return table_fit_for(gannet_register_bytes(), function, user, reach, odd, table);
}

void table_look_up(int width, const gannet_table *table, int n, const double *x, double *y) {
#ifdef GANNET_HAS_REGISTERS
  if (table->pieces == ROWS && width >= 32) {
    table_look_up_rows(table, n, x, y);
    return;
  }
  if (width == 64) {
    table_look_up_columns(table, n, x, y);
    return;
  }
#endif
  (void)width;
  table_look_up_gather(table, n, x, y);
}

void gannet_table_apply(const gannet_table *table, int n, const double *x, double *y) {
  table_look_up(gannet_register_bytes(), table, n, x, y);
}
