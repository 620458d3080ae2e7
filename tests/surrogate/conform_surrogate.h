/* What every surrogate must do, whatever it is: the suite that test_conform_surrogate.c runs for
 * each row of the registry. Each check takes the type and a context. */
#ifndef GANNET_TESTS_CONFORM_SURROGATE_H
#define GANNET_TESTS_CONFORM_SURROGATE_H

#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/hash.h"
#include "surrogate/surrogate.h"

typedef struct {
  const gannet_surrogate_type *type;
  const gannet_context *world; /* all ranks */
  const gannet_context *self;  /* this rank alone, the same seed */
} conform;

enum { CONFORM_POINTS = 32, CONFORM_LARGEST_D = 12, CONFORM_QUERIES = 7 };

typedef struct {
  int d;
  double x[CONFORM_POINTS * CONFORM_LARGEST_D], y[CONFORM_POINTS];
  double query[CONFORM_QUERIES * CONFORM_LARGEST_D]; /* anywhere in the cube */
} conform_data;

/* Points uniform on the lower part of the cube, values of a smooth function of order 1 that depends
 * on two directions; the same on all ranks. */
static inline void conform_make(conform_data *data, int d, double part) {
  const gannet_stream stream = {17, GANNET_FOR_TEST, (uint64_t)d, 1};
  data->d = d;
  gannet_random_uniform(stream, 0, (size_t)(CONFORM_POINTS * d), data->x);
  for (int i = 0; i < CONFORM_POINTS; ++i) {
    double sum = 0, *row = data->x + (size_t)i * (size_t)d;
    for (int k = 0; k < d; ++k) {
      row[k] *= part;
      sum += row[k] - 0.5;
    }
    data->y[i] = 1.5 * sin(3 * row[0] + 0.3) + 0.5 * sum / sqrt(d) - 0.7;
  }
  gannet_random_uniform(stream, 5000, (size_t)(CONFORM_QUERIES * d), data->query);
}

static inline gannet_data conform_first(const conform_data *data, int n, double noise_var) {
  return (gannet_data){n, data->x, data->y, noise_var, NULL};
}

static inline gannet_surrogate *conform_create(const conform *c, const gannet_context *context,
                                               int d) {
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, c->type, NULL, d, 0, &s));
  return s;
}

static inline gannet_surrogate *conform_fitted(const conform *c, const gannet_data *data, int d,
                                               bool learn) {
  gannet_surrogate *s = conform_create(c, c->world, d);
  assert_ok(gannet_surrogate_fit(s, data, learn, 1));
  return s;
}

/* Finite moments, sd >= 0, finite draws. */
static inline void conform_require_finite(gannet_surrogate *s, const conform_data *data) {
  double mean[CONFORM_QUERIES], sd[CONFORM_QUERIES], draw[2 * CONFORM_QUERIES];
  assert_ok(gannet_surrogate_predict(s, CONFORM_QUERIES, data->query, mean, sd));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 3));
  assert_ok(gannet_surrogate_draw_values(s, CONFORM_QUERIES, data->query, draw, CONFORM_QUERIES));
  for (int i = 0; i < CONFORM_QUERIES; ++i) {
    assert_true(isfinite(mean[i]));
    assert_true(isfinite(sd[i]) && sd[i] >= 0);
    assert_true(isfinite(draw[i]) && isfinite(draw[CONFORM_QUERIES + i]));
  }
}

static inline void without_data_it_is_the_prior(const conform *c) {
  const int dimensions[] = {1, CONFORM_LARGEST_D};
  for (int k = 0; k < 2; ++k) {
    conform_data data;
    double mean[CONFORM_QUERIES], sd[CONFORM_QUERIES];
    conform_make(&data, dimensions[k], 1);
    const gannet_data none = {0, NULL, NULL, NAN, NULL};
    gannet_surrogate *s = conform_fitted(c, &none, data.d, k == 0);
    assert_ok(gannet_surrogate_predict(s, CONFORM_QUERIES, data.query, mean, sd));
    for (int i = 0; i < CONFORM_QUERIES; ++i) assert_true(sd[i] > 1e-3);
    conform_require_finite(s, &data);
    gannet_surrogate_destroy(&s);
  }
}

/* Every awkward data set: one point, repeated points, constant values, values far from 0, exact and
 * inferred noise, learning and not. */
