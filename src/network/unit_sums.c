/* One hidden layer: with B_i = c v_i phi'(u_i), the value of a direction delta is
 *
 *   sum_k z_k (sum_i B_i delta_ik) + c sum_i phi(u_i) delta_v,i.
 *
 * The factors c and v are multiplied into the copy of delta. */
#include "network/unit_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "network/strips.h"
#include "network/tangent_impl.h"

enum {
  ROWS = GANNET_STRIP_ROWS,
  LANES = GANNET_STRIP_LANES,
  PIECE = 128 /* units that are worked at once; what they need stays in the second cache */
};

struct gannet_unit_sums {
  const gannet_strips *by;
  const gannet_unit_tables *tables;
  int inputs, q;
  size_t width;   /* units of the network */
  size_t units;   /* width in whole rows; units beyond width have no weight */
  double *weight; /* [units/8][inputs][8] W_1 */
  double *input;  /* for every eight draws: [inputs][units][width] c v delta */
  double *output; /* for every eight draws: [units][width] c delta_v */
  double *u, *a;  /* [PIECE][lanes] */
  double *sum;    /* [q, whole][lanes] */
  double *scaled; /* [width][q][inputs] c v delta, then [q][width] c delta_v, for packing */
};

void gannet_unit_sums_destroy(gannet_unit_sums **sums) {
  if (!*sums) return;
  gannet_free(&(*sums)->weight);
  gannet_free(&(*sums)->input);
  gannet_free(&(*sums)->output);
  gannet_free(&(*sums)->u);
  gannet_free(&(*sums)->a);
  gannet_free(&(*sums)->sum);
  gannet_free(&(*sums)->scaled);
  gannet_free(sums);
}

static void value_of(const void *user, int n, const double *x, double *y) {
  const gannet_activation *activation = user;
  activation->value(n, x, y);
}

static void slope_of(const void *user, int n, const double *x, double *y) {
  const gannet_activation *activation = user;
  for (int i = 0; i < n; ++i) {
    double value;
    activation->slope(1, &x[i], &value, &y[i]);
  }
}

/* Make tables that reach to where the activation is flat. */
static bool make_tables(const gannet_activation *activation, gannet_table *value,
                        gannet_table *slope) {
  const double flat = 1e-16;
  const double zero = 0;
  double reach = 4, here = 1, at_zero;
  if (!activation->smooth) return false;
  slope_of(activation, 1, &zero, &at_zero);
  for (; reach <= 32 && here > flat * at_zero; reach *= 1.25)
    slope_of(activation, 1, &reach, &here);
  return here <= flat * at_zero && gannet_table_fit(value_of, activation, reach, true, value) &&
         gannet_table_fit(slope_of, activation, reach, false, slope);
}

static gannet_err reserve_buffers(gannet_unit_sums *s) {
  const size_t inputs = (size_t)s->inputs, draws = gannet_strips_whole((size_t)s->q, ROWS);
  GANNET_TRY(gannet_alloc(s->units * inputs, sizeof *s->weight, &s->weight));
  GANNET_TRY(gannet_alloc(s->units * inputs * draws, sizeof *s->input, &s->input));
  GANNET_TRY(gannet_alloc(s->units * draws, sizeof *s->output, &s->output));
  GANNET_TRY(gannet_alloc(LANES * PIECE, sizeof *s->u, &s->u));
  GANNET_TRY(gannet_alloc(LANES * PIECE, sizeof *s->a, &s->a));
  GANNET_TRY(gannet_alloc(LANES * draws, sizeof *s->sum, &s->sum));
  return gannet_alloc(s->width * (size_t)s->q * (inputs + 1), sizeof(double), &s->scaled);
}

static void pack_draws(gannet_unit_sums *s, int first) {
  const size_t inputs = (size_t)s->inputs, q = (size_t)s->q;
  const int left = s->q - first, across = gannet_strips_width(left);
  const int draws = left < ROWS ? left : ROWS, width = (int)s->width;
  const gannet_strips_source output = {s->scaled + (inputs * q + (size_t)first) * s->width,
                                       s->width, 1};
  gannet_strips_pack(draws, width, &output, across, s->output + (size_t)first * s->units);
  for (size_t k = 0; k < inputs; ++k) {
    const gannet_strips_source input = {s->scaled + (size_t)first * inputs + k, inputs, q * inputs};
    gannet_strips_pack(draws, width, &input, across,
                       s->input + ((size_t)first * inputs + k * (size_t)across) * s->units);
  }
}

