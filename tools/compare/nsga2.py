#!/usr/bin/python3
"""NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002) on the test problems with several objectives, as a baseline.

Simulated binary crossover (index 15, with probability 0.9), polynomial mutation (index 20, one variable on average),
constrained domination; written from the paper, with numpy. The problems are those of tools/fronts/problems.py, the
hypervolumes of the true fronts those of inputs/bench/reference-fronts.csv. For each problem and number of evaluations it
prints the decadic logarithm of the difference of the hypervolumes, of all feasible designs so far: median and quartiles
over the seeds.

  nsga2.py [--runs 10] [--population 20] [--dimension D] [--evaluations 50,100,200] [PROBLEM ...]

A problem is zdt1, re2-4-1, or dtlz2/3 with the number of objectives. --dimension is for families that exist in any.
"""
import argparse
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/fronts"))

import numpy as np

import hypervolume
import problems

STANDARD = ("zdt1", "zdt2", "zdt3", "dtlz2/2", "dtlz2/3", "c2-dtlz2", "wfg4/2", "branin-currin", "branin-currin-disk",
            "re2-4-1", "vehicle-safety", "re3-4-7", "cre2-4-3")


def read_true():
    with (ROOT / "inputs/bench/reference-fronts.csv").open() as file:
        return {(row["simulation"], int(row["objectives"])): (np.array([float(part) for part in row["reference"].split()]),
                                                              float(row["hypervolume"])) for row in csv.DictReader(file)}


def rank(f, violation):
    """Ranks from 0, with constrained domination: feasible first, then by violation."""
    ranks, level = np.full(len(f), -1), 0
    for value in np.unique(violation):
        left = np.flatnonzero(violation == value)
        while len(left):
            better = np.all(f[left][:, None] <= f[left], axis=2) & np.any(f[left][:, None] < f[left], axis=2)
            first = ~better.any(axis=0)
            ranks[left[first]] = level
            left, level = left[~first], level + 1
    return ranks


def crowding(f, ranks):
    distance = np.zeros(len(f))
    for level in np.unique(ranks):
        group = np.flatnonzero(ranks == level)
        for k in range(f.shape[1]):
            order = group[np.argsort(f[group, k], kind="stable")]
            distance[order[[0, -1]]] = np.inf
            if len(order) > 2:
                span = max(f[order[-1], k] - f[order[0], k], 1e-300)
                distance[order[1:-1]] += (f[order[2:], k] - f[order[:-2], k]) / span
    return distance


def cross(a, b, lower, upper, random, index=15):
    """Simulated binary crossover of rows, bounded by clipping."""
    u = random.random(a.shape)
    spread = np.where(u < 0.5, (2 * u) ** (1 / (index + 1)), (1 / (2 * (1 - u))) ** (1 / (index + 1)))
    spread = np.where(random.random(a.shape) < 0.5, spread, 1)
    spread = np.where(random.random((len(a), 1)) < 0.9, spread, 1)
    children = np.vstack([(a + b) / 2 + spread * (a - b) / 2, (a + b) / 2 - spread * (a - b) / 2])
    return np.clip(children, lower, upper)


def mutate(x, lower, upper, random, index=20):
    u = random.random(x.shape)
    step = np.where(u < 0.5, (2 * u) ** (1 / (index + 1)) - 1, 1 - (2 * (1 - u)) ** (1 / (index + 1)))
    step *= random.random(x.shape) < 1 / x.shape[1]
    return np.clip(x + step * (upper - lower), lower, upper)


def run(problem, population, evaluations, seed):
    """Objectives and violations of all evaluated designs, in their order."""
    random = np.random.default_rng(seed)

    def evaluate(x):
        f, g = problem.values(x)
        return f, np.maximum(-g, 0).sum(axis=1)

    x = problem.lower + (problem.upper - problem.lower) * random.random((population, problem.d))
    f, violation = evaluate(x)
    all_f, all_violation = [f], [violation]
    while sum(map(len, all_f)) < evaluations:
        ranks = rank(f, violation)
        distance = crowding(f, ranks)
        pairs = random.integers(len(x), size=(2 * (population // 2 + population % 2), 2))
        first = (ranks[pairs[:, 0]] < ranks[pairs[:, 1]]) | (
            (ranks[pairs[:, 0]] == ranks[pairs[:, 1]]) & (distance[pairs[:, 0]] >= distance[pairs[:, 1]]))
        parents = x[np.where(first, pairs[:, 0], pairs[:, 1])]
        half = len(parents) // 2
        y = mutate(cross(parents[:half], parents[half:], problem.lower, problem.upper, random), problem.lower, problem.upper,
                   random)[:population]
        value, wrong = evaluate(y)
        all_f.append(value)
        all_violation.append(wrong)
        x, f, violation = np.vstack([x, y]), np.vstack([f, value]), np.concatenate([violation, wrong])
        ranks = rank(f, violation)
        keep = np.lexsort((-crowding(f, ranks), ranks))[:population]
        x, f, violation = x[keep], f[keep], violation[keep]
    return np.vstack(all_f)[:evaluations], np.concatenate(all_violation)[:evaluations]


def resize(problem, d):
    """A problem of a family in another dimension."""
    if d is None or problem.family[:3] not in ("zdt", "dtl", "wfg", "c2-"):
        return problem
    lower, upper = problem.lower, problem.upper
    if problem.family.startswith("wfg"):
        lower, upper = np.zeros(d), 2.0 * np.arange(1, d + 1)
    else:
        lower, upper = (np.concatenate([side[:1], np.full(d - 1, side[-1])]) for side in (lower, upper))
    problem.lower, problem.upper = lower, upper
    return problem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=list(STANDARD))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--population", type=int, default=20)
    parser.add_argument("--dimension", type=int)
    parser.add_argument("--evaluations", default="50,100,200")
    arguments = parser.parse_args()
    known, true = problems.make(), read_true()
    points = [int(part) for part in arguments.evaluations.split(",")]
    unknown = [name for name in arguments.problems if name not in known]
    if unknown:
        parser.error(f"unknown problem '{unknown[0]}'; known: {' '.join(known)}")
    print("problem,evaluations,lower_quartile,median,upper_quartile")
    for name in arguments.problems:
        problem = resize(known[name], arguments.dimension)
        reference, volume = true[problem.family, problem.m]
        gaps = np.empty((arguments.runs, len(points)))
        for seed in range(arguments.runs):
            f, violation = run(problem, arguments.population, max(points), seed + 1)
            for i, n in enumerate(points):
                feasible = f[:n][violation[:n] <= 0]
                found = hypervolume.hypervolume(feasible, reference) if len(feasible) else 0.0
                gaps[seed, i] = np.log10(max(volume - found, 1e-12))
        for i, n in enumerate(points):
            print(name, n, *(f"{value:.3f}" for value in np.percentile(gaps[:, i], (25, 50, 75))), sep=",", flush=True)


if __name__ == "__main__":
    main()