static inline void awkward_data_gives_finite_answers(const conform *c) {
  const int dimensions[] = {1, CONFORM_LARGEST_D}, sizes[] = {1, 2, 9, CONFORM_POINTS};
  for (int k = 0; k < 2; ++k)
    for (int kind = 0; kind < 12; ++kind) {
      conform_data data;
      conform_make(&data, dimensions[k], 1);
      const size_t d = (size_t)data.d;
      for (int i = 0; i < CONFORM_POINTS; ++i) {
        if (kind % 3 == 0 && i % 2) memcpy(data.x + (size_t)i * d, data.x, d * sizeof *data.x);
        if (kind % 3 == 1) data.y[i] = 0.25;
        if (kind % 3 == 2) data.y[i] = 1e3 * (1 + data.y[i]);
      }
      const gannet_data part = conform_first(&data, sizes[kind / 3], kind % 2 ? 0 : NAN);
      gannet_surrogate *s = conform_fitted(c, &part, data.d, kind % 4 < 2);
      conform_require_finite(s, &data);
      double scale = -1;
      assert_ok(gannet_surrogate_calibration(s, &scale));
      assert_true(isfinite(scale) && scale > 0);
      gannet_surrogate_destroy(&s);
    }
}

/* Clean data: the mean follows them to a quarter of their spread, and the model is surer at the
 * data (in the lower 40 % of each edge) than in the opposite corner. */
static inline void the_mean_follows_the_data(const conform *c) {
  const int dimensions[] = {1, 3, CONFORM_LARGEST_D};
  for (int k = 0; k < 3; ++k) {
    conform_data data;
    double mean[CONFORM_POINTS], sd[CONFORM_POINTS], corner[CONFORM_LARGEST_D], away[2];
    conform_make(&data, dimensions[k], 0.4);
    const gannet_data all = conform_first(&data, CONFORM_POINTS, 1e-6);
    gannet_surrogate *s = conform_fitted(c, &all, data.d, true);
    assert_ok(gannet_surrogate_predict(s, CONFORM_POINTS, data.x, mean, sd));
    double spread = 0, error = 0, largest = 0, average = 0;
    for (int i = 0; i < CONFORM_POINTS; ++i) average += data.y[i] / CONFORM_POINTS;
    for (int i = 0; i < CONFORM_POINTS; ++i) {
      spread += (data.y[i] - average) * (data.y[i] - average);
      error += (data.y[i] - mean[i]) * (data.y[i] - mean[i]);
      largest = fmax(largest, sd[i]);
    }
    for (int i = 0; i < data.d; ++i) corner[i] = 1;
    assert_ok(gannet_surrogate_predict(s, 1, corner, away, away + 1));
    if (!(error <= spread / 16)) fail_msg("d %d: error %g, spread %g", data.d, error, spread);
    if (!(largest < away[1])) fail_msg("d %d: sd %g at data, %g away", data.d, largest, away[1]);
    gannet_surrogate_destroy(&s);
  }
}

/* |error| of two numbers relative to 1 + their size. */
static inline double conform_apart(double a, double b) {
  return fabs(a - b) / (1 + fabs(a) + fabs(b));
}

static inline void draws_are_functions(const conform *c) {
  enum { Q = 3, M = 700 };
  static double x[M * 4], tile[Q * M], again[Q * M];
  conform_data data;
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, CONFORM_POINTS, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 3}, 0, M * 4, x);
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, 1));
  assert_ok(gannet_surrogate_draw_values(s, M, x, tile, M));
  assert_ok(gannet_surrogate_draw_values(s, M, x, again, M));
  assert_memory_equal(tile, again, sizeof tile);
  for (int i = 0; i < M; i += 37) {
    double single[Q];
    assert_ok(gannet_surrogate_draw_values(s, 1, x + (size_t)i * 4, single, 1));
    for (int j = 0; j < Q; ++j) assert_near(conform_apart(single[j], tile[j * M + i]), 0, 1e-9);
  }
  for (int i = 0; i < M; i += 100)
    if (fabs(tile[i] - tile[M + i]) > 1e-8)
      break; /* draws differ from each other */
    else
      assert_true(i + 100 < M);
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, 2));
  assert_ok(gannet_surrogate_draw_values(s, M, x, again, M));
  assert_memory_not_equal(tile, again, sizeof tile);
  gannet_surrogate_destroy(&s);
}

