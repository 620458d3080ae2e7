#!/usr/bin/env python3
"""Compare methods of gannet with public optimisers on calibrations: sums of squares of what a model misses of its data.

    tools/compare/calibration.py --optimisers auto,bobyqa-anywhere,cma,tpe --seeds 1-6

Parameters lie in boxes. Seven problems are of Moré, Garbow, Hillstrom 1981, "Testing unconstrained optimization
software", which gives their minima (Meyer's of the logarithms); four fit models to what they predict for known
parameters, so that the minimum is 0: growth of a culture, two reactions at three temperatures, two peaks on a
background, heat through a wall of two layers. Optimisers see the sum alone. Names are those of public.py. Prints the
decimal logarithm of the distance to the minimum, at least 1e-12: its median after a quarter, half and all of the
evaluations, its mean at the end with the standard error, and the worst. Needs what public.py does, and python3-scipy.
"""
import argparse
import multiprocessing

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_banded

import public

LEAST = 1e-12


def bard(x):
    u = np.arange(1, 16)
    data = np.array([.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.10, 4.39])
    return data - (x[0] + u / (x[1] * (16 - u) + x[2] * np.minimum(u, 16 - u)))


def meyer(x):
    data = np.array([34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872])
    return x[0] + 1000 * x[1] / (45 + 5 * np.arange(1, 17) + 100 * x[2]) - np.log(data)


def kowalik(x):
    data = np.array([.1957, .1947, .1735, .1600, .0844, .0627, .0456, .0342, .0323, .0235, .0246])
    u = np.array([4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625])
    return data - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def box(x):
    t = .1 * np.arange(1, 11)
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10 * t))


def brown(x):
    t = np.arange(1, 21) / 5
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


def osborne(x):
    data = np.array([.844, .908, .932, .936, .925, .908, .881, .850, .818, .784, .751, .718, .685, .658, .628, .603, .580,
                     .558, .538, .522, .506, .490, .478, .467, .457, .448, .438, .431, .424, .420, .414, .411, .406])
    t = 10 * np.arange(33)
    return data - (x[0] + x[1] * np.exp(-t * x[3]) + x[2] * np.exp(-t * x[4]))


