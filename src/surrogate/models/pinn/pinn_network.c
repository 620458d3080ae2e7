#include "surrogate/models/pinn/pinn_network.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"

enum {
  TILE = 64,                    /* points of a tile */
  TERMS = GANNET_JET_ORDER + 1, /* coefficients of a Taylor series */
  REFERENCE = 128               /* random points over which the prior variance is averaged */
};

/* One perceptron: the wide part or a narrow one. */
typedef struct {
  gannet_mlp net;
  int axis;      /* the coordinate of a narrow part; -1 = the wide part */
  int at, p;     /* position of the part's weights in w, and their number */
  double gain;   /* g */
  double *start; /* theta_0 with standard normal first weights */
  double *theta; /* [3][parameters] theta_0, theta_0 + S w / sqrt 2, theta_0 - S w / sqrt 2 */
  gannet_jets *jets;
} part;

struct pinn_network {
  pinn_shape shape;
  gannet_stream stream;
  int n_parts;
  part *part; /* [n_parts] the wide part first */
  int p;
  double edge;    /* e of graded inputs; 0 = none */
  double *row;    /* [parameters of the largest part] */
  double *z;      /* [TERMS][TILE][d + 1] series of the inputs of a tile */
  double *series; /* [TERMS][TILE] series of the values of a part */
  int n_weights;
  double *weight; /* [rows of a tile][directions][TERMS] factors of the coefficients of series */
};

void pinn_network_destroy(pinn_network **network) {
  pinn_network *b = *network;
  if (!b) return;
  for (int i = 0; i < b->n_parts; ++i) {
    gannet_jets_destroy(&b->part[i].jets);
    gannet_free(&b->part[i].start);
    gannet_free(&b->part[i].theta);
  }
  gannet_free(&b->part);
  gannet_free(&b->row);
  gannet_free(&b->z);
  gannet_free(&b->series);
  gannet_free(&b->weight);
  gannet_free(network);
}

static gannet_err create_part(pinn_network *b, int i) {
  const pinn_shape *shape = &b->shape;
  part *one = &b->part[i];
  gannet_stream stream = b->stream;
  one->axis = i - 1;
  one->net = (gannet_mlp){.activation = shape->activation,
                          .inputs = i == 0 ? shape->d + 1 : 2,
                          .layers = shape->layers,
                          .width = i == 0 ? shape->width : shape->single_width};
  GANNET_TRY(gannet_jets_create(&one->net, TILE, &one->jets));
  const size_t parameters = gannet_mlp_parameters(&one->net);
  GANNET_REQUIRE(parameters < (1 << 28), GANNET_ERR_SHAPE, "%zu weights", parameters);
  GANNET_TRY(gannet_alloc(parameters, sizeof(double), &one->start));
  GANNET_TRY(gannet_alloc(3 * parameters, sizeof(double), &one->theta));
  stream.purpose |= ((uint64_t)i + 1) << 40;
  gannet_mlp_start(&one->net, stream, one->start);
  one->at = b->p;
  one->p = shape->output_only ? one->net.width : (int)parameters;
  b->p += one->p;
  return GANNET_OK;
}

static gannet_err create_parts(pinn_network *b) {
  const size_t inputs = (size_t)b->shape.d + 1;
  const int n = b->shape.single_width > 0 ? b->shape.d + 1 : 1;
  size_t largest = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *b->part, &b->part));
  while (b->n_parts < n) {
    const int i = b->n_parts++;
    GANNET_TRY(create_part(b, i));
    const size_t parameters = gannet_mlp_parameters(&b->part[i].net);
    largest = parameters > largest ? parameters : largest;
  }
  GANNET_TRY(gannet_alloc(largest, sizeof(double), &b->row));
  GANNET_TRY(gannet_alloc(TERMS * TILE * inputs, sizeof(double), &b->z));
  return gannet_alloc(TERMS * TILE, sizeof(double), &b->series);
}

gannet_err pinn_network_create(const pinn_shape *shape, gannet_stream stream,
                               pinn_network **network) {
  GANNET_TRY(gannet_alloc(1, sizeof **network, network));
  (*network)->shape = *shape;
  (*network)->stream = stream;
  const gannet_err code = create_parts(*network);
  if (code != GANNET_OK) pinn_network_destroy(network);
  return code;
}

int pinn_network_size(const pinn_network *b) {
  return b->p;
}

