#!/usr/bin/env python3
"""Compare methods of gannet with public optimisers on the functions of bbob.py.

    tools/compare/public.py --optimisers auto,gp-logei-warped,tpe,cma,bobyqa,random --dimensions 2,5 --instances 1,2

Names that are not optimisers of this file are methods of gannet, with settings after a plus sign, as in
neural-bo+surrogate.layers=2. Every run is kept as a line of the file given by --results; called again, runs that are
there are not made again. Needs numpy and, for the others, the Debian packages python3-optuna (tpe, cma) and
python3-nlopt (bobyqa); the library is found as src/python/gannet/__init__.py says.

Prints, for each number of variables, the mean over functions and instances of the area under the share of 51 targets
(regrets from 100 to 1e-8) over the logarithm of evaluations, the gain over the first optimiser with its standard
error, and milliseconds per point; `oracle` takes the earliest of all optimisers for every target. With noise also the
decimal logarithm of the regret at the end, without noise, of the best design evaluated, of the one of the least value
seen, and of the one that is recommended (of methods of gannet; of the others the one of the least value).
"""
import argparse
import csv
import functools
import multiprocessing
import pathlib
import sys
import time

import numpy as np

import bbob

TARGETS = 10 ** np.linspace(2, -8, 51)


class Exhausted(Exception):
    """The budget is used up."""


class Counter:
    """The objective as an optimiser sees it; remembers the best exact value after every evaluation, and the exact value
    where the least one was seen, which is what is recommended unless an optimiser knows better."""

    def __init__(self, value, budget, noise, seed):
        self.value, self.budget, self.noise = value, budget, noise
        self.random, self.best = np.random.default_rng(seed), []
        self.least, self.looked, self.recommended = np.inf, np.inf, None

    def __call__(self, x):
        if len(self.best) == self.budget:
            raise Exhausted
        exact = float(self.value(np.clip(x, -5, 5)))
        self.best.append(min(exact, self.best[-1] if self.best else np.inf))
        seen = exact + self.noise * self.random.standard_normal()
        if seen < self.least:
            self.least, self.looked = seen, exact
        return seen


def run_random(f, d, q, seed, noise):
    random = np.random.default_rng(seed)
    while True:
        f(random.uniform(-5, 5, d))


def run_tpe(f, d, q, seed, noise):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=q > 1))
    space = {f"x{i}": optuna.distributions.FloatDistribution(-5, 5) for i in range(d)}
    while True:
        trials = [study.ask(space) for _ in range(q)]
        for trial in trials:
            study.tell(trial, f(np.array([trial.params[k] for k in space])))


def run_cma(f, d, q, seed, noise):
    """CMA-ES with restarts of doubled populations (Auger and Hansen 2005)."""
    import cmaes
    random, doubled = np.random.default_rng(seed), 1
    while True:
        size = max(q, doubled * (4 + int(3 * np.log(d))))
        cma = cmaes.CMA(random.uniform(-5, 5, d) if doubled > 1 else np.zeros(d), 2.0, np.array([[-5, 5]] * d),
                        seed=int(random.integers(1 << 30)), population_size=size)
        while not cma.should_stop():
            cma.tell([(x, f(x)) for x in (cma.ask() for _ in range(size))])
        doubled *= 2


def run_bobyqa(f, d, q, seed, noise, middle=True):
    """Powell's method from the middle, then from random points."""
    import nlopt
    random = np.random.default_rng(seed)
    start = np.zeros(d) if middle else random.uniform(-5, 5, d)
    while True:
        opt = nlopt.opt(nlopt.LN_BOBYQA, d)
        opt.set_lower_bounds(-5)
        opt.set_upper_bounds(5)
        opt.set_min_objective(lambda x, _: f(x))
        opt.set_xtol_abs(1e-7)
        opt.set_initial_step(2.0)
        opt.set_maxeval(f.budget - len(f.best))
        try:
            opt.optimize(start)
        except (nlopt.RoundoffLimited, RuntimeError):
            pass  # the points so far are kept
        if len(f.best) == f.budget:
            raise Exhausted
        start = random.uniform(-5, 5, d)


PUBLIC = {"random": run_random, "tpe": run_tpe, "cma": run_cma, "bobyqa": run_bobyqa,
          "bobyqa-anywhere": functools.partial(run_bobyqa, middle=False)}


def run_gannet(name, f, d, q, seed, noise):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/python"))
    import gannet
    method, *settings = name.split("+")
    settings = dict(s.split("=", 1) for s in settings)
    optimizer = gannet.Optimizer({f"x{i}": (-5, 5) for i in range(d)}, seed=seed, settings={"method": method, **settings},
                                 noise=None)
    while len(f.best) < f.budget:
        for point in optimizer.ask(min(q, f.budget - len(f.best))):
            optimizer.tell(point, f(point.x))
    if noise:
        f.recommended = float(f.value(optimizer.recommend()[0].x))


def minimise(name, f, d, q, seed, noise=None):
    """Spend the budget of f with an optimiser of this file or a method of gannet."""
    try:
        PUBLIC.get(name, functools.partial(run_gannet, name))(f, d, q, seed, noise)
    except Exhausted:
        pass