/* Central differences with steps 1e-5: relative errors of order 1e-6 for functions of order 1. */
static inline void gradients_agree_with_differences(const conform *c) {
  enum { D = 3, Q = 2 };
  const double step = 1e-5;
  conform_data data;
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 20, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  for (int i = 0; i < CONFORM_QUERIES; ++i) {
    double at[D], mean[3], sd[3], mean_gradient[D], sd_gradient[D];
    double value[Q], gradient[Q][D], high[Q], low[Q];
    memcpy(at, data.query + i * D, sizeof at);
    assert_ok(gannet_surrogate_predict_gradient(s, at, mean, sd, mean_gradient, sd_gradient));
    assert_ok(gannet_surrogate_predict(s, 1, at, mean + 1, sd + 1));
    assert_near(conform_apart(mean[0], mean[1]), 0, 1e-9);
    assert_near(conform_apart(sd[0], sd[1]), 0, 1e-7);
    assert_ok(gannet_surrogate_draw_values(s, 1, at, high, 1));
    for (int j = 0; j < Q; ++j) {
      assert_ok(gannet_surrogate_draw_gradient(s, j, at, &value[j], gradient[j]));
      assert_near(conform_apart(value[j], high[j]), 0, 1e-9);
    }
    for (int k = 0; k < D; ++k) {
      at[k] += step;
      assert_ok(gannet_surrogate_predict(s, 1, at, mean + 1, sd + 1));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, high, 1));
      at[k] -= 2 * step;
      assert_ok(gannet_surrogate_predict(s, 1, at, mean + 2, sd + 2));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, low, 1));
      at[k] += step;
      assert_near(conform_apart(mean_gradient[k], (mean[1] - mean[2]) / (2 * step)), 0, 1e-4);
      assert_near(conform_apart(sd_gradient[k], (sd[1] - sd[2]) / (2 * step)), 0, 1e-3);
      for (int j = 0; j < Q; ++j)
        assert_near(conform_apart(gradient[j][k], (high[j] - low[j]) / (2 * step)), 0, 1e-4);
    }
  }
  gannet_surrogate_destroy(&s);
}

/* The value at the centre, the slope sd of the radius there, the gradient by differences. */
static inline void lower_is_mean_minus_sd_to_first_order(const conform *c) {
  enum { D = 3 };
  const double step = 1e-5, small = 1e-3, large = 1;
  conform_data data;
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 20, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  for (int i = 0; i < 3; ++i) {
    double at[D], mean = 0, sd = 0, value = 0, high = 0, low = 0, gradient[D], unused[D];
    memcpy(at, data.query + i * D, sizeof at);
    assert_ok(gannet_surrogate_predict(s, 1, at, &mean, &sd));
    assert_ok(gannet_surrogate_lower(s, 0, at, &value, gradient));
    assert_near(conform_apart(value, mean), 0, 1e-9);
    assert_ok(gannet_surrogate_lower(s, small, at, &value, gradient));
    assert_near(value, mean - small * sd, 1e-2 * small * sd + 1e-9);
    assert_ok(gannet_surrogate_lower(s, large, at, &value, gradient));
    for (int k = 0; k < D; ++k) {
      at[k] += step;
      assert_ok(gannet_surrogate_lower(s, large, at, &high, unused));
      at[k] -= 2 * step;
      assert_ok(gannet_surrogate_lower(s, large, at, &low, unused));
      at[k] += step;
      assert_near(conform_apart(gradient[k], (high - low) / (2 * step)), 0, 2e-3);
    }
  }
  assert_fails(GANNET_ERR_ARG, "exploration",
               gannet_surrogate_lower(s, -1, data.query, data.y, data.y));
  gannet_surrogate_destroy(&s);
}

/* Draws that a check takes, of so many at most: of a model without a covariance of its own each may
 * be a network to train, and bounds are generous there. */
static inline int conform_draws(const conform *c, int most) {
  return c->type->covariance ? most : most / 4;
}

/* Generous bounds, because some models predict from a few members: the mean within 0.7 sd, the
 * spread within a factor 2.5, on average over the queries. Exploration scales the spread. */