int pinn_network_wide(const pinn_network *b) {
  return b->part[0].p;
}

/* The first order + 1 coefficients, stride apart, of the Taylor series in t of an input u(x + t v).
 * Graded, the input is log((a + t v) / (b - t v)) / log(1 + 1/e). */
static void input_series(double edge, double x, double v, int order, double *z, int stride) {
  if (edge > 0) {
    const double below = x + edge, above = 1 - x + edge, range = log1p(1 / edge);
    double left = -v / below, right = v / above, left_power = 1, right_power = 1;
    z[0] = log(below / above) / range;
    for (int k = 1; k <= order; ++k) {
      left_power *= left;
      right_power *= right;
      z[k * stride] = (right_power - left_power) / (k * range);
    }
  } else {
    z[0] = 2 * x - 1;
    for (int k = 1; k <= order; ++k) z[k * stride] = k == 1 ? 2 * v : 0;
  }
}

/* Series of the inputs z of a part at n points, along a direction, into b->z. */
static void embed_points(const pinn_network *b, const part *one, int n, const double *x,
                         const double *direction, int order) {
  const int d = b->shape.d, inputs = one->net.inputs;
  for (int i = 0; i < n; ++i) {
    double *z = b->z + i * inputs;
    for (int k = 0; k < inputs - 1; ++k) {
      const int axis = one->axis < 0 ? k : one->axis;
      input_series(b->edge, x[i * d + axis], direction[axis], order, z + k, n * inputs);
    }
    for (int k = 0; k <= order; ++k) z[k * n * inputs + inputs - 1] = k == 0;
  }
}

/* S for the first layer. */
static double first_scale(const part *one) {
  return 1 / sqrt(one->net.inputs);
}

/* Move a part's two halves to theta_0 +- S w / sqrt 2. */
static void displace_halves(const pinn_network *b, part *one, const double *w) {
  const size_t size = gannet_mlp_parameters(&one->net), first = gannet_mlp_offset(&one->net, 1);
  const size_t from = b->shape.output_only ? size - (size_t)one->p : 0;
  double *plus = one->theta + size, *minus = plus + size;
  memcpy(plus, one->theta, size * sizeof *plus);
  memcpy(minus, one->theta, size * sizeof *minus);
  for (size_t k = from; k < size; ++k) {
    const double away =
        w[one->at + (int)(k - from)] * sqrt(0.5) * (k < first ? first_scale(one) : 1);
    plus[k] += away;
    minus[k] -= away;
  }
}

/* b->weight: the factor of every coefficient of the series along every direction, in rows first ..
 * first + n - 1. */
static gannet_err sum_weights(pinn_network *b, const pinn_rows *rows, int first, int n) {
  const gannet_jet_plan *plan = rows->plan;
  const int stride = plan->n_directions * TERMS;
  if (n * stride > b->n_weights) {
    b->n_weights = 0;
    gannet_free(&b->weight);
    GANNET_TRY(gannet_alloc((size_t)n * (size_t)stride, sizeof(double), &b->weight));
    b->n_weights = n * stride;
  }
  memset(b->weight, 0, (size_t)n * (size_t)stride * sizeof *b->weight);
  for (int i = 0; i < n; ++i)
    for (int q = 0; q < plan->n_partials; ++q) {
      const size_t at = (size_t)(first + i) * (size_t)plan->n_partials + (size_t)q;
      const double factor = rows->coefficient ? rows->coefficient[at] : 1;
      if (factor == 0) continue;
      for (int t = plan->first[q]; t < plan->first[q + 1]; ++t) {
        const gannet_jet_term *term = &plan->term[t];
        b->weight[i * stride + term->direction * TERMS + term->order] += factor * term->weight;
      }
    }
  return GANNET_OK;
}

/* The highest order with a factor other than 0 in any of n rows, along a direction; -1 = none. */
static int highest_order(const pinn_network *b, const gannet_jet_plan *plan, int n, int direction) {
  int most = -1;
  for (int i = 0; i < n; ++i) {
    const double *w = b->weight + (size_t)(i * plan->n_directions + direction) * TERMS;
    for (int k = most + 1; k < TERMS; ++k)
      if (w[k] != 0) most = k;
  }
  return most;
}

