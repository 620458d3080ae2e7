/* test: serial labels unit */
#include <stdbool.h>

#include "support/harness.h"

#include "pareto/hypervolume.h"
#include "pareto/points.h"

static const double pi = 3.14159265358979323846;

static double volume_of(int n, int m, const double *y, const double *reference) {
  double volume = -1;
  assert_ok(gannet_hypervolume(n, m, y, reference, &volume));
  return volume;
}

/* Points 0 .. 1 of a piece of a front. */
typedef struct {
  double (*second)(double first);
  double from, to;
  double power; /* first = from + (to - from) t^power */
} piece;

/* The hypervolume of a curve from n points on each piece, in the limit of many: the staircase lacks
 * a power series in 1 / n. */
static double limit_volume(int pieces, const piece *p, double reference) {
  enum { FEWEST = 400, DOUBLINGS = 6 };
  static double y[2 * 5 * (FEWEST << DOUBLINGS)];
  double table[DOUBLINGS];
  for (int level = 0; level < DOUBLINGS; ++level) {
    const int n = FEWEST << level;
    int count = 0;
    for (int i = 0; i < pieces; ++i)
      for (int k = 0; k <= n; ++k, ++count) {
        y[2 * count] = p[i].from + (p[i].to - p[i].from) * pow((double)k / n, p[i].power);
        y[2 * count + 1] = p[i].second(y[2 * count]);
      }
    table[level] = volume_of(count, 2, y, (double[]){reference, reference});
  }
  for (int order = 1; order < 5; ++order)
    for (int level = DOUBLINGS - 1; level >= order; --level)
      table[level] += (table[level] - table[level - 1]) / ((1 << order) - 1);
  return table[DOUBLINGS - 1];
}

static double zdt1(double x) {
  return 1 - sqrt(x);
}

static double zdt2(double x) {
  return 1 - x * x;
}

static double zdt3(double x) {
  return 1 - sqrt(x) - x * sin(10 * pi * x);
}

static double circle(double x) {
  return sqrt(fmax(0, 1 - x * x));
}

/* Where the function is least, or where it falls to a value, between two arguments. */
static double find(double (*f)(double), double from, double to, double value, bool least) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (from + to), h = 1e-6;
    const bool right = least ? f(middle + h) < f(middle - h) : f(middle) > value;
    if (right)
      from = middle;
    else
      to = middle;
  }
  return 0.5 * (from + to);
}

/* The front of ZDT3: five falling pieces. Each ends in a minimum, and begins where the curve has
 * fallen to the minimum before. */
static void zdt3_pieces(piece *p) {
  static const double end[] = {0.083, 0.2577, 0.4539, 0.6525, 0.8518};
  for (int i = 0; i < 5; ++i) {
    p[i] = (piece){.second = zdt3, .power = i ? 1 : 2};
    p[i].to = find(zdt3, end[i] - 0.03, end[i] + 0.03, 0, true);
    if (i) p[i].from = find(zdt3, end[i] - 0.1, p[i].to, zdt3(p[i - 1].to), false);
  }
}

static void volumes_of_curves_are_those_of_the_formula(void **state) {
  (void)state;
  piece p[5] = {{zdt1, 0, 1, 2}};
  assert_near(limit_volume(1, p, 11), 120 + 2.0 / 3, 1e-9);
  p[0] = (piece){zdt2, 0, 1, 1};
  assert_near(limit_volume(1, p, 11), 120 + 1.0 / 3, 1e-9);
  zdt3_pieces(p);
  assert_near(limit_volume(5, p, 11), 128.77811613069, 1e-9);
  p[0] =
      (piece){circle, 0, 1, 1}; /* DTLZ2 with two objectives, in halves without a vertical slope */
  double y[2], part = 0;
  p[0].to = y[0] = y[1] = sqrt(0.5);
  part = limit_volume(1, p, 1.1) - (1.1 - y[0]) * (1.1 - y[1]);
  assert_near(2 * part + (1.1 - y[0]) * (1.1 - y[1]), 1.1 * 1.1 - pi / 4, 1e-9);
}