static inline void draws_have_the_predicted_moments(const conform *c) {
  enum { D = 2, MOST = 100, M = CONFORM_QUERIES };
  static double values[MOST * M];
  const int q = conform_draws(c, MOST);
  conform_data data;
  double mean[M], sd[M], shift = 0, ratio = 0, spreads[2] = {0};
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 10, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  assert_ok(gannet_surrogate_predict(s, M, data.query, mean, sd));
  for (int round = 0; round < 2; ++round) {
    assert_ok(gannet_surrogate_sample(s, q, round ? 2 : 1, 1));
    assert_ok(gannet_surrogate_draw_values(s, M, data.query, values, M));
    for (int i = 0; i < M; ++i) {
      double sum = 0, square = 0;
      for (int j = 0; j < q; ++j) sum += values[j * M + i] / q;
      for (int j = 0; j < q; ++j)
        square += (values[j * M + i] - sum) * (values[j * M + i] - sum) / (q - 1);
      spreads[round] += sqrt(square);
      if (round == 0) shift += fabs(sum - mean[i]) / sd[i] / M;
      if (round == 0) ratio += log(sqrt(square) / sd[i]) / M;
    }
  }
  if (!(shift < 0.7 && fabs(ratio) < log(2.5))) fail_msg("shift %g, log ratio %g", shift, ratio);
  assert_near(spreads[1] / spreads[0], 2, 1e-6);
  gannet_surrogate_destroy(&s);
}

/* The diagonal is the variance, the matrix is symmetric, and draws have this covariance: a
 * difference of two points' values has the spread that it says, over several batches where draws of
 * one batch share random numbers. Generous where the covariance is
 * put together from draws and from moments that a few members give. */
static inline void covariances_belong_to_the_moments_and_draws(const conform *c) {
  enum { D = 2, MOST = 400, M = CONFORM_QUERIES };
  static double values[MOST * M];
  const int q = conform_draws(c, MOST), batches = q == MOST ? 8 : 1, each = q / batches;
  conform_data data;
  double mean[M], sd[M], cov[M * M], row[M], worst = 0, average = 0;
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 10, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  assert_true(gannet_surrogate_noise_var(s) >= 0);
  for (int k = 0; k < batches; ++k) {
    assert_ok(gannet_surrogate_sample(s, each, 1, 1 + k));
    assert_ok(gannet_surrogate_draw_values(s, M, data.query, values + k * each * M, M));
  }
  assert_ok(gannet_surrogate_predict(s, M, data.query, mean, sd));
  assert_ok(gannet_surrogate_covariance(s, M, data.query, M, data.query, cov));
  assert_ok(gannet_surrogate_covariance(s, 1, data.query + 2 * D, M, data.query, row));
  for (int i = 0; i < M; ++i) {
    assert_near(cov[i * M + i] / (sd[i] * sd[i]), 1, 1e-6);
    assert_near(row[i], cov[2 * M + i], 1e-9);
    for (int j = 0; j < i; ++j) {
      const double expected = cov[i * M + i] + cov[j * M + j] - 2 * cov[i * M + j];
      double sum = 0, square = 0;
      assert_near(cov[i * M + j], cov[j * M + i], 1e-9);
      for (int k = 0; k < q; ++k) sum += (values[k * M + i] - values[k * M + j]) / q;
      for (int k = 0; k < q; ++k)
        square += pow(values[k * M + i] - values[k * M + j] - sum, 2) / (q - 1);
      worst = fmax(worst, fabs(log(square / expected)));
      average += fabs(log(square / expected)) * 2 / (M * (M - 1));
    }
  }
  if (!(c->type->covariance ? worst < log(1.6) : average < log(4)))
    fail_msg("differences off by factors up to %g, %g on average", exp(worst), exp(average));
  assert_fails(GANNET_ERR_SHAPE, "m = -1",
               gannet_surrogate_covariance(s, -1, data.query, 1, data.query, cov));
  assert_fails(GANNET_ERR_SHAPE, "n = -1",
               gannet_surrogate_covariance(s, 1, data.query, -1, data.query, cov));
  gannet_surrogate_destroy(&s);
}

/* The noise that a model tells is what it was given, as long as the model itself misses the data by
 * less, and some where none was. A forest has it in its deviations. */
