#!/usr/bin/env python3
"""Compare methods of gannet on problems with categories whose best values of the other variables differ from category to
category.

    tools/compare/categories.py --methods auto,gp-warped,random --seeds 1,2,3

Eleven families, of which every seed makes another problem: choices of a solver with its parameters, laminates, reals in
other basins by category, categories alone that interact, booleans, a category beside a valley. Needs numpy; the library
is found as src/python/gannet/__init__.py says. --save keeps the courses in a file, and --against takes those of another version
from one, which come first.

Prints the mean over problems of the decimal logarithm of the gap to the best value that any of the courses found (as a
share of the gap after six evaluations, at least 1e-4): over log(evaluations), and at the end; in brackets the difference
to the first course with its standard error; the share of runs within 10^-2.5; and the gap at the end by families.
"""
import argparse
import json
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/python"))
import gannet  # noqa: E402

LETTERS = "abcdefghij"
ANGLES = [0, math.pi / 4, -math.pi / 4, math.pi / 2]


def letters(n):
    return list(LETTERS[:n])


def at(point, *names):
    return [LETTERS.index(point[name]) for name in names]


def numbers(point, name, n):
    return np.array([float(point[f"{name}{i}"]) for i in range(n)])


def regimes(random):
    """Categories that shift the best reals and integers, and rare combinations with a penalty."""
    shift, offset, third = random.uniform(-1.5, 1.5, (4, 3)), random.uniform(0, 1.5, 4), random.uniform(0, 0.6, 3)
    flag, slope = random.uniform(-0.4, 0.4), random.uniform(0.2, 0.5)
    k, m = random.integers(3, 17), random.integers(1, 8)
    penalty = random.uniform(0, 1, (4, 3)) * (random.uniform(size=(4, 3)) < 0.2)

    def value(p):
        s, t = at(p, "s", "t")
        reals = np.sum((numbers(p, "x", 3) - shift[s]) ** 2) + (math.log10(p["d"]) + 2.3 + slope * t) ** 2
        integers = 0.02 * (p["k"] - (k + 3 * p["w"])) ** 2 + 0.1 * abs(p["m"] - m - t)
        return reals + integers + offset[s] + third[t] + (0 if p["w"] else flag) + penalty[s, t]
    return {**{f"x{i}": (-2, 2) for i in range(3)}, "d": (1e-4, 1, "log"), "k": gannet.integer(1, 20),
            "m": gannet.integer(0, 10), "s": letters(4), "t": letters(3), "w": bool}, 120, value


def interacting(random):
    """Eight categories in groups of three (Kauffman's NK landscapes)."""
    table = random.uniform(0, 1, (8, 4, 4, 4))

    def value(p):
        v = at(p, *(f"c{i}" for i in range(8)))
        return sum(table[i, v[i], v[(i + 1) % 8], v[(i + 3) % 8]] for i in range(8)) / 8
    return {f"c{i}": letters(4) for i in range(8)}, 100, value


def additive(random):
    """Six categories that act nearly one by one, beside two reals."""
    table, pairs, (x, y) = random.uniform(0, 1, (6, 5)), random.uniform(0, 1, (6, 6, 5, 5)), random.uniform(0.1, 0.9, 2)

    def value(p):
        v = at(p, *(f"c{i}" for i in range(6)))
        alone = sum(table[i, v[i]] for i in range(6))
        together = sum(pairs[i, j, v[i], v[j]] for i in range(6) for j in range(i))
        return alone + 0.07 * together + 2 * (p["x"] - x) ** 2 + 2 * (p["y"] - y - 0.02 * v[0]) ** 2
    return {**{f"c{i}": letters(5) for i in range(6)}, "x": (0, 1), "y": (0, 1)}, 100, value


