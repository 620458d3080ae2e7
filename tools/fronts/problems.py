"""The test problems with several objectives, written from their sources and independently of src/simulations/fronts.

A problem has values(x) -> (f, g) for x of shape [n, d]: objectives f [n, m], all minimised, and constraints g [n, k],
which are kept where they are at least 0, as the sources have them. Objectives called violation in the set RE are sums
of -g where g is negative.
"""
import dataclasses
import math
import typing

import numpy as np


@dataclasses.dataclass
class Problem:
    name: str
    m: int
    lower: np.ndarray
    upper: np.ndarray
    values: typing.Callable
    constraints: int = 0
    family: str = ""  # the simulation, where name also tells the number of objectives
    whole: tuple = ()  # indices of variables that are rounded

    @property
    def d(self):
        return len(self.lower)


def none(x):
    return np.zeros((len(x), 0))


def columns(*parts):
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


# ZDT: Zitzler, Deb, Thiele 2000.


def zdt(number):
    def values(x):
        f1, rest = x[:, 0], x[:, 1:]
        if number == 4:
            g = 1 + 10 * rest.shape[1] + np.sum(rest**2 - 10 * np.cos(4 * np.pi * rest), axis=1)
        elif number == 6:
            f1 = 1 - np.exp(-4 * x[:, 0]) * np.sin(6 * np.pi * x[:, 0]) ** 6
            g = 1 + 9 * np.mean(rest, axis=1) ** 0.25
        else:
            g = 1 + 9 * np.mean(rest, axis=1)
        ratio = f1 / g
        h = {1: 1 - ratio**0.5, 2: 1 - ratio**2, 3: 1 - ratio**0.5 - ratio * np.sin(10 * np.pi * f1),
             4: 1 - ratio**0.5, 6: 1 - ratio**2}[number]
        return columns(f1, g * h), none(x)

    return values


# DTLZ: Deb, Thiele, Laumanns, Zitzler 2005.


def dtlz(number, m):
    def values(x):
        place, rest = x[:, : m - 1], x[:, m - 1 :]
        if number == 7:
            g = 1 + 9 * rest.mean(axis=1)
            h = m - np.sum(place / (1 + g)[:, None] * (1 + np.sin(3 * np.pi * place)), axis=1)
            return np.column_stack([place, (1 + g) * h]), none(x)
        if number == 1:
            g = 100 * (rest.shape[1] + np.sum((rest - 0.5) ** 2 - np.cos(20 * np.pi * (rest - 0.5)), axis=1))
            scale, first, last = 0.5 * (1 + g), place, 1 - place
        else:
            scale = 1 + np.sum((rest - 0.5) ** 2, axis=1)
            first, last = np.cos(place * np.pi / 2), np.sin(place * np.pi / 2)
        f = []
        for i in range(m):
            value = scale * np.prod(first[:, : m - 1 - i], axis=1)
            f.append(value * last[:, m - 1 - i] if i else value)
        return columns(*f), none(x)

    return values


def c2_dtlz2(x):
    f, _ = dtlz(2, 2)(x)
    r = 0.2
    ends = [(f[:, i] - 1) ** 2 + f[:, 1 - i] ** 2 - r**2 for i in range(2)]
    middle = np.sum((f - 1 / math.sqrt(2)) ** 2 - r**2, axis=1)
    return f, -np.minimum(np.minimum(*ends), middle)[:, None]


# WFG: Huband, Hingston, Barone, While 2006, sections VIII and IX; A = 1 throughout.


def s_linear(y, a):
    return np.abs(y - a) / np.abs(np.floor(a - y) + a)


def s_decept(y, a, b, c):
    one = np.floor(y - a + b) * (1 - c + (a - b) / b) / (a - b)
    two = np.floor(a + b - y) * (1 - c + (1 - a - b) / b) / (1 - a - b)
    return 1 + (np.abs(y - a) - b) * (one + two + 1 / b)


def s_multi(y, a, b, c):
    part = np.abs(y - c) / (2 * (np.floor(c - y) + c))
    return (1 + np.cos((4 * a + 2) * np.pi * (0.5 - part)) + 4 * b * part**2) / (b + 2)


def b_param(y, u):
    a, b, c = 0.98 / 49.98, 0.02, 50.0
    return y ** (b + (c - b) * (a - (1 - 2 * u) * np.abs(np.floor(0.5 - u) + a)))