/* DTLZ2: the cube of 1.1 without an orthant of the unit ball, from below, ever closer. */
static void volumes_of_spheres_approach_the_formula(void **state) {
  (void)state;
  static const double ball[] = {
      0, 2, 3.14159265358979, 4.18879020478639, 4.93480220054468, 5.26378901391432};
  static const int most[] = {0, 0, 8192, 16384, 1024, 256};
  static double y[5 * 16384];
  const double reference[] = {1.1, 1.1, 1.1, 1.1, 1.1};
  for (int m = 2; m <= 5; ++m) {
    const double limit = pow(1.1, m) - ball[m] / (1 << m);
    double before = 0;
    sphere_points(m, most[m], m, y);
    for (int n = most[m] / 16; n <= most[m]; n *= 4) {
      const double volume = volume_of(n, m, y, reference);
      assert_true(volume > before && volume < limit);
      /* n points in m - 1 dimensions: their distance, and with it what is lacking, is about
       * n^(-1 / (m - 1)). */
      const double lacking = (limit - volume) * pow(n, 1.0 / (m - 1));
      assert_true(lacking > 0.2 && lacking < 2.5);
      before = volume;
    }
  }
}

static void volumes_agree_with_all_subsets(void **state) {
  (void)state;
  for (int m = 1; m <= 5; ++m)
    for (int n = 0; n <= 12; ++n)
      for (int grid = 0; grid <= 5; ++grid) {
        double y[12 * 5], reference[5], contribution[12];
        for (int j = 0; j < m; ++j) reference[j] = 0.8 + 0.1 * j;
        random_points(7 * n + grid, n, m, grid, y);
        const double volume = volume_of(n, m, y, reference);
        assert_near(volume, subsets_volume(n, m, y, reference), 1e-13);
        assert_ok(gannet_hypervolume_contributions(n, m, y, reference, contribution));
        for (int i = 0; i < n; ++i) {
          double rest[12 * 5];
          memcpy(rest, y, sizeof rest);
          memcpy(rest + i * m, y + (n - 1) * m, (size_t)m * sizeof *y);
          assert_near(contribution[i], volume - subsets_volume(n - 1, m, rest, reference), 1e-13);
        }
      }
}

/* The share of uniform points that some point of the set dominates. */
static void volumes_agree_with_samples(void **state) {
  (void)state;
  enum { N = 60, SAMPLES = 100000 };
  static double y[N * 5], z[SAMPLES * 5];
  const double reference[] = {1, 1, 1, 1, 1};
  for (int m = 2; m <= 5; ++m) {
    sphere_points(m, N, m, y);
    random_points(m + 10, SAMPLES, m, 0, z);
    int inside = 0;
    for (int s = 0; s < SAMPLES; ++s)
      for (int i = 0; i < N; ++i) {
        int j = 0;
        while (j < m && y[i * m + j] <= z[s * m + j]) ++j;
        if (j < m) continue;
        ++inside;
        break;
      }
    const double share = (double)inside / SAMPLES;
    assert_near(volume_of(N, m, y, reference), share, 4.5 * sqrt(share * (1 - share) / SAMPLES));
  }
}

static void the_order_of_points_does_not_matter(void **state) {
  (void)state;
  enum { N = 80 };
  static double y[N * 5], contribution[N], others[N];
  const double reference[] = {0.9, 0.9, 0.9, 0.9, 0.9};
  for (int m = 1; m <= 5; ++m)
    for (int grid = 0; grid <= 7; grid += 7) {
      random_points(m, N, m, grid, y);
      const double volume = volume_of(N, m, y, reference);
      assert_ok(gannet_hypervolume_contributions(N, m, y, reference, contribution));
      double moved[N * 5];
      memcpy(moved, y, sizeof moved);
      for (int seed = 1; seed < 5; ++seed) {
        shuffle_rows(seed, N, m, moved);
        assert_true(volume_of(N, m, moved, reference) == volume);
        assert_ok(gannet_hypervolume_contributions(N, m, moved, reference, others));
        for (int i = 0; i < N; ++i)
          for (int k = 0; k < N; ++k)
            if (!memcmp(moved + k * m, y + i * m, (size_t)m * sizeof *y))
              assert_true(others[k] == contribution[i]);
      }
      for (int j = 0; j < m; ++j) {
        rotate_coordinates(N, m, y);
        assert_near(volume_of(N, m, y, reference), volume, 1e-13);
      }
    }
}