def solver(random):
    """The logarithm of a linear solver's time: method, preconditioner, ordering, and their parameters."""
    pairs, orders = random.normal(0, 0.5, (4, 5)), random.uniform(0, 0.4, (5, 3))
    relaxation, levels, restart, drop = (random.uniform(0.8, 1.2), random.integers(2, 6), random.uniform(3, 5),
                                         random.uniform(2, 4))

    def value(p):
        method, kind, order = at(p, "method", "kind", "order")
        steps = math.exp(1 + pairs[method, kind] + orders[kind, order])
        steps *= 1 + 3 * (p["relaxation"] - relaxation - 0.15 * kind) ** 2
        steps *= 1 + 0.3 * (math.log2(p["restart"]) - restart - method / 2) ** 2 * (method < 2)
        steps *= 1 + 0.125 * (p["levels"] - levels - kind % 2) ** 2 * (kind >= 2)
        steps *= 1 + 0.1 * (math.log10(p["drop"]) + drop + method / 2) ** 2
        return math.log(steps * (0.5 + 0.1 * kind + 0.08 * p["levels"] * (kind >= 2)
                                 + 0.002 * p["restart"] * (method < 2)))
    return dict(method=letters(4), kind=letters(5), order=letters(3), relaxation=(0.5, 2),
                restart=gannet.integer(2, 200), levels=gannet.integer(1, 8), drop=(1e-6, 1e-1, "log")), 120, value


def shifts(random):
    """One category of six, each with a bowl of its own."""
    place, offset, steep = random.uniform(-0.8, 0.8, (6, 4)), random.uniform(0, 1, 6), np.array([1, 3, 9, 27])

    def value(p):
        c, = at(p, "c")
        return offset[c] + np.sum(steep * (numbers(p, "x", 4) - place[c]) ** 2)
    return {"c": letters(6), **{f"x{i}": (-1, 1) for i in range(4)}}, 100, value


def valleys(random):
    """Two categories that move and raise a curved valley."""
    first, second = random.uniform(0, 0.7, 3), random.uniform(0, 0.5, 3)
    both, (sx, sy, sz) = random.uniform(0, 0.6, (3, 3)), random.uniform(-0.3, 0.3, 3)

    def value(p):
        a, b = at(p, "a", "b")
        x, y, z = p["x"] - sx * a, p["y"] - sy * b, p["z"] - sz * a * b
        return 10 * (y - x * x) ** 2 + (1 - x) ** 2 + z * z + first[a] + second[b] + both[a, b]
    return dict(a=letters(3), b=letters(3), x=(-2, 2), y=(-1, 3), z=(-1, 1)), 100, value


def binary(random):
    """A quadratic function of twenty booleans."""
    matrix = random.normal(0, 1, (20, 20)) / 10

    def value(p):
        v = numbers(p, "b", 20)
        return v @ matrix @ v
    return {f"b{i}": bool for i in range(20)}, 150, value


def waves(random):
    """One category of ten, each with a wavy bowl of its own."""
    offset, place, wave = random.uniform(0, 1, 10), random.uniform(0.1, 0.9, (10, 2)), random.uniform(6, 12)

    def value(p):
        c, = at(p, "c")
        x = numbers(p, "x", 2)
        return offset[c] + 4 * np.sum((x - place[c]) ** 2) + 0.3 * np.prod(np.sin(wave * x))
    return {"c": letters(10), "x0": (0, 1), "x1": (0, 1)}, 80, value


def laminate(random):
    """Angles of six plies and a thickness for wanted lamination parameters."""
    wanted, thickness = random.uniform(-0.5, 0.5, 3), random.uniform(0, 1)

    def value(p):
        plies = [ANGLES[i] for i in at(p, *(f"l{i}" for i in range(6)))]
        bending = [sum(math.cos(2 * k * a) * ((i + 1) ** 3 - i ** 3) for i, a in enumerate(plies)) / 216 for k in (1, 2)]
        plane = sum(math.cos(2 * a) for a in plies) / 6
        alike = sum(plies[i] == plies[i + 1] for i in range(5))
        return (20 * np.sum((np.array([*bending, plane]) - wanted) ** 2)
                + 5 * (p["t"] - thickness - 0.2 * plane) ** 2 + 0.05 * alike)
    return {**{f"l{i}": letters(4) for i in range(6)}, "t": (0, 1)}, 100, value


