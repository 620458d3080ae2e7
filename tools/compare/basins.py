#!/usr/bin/env python3
"""How often methods of gannet end in a wrong basin: smooth functions of few variables with few minima.

    tools/compare/basins.py --methods auto,auto+transform=log,gp-ei --instances 1-20 --evaluations 30,60,120

Settings of a method stand behind plus signs. Every run draws its function at random, by family and instance. Prints,
for each method and family, how many runs were more than one per cent of the function's spread (upper quartile over the
box minus minimum) above its minimum after so many evaluations, and the mean decimal logarithm of that regret, at least
1e-10. Needs numpy and python3-scipy, which finds the minima; the library is found as src/python/gannet/__init__.py says.
"""
import argparse
import multiprocessing
import pathlib
import sys

import numpy as np
from scipy.optimize import minimize

AWAY, LEAST = 0.01, 1e-10


def waves(random, d):
    """A bowl and a product of two waves."""
    centre, weight = random.uniform(.2, .8, d), random.uniform(.1, 2, d)
    number, phase, height = random.uniform(5, 10, 2), random.uniform(0, 2 * np.pi, 2), random.uniform(.2, .5)
    i, j = random.permutation(d)[:2]
    return lambda x: (weight @ (x - centre) ** 2
                      + height * np.sin(number[0] * x[i] + phase[0]) * np.sin(number[1] * x[j] + phase[1]))


def wells(random, d):
    """Wells of different depths and widths in a plain that is a little inclined."""
    n = d + 2
    centre, width = random.uniform(.05, .95, (n, d)), random.uniform(.1, .3, (n, d))
    depth, slope = np.append(1, random.uniform(.5, .9, n - 1)), .1 * random.normal(size=d)
    return lambda x: slope @ x - depth @ np.exp(-.5 * np.sum(((x - centre) / width) ** 2, 1))


def two(random, d):
    """A wide basin, and elsewhere a deeper one of a third of its width."""
    wide = random.uniform(.3, .7, d)
    deep = np.where(wide < .5, random.uniform(.8, .9, d), random.uniform(.1, .2, d))
    return lambda x: (-np.exp(-.5 * np.sum((x - wide) ** 2) / .25 ** 2)
                      - 1.3 * np.exp(-.5 * np.sum((x - deep) ** 2) / .08 ** 2))


def ripples(random, d):
    """A rotated bowl of unequal curvatures and three waves."""
    rotation, _ = np.linalg.qr(random.normal(size=(d, d)))
    centre, curvature = random.uniform(.2, .8, d), 10 ** random.uniform(-1, 1, d)
    number, height, phase = 5 * random.normal(size=(3, d)), random.uniform(.1, .4, 3), random.uniform(0, 2 * np.pi, 3)
    return lambda x: curvature @ (rotation @ (x - centre)) ** 2 + height @ np.sin(number @ x + phase)


def powers(random, d):
    """Losses that grow and fall by decades, one of which has two minima."""
    exponent, shift = random.normal(size=(2 * d, d)) * random.uniform(1, 4, (2 * d, 1)), random.normal(size=2 * d)
    centre = random.uniform(.1, .9, d)

    def value(x):
        decades = exponent @ (x - centre) + shift
        return np.sum(10 ** decades) + np.sum(10 ** -decades) * (.3 + np.sin(4 * x[0]) ** 2)

    return value


def bumps(random, d):
    """An ill-conditioned bowl with waves along other axes, least where both are."""
    (rotation, _), (axes, _) = np.linalg.qr(random.normal(size=(d, d))), np.linalg.qr(random.normal(size=(d, d)))
    centre, curvature = random.uniform(.15, .85, d), 1e5 ** (np.arange(d) / (d - 1))

    def value(x):
        return curvature @ (rotation @ (x - centre)) ** 2 + 20 * np.sum(1 - np.cos(30 * axes @ (x - centre)))

    value.minimum = centre
    return value


FAMILIES = {"waves": (waves, 2, 3), "wells": (wells, 2, 3, 5), "two": (two, 2, 3), "ripples": (ripples, 3, 5),
            "powers": (powers, 3, 5), "bumps": (bumps, 3, 5)}


def make(family, d, instance):
    return FAMILIES[family][0](np.random.default_rng([instance, d, *family.encode()]), d)


def minimum_and_spread(f, d):
    points = np.random.default_rng(0).uniform(size=(10000, d))
    values = np.array([f(x) for x in points])
    starts = [*points[np.argsort(values)[:40]], *([f.minimum] if hasattr(f, "minimum") else [])]
    best = min(minimize(f, x, bounds=[(0, 1)] * d, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10}).fun
               for x in starts)
    return best, np.quantile(values, .75) - best


def run(task):
    """The relative regrets of one run at the evaluations that are looked at."""
    import gannet
    method, family, d, instance, q, looked = task
    name, *settings = method.split("+")
    f = make(family, d, instance)
    least, spread = minimum_and_spread(f, d)
    best = []
    with gannet.Optimizer({f"x{k}": (0, 1) for k in range(d)}, method=name, seed=instance,
                          settings=dict(s.split("=") for s in settings)) as optimizer:
        while len(best) < max(looked):
            for point in optimizer.ask(q):
                value = float(f(np.array(list(point.values()))))
                optimizer.tell(point, value)
                best.append(min(value, best[-1] if best else np.inf))
    return [max((best[n - 1] - least) / spread, LEAST) for n in looked]


def print_row(name, regrets):
    away, logs = (regrets > AWAY).sum(0), np.log10(regrets).mean(0)
    print(f"| {name} | {len(regrets)} |", ", ".join(map(str, away)), "|", ", ".join(f"{v:.1f}" for v in logs), "|",
          flush=True)


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="auto,gp-ei", help="of gannet, with settings after plus signs")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--instances", type=numbers, default=range(1, 11), help="first-last; seeds too")
    parser.add_argument("--evaluations", default="30,60,120", help="after which the best value is looked at")
    parser.add_argument("--q", type=int, default=1, help="points per batch")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    looked = [int(n) for n in given.evaluations.split(",")]
    unknown = set(given.families.split(",")) - set(FAMILIES)
    if unknown:
        parser.error(f"no family '{unknown.pop()}'; there are {', '.join(FAMILIES)}")
    print(f"| method, family | runs | away after {given.evaluations} | mean log10 of the regret |\n|---|---|---|---|")
    with multiprocessing.Pool(given.processes) as pool:
        for method in given.methods.split(","):
            rows = []
            for family in given.families.split(","):
                tasks = [(method, family, d, i, given.q, looked) for d in FAMILIES[family][1:] for i in given.instances]
                rows.append(np.array(pool.map(run, tasks, 1)))
                print_row(f"{method}, {family}", rows[-1])
            print_row(f"**{method}**", np.concatenate(rows))


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "python"))
    main()
