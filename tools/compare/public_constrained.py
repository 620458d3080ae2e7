#!/usr/bin/env python3
"""Compare methods of gannet with public optimisers on the problems with constraints of constrained.py.

    tools/compare/public_constrained.py --optimisers auto,cobyla,slsqp,cma,tpe,random --part development --dimensions 2,5

As public.py, whose measure, table and file of results it shares, with these differences: only feasible points count,
every constraint being kept within 1e-8 of its median size over the box; 0 among the dimensions stands for the problems
that have a number of variables of their own; optimisers that know no batches get one point at a time. Constraints come
with the objective, for one evaluation. slsqp spends D more evaluations on each gradient (forward differences).
Needs besides python3-scipy (scipy-cobyla, slsqp).
"""
import argparse
import csv
import functools
import multiprocessing
import pathlib
import sys
import time

import numpy as np

import constrained
import public
from public import Exhausted, TARGETS


class Counter:
    """The simulation as an optimiser sees it: value and constraints; the last is not simulated again."""

    def __init__(self, problem, budget, noise, seed):
        self.problem, self.budget, self.d, self.count = problem, budget, problem.dimension, problem.count
        self.random, self.best, self.last = np.random.default_rng(seed), [], (None, None)
        self.noise = noise * self._spread() if noise else np.zeros(1 + self.count)

    def _spread(self):
        sample = [self.problem(u) for u in np.random.default_rng(1).uniform(-5, 5, (1000, self.d))]
        return np.std([np.concatenate(([value], c)) for value, c in sample], axis=0)

    def __call__(self, u):
        u = np.clip(u, -5, 5)
        if self.last[0] is not None and np.array_equal(u, self.last[0]):
            return self.last[1]
        if len(self.best) == self.budget:
            raise Exhausted
        value, c = self.problem(u)
        feasible = np.all(c <= self.problem.tolerance)
        self.best.append(min(value if feasible else np.inf, self.best[-1] if self.best else np.inf))
        seen = np.concatenate(([value], c)) + self.noise * self.random.standard_normal(1 + self.count)
        self.last = u.copy(), (float(seen[0]), seen[1:])
        return self.last[1]


def run_random(f, q, seed):
    random = np.random.default_rng(seed)
    while True:
        f(random.uniform(-5, 5, f.d))


def run_tpe(f, q, seed):
    """Optuna's, with constraints (c-TPE in spirit: infeasible trials are the worse group)."""
    import warnings

    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=q > 1,
                                         constraints_func=lambda t: t.user_attrs["c"])
    study = optuna.create_study(sampler=sampler)
    space = {f"x{i}": optuna.distributions.FloatDistribution(-5, 5) for i in range(f.d)}
    while True:
        for trial in [study.ask(space) for _ in range(q)]:
            value, c = f(np.array([trial.params[k] for k in space]))
            trial.set_user_attr("c", [float(v) for v in c])
            study.tell(trial, value)


def run_cma(f, q, seed):
    """CMA-ES with restarts of doubled populations, ranked by Deb's rules: feasible ones by value, before all others by
    summed violation, each constraint in units of its mean size so far."""
    import cmaes
    random, doubled, sizes, seen = np.random.default_rng(seed), 1, np.zeros(f.count), 0
    while True:
        size = max(q, doubled * (4 + int(3 * np.log(f.d))))
        cma = cmaes.CMA(random.uniform(-5, 5, f.d) if doubled > 1 else np.zeros(f.d), 2.0, np.array([[-5, 5]] * f.d),
                        seed=int(random.integers(1 << 30)), population_size=size)
        while not cma.should_stop():
            points = [cma.ask() for _ in range(size)]
            values, c = zip(*(f(x) for x in points))
            sizes, seen = sizes + np.sum(np.abs(c), axis=0), seen + size
            violation = np.sum(np.maximum(c, 0) / (sizes / seen + 1e-300), axis=1)
            order = np.lexsort((values, violation))
            cma.tell([(points[i], float(rank)) for rank, i in enumerate(order)])
        doubled *= 2


def _nlopt(f, name, start, inner=None):
    import nlopt
    opt = nlopt.opt(getattr(nlopt, name), f.d)
    opt.set_lower_bounds(-5)
    opt.set_upper_bounds(5)
    opt.set_min_objective(lambda x, _: f(x)[0])
    for k in range(f.count):
        opt.add_inequality_constraint(lambda x, _, k=k: float(f(x)[1][k]), f.problem.tolerance[k])
    if inner:
        local = nlopt.opt(getattr(nlopt, inner), f.d)
        local.set_xtol_abs(1e-7)
        local.set_initial_step(2.0)
        opt.set_local_optimizer(local)
    opt.set_xtol_abs(1e-9)
    opt.set_initial_step(2.0)
    opt.set_maxeval(100 * f.budget)
    try:
        opt.optimize(start)
    except (nlopt.RoundoffLimited, RuntimeError, ValueError):
        pass  # the points so far are kept