def r_nonsep(y, a):
    n = y.shape[1]
    total = sum(y[:, j] + sum(np.abs(y[:, j] - y[:, (j + k + 1) % n]) for k in range(a - 1)) for j in range(n))
    return total / (n / a * math.ceil(a / 2) * (1 + 2 * a - 2 * math.ceil(a / 2)))


def wfg(number, m):
    k = 4 if m == 2 else 2 * (m - 1)

    def values(x):
        d = x.shape[1]
        z = x / (2 * np.arange(1, d + 1))
        y = z.copy()
        biased = {7: range(k), 8: range(k, d), 9: range(d - 1)}.get(number, ())
        for i in biased:
            y[:, i] = b_param(z[:, i], np.mean(z[:, :i] if number == 8 else z[:, i + 1 :], axis=1))
        near, far = y[:, :k], y[:, k:]
        if number in (2, 6, 7, 8):
            far = s_linear(far, 0.35)
        elif number == 4:
            near, far = s_multi(near, 30, 10, 0.35), s_multi(far, 30, 10, 0.35)
        elif number == 5:
            near, far = s_decept(near, 0.35, 0.001, 0.05), s_decept(far, 0.35, 0.001, 0.05)
        elif number == 9:
            near, far = s_decept(near, 0.35, 0.001, 0.05), s_multi(far, 30, 95, 0.35)
        groups = np.split(near, m - 1, axis=1)
        if number in (6, 9):
            t = [r_nonsep(group, group.shape[1]) for group in groups] + [r_nonsep(far, far.shape[1])]
        else:
            if number == 2:  # of an odd number of distance variables the last stays alone
                pairs = [r_nonsep(far[:, i : i + 2], 2) for i in range(0, far.shape[1] - 1, 2)]
                far = columns(*pairs, *([far[:, -1]] if far.shape[1] % 2 else []))
            t = [group.mean(axis=1) for group in groups] + [far.mean(axis=1)]
        place, distance = columns(*t[:-1]), t[-1]
        angle = place * np.pi / 2
        first, last = (1 - np.cos(angle), 1 - np.sin(angle)) if number == 2 else (np.sin(angle), np.cos(angle))
        h = []
        for i in range(m):
            value = np.prod(first[:, : m - 1 - i], axis=1)
            h.append(value * last[:, m - 1 - i] if i else value)
        if number == 2:
            h[-1] = 1 - place[:, 0] * np.cos(5 * np.pi * place[:, 0]) ** 2
        return columns(*(distance + 2 * (i + 1) * h[i] for i in range(m))), none(x)

    return values


# Branin and Currin, as in BoTorch.


