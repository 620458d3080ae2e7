"""Dense fronts by search: differences of points of an archive are added to others, and what no point dominates stays.

The differences follow the front and the constraints that hold on it, so that the archive creeps along both. The
hypervolume of the archive is a lower bound of the true one.
"""
import numpy as np

import hypervolume


def evaluate(problem, x):
    f, g = problem.values(x)
    return f, np.maximum(-g, 0).sum(axis=1)


def thin(f, x, most):
    """The extremes, and of the others those that are farthest from their neighbours along random cells."""
    if len(f) <= most:
        return f, x
    scaled = (f - f.min(axis=0)) / np.maximum(np.ptp(f, axis=0), 1e-300)
    scaled = np.argsort(np.argsort(scaled, axis=0), axis=0) / len(f) + scaled
    low, high = 1, 1 << 16  # cells per axis
    while low + 1 < high:
        middle = (low + high) // 2
        cells = np.unique((scaled * middle / 2).astype(np.int64), axis=0, return_index=True)[1]
        low, high = (middle, high) if len(cells) <= most else (low, middle)
    keep = np.unique((scaled * low / 2).astype(np.int64), axis=0, return_index=True)[1]
    keep = np.union1d(keep, f.argmin(axis=0))
    return f[keep], x[keep]


def breed(problem, x, n, random):
    """n points: near one of x, along a difference of two others, and at random a little off."""
    a, b, c = (x[random.integers(len(x), size=n)] for _ in range(3))
    width = problem.upper - problem.lower
    y = a + random.choice([0.02, 0.1, 0.3, 0.7], size=(n, 1)) * (b - c)
    noise = random.normal(size=y.shape) * 10.0 ** random.uniform(-5, -1, size=(n, 1)) * width
    y += noise * (random.random(y.shape) < 1.5 / problem.d) * (random.random((n, 1)) < 0.5)
    inherit = random.random(y.shape) < random.choice([0, 0.5], size=(n, 1))
    y = np.clip(np.where(inherit, a, y), problem.lower, problem.upper)
    # A part of a front may lie in a corner that differences do not reach.
    jumps = (random.random(y.shape) < 1.5 / problem.d) & (random.random((n, 1)) < 0.1)
    anywhere = problem.lower + width * np.where(random.random(y.shape) < 0.5, random.random(y.shape), random.integers(2, size=y.shape))
    return np.where(jumps, anywhere, y)


def find_feasible(problem, n, random):
    """Designs that keep the constraints, or come nearest to that."""
    x = problem.lower + (problem.upper - problem.lower) * random.random((20 * n, problem.d))
    for _ in range(200):
        violation = evaluate(problem, x)[1]
        x = x[np.argsort(violation, kind="stable")[: 2 * n]]
        if np.sort(violation)[min(n, len(violation)) - 1] <= 0:
            return x
        x = np.vstack([x, breed(problem, x, 4 * n, random)])
    return x


def search(problem, most, rounds, offspring, seed=1):
    """The archive (f, x) of at most `most` points."""
    random = np.random.default_rng(seed)
    x = find_feasible(problem, 2000, random)
    f, violation = evaluate(problem, x)
    f, x = f[violation <= 0], x[violation <= 0]
    for turn in range(rounds):
        keep = hypervolume.find_front(f)
        size = most if turn > 0.7 * rounds else min(most, 1500)
        f, x = thin(f[keep], x[keep], size)
        y = breed(problem, x, offspring, random)
        value, violation = evaluate(problem, y)
        value, y = value[violation <= 0], y[violation <= 0]
        f, x = np.vstack([f, value]), np.vstack([x, y])
    keep = hypervolume.find_front(f)
    return f[keep], x[keep]