static void pack_network(const gannet_tangent *net, const gannet_tangent_directions *d,
                         gannet_unit_sums *s) {
  const size_t each = (size_t)s->q * (size_t)s->inputs;
  const gannet_strips_source weights = {net->layer[0], (size_t)s->inputs, 1};
  gannet_strips_pack((int)s->width, s->inputs, &weights, ROWS, s->weight);
  for (size_t i = 0; i < s->width; ++i)
    for (size_t k = 0; k < each; ++k)
      s->scaled[i * each + k] = net->c * net->layer[1][i] * d->input[i * each + k];
  for (size_t i = 0; i < (size_t)s->q * s->width; ++i)
    s->scaled[s->width * each + i] = net->c * d->output[i];
  for (int j = 0; j < s->q; j += ROWS) pack_draws(s, j);
}

gannet_err gannet_unit_sums_prepare(const gannet_tangent *net, gannet_unit_tables *tables,
                                    const gannet_tangent_directions *directions,
                                    gannet_unit_sums **sums) {
  gannet_unit_sums_destroy(sums);
  if (net->shape.layers != 1) return GANNET_OK;
  if (tables->activation != net->shape.activation) {
    tables->activation = net->shape.activation;
    tables->good = make_tables(tables->activation, &tables->value, &tables->slope);
  }
  if (!tables->good) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, sizeof **sums, sums));
  **sums = (gannet_unit_sums){.by = gannet_strips_here(),
                              .tables = tables,
                              .inputs = net->inputs,
                              .q = directions->q,
                              .width = (size_t)net->shape.width,
                              .units = gannet_strips_whole((size_t)net->shape.width, ROWS)};
  const gannet_err err = reserve_buffers(*sums);
  if (err == GANNET_OK) pack_network(net, directions, *sums);
  if (err != GANNET_OK) gannet_unit_sums_destroy(sums);
  return err;
}

/* Add some units for the draws from draw on, at most eight; u is set. */
static void add_draws(const gannet_unit_sums *s, size_t first, int rows, int draw,
                      const double *strip) {
  const gannet_strips *by = s->by;
  const size_t width = (size_t)gannet_strips_width(s->q - draw);
  const size_t inputs = (size_t)s->inputs;
  const double *input = s->input + (size_t)draw * inputs * s->units;
  for (size_t k = 0; k < inputs; ++k)
    by->weigh(rows, (int)width, s->a, input + (k * s->units + first) * width, strip + LANES * k,
              s->sum + LANES * (size_t)draw);
}

static void add_units(const gannet_unit_sums *s, size_t first, int rows, const double *strip) {
  const gannet_strips *by = s->by;
  by->multiply(s->inputs, rows, s->weight + first * (size_t)s->inputs, strip, s->u);
  gannet_table_apply(&s->tables->value, rows * LANES, s->u, s->a);
  for (int j = 0; j < s->q; j += ROWS) {
    const int width = gannet_strips_width(s->q - j);
    by->weigh(rows, width, s->a, s->output + (size_t)j * s->units + first * (size_t)width, NULL,
              s->sum + LANES * (size_t)j);
  }
  gannet_table_apply(&s->tables->slope, rows * LANES, s->u, s->a);
  for (int j = 0; j < s->q; j += ROWS) add_draws(s, first, rows, j, strip);
}

void gannet_unit_sums_values(const gannet_unit_sums *sums, int n_strips, const double *strips,
                             double *values) {
  const gannet_unit_sums *s = sums;
  const size_t q = (size_t)s->q, each = q * (size_t)LANES;
  memset(values, 0, (size_t)n_strips * each * sizeof *values);
  for (size_t first = 0; first < s->units; first += PIECE) {
    const int rows = s->units - first < PIECE ? (int)(s->units - first) : PIECE;
    for (size_t i = 0; i < (size_t)n_strips; ++i) {
      memset(s->sum, 0, LANES * gannet_strips_whole(q, ROWS) * sizeof *s->sum);
      add_units(s, first, rows, strips + i * LANES * (size_t)s->inputs);
      gannet_strips_add(each, s->sum, values + i * each);
    }
  }
}