def flags(random):
    """Four booleans beside a curved valley of five reals."""
    matrix, place = random.normal(0, 0.15, (4, 4)), random.uniform(-1, 1, 5)

    def value(p):
        v, x = numbers(p, "b", 4), numbers(p, "x", 5) - place
        valley = np.sum(10 * (x[1:] - x[:-1] ** 2) ** 2 + x[:-1] ** 2)
        return valley + v @ matrix @ v + 0.3 * v[0] * x[0] + 0.3 * v[1] * x[4] ** 2
    return {**{f"b{i}": bool for i in range(4)}, **{f"x{i}": (-2, 2) for i in range(5)}}, 120, value


def scales(random):
    """A category that scales and raises one rotated bowl of six reals."""
    scale, offset, place = random.uniform(1, 3, 5), random.uniform(0, 0.5, 5), random.uniform(-1, 1, 6)
    steep, turned = 10 ** random.uniform(0, 2, 6), np.linalg.qr(random.normal(size=(6, 6)))[0]

    def value(p):
        c, = at(p, "c")
        return scale[c] * np.sum(steep * (turned @ (numbers(p, "x", 6) - place)) ** 2) + offset[c]
    return {"c": letters(5), **{f"x{i}": (-2, 2) for i in range(6)}}, 150, value


FAMILIES = [regimes, interacting, additive, solver, shifts, valleys, binary, waves, laminate, flags, scales]


def course(family, seed, method, q):
    random = np.random.default_rng([seed, FAMILIES.index(family)])
    variables, budget, value = family(random)
    optimizer, found = gannet.Optimizer(variables, seed=seed, settings={"method": method}), []
    while len(found) < budget:
        for point in optimizer.ask(min(q, budget - len(found))):
            found.append(float(value(point)))
            optimizer.tell(point, found[-1])
    return np.minimum.accumulate(found).tolist()


def judge(courses):
    """courses [of each][budget] of one problem -> mean logarithm, last logarithm, whether it is near, of each."""
    courses = np.array(courses)
    budget, least = courses.shape[1], courses[:, -1].min()
    unit = max(np.median(courses[:, 5]) - least, 1e-300)
    gap = np.log10(np.clip((courses - least) / unit, 1e-4, 10))
    weight = np.diff(np.log(np.arange(1, budget + 1))) / np.log(budget)
    return np.column_stack([gap[:, :-1] @ weight, gap[:, -1], gap[:, -1] <= -2.5])


def tell(names, problems, judged):
    """judged [problems][courses][3]"""
    families = [family.__name__ for family in FAMILIES]
    print("| course | over log(evaluations) | at the end | near | " + " | ".join(families) + " |")
    print("|---" * (4 + len(families)) + "|")
    for i, name in enumerate(names):
        difference = judged[:, i] - judged[:, 0]
        error = np.std(difference, axis=0, ddof=1) / np.sqrt(len(judged))
        mean, change = judged[:, i].mean(axis=0), difference.mean(axis=0)
        ends = [np.mean([j[i, 1] for p, j in zip(problems, judged) if p.startswith(f)]) for f in families]
        print(f"| {name} | {mean[0]:.2f} ({change[0]:+.2f} ± {error[0]:.2f}) | {mean[1]:.2f} ({change[1]:+.2f} ± {error[1]:.2f}) "
              f"| {mean[2]:.2f} | " + " | ".join(f"{end:.2f}" for end in ends) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", default="auto,gp-warped,random")
    parser.add_argument("--seeds", default="1,2,3,4")
    parser.add_argument("--q", type=int, default=1)
    parser.add_argument("--save")
    parser.add_argument("--against")
    given = parser.parse_args()
    before = json.loads(pathlib.Path(given.against).read_text()) if given.against else {}
    seeds = [int(seed) for seed in given.seeds.split(",")]
    made = {method: {f"{family.__name__} {seed}": course(family, seed, method, given.q)
                     for family in FAMILIES for seed in seeds} for method in given.methods.split(",")}
    if given.save:
        pathlib.Path(given.save).write_text(json.dumps(made))
    courses = {**{f"before: {name}": found for name, found in before.items()}, **made}
    problems = [f"{family.__name__} {seed}" for family in FAMILIES for seed in seeds]
    tell(list(courses), problems, np.array([judge([found[p] for found in courses.values()]) for p in problems]))


if __name__ == "__main__":
    main()