def branin_currin(x):
    a, b = x[:, 0], x[:, 1]
    u, v = 15 * a - 5, 15 * b
    branin = (v - 5.1 / (4 * np.pi**2) * u**2 + 5 / np.pi * u - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(u) + 10
    with np.errstate(divide="ignore"):
        factor = 1 - np.exp(-1 / (2 * b))
    currin = factor * (2300 * a**3 + 1900 * a**2 + 2092 * a + 60) / (100 * a**3 + 500 * a**2 + 4 * a + 20)
    return columns(branin, currin), none(x)


def branin_currin_disk(x):
    f, _ = branin_currin(x)
    return f, (50 - (15 * x[:, 0] - 5 - 2.5) ** 2 - (15 * x[:, 1] - 7.5) ** 2)[:, None]


# RE and CRE: Tanabe, Ishibuchi 2020, supplementary file; objectives without the violation, and constraints.


def four_bar_truss(x):
    x1, x2, x3, x4 = x.T
    force, e, length = 10.0, 2e5, 200.0
    f1 = length * (2 * x1 + np.sqrt(2) * x2 + np.sqrt(x3) + x4)
    f2 = force * length / e * (2 / x1 + 2 * np.sqrt(2) / x2 - 2 * np.sqrt(2) / x3 + 2 / x4)
    return columns(f1, f2), none(x)


def pressure_vessel(x):
    x1, x2 = 0.0625 * np.round(x[:, 0]), 0.0625 * np.round(x[:, 1])
    x3, x4 = x[:, 2], x[:, 3]
    f1 = 0.6224 * x1 * x3 * x4 + 1.7781 * x2 * x3**2 + 3.1661 * x1**2 * x4 + 19.84 * x1**2 * x3
    volume = np.pi * x3**2 * x4 + 4 / 3 * np.pi * x3**3
    return f1[:, None], columns(x1 - 0.0193 * x3, x2 - 0.00954 * x3, volume - 1296000)


def hatch_cover(x):
    x1, x2 = x.T
    e = 700000
    sigma_k, sigma_b = e * x1**2 / 100, 4500 / (x1 * x2)
    tau, delta = 1800 / x2, 56.2 * 10000 / (e * x1 * x2**2)
    return (x1 + 120 * x2)[:, None], columns(1 - sigma_b / 700, 1 - tau / 450, 1 - delta / 1.5, 1 - sigma_b / sigma_k)


WIRES = np.array([
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.02, 0.023, 0.025,
    0.028, 0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.08, 0.092, 0.105, 0.12, 0.135, 0.148,
    0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.5,
])


def coil_spring(x):
    x1, x2 = np.round(x[:, 0]), x[:, 1]
    x3 = WIRES[np.argmin(np.abs(x[:, 2, None] - WIRES), axis=1)]
    f1 = np.pi**2 * x2 * x3**2 * (x1 + 2) / 4
    cf = (4 * x2 / x3 - 1) / (4 * x2 / x3 - 4) + 0.615 * x3 / x2
    k = 11.5e6 * x3**4 / (8 * x1 * x2**3)
    lf, sigma = 1000 / k + 1.05 * (x1 + 2) * x3, 300 / k
    g = columns(189000 - 8 * cf * 1000 * x2 / (np.pi * x3**3), 14 - lf, x2 / x3 - 3, 6 - sigma,
                lf - sigma - 700 / k - 1.05 * (x1 + 2) * x3, 1.25 - 700 / k)
    return f1[:, None], g


def two_bar_truss(x):
    x1, x2, x3 = x.T
    f1 = x1 * np.sqrt(16 + x3**2) + x2 * np.sqrt(1 + x3**2)
    f2 = 20 * np.sqrt(16 + x3**2) / (x1 * x3)
    return columns(f1, f2), columns(0.1 - f1, 1e5 - f2, 1e5 - 80 * np.sqrt(1 + x3**2) / (x3 * x2))


def welded_beam(x):
    x1, x2, x3, x4 = x.T
    p, length, e, g = 6000, 14, 30e6, 12e6
    f1 = 1.10471 * x1**2 * x2 + 0.04811 * x3 * x4 * (14 + x2)
    f2 = 4 * p * length**3 / (e * x4 * x3**3)
    moment = p * (length + x2 / 2)
    r = np.sqrt(x2**2 / 4 + ((x1 + x3) / 2) ** 2)
    j = 2 * np.sqrt(2) * x1 * x2 * (x2**2 / 12 + ((x1 + x3) / 2) ** 2)
    tau1, tau2 = p / (np.sqrt(2) * x1 * x2), moment * r / j
    tau = np.sqrt(tau1**2 + 2 * tau1 * tau2 * x2 / (2 * r) + tau2**2)
    buckling = 4.013 * e * np.sqrt(x3**2 * x4**6 / 36) / length**2 * (1 - x3 / (2 * length) * np.sqrt(e / (4 * g)))
    return columns(f1, f2), columns(13600 - tau, 30000 - 6 * p * length / (x4 * x3**2), x4 - x1, buckling - p)


def disc_brake(x):
    x1, x2, x3, x4 = x.T
    f1 = 4.9e-5 * (x2**2 - x1**2) * (x4 - 1)
    f2 = 9.82e6 * (x2**2 - x1**2) / (x3 * x4 * (x2**3 - x1**3))
    g = columns(x2 - x1 - 20, 0.4 - x3 / (3.14 * (x2**2 - x1**2)),
                1 - 2.22e-3 * x3 * (x2**3 - x1**3) / (x2**2 - x1**2) ** 2,
                2.66e-2 * x3 * x4 * (x2**3 - x1**3) / (x2**2 - x1**2) - 900)
    return columns(f1, f2), g


def quadratic(constant, terms):
    """Sum of products: {"": 1.2, "1": 3, "12": -4} is 1.2 + 3 x1 - 4 x1 x2."""

    def value(x):
        total = np.full(len(x), float(constant))
        for key, factor in terms.items():
            part = np.full(len(x), float(factor))
            for digit in key:
                part = part * x[:, int(digit) - 1]
            total = total + part
        return total

    return value


VEHICLE = (
    quadratic(1640.2823, {"1": 2.3573285, "2": 2.3220035, "3": 4.5688768, "4": 7.7213633, "5": 4.4559504}),
    quadratic(6.5856, {"1": 1.15, "2": -1.0427, "3": 0.9738, "4": 0.8364, "14": -0.3695, "15": 0.0861, "24": 0.3628,
                       "11": -0.1106, "33": -0.3437, "44": 0.1764}),
    quadratic(-0.0551, {"1": 0.0181, "2": 0.1024, "3": 0.0421, "12": -0.0073, "23": 0.024, "24": -0.0118,
                        "34": -0.0204, "35": -0.008, "22": -0.0241, "44": 0.0109}),
)


def vehicle_safety(x):
    return columns(*(f(x) for f in VEHICLE)), none(x)


def speed_reducer(x):
    x1, x2, x3, x4, x5, x6, x7 = x.T
    x3 = np.round(x3)
    f1 = (0.7854 * x1 * x2**2 * (10 * x3**2 / 3 + 14.933 * x3 - 43.0934) - 1.508 * x1 * (x6**2 + x7**2)
          + 7.477 * (x6**3 + x7**3) + 0.7854 * (x4 * x6**2 + x5 * x7**2))
    f2 = np.sqrt((745 * x4 / (x2 * x3)) ** 2 + 1.69e7) / (0.1 * x6**3)
    g = columns(1 / 27 - 1 / (x1 * x2**2 * x3), 1 / 397.5 - 1 / (x1 * x2**2 * x3**2),
                1 / 1.93 - x4**3 / (x2 * x3 * x6**4), 1 / 1.93 - x5**3 / (x2 * x3 * x7**4), 40 - x2 * x3, 12 - x1 / x2,
                x1 / x2 - 5, x4 - 1.5 * x6 - 1.9, x5 - 1.1 * x7 - 1.9, 1300 - f2,
                1100 - np.sqrt((745 * x5 / (x2 * x3)) ** 2 + 1.575e8) / (0.1 * x7**3))
    return columns(f1, f2), g


def gear_train(x):
    x = np.round(x)
    f1 = np.abs(6.931 - x[:, 2] / x[:, 0] * (x[:, 3] / x[:, 1]))
    return columns(f1, x.max(axis=1)), (0.5 - f1 / 6.931)[:, None]


INJECTOR = (
    quadratic(0.692, {"1": 0.477, "2": -0.687, "3": -0.080, "4": -0.0650, "11": -0.167, "12": -0.0129, "22": 0.0796,
                      "13": -0.0634, "23": -0.0257, "33": 0.0877, "14": -0.0521, "24": 0.00156, "34": 0.00198,
                      "44": 0.0184}),
    quadratic(0.153, {"1": -0.322, "2": 0.396, "3": 0.424, "4": 0.0226, "11": 0.175, "12": 0.0185, "22": -0.0701,
                      "13": -0.251, "23": 0.179, "33": 0.0150, "14": 0.0134, "24": 0.0296, "34": 0.0752,
                      "44": 0.0192}),
    quadratic(0.370, {"1": -0.205, "2": 0.0307, "3": 0.108, "4": 1.019, "11": -0.135, "12": 0.0141, "22": 0.0998,
                      "13": 0.208, "23": -0.0301, "33": -0.226, "14": 0.353, "34": -0.0497, "44": -0.423,
                      "112": 0.202, "113": -0.281, "122": -0.342, "223": -0.245, "233": 0.281, "144": -0.184,
                      "123": -0.281}),
)


def injector(x):
    return columns(*(f(x) for f in INJECTOR)), none(x)


def side_impact(x):
    x1, x2, x3, x4, x5, x6, x7 = x.T
    f1 = 1.98 + 4.9 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 0.00001 * x6 + 2.73 * x7
    f2 = 4.72 - 0.5 * x4 - 0.19 * x2 * x3
    v1 = 10.58 - 0.674 * x1 * x2 - 0.67275 * x2
    v2 = 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6
    g = columns(
        1 - 1.16 + 0.3717 * x2 * x4 + 0.0092928 * x3,
        0.32 - 0.261 + 0.0159 * x1 * x2 + 0.06486 * x1 + 0.019 * x2 * x7 - 0.0144 * x3 * x5 - 0.0154464 * x6,
        0.32 - 0.214 - 0.00817 * x5 + 0.045195 * x1 + 0.0135168 * x1 - 0.03099 * x2 * x6 + 0.018 * x2 * x7
        - 0.007176 * x3 - 0.023232 * x3 + 0.00364 * x5 * x6 + 0.018 * x2**2,
        0.32 - 0.74 + 0.61 * x2 + 0.031296 * x3 + 0.031872 * x7 - 0.227 * x2**2,
        32 - 28.98 - 3.818 * x3 + 4.2 * x1 * x2 - 1.27296 * x6 + 2.68065 * x7,
        32 - 33.86 - 2.95 * x3 + 5.057 * x1 * x2 + 3.795 * x2 + 3.4431 * x7 - 1.45728,
        32 - 46.36 + 9.9 * x2 + 4.4505 * x1, 4 - f2, 9.9 - v1, 15.7 - v2)
    return columns(f1, f2, 0.5 * (v1 + v2)), g


def folded(values):
    """The summed violation as the last objective."""

    def both(x):
        f, g = values(x)
        return np.column_stack([f, np.where(g < 0, -g, 0).sum(axis=1)]), none(x)

    return both


def unit(d):
    return np.zeros(d), np.ones(d)


def make():
    """All problems by name. Families have an entry for each number of objectives that is looked at."""
    found = {}

    def add(name, m, box, values, constraints=0, family="", whole=()):
        lower, upper = (np.asarray(side, float) for side in box)
        found[name] = Problem(name, m, lower, upper, values, constraints, family or name, whole)

    for number, d in ((1, 4), (2, 4), (3, 4), (6, 4)):
        add(f"zdt{number}", 2, unit(d), zdt(number))
    add("zdt4", 2, ([0, -5, -5, -5], [1, 5, 5, 5]), zdt(4))
    for number in (1, 2, 7):
        for m in (2, 3, 4, 5):
            add(f"dtlz{number}/{m}", m, unit(m + 3), dtlz(number, m), family=f"dtlz{number}")
    add("c2-dtlz2", 2, unit(4), c2_dtlz2, 1)
    for number in (2, 4, 5, 6, 7, 8, 9):
        for m in (2, 3, 4, 5):
            d = (4 if m == 2 else 2 * (m - 1)) + 5
            add(f"wfg{number}/{m}", m, (np.zeros(d), 2 * np.arange(1, d + 1)), wfg(number, m), family=f"wfg{number}")
    add("branin-currin", 2, unit(2), branin_currin)
    add("branin-currin-disk", 2, unit(2), branin_currin_disk, 1)
    add("re2-4-1", 2, ([1, 2**0.5, 2**0.5, 1], [3] * 4), four_bar_truss)
    add("re2-4-3", 2, ([1, 1, 10, 10], [100, 100, 200, 240]), folded(pressure_vessel), whole=(0, 1))
    add("re2-2-4", 2, ([0.5, 0.5], [4, 50]), folded(hatch_cover))
    add("re2-3-5", 2, ([1, 0.6, 0.09], [70, 3, 0.5]), folded(coil_spring), whole=(0,))
    truss = ([1e-5, 1e-5, 1], [100, 100, 3])
    add("re3-3-1", 3, truss, folded(two_bar_truss))
    add("cre2-3-1", 2, truss, two_bar_truss, 3)
    beam = ([0.125, 0.1, 0.1, 0.125], [5, 10, 10, 5])
    add("re3-4-2", 3, beam, folded(welded_beam))
    add("cre2-4-2", 2, beam, welded_beam, 4)
    brake = ([55, 75, 1000, 11], [80, 110, 3000, 20])
    add("re3-4-3", 3, brake, folded(disc_brake))
    add("cre2-4-3", 2, brake, disc_brake, 4)
    add("vehicle-safety", 3, ([1] * 5, [3] * 5), vehicle_safety)
    gears = ([2.6, 0.7, 17, 7.3, 7.3, 2.9, 5], [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5])
    add("re3-7-5", 3, gears, folded(speed_reducer), whole=(2,))
    add("cre2-7-4", 2, gears, speed_reducer, 11, whole=(2,))
    add("re3-4-6", 3, ([12] * 4, [60] * 4), folded(gear_train), whole=(0, 1, 2, 3))
    add("re3-4-7", 3, unit(4), injector)
    car = ([0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4], [1.5, 1.35, 1.5, 1.5, 2.625, 1.2, 1.2])
    add("re4-7-1", 4, car, folded(side_impact))
    add("cre3-7-1", 3, car, side_impact, 10)
    return found
