"""Hypervolumes of fronts that are curves with a formula: by pieces and Gauss-Legendre quadrature, to about 1e-12."""
import math

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def golden(value, low, high):
    for _ in range(90):
        third = 0.3819660112501051 * (high - low)
        if value(low + third) < value(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2


def pieces(h, low, high, n=400001):
    """Intervals of [low, high] in which h is below all values to the left."""
    t = np.linspace(low, high, n)
    values = h(t)
    on = np.concatenate([[True], values[1:] < np.minimum.accumulate(values)[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
    found = []
    for first, last in zip(edges[::2], edges[1::2] - 1):
        end = t[last] if last == n - 1 else golden(h, t[max(last - 2, 0)], t[last + 2])
        start = t[first]
        if found:
            level, below, above = h(found[-1][1]), start, t[first - 1]
            for _ in range(45):
                middle = (below + above) / 2
                below, above = (middle, above) if h(middle) < level else (below, middle)
            start = below
        if end > start:
            found.append((float(start), float(end)))
    return found


def curve(f1, slope, f2, reference, low=0.0, high=1.0):
    """Hypervolume of the curve (f1(t), f2(t)), f1 rising with the given slope."""
    volume, before = 0.0, None
    for start, end in pieces(f2, low, high):
        if before is not None:
            volume += (f1(start) - f1(before)) * (reference[1] - f2(before))
        for a, b in zip(np.linspace(start, end, 41)[:-1], np.linspace(start, end, 41)[1:]):
            # t = a + (b - a) s^4 takes a root at the left end of the first part
            s = (NODES + 1) / 2
            t = a + (b - a) * s**4
            volume += np.sum(WEIGHTS / 2 * 4 * s**3 * (b - a) * slope(t) * (reference[1] - f2(t)))
        before = end
    return float(volume + (reference[0] - f1(before)) * (reference[1] - f2(before)))


def graph(f2, reference):
    return curve(lambda t: t, np.ones_like, f2, reference)


def orthant(m):
    """Volume of the part of the unit ball with positive coordinates."""
    return math.pi ** (m / 2) / math.gamma(m / 2 + 1) / 2**m


def arcs(parts, reference):
    """Arcs (a, b) of the unit circle, angles falling."""
    volume, before = 0.0, None
    for a, b in parts:
        x, y = math.cos(a), math.cos(b)
        if before is not None:
            volume += (x - math.cos(before)) * (reference - math.sin(before))
        volume += reference * (y - x) - (math.sin(b) * y - math.sin(a) * x + a - b) / 2
        before = b
    return volume + (reference - math.cos(before)) * (reference - math.sin(before))


def dtlz7(m):
    """f_m = 2 m - sum of p(f_i), p(f) = f (1 + sin(3 pi f)): the lowest below given bounds has the largest p of each."""
    integral = graph(lambda t: -t * (1 + np.sin(3 * np.pi * t)), (15, 0))
    return 15.0 ** (m - 2) * (15 * (15 - 2 * m) + (m - 1) * integral)


def find_all():
    """(simulation, number of objectives): reference, hypervolume"""
    eleven = (11, 11)
    first = golden(lambda t: 1 - np.exp(-4 * t) * np.sin(6 * np.pi * t) ** 6, 0.06, 0.1)
    least = 1 - math.exp(-4 * first) * math.sin(6 * math.pi * first) ** 6
    convex = graph(lambda t: 1 - np.sqrt(t), eleven)
    found = {
        ("zdt1", 2): (eleven, convex),
        ("zdt2", 2): (eleven, graph(lambda t: 1 - t**2, eleven)),
        ("zdt3", 2): (eleven, graph(lambda t: 1 - np.sqrt(t) - t * np.sin(10 * np.pi * t), eleven)),
        ("zdt4", 2): (eleven, convex),
        ("zdt6", 2): (eleven, curve(lambda t: t, np.ones_like, lambda t: 1 - t**2, eleven, least)),
    }
    end, half, middle = 2 * math.asin(0.1), 2 * math.asin(math.sqrt(0.02)), math.pi / 4
    parts = ((math.pi / 2, math.pi / 2 - end), (middle + half, middle - half), (end, 0.0))
    found["c2-dtlz2", 2] = ((1.1, 1.1), arcs(parts, 1.1))
    for m in (2, 3, 4, 5):
        ball = 1.1**m - orthant(m)
        found["dtlz1", m] = ((400,) * m, 400.0**m - 0.5**m / math.factorial(m))
        found["dtlz2", m] = ((1.1,) * m, ball)
        found["dtlz7", m] = ((15,) * m, dtlz7(m))
        for number in (4, 5, 6, 7, 8, 9):
            found[f"wfg{number}", m] = (tuple(2.2 * (i + 1) for i in range(m)), 2**m * math.factorial(m) * ball)
    found["wfg2", 2] = ((2.2, 4.4), curve(lambda t: 2 * (1 - np.cos(t * np.pi / 2)), lambda t: np.pi * np.sin(t * np.pi / 2),
                                          lambda t: 4 * (1 - t * np.cos(5 * np.pi * t) ** 2), (2.2, 4.4)))
    return found


def integrate(value, low, high, n=300, tolerance=3e-8):
    """Integral of a function with jumps: Simpson's rule on cells that are halved until it agrees with the trapezoids."""
    edges = np.linspace(low, high, n + 1)
    left, right = edges[:-1], edges[1:]
    at_left, at_right = value(left), value(right)
    total = 0.0
    for _ in range(45):
        middle = (left + right) / 2
        at_middle = value(middle)
        simpson = (right - left) / 6 * (at_left + 4 * at_middle + at_right)
        open_cells = np.abs(simpson - (right - left) / 4 * (at_left + 2 * at_middle + at_right)) > tolerance
        total += simpson[~open_cells].sum()
        left, right, at_left, at_right = (
            np.concatenate([one[open_cells], two[open_cells]])
            for one, two in ((left, middle), (middle, right), (at_left, at_middle), (at_middle, at_right)))
        if len(left) == 0:
            break
    return float(total + np.sum((right - left) * (at_left + at_right) / 2))


def least_currin(a, bound, in_disk):
    """Currin's function where Branin's is at most bound, for given x1 = a: the largest x2 within the bound is best."""
    u = 15 * a - 5
    room = bound - 10 * (1 - 1 / (8 * np.pi)) * np.cos(u) - 10
    valley = 5.1 / (4 * np.pi**2) * u**2 - 5 / np.pi * u + 6
    root = np.sqrt(np.maximum(room, 0))
    low, high = np.maximum(valley - root, 0), np.minimum(valley + root, 15)
    possible = room >= 0
    if in_disk:
        half = 50 - (u - 2.5) ** 2
        across = np.sqrt(np.maximum(half, 0))
        low, high = np.maximum(low, 7.5 - across), np.minimum(high, 7.5 + across)
        possible = possible & (half >= 0)
    b = np.maximum(high / 15, 1e-300)
    value = (2300 * a**3 + 1900 * a**2 + 2092 * a + 60) / (100 * a**3 + 500 * a**2 + 4 * a + 20) * -np.expm1(-1 / (2 * b))
    return np.where(possible & (high >= low), value, np.inf)


def least_on_line(bounds, in_disk, n=200):
    """The same for the best x1 of each bound. It may lie in three intervals, where the square of Branin's function has
    room, and close to the end of one: points are crowded there, by the cosine. Golden sections from the best of a grid."""
    if len(bounds) > 500:
        return np.concatenate([least_on_line(part, in_disk, n) for part in np.array_split(bounds, len(bounds) // 500 + 1)])
    edge = np.arccos(np.clip((bounds - 10) / (10 - 10 / (8 * np.pi)), -1, 1))
    angles, results = np.linspace(0, np.pi, n), []
    for turn in (-1, 0, 1):
        first = np.clip(edge + 2 * np.pi * turn, -5, 10)
        last = np.clip(2 * np.pi - edge + 2 * np.pi * turn, -5, 10)

        def at(angle, first=first, last=last):
            u = (first + last) / 2 - (last - first) / 2 * np.cos(angle)
            return least_currin((u + 5) / 15, bounds, in_disk)

        values = np.stack([at(angle) for angle in angles])
        results.append(values.min(axis=0))
        walled = np.pad(values, ((1, 1), (0, 0)), constant_values=np.inf)
        values[(walled[:-2] < values) | (walled[2:] <= values)] = np.inf  # leaves the local minima
        for _ in range(4):
            best = np.argmin(values, axis=0)
            values[best, np.arange(len(bounds))] = np.inf
            low, high = angles[np.maximum(best - 1, 0)], angles[np.minimum(best + 1, n - 1)]
            for _ in range(45):
                third = 0.3819660112501051 * (high - low)
                left = at(low + third) < at(high - third)
                low, high = np.where(left, low, low + third), np.where(left, high - third, high)
            # At the end of an interval one of these is outside of it.
            results += [at(low), at((low + high) / 2), at(high)]
    return np.min(results, axis=0)


def branin_currin(reference, in_disk, n=200):
    """Hypervolume by quadrature over bounds on Branin's function, as lowest + s^2, of the least Currin's function."""
    lowest = 10 / (8 * np.pi)  # of Branin's function, in the disc, too: at (pi, 2.275)

    def gain(s):
        return 2 * s * np.maximum(reference[1] - least_on_line(lowest + s**2 + 1e-14, in_disk, n), 0)

    return integrate(gain, 0, math.sqrt(reference[0] - lowest))


def spar(deflection, most_stress=120e6):
    """The lightest spar of inputs/spar.sh with a given deflection in mm: mass in kg, heights in mm.

    Mass is a sum of a h_i and deflection a sum of c_i / h_i^3, so that without bounds h_i is proportional to c_i^(1/4);
    the stress bounds every h_i from below, the box 30 to 200 mm on both sides, and the multiplier is found by halving.
    """
    length, width, lift, modulus, density = 5.0, 0.08, 1200.0, 70e9, 2700.0
    outer, inner = length * (1 - np.arange(5) / 5), length * (1 - np.arange(1, 6) / 5)
    c = 12 * lift * (outer**4 - inner**4) / (8 * modulus * width)
    low = np.maximum(0.03, np.sqrt(3 * lift * outer**2 / (width * most_stress)))
    heights = lambda scale: np.clip(scale * c**0.25, low, 0.2)
    a, b = 1e-3, 1e3
    for _ in range(200):
        middle = math.sqrt(a * b)
        a, b = (middle, b) if np.sum(c / heights(middle) ** 3) > deflection / 1000 else (a, middle)
    h = heights(b)
    return density * width * length / 5 * h.sum(), 1000 * h, 1000 * np.sum(c / h**3)