static inline void the_noise_is_told(const conform *c) {
  enum { D = 2 };
  double noise[CONFORM_POINTS];
  conform_data data;
  conform_make(&data, D, 1);
  if (strcmp(c->type->name, "forest") == 0) return;
  gannet_random_normal((gannet_stream){23, GANNET_FOR_TEST, 0, 1}, 0, CONFORM_POINTS, noise);
  for (int i = 0; i < CONFORM_POINTS; ++i) data.y[i] += 0.5 * noise[i];
  for (int k = 0; k < 3; ++k) {
    static const double given[] = {0.25, 4, NAN};
    const gannet_data all = conform_first(&data, CONFORM_POINTS, given[k]);
    gannet_surrogate *s = conform_fitted(c, &all, D, true);
    const double told = gannet_surrogate_noise_var(s);
    if (k < 2) assert_near(told / given[k], 1, 1e-9);
    assert_true(told > 0 && isfinite(told));
    gannet_surrogate_destroy(&s);
  }
}

/* Hyperparameters, moments and draws, in one number. */
static inline uint64_t conform_digest(gannet_surrogate *s, const conform_data *data,
                                      int64_t iteration) {
  double all[4 * CONFORM_QUERIES], scale = 0;
  uint64_t hash[3] = {0};
  double hyper[256];
  assert_true(gannet_surrogate_n_hyper(s) <= 256);
  gannet_surrogate_get_hyper(s, hyper);
  hash[0] = gannet_hash(hyper, (size_t)gannet_surrogate_n_hyper(s) * sizeof *hyper);
  assert_ok(gannet_surrogate_calibration(s, &scale));
  hash[1] = gannet_hash(&scale, sizeof scale);
  assert_ok(gannet_surrogate_predict(s, CONFORM_QUERIES, data->query, all, all + CONFORM_QUERIES));
  assert_ok(gannet_surrogate_sample(s, 2, 1, iteration));
  assert_ok(gannet_surrogate_draw_values(s, CONFORM_QUERIES, data->query, all + 2 * CONFORM_QUERIES,
                                         CONFORM_QUERIES));
  hash[2] = gannet_hash(all, sizeof all);
  return gannet_hash(hash, sizeof hash);
}

/* A surrogate that lived through three fits, and one made from its saved hyperparameters before
 * the last of them, cannot be told apart afterwards. */
static inline void a_resumed_surrogate_continues_exactly(const conform *c) {
  enum { D = 3 };
  for (int learn = 0; learn < 2; ++learn) {
    conform_data data;
    double hyper[256];
    conform_make(&data, D, 1);
    const gannet_data early = conform_first(&data, 10, NAN), middle = conform_first(&data, 13, NAN);
    const gannet_data late = conform_first(&data, 17, NAN);
    gannet_surrogate *s = conform_fitted(c, &early, D, true);
    assert_ok(gannet_surrogate_sample(s, 3, 1, 1));
    assert_ok(gannet_surrogate_fit(s, &middle, false, 2));
    assert_ok(gannet_surrogate_sample(s, 3, 1, 2));
    gannet_surrogate_get_hyper(s, hyper);
    assert_ok(gannet_surrogate_fit(s, &late, learn, 3));
    gannet_surrogate *other = conform_create(c, c->world, D);
    assert_ok(gannet_surrogate_set_hyper(other, hyper));
    assert_ok(gannet_surrogate_fit(other, &late, learn, 3));
    assert_true(conform_digest(s, &data, 3) == conform_digest(other, &data, 3));
    gannet_surrogate_destroy(&s);
    gannet_surrogate_destroy(&other);
  }
}

/* Fewer rows than before, other values, another noise: the same as a fresh model. */
static inline void earlier_data_leave_no_trace(const conform *c) {
  enum { D = 3 };
  conform_data data;
  double hyper[256];
  conform_make(&data, D, 1);
  const gannet_data many = conform_first(&data, 21, NAN), few = conform_first(&data, 8, 0.04);
  gannet_surrogate *s = conform_fitted(c, &many, D, true);
  gannet_surrogate_get_hyper(s, hyper);
  for (int i = 0; i < CONFORM_POINTS; ++i) data.y[i] *= -0.5;
  assert_ok(gannet_surrogate_fit(s, &few, false, 2));
  gannet_surrogate *other = conform_create(c, c->world, D);
  assert_ok(gannet_surrogate_set_hyper(other, hyper));
  assert_ok(gannet_surrogate_fit(other, &few, false, 2));
  assert_true(conform_digest(s, &data, 2) == conform_digest(other, &data, 2));
  gannet_surrogate_destroy(&s);
  gannet_surrogate_destroy(&other);
}

