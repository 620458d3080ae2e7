#!/usr/bin/env python3
"""Check the functions of bbob.py: the published minimiser of an instance, minima of 0 at the places that their
definitions give, nothing below, and Rosenbrock's valley.

    check_bbob.py FOLDER    where bbob.py is; exit code 77 = numpy is not there
"""
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

sys.path.insert(0, sys.argv[1])
import bbob  # noqa: E402

# of instance 1 in two variables, as COCO prints it
SPHERE_1 = [0.2528, -1.1568]


def minimiser(number, d, instance):
    """From the definitions; an independent route to what the functions do with their parameters."""
    seed = {4: 3, 18: 17}.get(number, number) + 10000 * instance
    place, scale = bbob._place(d, seed), max(1, np.sqrt(d) / 8)
    if number == 4:
        return np.where(np.arange(d) % 2 == 0, np.abs(place), place)
    if number == 5:
        return np.where(place > 0, 5.0, -5.0)
    if number == 8:
        return 0.75 * place
    if number in (9, 19):
        return bbob._rotation(d, seed).T @ np.full(d, 0.5 / scale)
    if number == 12:
        return bbob._place(d, seed + 1000000)
    if number == 20:
        return np.where(bbob._uniform(d, seed) > 0.5, 1, -1) * 2.10484373165
    if number in (21, 22):
        peaks, spread, corner = (101, 10, 0.8) if number == 21 else (21, 9.8, 1.0)
        return (spread * bbob._uniform(d * peaks, seed)[:d] - spread / 2) * corner
    if number == 24:
        return np.where(bbob._normal(d, seed) < 0, -1.25, 1.25)
    return place


def main():
    assert np.allclose(minimiser(1, 2, 1), SPHERE_1), minimiser(1, 2, 1)
    random = np.random.default_rng(1)
    for d in (2, 5, 11):
        rotation = bbob._rotation(d, 7)
        assert np.allclose(rotation @ rotation.T, np.eye(d)), "a rotation that does not keep lengths"
        for number in range(1, 25):
            for instance in (1, 2):
                f, best = bbob.function(number, d, instance), minimiser(number, d, instance)
                name = f"{bbob.NAMES[number - 1]} in {d} variables, instance {instance}"
                assert abs(f(best)) < 1e-8, f"{name}: {f(best)} at its minimiser"
                values = np.array([f(random.uniform(-5, 5, d)) for _ in range(100)])
                assert np.all(np.isfinite(values)), name
                assert np.all(values > -1e-8) and np.max(values) > 1e-3, f"{name}: {np.min(values)}"
    assert bbob.function(1, 2, 1)(np.zeros(2)) == np.sum(minimiser(1, 2, 1) ** 2)


main()
