#!/usr/bin/env python3
"""Compare methods of gannet with public optimisers on clusters of atoms: exact values of many decades.

    tools/compare/clusters.py --optimisers auto,cma,tpe --atoms 4,5,6 --seeds 1-8

The energy of Lennard-Jones atoms in units of its depth, minimised over their places without those that only move or
turn the cluster (3 n - 6 variables). Atoms that come close repel each other by up to 1e15, while minima lie between 0
and the deepest one, -6, -9.10 and -12.71 for 4, 5 and 6 atoms (Hoare, Pal 1971). Names are those of public.py. Prints
the mean of the lowest energy after a third of the evaluations and at the end, its standard error, and the worst. Needs
what public.py does.
"""
import argparse
import multiprocessing

import numpy as np

import public

CLOSEST, BOX = 0.05, 1.5


def energy(n):
    """Of places in the box [-5, 5] of public.py: the first atom at 0, the second along x, the third in the plane."""
    below, above = np.tril_indices(n, -1)

    def value(x):
        place = np.zeros((n, 3))
        place[1, 0] = 1.25 + 0.15 * x[0]
        place[2, :2] = BOX / 5 * x[1:3]
        place[3:] = BOX / 5 * x[3:].reshape(-1, 3)
        distance = np.maximum(np.linalg.norm(place[below] - place[above], axis=1), CLOSEST)
        return np.sum(4 * (distance ** -12.0 - distance ** -6.0))

    return value


def run(task):
    name, atoms, seed, evaluations, q = task
    d = 3 * atoms - 6
    f = public.Counter(energy(atoms), evaluations * d, 0, seed)
    public.minimise(name, f, d, q, seed)
    return f.best[len(f.best) // 3 - 1], f.best[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimisers", default="auto,cma,tpe,bobyqa-anywhere,random")
    parser.add_argument("--atoms", default="4,5,6")
    parser.add_argument("--seeds", default="1-8", help="first-last")
    parser.add_argument("--evaluations-per-d", type=int, default=20)
    parser.add_argument("--q", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    print("| optimiser, atoms | runs | after a third | at the end | worst |\n|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for atoms in map(int, given.atoms.split(",")):
            for name in given.optimisers.split(","):
                tasks = [(name, atoms, s, given.evaluations_per_d, given.q) for s in seeds]
                third, end = np.array(pool.map(run, tasks, 1)).T
                error = np.std(end, ddof=1) / np.sqrt(len(end)) if len(end) > 1 else np.nan
                print(f"| {name}, {atoms} | {len(end)} | {np.mean(third):.2f} | {np.mean(end):.2f} ± {error:.2f} "
                      f"| {np.max(end):.2f} |", flush=True)


if __name__ == "__main__":
    main()
