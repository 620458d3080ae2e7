#!/usr/bin/env python3
"""How methods of gannet get on where simulations cannot work, whatever these return there.

    tools/compare/penalties.py --methods auto,auto+penalties=no --instances 1-16

Settings of a method stand behind plus signs. A rotated bowl has its minimum near a border behind which the simulation
diverges; the last three families have equal values that are no penalties. For every family and instance a function is
drawn. Prints the mean decimal logarithm of the best value so far, which is at least 1e-8 and at most 100, after so many
evaluations. Needs numpy and what basins.py does; the library is found as src/python/gannet/__init__.py says.
"""
import argparse
import multiprocessing
import pathlib
import sys

import numpy as np

from basins import numbers

LEAST, MOST = 1e-8, 100
PENALTY = 1e6


def bowl(random, d):
    rotation, _ = np.linalg.qr(random.normal(size=(d, d)))
    centre, curvature = random.uniform(.15, .85, d), 10 ** np.linspace(0, 1, d)
    return (lambda x: float(curvature @ (rotation @ (x - centre)) ** 2)), centre


def planes(random, centre, n, inside):
    normal = random.normal(size=(n, len(centre)))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return lambda x: normal @ (x - centre) + inside


def corner(random, returned):
    """Works on one side of two planes; in most of a box of four variables it does not."""
    f, centre = bowl(random, 4)
    side = planes(random, centre, 2, random.uniform(.02, .2, 2))
    return 4, (), lambda x: (f(x), ()) if (side(x) > 0).all() else returned(x, f(x))


def ball(random, returned):
    """Works in a ball of radius 0.3 in three variables."""
    f, centre = bowl(random, 3)
    middle = np.clip(centre + random.normal(size=3) * .07, 0, 1)
    return 3, (), lambda x: (f(x), ()) if np.linalg.norm(x - middle) < .3 else returned(x, f(x))


def constraint(random, returned):
    """A measured constraint, where it is violated a penalty, too."""
    f, centre = bowl(random, 4)
    side = planes(random, centre, 1, .05)
    return 4, ("g",), lambda x: (f(x) if side(x)[0] > 0 else PENALTY, -side(x))


def both(random, returned):
    """A measured constraint, and a plane behind which constraint and objective are the same penalty."""
    f, centre = bowl(random, 4)
    side, end = planes(random, centre, 1, .05), planes(random, centre, 1, .1)
    return 4, ("g",), lambda x: (f(x), -side(x)) if end(x)[0] > 0 else (PENALTY, np.array([PENALTY]))


def holes(random, returned):
    """A plain with a hole, and elsewhere a shallower one that is wider."""
    centre = random.uniform(.1, .9, (2, 3))
    return 3, (), lambda x: (float(min(1, np.sum((x - centre[0]) ** 2) / .04,
                                       .2 + np.sum((x - centre[1]) ** 2) / .09)), ())


def capped(random, returned):
    """A bowl that is never above 0.6."""
    f, _ = bowl(random, 4)
    return 4, (), lambda x: (min(f(x), .6), ())


def steps(random, returned):
    """A bowl in steps of a quarter, and of a hundredth below a tenth."""
    f, _ = bowl(random, 4)
    return 4, (), lambda x: (float(np.floor(f(x) * (step := 100 if f(x) < .1 else 4)) / step), ())


FAMILIES = {
    "corner, 1e6": (corner, lambda x, value: (PENALTY, ())),
    "corner, 20": (corner, lambda x, value: (20., ())),
    "corner, 1e6 or 1e8": (corner, lambda x, value: (PENALTY if x[0] < .5 else 1e8, ())),
    "corner, not a number": (corner, lambda x, value: (np.nan, ())),
    "corner, cannot run": (corner, lambda x, value: None),
    "corner, 1e6 (1 + sum of x)": (corner, lambda x, value: (PENALTY * (1 + x.sum()), ())),
    "corner, 1000 more": (corner, lambda x, value: (value + 1e3, ())),
    "corner, 10 000 times one more": (corner, lambda x, value: (1e4 * (1 + value), ())),
    "ball, 1e6": (ball, lambda x, value: (PENALTY, ())),
    "ball, cannot run": (ball, lambda x, value: None),
    "constraint, 1e6": (constraint, None),
    "constraint and penalty": (both, None),
    "two holes in a plain": (holes, None),
    "capped bowl": (capped, None),
    "steps": (steps, None),
}


def run(task):
    """Best values at the evaluations that are looked at."""
    import gannet
    method, family, instance, q, looked = task
    name, *settings = method.split("+")
    make, returned = FAMILIES[family]
    d, constraints, simulate = make(np.random.default_rng([instance, *make.__name__.encode()]), returned)
    best = []
    with gannet.Optimizer({f"x{k}": (0, 1) for k in range(d)}, {g: (None, 0) for g in constraints}, method=name,
                          seed=instance, settings=dict(s.split("=") for s in settings)) as optimizer:
        while len(best) < max(looked):
            for point in optimizer.ask(q):
                result = simulate(np.array(list(point.values())))
                if result is None:
                    optimizer.tell(point)
                else:
                    optimizer.tell(point, result[0], list(map(float, result[1])) if constraints else None)
                sound = result is not None and result[0] < MOST and all(g <= 0 for g in result[1])
                best.append(min(result[0] if sound else MOST, best[-1] if best else MOST))
    return [np.log10(max(best[n - 1], LEAST)) for n in looked]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="auto,auto+penalties=no", help="of gannet, with settings after plus signs")
    parser.add_argument("--instances", type=numbers, default=range(1, 17), help="first-last; seeds too")
    parser.add_argument("--evaluations", default="20,40,60,80", help="after which the best value is looked at")
    parser.add_argument("--q", type=int, default=4, help="points per batch")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    looked, methods = [int(n) for n in given.evaluations.split(",")], given.methods.split(",")
    print(f"log10 of the best value after {given.evaluations}\n\n| | {' | '.join(methods)} |\n|---|{'---|' * len(methods)}")
    with multiprocessing.Pool(given.processes) as pool:
        for family in FAMILIES:
            tasks = [(m, family, i, given.q, looked) for m in methods for i in given.instances]
            found = np.array(pool.map(run, tasks, 1)).reshape(len(methods), -1, len(looked)).mean(1)
            print(f"| {family} |", " | ".join(", ".join(f"{v:.1f}" for v in row) for row in found), "|", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "python"))
    main()
