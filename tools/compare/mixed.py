#!/usr/bin/env python3
"""Compare methods of gannet with public optimisers where some or all variables are discrete.

    tools/compare/mixed.py --optimisers auto,gp-warped,tpe,random --dimensions 5 --instances 1,2

The functions of bbob.py on grids: of D variables two in five are integers of 11 values and one in five a category of
4 values in random order (--kind mixed), or all are integers of 41 values (--kind integer). Names that are not optimisers
of this file are methods of gannet. Needs numpy, and python3-optuna for tpe; the library is found as
src/python/gannet/__init__.py says.

Prints, over functions and instances, the mean of the decimal logarithm of the gap to the best value that any optimiser
found (as a share of the gap after six evaluations, at least 1e-6): over log(evaluations), and at the end; in brackets
the difference to the first optimiser with its standard error; and the share of runs that end at the best value.
"""
import argparse
import pathlib
import sys
import time
import warnings

import numpy as np

import bbob

LETTERS = "abcd"


class Grid:
    """A function of bbob.py of integers, categories and reals, in this order."""

    def __init__(self, number, d, instance, kind):
        self.value = bbob.function(number, d, instance)
        self.integers, self.categories = (d, 0) if kind == "integer" else (2 * d // 5, d // 5)
        self.reals = d - self.integers - self.categories
        self.top = 40 if kind == "integer" else 10
        random = np.random.default_rng(100 * instance + number)
        self.order = [random.permutation(len(LETTERS)) for _ in range(self.categories)]

    def __call__(self, integers, categories, reals):
        places = [-3 + 2 * order[c] for order, c in zip(self.order, categories)]
        return float(self.value(np.concatenate([-5 + 10 / self.top * np.asarray(integers, float), places, reals])))


def run_random(grid, budget, q, seed):
    random = np.random.default_rng(seed)
    for _ in range(budget):
        yield grid(random.integers(0, grid.top + 1, grid.integers), random.integers(0, len(LETTERS), grid.categories),
                   random.uniform(-5, 5, grid.reals))


def run_tpe(grid, budget, q, seed):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore")
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=q > 1))
    for first in range(0, budget, q):
        for trial in [study.ask() for _ in range(min(q, budget - first))]:
            value = grid([trial.suggest_int(f"i{k}", 0, grid.top) for k in range(grid.integers)],
                         [trial.suggest_categorical(f"c{k}", range(len(LETTERS))) for k in range(grid.categories)],
                         [trial.suggest_float(f"r{k}", -5, 5) for k in range(grid.reals)])
            study.tell(trial, value)
            yield value


def run_gannet(method, grid, budget, q, seed):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/python"))
    import gannet
    names = {"i": grid.integers, "c": grid.categories, "r": grid.reals}
    kinds = {"i": gannet.integer(0, grid.top), "c": list(LETTERS), "r": (-5, 5)}
    variables = {f"{kind}{k}": kinds[kind] for kind in names for k in range(names[kind])}
    optimizer = gannet.Optimizer(variables, seed=seed, settings={"method": method})
    for first in range(0, budget, q):
        for point in optimizer.ask(min(q, budget - first)):
            part = {kind: [point[f"{kind}{k}"] for k in range(names[kind])] for kind in names}
            value = grid(part["i"], [LETTERS.index(c) for c in part["c"]], part["r"])
            optimizer.tell(point, value)
            yield value


PUBLIC = {"random": run_random, "tpe": run_tpe}


def best_so_far(name, grid, budget, q, seed):
    course = PUBLIC[name](grid, budget, q, seed) if name in PUBLIC else run_gannet(name, grid, budget, q, seed)
    return np.minimum.accumulate(list(course))


def judge(courses):
    """courses [optimisers][budget] of one problem -> mean logarithm, last logarithm, whether it is the best, of each."""
    budget, least = courses.shape[1], courses[:, -1].min()
    unit = max(np.median(courses[:, 5]) - least, 1e-300)
    gap = np.log10(np.clip((courses - least) / unit, 1e-6, 10))
    weight = np.diff(np.log(np.arange(1, budget + 1))) / np.log(budget)
    return np.column_stack([gap[:, :-1] @ weight, gap[:, -1], gap[:, -1] <= -6])


def tell(optimisers, judged, milliseconds):
    """judged [cases][optimisers][3]"""
    print("| optimiser | over log(evaluations) | at the end | best | ms per point |\n|---|---|---|---|---|")
    for i, name in enumerate(optimisers):
        difference = judged[:, i] - judged[:, 0]
        error = np.std(difference, axis=0, ddof=1) / np.sqrt(len(judged))
        mean, change = judged[:, i].mean(axis=0), difference.mean(axis=0)
        print(f"| {name} | {mean[0]:.2f} ({change[0]:+.2f} ± {error[0]:.2f}) "
              f"| {mean[1]:.2f} ({change[1]:+.2f} ± {error[1]:.2f}) | {mean[2]:.2f} | {milliseconds[i]:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--optimisers", default="auto,gp-warped,tpe,random")
    parser.add_argument("--kind", choices=["mixed", "integer"], default="mixed")
    parser.add_argument("--dimensions", type=int, default=5)
    parser.add_argument("--instances", default="1,2")
    parser.add_argument("--functions", default=",".join(map(str, range(1, 25))))
    parser.add_argument("--evaluations-per-d", type=int, default=20)
    parser.add_argument("--q", type=int, default=1)
    given = parser.parse_args()
    optimisers, budget, judged = given.optimisers.split(","), given.evaluations_per_d * given.dimensions, []
    seconds = np.zeros(len(optimisers))
    for instance in map(int, given.instances.split(",")):
        for number in map(int, given.functions.split(",")):
            grid, courses = Grid(number, given.dimensions, instance, given.kind), []
            for i, name in enumerate(optimisers):
                began = time.process_time()
                courses.append(best_so_far(name, grid, budget, given.q, 1000 * instance + number))
                seconds[i] += time.process_time() - began
            judged.append(judge(np.array(courses)))
    tell(optimisers, np.array(judged), 1000 * seconds / (budget * len(judged)))


if __name__ == "__main__":
    main()