static void points_beyond_the_reference_count_nothing(void **state) {
  (void)state;
  const double reference[] = {1, 2, 3};
  double y[] = {0, 0, 3, -1, 2.5, 0, NAN, 0, 0, 0, -HUGE_VAL, 0, 0, HUGE_VAL, 0};
  assert_true(volume_of(5, 3, y, reference) == 0);
  assert_true(volume_of(0, 3, NULL, reference) == 0);
  y[2] = 1;
  assert_near(volume_of(5, 3, y, reference), 4, 1e-15);
  assert_near(volume_of(1, 3, y, reference), 4, 1e-15);
  double contribution[5];
  assert_ok(gannet_hypervolume_contributions(5, 3, y, reference, contribution));
  assert_near(contribution[0], 4, 1e-15);
  for (int i = 1; i < 5; ++i) assert_true(contribution[i] == 0);
}

/* Coordinates of any size; powers of two, so that the mantissa must be the same. */
static void sizes_do_not_matter(void **state) {
  (void)state;
  enum { N = 40 };
  double y[N * 3], scaled[N * 3], reference[] = {1, 1, 1}, logarithm = 0;
  sphere_points(3, N, 3, y);
  const double volume = volume_of(N, 3, y, reference);
  static const int powers[][3] = {{1000, -1000, 3}, {-330, -330, -300}, {330, 340, 340}};
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < N * 3; ++i) scaled[i] = ldexp(y[i], powers[c][i % 3]);
    for (int j = 0; j < 3; ++j) reference[j] = ldexp(1, powers[c][j]);
    const int sum = powers[c][0] + powers[c][1] + powers[c][2];
    assert_true(volume_of(N, 3, scaled, reference) == ldexp(volume, sum));
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < N * 3; ++i) scaled[i] = ldexp(y[i], sign * 1000);
    for (int j = 0; j < 3; ++j) reference[j] = ldexp(1, sign * 1000);
    assert_ok(gannet_log_hypervolume(N, 3, scaled, reference, &logarithm));
    assert_near(logarithm, log(volume) + sign * 3000 * log(2), 1e-12);
  }
  double out = 0;
  assert_fails(GANNET_ERR_NUMERIC, "a hypervolume of 3 objectives exceeds the largest number",
               gannet_hypervolume(N, 3, scaled, reference, &out));
  const double far[] = {-1.7e308, -1.7e308}, there[] = {1.7e308, 1.7e308};
  assert_ok(gannet_log_hypervolume(1, 2, far, there, &logarithm));
  assert_near(logarithm, 2 * (log(1.7e308) + log(2)), 1e-12);
  assert_ok(gannet_log_hypervolume(1, 2, there, far, &logarithm));
  assert_true(logarithm == -HUGE_VAL);
}

/* Exclusive volumes of many points, in three dimensions, add up one by one to the whole. */
static void points_one_by_one_add_up(void **state) {
  (void)state;
  enum { N = 400 };
  static double y[N * 5], contribution[N];
  const double reference[] = {1.05, 1.05, 1.05, 1.05, 1.05};
  for (int m = 2; m <= 5; ++m) {
    const int n = m <= 3 ? N : 60;
    double sum = 0;
    sphere_points(m, n, m, y);
    for (int i = 1; i <= n; ++i) {
      assert_ok(gannet_hypervolume_contributions(i, m, y, reference, contribution));
      sum += contribution[i - 1];
    }
    assert_near(sum, volume_of(n, m, y, reference), 1e-12);
  }
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  const double y[6] = {0}, reference[6] = {1, 1, NAN, 1, 1, 1};
  double volume = 0;
  assert_fails(GANNET_ERR_ARG, "a hypervolume of 6 objectives: expected 1 to 5",
               gannet_hypervolume(1, 6, y, reference, &volume));
  assert_fails(GANNET_ERR_ARG, "of -1 points: expected at least 0",
               gannet_log_hypervolume(-1, 2, y, reference, &volume));
  assert_fails(GANNET_ERR_ARG, "is nan in objective 3: expected a finite number",
               gannet_hypervolume_contributions(1, 3, y, reference, &volume));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes_of_curves_are_those_of_the_formula),
      cmocka_unit_test(volumes_of_spheres_approach_the_formula),
      cmocka_unit_test(volumes_agree_with_all_subsets),
      cmocka_unit_test(volumes_agree_with_samples),
      cmocka_unit_test(the_order_of_points_does_not_matter),
      cmocka_unit_test(points_beyond_the_reference_count_nothing),
      cmocka_unit_test(sizes_do_not_matter),
      cmocka_unit_test(points_one_by_one_add_up),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return run_serial(tests);
}