/* A group of all ranks and a group of one get the same bits. */
static inline void bits_do_not_depend_on_the_ranks(const conform *c) {
  enum { D = 3 };
  conform_data data;
  uint64_t digest[2];
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 19, NAN);
  for (int k = 0; k < 2; ++k) {
    gannet_surrogate *s = conform_create(c, k ? c->self : c->world, D);
    assert_ok(gannet_surrogate_fit(s, &all, true, 4));
    digest[k] = conform_digest(s, &data, 4);
    gannet_surrogate_destroy(&s);
  }
  assert_true(digest[0] == digest[1]);
  assert_ok(gannet_same(c->world->comm, digest, sizeof digest, "digests"));
}

static inline void wrong_calls_are_refused(const conform *c) {
  enum { D = 2 };
  conform_data data;
  double out[4], hyper[256];
  conform_make(&data, D, 1);
  gannet_data good = conform_first(&data, 5, NAN), bad = good;
  gannet_surrogate *s = NULL;
  assert_fails(GANNET_ERR_SHAPE, "d = 0",
               gannet_surrogate_create(c->world, c->type, NULL, 0, 0, &s));
  assert_null(s);
  s = conform_create(c, c->world, D);
  assert_int_equal(gannet_surrogate_dimension(s), D);
  assert_fails(GANNET_ERR_STATE, "not fitted",
               gannet_surrogate_predict(s, 1, data.x, out, out + 1));
  assert_fails(GANNET_ERR_STATE, "not fitted", gannet_surrogate_sample(s, 1, 1, 0));
  assert_ok(gannet_surrogate_fit(s, &good, false, 0));
  assert_fails(GANNET_ERR_STATE, "no draws", gannet_surrogate_draw_values(s, 1, data.x, out, 1));
  assert_fails(GANNET_ERR_STATE, "no draws",
               gannet_surrogate_draw_gradient(s, 0, data.x, out, out));
  assert_fails(GANNET_ERR_SHAPE, "m = -1", gannet_surrogate_predict(s, -1, data.x, out, out));
  assert_fails(GANNET_ERR_ARG, "q = 0", gannet_surrogate_sample(s, 0, 1, 0));
  assert_fails(GANNET_ERR_ARG, "exploration", gannet_surrogate_sample(s, 1, NAN, 0));
  assert_ok(gannet_surrogate_sample(s, 1, 1, 0));
  assert_fails(GANNET_ERR_ARG, "draw 1 of 1",
               gannet_surrogate_draw_gradient(s, 1, data.x, out, out));
  assert_fails(GANNET_ERR_SHAPE, "rows of 1", gannet_surrogate_draw_values(s, 2, data.x, out, 1));
  bad.n = -1;
  assert_fails(GANNET_ERR_SHAPE, "n = -1", gannet_surrogate_fit(s, &bad, false, 1));
  bad = good;
  bad.noise_var = -1;
  assert_fails(GANNET_ERR_ARG, "noise variance", gannet_surrogate_fit(s, &bad, false, 1));
  assert_fails(GANNET_ERR_ARG, "iteration", gannet_surrogate_fit(s, &good, false, -1));
  gannet_surrogate_get_hyper(s, hyper);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  assert_fails(GANNET_ERR_STATE, "not fitted",
               gannet_surrogate_predict(s, 1, data.x, out, out + 1));
  if (gannet_surrogate_n_hyper(s) > 0) {
    hyper[0] = NAN;
    assert_fails(GANNET_ERR_ARG, gannet_surrogate_hyper_name(s, 0),
                 gannet_surrogate_set_hyper(s, hyper));
  }
  gannet_surrogate_destroy(&s);
  assert_null(s);
  gannet_surrogate_destroy(&s);
}

/* Data that is broken on one rank only is refused on all, and nobody hangs. */
static inline void one_bad_rank_fails_everywhere(const conform *c) {
  enum { D = 2 };
  conform_data data;
  conform_make(&data, D, 1);
  gannet_surrogate *s = conform_create(c, c->world, D);
  if (c->world->rank == c->world->np - 1) data.y[3] = NAN;
  const gannet_data bad = conform_first(&data, 5, NAN);
  assert_fails(GANNET_ERR_ARG, "value 3", gannet_surrogate_fit(s, &bad, true, 1));
  if (c->world->rank == c->world->np - 1) data.x[1] = INFINITY;
  data.y[3] = 0;
  assert_fails(GANNET_ERR_ARG, "point 0", gannet_surrogate_fit(s, &bad, true, 1));
  gannet_surrogate_destroy(&s);
}

#endif