/* Add S g times the gradient by the part's parameters to one row of phi. */
static void add_row(const pinn_network *b, const part *one, int i, double scale,
                    const double *weight, double *phi) {
  const size_t size = gannet_mlp_parameters(&one->net), first = gannet_mlp_offset(&one->net, 1);
  double *to = phi + one->at;
  if (b->shape.output_only) {
    gannet_jets_add_output(one->jets, i, scale, weight, to);
    return;
  }
  memset(b->row, 0, size * sizeof *b->row);
  gannet_jets_add(one->jets, i, scale, weight, b->row);
  for (size_t k = 0; k < first; ++k) to[k] += first_scale(one) * b->row[k];
  for (size_t k = first; k < size; ++k) to[k] += b->row[k];
}

/* The rows first .. first + n - 1 at the points point .. point + n_point - 1. */
typedef struct {
  const pinn_rows *rows;
  int first, n;
  int point, n_point;
  bool moved; /* linearised at weights w, by both halves, instead of at the start */
} tile;

static int point_of(const pinn_rows *rows, int row) {
  return rows->point ? rows->point[row] : row;
}

/* Add what one part contributes along one direction to the rows of a tile. */
static void add_part(pinn_network *b, part *one, const tile *t, int direction, double *phi) {
  const gannet_jet_plan *plan = t->rows->plan;
  const int d = b->shape.d;
  const double *along = plan->direction + (size_t)direction * (size_t)d;
  int order = highest_order(b, plan, t->n, direction);
  if (one->axis >= 0 && along[one->axis] == 0 && order > 0) order = 0;
  if (order < 0) return;
  embed_points(b, one, t->n_point, t->rows->x + (size_t)t->point * (size_t)d, along, order);
  const size_t size = gannet_mlp_parameters(&one->net);
  for (int half = t->moved ? 1 : 0; half <= (t->moved ? 2 : 0); ++half) {
    const double *theta = one->theta + (size_t)half * size;
    gannet_jets_forward(one->jets, theta, t->n_point, b->z, order, b->series);
    if (!b->shape.output_only) gannet_jets_backward(one->jets, theta);
    for (int i = 0; i < t->n; ++i) {
      const double *w = b->weight + (size_t)(i * plan->n_directions + direction) * TERMS;
      const int point = point_of(t->rows, t->first + i);
      bool any = false;
      for (int k = 0; k <= order; ++k) any = any || w[k] != 0;
      if (any)
        add_row(b, one, point - t->point, t->moved ? 0.5 * one->gain : one->gain, w,
                phi + (size_t)(t->first + i) * (size_t)b->p);
    }
  }
}

static int points_of_tile(const pinn_rows *rows, int point) {
  return rows->n_points - point < TILE ? rows->n_points - point : TILE;
}

int pinn_network_tile_end(const pinn_rows *rows, int first) {
  const int point = point_of(rows, first), behind = point + points_of_tile(rows, point);
  int end = first;
  while (end < rows->n_rows && point_of(rows, end) < behind) ++end;
  return end;
}

gannet_err pinn_network_features_range(pinn_network *b, const pinn_rows *rows, int first, int end,
                                       const double *w, double *phi) {
  const size_t p = (size_t)b->p;
  memset(phi + (size_t)first * p, 0, (size_t)(end - first) * p * sizeof *phi);
  for (int k = 0; w && k < b->n_parts; ++k) displace_halves(b, &b->part[k], w);
  tile t = {.rows = rows, .first = first, .moved = w != NULL};
  for (; t.first < end; t.first += t.n) {
    t.n = pinn_network_tile_end(rows, t.first) - t.first;
    t.point = point_of(rows, t.first);
    t.n_point = points_of_tile(rows, t.point);
    GANNET_TRY(sum_weights(b, rows, t.first, t.n));
    for (int k = 0; k < b->n_parts; ++k)
      for (int direction = 0; direction < rows->plan->n_directions; ++direction)
        if (b->part[k].gain > 0) add_part(b, &b->part[k], &t, direction, phi);
  }
  return GANNET_OK;
}

gannet_err pinn_network_features(pinn_network *b, const pinn_rows *rows, const double *w,
                                 double *phi) {
  return pinn_network_features_range(b, rows, 0, rows->n_rows, w, phi);
}