def biggs(x):
    t = .1 * np.arange(1, 14)
    data = np.exp(-t) - 5 * np.exp(-10 * t) + 3 * np.exp(-4 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - data


def culture(x):
    """Biomass and substrate by Monod's law: growth, half saturation, yield, decay."""
    def rates(t, state):
        growth = x[0] * state[1] / (x[1] + state[1]) * state[0]
        return growth - x[3] * state[0], -growth / x[2]

    course = solve_ivp(rates, (0, 12), (.05, 10), t_eval=np.arange(1, 13), rtol=1e-7, atol=1e-9)
    return np.concatenate([course.y[0], course.y[1] / 2])


def reactions(x):
    """A to B to C: logarithms of both rates at 333 K, and activation temperatures in 1000 K."""
    change, t = 1000 / np.array([[300], [330], [360]]) - 3, np.linspace(.5, 8, 10)
    first, second = np.exp(x[0] - x[1] * change), np.exp(x[2] - x[3] * change)
    a = np.exp(-first * t)
    return np.concatenate([a, first / (second - first + 1e-12) * (a - np.exp(-second * t))]).ravel()


def peaks(x):
    t = np.linspace(0, 10, 60)
    return x[0] * np.exp(-.5 * ((t - x[1]) / x[2]) ** 2) + x[3] * np.exp(-.5 * ((t - x[4]) / x[5]) ** 2) + x[6]


def wall(x, n=40):
    """Temperatures at two depths of a wall that is warmed from outside: decimal logarithms of the conductivities of
    both layers, of the resistance between them, and of the transfer to the air on the other side."""
    step, time_step, layer = 1 / n, .05, np.arange(n) >= .4 * n
    resistance = step * 10 ** -np.where(layer, x[1], x[0])
    between = (resistance[1:] + resistance[:-1]) / 2 + np.where(np.diff(layer), 10 ** x[2], 0)
    left, right = 2 / resistance[0], 1 / (resistance[-1] / 2 + 10 ** -x[3])
    matrix = np.zeros((3, n))
    matrix[0, 1:] = matrix[2, :-1] = -1 / between
    matrix[1] = step / time_step + np.r_[left, 1 / between] + np.r_[1 / between, right]
    temperature, seen = np.zeros(n), []
    for _ in range(30):
        source = step / time_step * temperature
        source[0] += left
        temperature = solve_banded((1, 1), matrix, source)
        seen += [temperature[n // 4], temperature[3 * n // 4]]
    return np.array(seen)


def missed(model, truth):
    data = model(truth)
    return lambda x: model(x) - data


# residuals, lower and upper bounds, least sum of squares
PROBLEMS = {
    "bard": (bard, [-.25, .01, .01], [.25, 2.5, 4.5], 8.2148773e-3),
    "meyer": (meyer, [-10, 1, 0], [0, 12, 5], 3.8621501e-7),
    "kowalik": (kowalik, [0, 0, 0, 0], [.42, .8, .5, .5], 3.0750560e-4),
    "box": (box, [0, 5, 0], [5, 15, 5], 0),
    "brown": (brown, [-25, 0, -3, -2], [5, 25, 3, 2], 85822.20163),
    "osborne": (osborne, [0, .5, -3, .001, .005], [1, 3, 0, .05, .1], 5.4648947e-5),
    "biggs": (biggs, [0, 5, 0, 0, 0, 0], [3, 15, 3, 8, 8, 6], 0),
    "culture": (missed(culture, [.8, 1.5, .45, .03]), [.1, .1, .1, 0], [2, 5, 1, .2], 0),
    "reactions": (missed(reactions, [-1, 6, -2, 9]), [-4, 0, -5, 0], [2, 15, 1, 15], 0),
    "peaks": (missed(peaks, [1, 3, .6, .5, 6, 1.1, .1]), [0, 0, .1, 0, 0, .1, -.5], [2, 10, 3, 2, 10, 3, .5], 0),
    "wall": (missed(wall, [-.6, .2, -.5, -.2]), [-2, -2, -2, -2], [1, 1, 1, 1], 0),
}


def run(task):
    name, problem, seed, evaluations, q = task
    residuals, lower, upper, least = PROBLEMS[problem]
    lower, upper = np.array(lower, float), np.array(upper, float)

    def value(x):
        """In the box [-5, 5] of public.py."""
        return np.sum(residuals(lower + (upper - lower) * (np.asarray(x) + 5) / 10) ** 2)

    f = public.Counter(value, evaluations * len(lower), 0, seed)
    public.minimise(name, f, len(lower), q, seed)
    looks = [len(f.best) // 4 - 1, len(f.best) // 2 - 1, len(f.best) - 1]
    return np.log10(np.maximum(np.array(f.best)[looks] - least, LEAST))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimisers", default="auto,bobyqa-anywhere,cma,tpe,random")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--seeds", default="1-6", help="first-last")
    parser.add_argument("--evaluations-per-d", type=int, default=20)
    parser.add_argument("--q", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    print("| problem, variables | optimiser | after a quarter, half, all | mean at the end | worst |\n|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for problem in given.problems.split(","):
            for name in given.optimisers.split(","):
                tasks = [(name, problem, s, given.evaluations_per_d, given.q) for s in seeds]
                course = np.array(pool.map(run, tasks, 1))
                end = course[:, -1]
                error = np.std(end, ddof=1) / np.sqrt(len(end)) if len(end) > 1 else np.nan
                medians = ", ".join(f"{m:.1f}" for m in np.median(course, 0))
                print(f"| {problem}, {len(PROBLEMS[problem][1])} | {name} | {medians} | {np.mean(end):.1f} ± {error:.1f} "
                      f"| {np.max(end):.1f} |", flush=True)


if __name__ == "__main__":
    main()