def one_run(task):
    name, d, number, instance, evaluations, q, noise = task
    value = bbob.function(number, d, instance)
    random = np.random.default_rng(1)
    spread = np.std([value(random.uniform(-5, 5, d)) for _ in range(1000)]) if noise else 0
    seed = 1000 * instance + number
    f = Counter(value, evaluations * d, noise * spread, seed)
    began = time.process_time()
    minimise(name, f, d, q, seed, noise)
    seconds = time.process_time() - began
    hits = [int(np.argmax(np.array(f.best) <= t)) + 1 if f.best[-1] <= t else 0 for t in TARGETS]
    recommended = f.looked if f.recommended is None else f.recommended
    return [name, d, number, instance, evaluations, q, noise, 1000 * seconds / len(f.best), f.best[-1], *hits, f.looked,
            recommended]


def area(hits, budget):
    """Of a row of hits, 0 = never: mean over log(evaluations) of the share of targets reached."""
    reached = np.array([np.log(budget / h) if h else 0 for h in hits])
    return np.mean(reached) / np.log(budget)


def read(path):
    rows = {}
    if path.exists():
        for row in csv.reader(path.open()):
            name, d, number, instance, evaluations, q, noise = row[:7]
            key = (name, int(d), int(number), int(instance), int(evaluations), int(q), float(noise))
            rows[key] = [float(v) for v in row[7:]]
    return rows


def tell_reported(of, optimisers, cases):
    """Of runs that know them."""
    print("\n| optimiser | best evaluated | least value seen | recommended |\n|---|---|---|---|")
    depth = {n: np.log10(np.clip([[of[n][c][k] for k in (1, -2, -1)] for c in cases], 1e-8, 1e8)) for n in optimisers}
    for n in optimisers:
        gain = depth[n] - depth[optimisers[0]]
        error = np.std(gain, axis=0, ddof=1) / np.sqrt(len(cases)) if len(cases) > 1 else np.full(3, np.nan)
        print(f"| {n} |", " | ".join(f"{np.mean(depth[n][:, k]):.2f} ({np.mean(gain[:, k]):+.2f} ± {error[k]:.2f})"
                                     for k in range(3)), "|")


def tell(rows, optimisers, d, evaluations, q, noise, variables=None):
    """variables: of a problem by its number, where they differ."""
    of = {n: {k[2:4]: r for k, r in rows.items() if k[0] == n and k[1] == d and k[4:] == (evaluations, q, noise)}
          for n in optimisers}
    cases = sorted(set.intersection(*(set(c) for c in of.values())))
    if not cases:
        return
    budget = {c: evaluations * (variables(c[0]) if variables else d) for c in cases}
    areas = {n: np.array([area(of[n][c][2:53], budget[c]) for c in cases]) for n in optimisers}
    size = f"{d} variables, {evaluations * d} evaluations" if d else f"own variables, {evaluations} evaluations for each"
    print(f"\n{size}, q = {q}, noise {noise}, {len(cases)} runs\n")
    print("| optimiser | share | gain | ms per point |\n|---|---|---|---|")
    for n in optimisers:
        gain = areas[n] - areas[optimisers[0]]
        error = np.std(gain, ddof=1) / np.sqrt(len(cases)) if len(cases) > 1 else np.nan
        print(f"| {n} | {np.mean(areas[n]):.3f} | {np.mean(gain):+.3f} ± {error:.3f} "
              f"| {np.median([of[n][c][0] for c in cases]):.1f} |")
    earliest = [[min((of[n][c][2 + t] for n in optimisers if of[n][c][2 + t]), default=0) for t in range(51)]
                for c in cases]
    print(f"| oracle | {np.mean([area(h, budget[c]) for h, c in zip(earliest, cases)]):.3f} | | |")
    if noise and all(len(of[n][c]) == 55 for n in optimisers for c in cases):
        tell_reported(of, optimisers, cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--optimisers", default="gp-logei-warped,auto,tpe,cma,bobyqa,random")
    parser.add_argument("--dimensions", default="2,5")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--functions", default=",".join(map(str, range(1, 25))))
    parser.add_argument("--evaluations-per-d", type=int, default=20)
    parser.add_argument("--q", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0, help="times the standard deviation over the box")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("public.csv"))
    parser.add_argument("--detail", action="store_true", help="a line per function too")
    a = parser.parse_args()
    names, dimensions = a.optimisers.split(","), [int(v) for v in a.dimensions.split(",")]
    tasks = [(n, d, int(k), int(i), a.evaluations_per_d, a.q, a.noise) for d in dimensions
             for i in a.instances.split(",") for k in a.functions.split(",") for n in names]
    rows = read(a.results)
    tasks = [t for t in tasks if t not in rows]
    with multiprocessing.get_context("spawn").Pool(a.processes) as pool, a.results.open("a") as out:
        for row in pool.imap(one_run, tasks):
            csv.writer(out).writerow(row)
            out.flush()
    rows = read(a.results)
    for d in dimensions:
        tell(rows, names, d, a.evaluations_per_d, a.q, a.noise)
        if a.detail:
            for k in a.functions.split(","):
                shares = [np.mean([area(r[2:53], a.evaluations_per_d * d) for key, r in rows.items()
                                   if key[:3] == (n, d, int(k)) and key[4:] == (a.evaluations_per_d, a.q, a.noise)])
                          for n in names]
                print(f"{bbob.NAMES[int(k) - 1]:22s}", *(f"{s:.3f}" for s in shares))


if __name__ == "__main__":
    main()