/* Add a part's derivatives at the points of a tile. */
static void add_jets(pinn_network *b, part *one, const pinn_rows *rows, int point, int n,
                     double *jets) {
  const gannet_jet_plan *plan = rows->plan;
  const int d = b->shape.d;
  const size_t size = gannet_mlp_parameters(&one->net);
  for (int direction = 0; direction < plan->n_directions; ++direction) {
    embed_points(b, one, n, rows->x + (size_t)point * (size_t)d,
                 plan->direction + (size_t)direction * (size_t)d, plan->order[direction]);
    for (int half = 1; half <= 2; ++half) {
      const double gain = (half == 1 ? 1 : -1) * sqrt(0.5) * one->gain;
      gannet_jets_forward(one->jets, one->theta + (size_t)half * size, n, b->z,
                          plan->order[direction], b->series);
      for (int q = 0; q < plan->n_partials; ++q)
        for (int t = plan->first[q]; t < plan->first[q + 1]; ++t) {
          if (plan->term[t].direction != direction) continue;
          const double *series = b->series + plan->term[t].order * n;
          for (int i = 0; i < n; ++i)
            jets[(point + i) * plan->n_partials + q] += gain * plan->term[t].weight * series[i];
        }
    }
  }
}

gannet_err pinn_network_jets(pinn_network *b, const pinn_rows *rows, const double *w,
                             double *jets) {
  const size_t size = (size_t)rows->n_points * (size_t)rows->plan->n_partials;
  memset(jets, 0, size * sizeof *jets);
  for (int k = 0; k < b->n_parts; ++k) {
    if (!(b->part[k].gain > 0)) continue;
    displace_halves(b, &b->part[k], w);
    for (int point = 0; point < rows->n_points; point += TILE)
      add_jets(b, &b->part[k], rows, point, points_of_tile(rows, point), jets);
  }
  return GANNET_OK;
}

/* Prior variances of the wide and of the narrow parts with gain 1: mean squares of their features
 * over random points. */
static gannet_err mean_variances(pinn_network *b, double *wide, double *narrow) {
  const gannet_partial value = {0};
  const size_t d = (size_t)b->shape.d, p = (size_t)b->p;
  gannet_jet_plan plan = {0};
  double *x = NULL, *phi = NULL;
  gannet_stream stream = b->stream;
  stream.purpose |= (uint64_t)1 << 62;
  gannet_err code = gannet_alloc(REFERENCE * d, sizeof *x, &x);
  if (code == GANNET_OK) code = gannet_alloc(REFERENCE * p, sizeof *phi, &phi);
  if (code == GANNET_OK) code = gannet_jet_plan_create(b->shape.d, 1, &value, &plan);
  if (code == GANNET_OK) gannet_random_uniform(stream, 0, REFERENCE * d, x);
  const pinn_rows rows = {.plan = &plan, .n_points = REFERENCE, .x = x, .n_rows = REFERENCE};
  if (code == GANNET_OK) code = pinn_network_features(b, &rows, NULL, phi);
  *wide = *narrow = 0;
  for (size_t i = 0; code == GANNET_OK && i < REFERENCE; ++i) {
    const int cut = b->part[0].p, rest = b->p - cut;
    const double *row = phi + i * p;
    *wide += gannet_dot(cut, row, row) / REFERENCE;
    *narrow += gannet_dot(rest, row + cut, row + cut) / REFERENCE;
  }
  gannet_jet_plan_release(&plan);
  gannet_free(&x);
  gannet_free(&phi);
  return code;
}

gannet_err pinn_network_set_scales(pinn_network *b, const pinn_scales *scales) {
  double wide = 0, narrow = 0;
  b->edge = scales->edge;
  for (int k = 0; k < b->n_parts; ++k) {
    part *one = &b->part[k];
    const int inputs = one->net.inputs;
    const double rho = k == 0 ? scales->rho : scales->single_rho;
    memcpy(one->theta, one->start, gannet_mlp_parameters(&one->net) * sizeof *one->theta);
    for (int j = 0; j < one->net.width; ++j)
      for (int i = 0; i < inputs; ++i)
        one->theta[j * inputs + i] *= i < inputs - 1 ? rho : scales->bias;
    one->gain = 1;
  }
  GANNET_TRY(mean_variances(b, &wide, &narrow));
  const double share = b->n_parts > 1 ? scales->share : 0;
  b->part[0].gain = wide > 0 ? sqrt((1 - share) / wide) : 0;
  for (int k = 1; k < b->n_parts; ++k) b->part[k].gain = narrow > 0 ? sqrt(share / narrow) : 0;
  return GANNET_OK;
}
