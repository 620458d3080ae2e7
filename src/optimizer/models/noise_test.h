/* A test whether an objective is noisy, by results that are close to each other.
 *
 * Differences of exact values vanish with the distance of the points; those of noisy values do not.
 * We take the pairs of every point and its three nearest ones, and of all pairs the nearer half,
 * but eight at least. Over these we fit the logarithm of the difference by a line in the logarithm
 * of the distance: its slope is about 1 or more for a smooth function and 0 for noise. The values
 * count as noisy when the slope is below 1/2 by 1.5 standard errors.
 *
 * There is one exception. While no two points are close, a function that ranges over decades looks
 * as flat as noise. Values therefore do not count as noisy when the differences are of so many
 * sizes that no noise of one size can have made them. The noise that a model estimates is no
 * substitute for this test: waves that are shorter than the distance of the points look like noise
 * to it.
 */
#ifndef GANNET_OPTIMIZER_NOISE_TEST_H
#define GANNET_OPTIMIZER_NOISE_TEST_H

#include "problem/history.h"

/* Results that are looked at, the last ones. */
enum { GANNET_NOISE_TEST_MOST = 300 };

/* A function of the history; noise that the problem tells of is taken at its word, and whoever
 * wants designs to run several times says that there is some. With several objectives one that is
 * noisy is enough.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_noise_test_run(const gannet_history *history, bool *noisy);

/* What was found, for as long as the history stays as it is; zeroed: nothing yet. */
typedef struct {
  bool known, noisy;
} gannet_noise_test;

/* As gannet_noise_test_run, which looks for 0.2 ms, but once.
 *
 * Local.
 *
 * found  inout  NULL = look now
 */
GANNET_CHECKED gannet_err gannet_noise_test_result(const gannet_history *history,
                                                   gannet_noise_test *found, bool *noisy);

#endif