def _scipy(f, method, start):
    from scipy.optimize import minimize
    options = {"COBYLA": {"rhobeg": 2.0, "tol": 1e-9, "maxiter": 100 * f.budget}, "SLSQP": {"ftol": 1e-12, "eps": 1e-6}}
    kept = [{"type": "ineq", "fun": lambda x: -f(x)[1]}]
    inside = {"SLSQP": {"bounds": [(-5, 5)] * f.d}}.get(method, {})
    if method == "COBYLA":
        kept.append({"type": "ineq", "fun": lambda x: np.concatenate((x + 5, 5 - x))})
    minimize(lambda x: f(x)[0], start, method=method, constraints=kept, options=options[method], **inside)


def restarted(search, f, q, seed):
    """From the middle, then from random points."""
    random, start = np.random.default_rng(seed), np.zeros(f.d)
    while True:
        before = len(f.best)
        search(f, start)
        start = random.uniform(-5, 5, f.d)
        if len(f.best) == before:
            f(start)


PUBLIC = {"random": run_random, "tpe": run_tpe, "cma": run_cma,
          "cobyla": functools.partial(restarted, lambda f, x: _nlopt(f, "LN_COBYLA", x)),
          "auglag-bobyqa": functools.partial(restarted, lambda f, x: _nlopt(f, "LN_AUGLAG", x, "LN_BOBYQA")),
          "isres": functools.partial(restarted, lambda f, x: _nlopt(f, "GN_ISRES", x)),
          "scipy-cobyla": functools.partial(restarted, lambda f, x: _scipy(f, "COBYLA", x)),
          "slsqp": functools.partial(restarted, lambda f, x: _scipy(f, "SLSQP", x))}


def run_gannet(name, f, q, seed):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/python"))
    import gannet
    method, *settings = name.split("+")
    settings = dict(s.split("=", 1) for s in settings)
    settings.pop("build", None)  # tells results of different programs apart
    optimizer = gannet.Optimizer({f"x{i}": (-5, 5) for i in range(f.d)}, {f"c{k}": (None, 0) for k in range(f.count)},
                                 seed=seed, settings={"method": method, **settings}, noise=None)
    while True:
        points = optimizer.ask(min(q, f.budget - len(f.best)) or 1)
        for point in points:
            optimizer.tell(point, *f(point.x))


def one_run(task):
    name, d, number, instance, evaluations, q, noise = task
    problem = constrained.problem(constrained.NAMES[number], d, instance)
    seed = 1000 * instance + number
    f = Counter(problem, evaluations * problem.dimension, noise, seed)
    began = time.process_time()
    try:
        PUBLIC[name](f, q, seed) if name in PUBLIC else run_gannet(name, f, q, seed)
    except Exhausted:
        pass
    seconds = time.process_time() - began
    hits = [int(np.argmax(np.array(f.best) <= t)) + 1 if f.best[-1] <= t else 0 for t in TARGETS]
    return [name, d, number, instance, evaluations, q, noise, 1000 * seconds / len(f.best), f.best[-1], *hits]


def numbers(part, chosen):
    names = {"development": constrained.DEVELOPMENT, "judging": constrained.JUDGING}[part]
    return [constrained.NAMES.index(n) for n in (chosen.split(",") if chosen else names)]


def variables(number, d=0):
    return d or constrained.problem(constrained.NAMES[number], 0, 1).dimension


def tell_details(rows, a, names, d):
    for k in numbers(a.part, a.problems):
        found = [[(public.area(r[2:], a.evaluations_per_d * variables(k, d)), r[1]) for key, r in rows.items()
                  if key[:3] == (n, d, k) and key[4:] == (a.evaluations_per_d, a.q, a.noise)] for n in names]
        if all(found):
            print(f"{constrained.NAMES[k]:20s}",
                  *(f"{np.mean([s for s, _ in r]):.3f} {np.median([b for _, b in r]):8.1e}" for r in found), sep=" | ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--optimisers", default="auto,cobyla,slsqp,cma,tpe,random")
    parser.add_argument("--part", choices=("development", "judging"), default="development")
    parser.add_argument("--problems", help="by name, instead of all of the part")
    parser.add_argument("--dimensions", default="2,5,0")
    parser.add_argument("--instances", default="1,2")
    parser.add_argument("--evaluations-per-d", type=int, default=20)
    parser.add_argument("--q", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0, help="times the standard deviations over the box")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("public-constrained.csv"))
    parser.add_argument("--detail", action="store_true", help="shares and last regrets by problem too")
    a = parser.parse_args()
    names, dimensions = a.optimisers.split(","), [int(v) for v in a.dimensions.split(",")]
    tasks = [(n, d, k, int(i), a.evaluations_per_d, a.q, a.noise) for d in dimensions for i in a.instances.split(",")
             for k in numbers(a.part, a.problems) if constrained.has(constrained.NAMES[k], d) for n in names]
    rows = public.read(a.results)
    tasks = [t for t in tasks if t not in rows]
    with multiprocessing.get_context("spawn").Pool(a.processes) as pool, a.results.open("a") as out:
        for row in pool.imap(one_run, tasks):
            csv.writer(out).writerow(row)
            out.flush()
    rows, chosen = public.read(a.results), set(numbers(a.part, a.problems))
    rows = {k: r for k, r in rows.items() if k[2] in chosen and str(k[3]) in a.instances.split(",")}
    for d in dimensions:
        public.tell(rows, names, d, a.evaluations_per_d, a.q, a.noise, None if d else variables)
        if a.detail:
            tell_details(rows, a, names, d)


if __name__ == "__main__":
    main()
