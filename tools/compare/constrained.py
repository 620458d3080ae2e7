"""Problems with black-box constraints whose optimum is known, for public_constrained.py.

    p = constrained.problem("ellipsoid-linear", dimension, instance)
    value, constraints = p(u)     u in [-5, 5]^dimension; feasible where all constraints are <= 0

`value` is the regret, 0 at the best feasible point.

Most are made so that the best feasible point x* is known. The objective is a function h of R (x - m), R a rotation:

    beyond   convex, with its minimum m beyond the constraints;
    pull     m = x*, plus a linear function that pulls out of the feasible region;
    inside   m = x*, and no constraint is active there.

Active constraints are a_k . (x - x*) + r_k(x) <= 0 with unit vectors a_k of which a positive combination is minus the
gradient at x*, and r_k >= 0, r_k(x*) = 0: 0 (linear), |x - x*|^2 / 2 r (a ball of radius r, or a wide curve), or ripples
that leave islands. So the feasible region is part of a cone on which, h being convex or the pull growing along the cone,
nothing is better than x*. As in COCO's bbob-constrained (Dufosse et al. 2022) optimum, vectors, rotation and
number of active constraints are drawn by instance. Further constraints are not active at x*.

The others are of the literature: g04, g06, g07, g08, g09, g24 (Liang et al. 2006), pressure vessel, welded beam,
tension spring (Coello 2000) and speed reducer (Golinski 1973), in their own numbers of variables, mapped to the same box.
"""
import numpy as np

PI = np.pi


def _ellipsoid(condition):
    return lambda z: condition ** (np.arange(len(z)) / max(len(z) - 1, 1)) @ z ** 2


def _cigar(z):
    return z[0] ** 2 + 1e4 * np.sum(z[1:] ** 2)


def _discus(z):
    return 1e4 * z[0] ** 2 + np.sum(z[1:] ** 2)


def _powers(z):
    return np.sum(np.abs(z) ** (2 + 4 * np.arange(len(z)) / max(len(z) - 1, 1)))


def _rosenbrock(z):
    y = z + 1
    return np.sum(100 * (y[:-1] ** 2 - y[1:]) ** 2 + (y[:-1] - 1) ** 2)


def _rastrigin(z):
    return np.sum(z ** 2 + 10 * (1 - np.cos(2 * PI * z)))


def _ackley(z):
    return 20 * (1 - np.exp(-0.2 * np.sqrt(np.mean(z ** 2)))) + np.e - np.exp(np.mean(np.cos(2 * PI * z)))


def _levy(z):
    w = 1 + z / 4
    return (np.sin(PI * w[0]) ** 2 + np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(PI * w[:-1] + 1) ** 2))
            + (w[-1] - 1) ** 2 * (1 + np.sin(2 * PI * w[-1]) ** 2))


def _griewank(z):
    y = 10 * z
    return 10 * (np.sum(y ** 2) / 4000 - np.prod(np.cos(y / np.sqrt(np.arange(1, len(z) + 1)))) + 1)


def _sharp_ridge(z):
    return z[0] ** 2 + 100 * np.sqrt(np.sum(z[1:] ** 2))


def _schaffer(z):
    s = np.sqrt(z[:-1] ** 2 + z[1:] ** 2)
    return np.mean(np.sqrt(s) * (1 + np.sin(50 * s ** 0.2) ** 2)) ** 2


# name -> (objective, kind, shape of the active constraints, its size, constraints beside, decades of their units)
_MADE = {
    "sphere-linear": (_ellipsoid(1), "beyond", "linear", 0, 0, 0),
    "ellipsoid-linear": (_ellipsoid(1e4), "beyond", "linear", 0, 2, 0),
    "powers-units": (_powers, "beyond", "linear", 0, 2, 4),
    "rosenbrock-curved": (_rosenbrock, "pull", "ball", 8, 1, 0),
    "rastrigin-linear": (_rastrigin, "pull", "linear", 0, 1, 0),
    "plane-curved": (None, "pull", "ball", 6, 2, 1),
    "ellipsoid-small": (_ellipsoid(100), "beyond", "ball", 0.8, 0, 0),
    "sphere-narrow": (_ellipsoid(10), "beyond", "narrow", 0.02, 0, 0),
    "ellipsoid-islands": (_ellipsoid(100), "pull", "ripple", 1.0, 0, 0),
    "ackley-inside": (_ackley, "inside", "linear", 0, 4, 2),
    "cigar-linear": (_cigar, "beyond", "linear", 0, 3, 1),
    "discus-linear": (_discus, "beyond", "linear", 0, 0, 2),
    "plane-linear": (None, "pull", "linear", 0, 0, 0),
    "levy-linear": (_levy, "pull", "linear", 0, 4, 3),
    "griewank-curved": (_griewank, "pull", "ball", 5, 2, 0),
    "ridge-curved": (_sharp_ridge, "pull", "ball", 10, 0, 1),
    "discus-small": (_discus, "beyond", "ball", 0.6, 1, 2),
    "powers-narrow": (_powers, "beyond", "narrow", 0.01, 1, 1),
    "schaffer-islands": (_schaffer, "pull", "ripple", 0.6, 0, 1),
    "ellipsoid-inside": (_ellipsoid(1e4), "inside", "linear", 0, 6, 1),
}
_CLASSIC_DEVELOPMENT, _CLASSIC_JUDGING = ["g06", "g08", "g24", "spring", "reducer"], ["g04", "g07", "g09", "vessel", "beam"]
DEVELOPMENT = list(_MADE)[:10] + _CLASSIC_DEVELOPMENT
JUDGING = list(_MADE)[10:] + _CLASSIC_JUDGING
NAMES = DEVELOPMENT + JUDGING


def _rotation(random, d):
    q, r = np.linalg.qr(random.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def _gradient(f, x):
    """Sixth-order differences: exact to rounding for quadratics, and nearly so for the other convex ones."""
    h, g = 1e-2, np.empty(len(x))
    for k in range(len(x)):
        e = h * np.eye(len(x))[k]
        g[k] = (45 * (f(x + e) - f(x - e)) - 9 * (f(x + 2 * e) - f(x - 2 * e)) + f(x + 3 * e) - f(x - 3 * e)) / (60 * h)
    return g


def _directions(random, gradient, count):
    """Unit vectors of which a positive combination is minus the gradient."""
    against = -gradient / np.linalg.norm(gradient)
    if count == 1:
        return against[None]
    a = random.standard_normal((count, len(gradient)))
    a[1:] /= np.linalg.norm(a[1:], axis=1)[:, None]
    a[1:] *= np.where(a[1:] @ against < 0, -1, 1)[:, None]  # feasible designs remain
    a[0] = against - random.uniform(0.1, 0.6, count - 1) @ a[1:] / np.sqrt(count)
    a[0] /= np.linalg.norm(a[0])
    return a


class Problem:
    """value, constraints = problem(u); tolerance [constraints] within which they count as kept; best, where known."""

    def __init__(self, d, parts, count, best=None):
        self.dimension, self.parts, self.count, self.best = d, parts, count, best
        sample = np.array([parts(u)[1] for u in np.random.default_rng(7).uniform(-5, 5, (300, d))])
        self.tolerance = 1e-8 * np.median(np.abs(sample), axis=0)

    def __call__(self, u):
        return self.parts(u)


def _active(shape, size, y, a, ripples):
    """All active constraints at y = x - x*."""
    linear, square = a @ y, y @ y
    if shape == "ball":
        linear = linear + square / (2 * size)
    elif shape == "narrow":
        first = linear[0] + square / 8
        linear = np.concatenate(([first, -first - size], linear[1:]))
    elif shape == "ripple":
        linear = linear + size * np.sum(1 - np.cos(2 * ripples @ y))
    return linear


def _made(name, d, instance):
    h, kind, shape, size, beside, decades = _MADE[name]
    random = np.random.default_rng([list(_MADE).index(name), d, instance])
    best = random.uniform(-3.5, 3.5, d)
    r, ripples = _rotation(random, d), _rotation(random, d)
    count = [1, (d + 1) // 2, min(d, 6), 2][instance % 4]
    middle = best + _away(random, d, 4) if kind == "beyond" else best
    base = (lambda x: h(r @ (x - middle))) if h else (lambda x: 0.0)
    if kind == "beyond":
        gradient = _gradient(base, best)
    else:
        gradient = _away(random, d, 3)
    pull = gradient if kind == "pull" else 0 * gradient
    a = _directions(random, gradient, count)
    others, slack = random.standard_normal((beside, d)), random.uniform(0.5, 3, beside)
    others /= np.linalg.norm(others, axis=1)[:, None]
    if kind == "inside":
        a = a[:0]
    at_best = base(best)

    def parts(u):
        y = np.asarray(u) - best
        c = np.concatenate((_active(shape, size, y, a, ripples) if len(a) else [], others @ y - slack))
        return base(best + y) - at_best + pull @ y, units * c
    units = 1.0  # until their number is known
    n = len(parts(best)[1])
    units = 10 ** random.uniform(-decades, decades, n)
    return Problem(d, parts, n, best)


def _away(random, d, length):
    v = random.standard_normal(d)
    return length * v / np.linalg.norm(v)


def _g04(x):
    a = 85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4]
    b = 80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] ** 2
    c = 9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3]
    return (5.3578547 * x[2] ** 2 + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141,
            [a - 92, -a, b - 110, 90 - b, c - 25, 20 - c])


def _g06(x):
    return ((x[0] - 10) ** 3 + (x[1] - 20) ** 3,
            [100 - (x[0] - 5) ** 2 - (x[1] - 5) ** 2, (x[0] - 6) ** 2 + (x[1] - 5) ** 2 - 82.81])


def _g07(x):
    a, b, c, d, e, f, g, h, i, j = x
    value = (a * a + b * b + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2
             + 5 * g * g + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45)
    return value, [-105 + 4 * a + 5 * b - 3 * g + 9 * h, 10 * a - 8 * b - 17 * g + 2 * h, -8 * a + 2 * b + 5 * i - 2 * j - 12,
                   3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c * c - 7 * d - 120,
                   5 * a * a + 8 * b + (c - 6) ** 2 - 2 * d - 40, a * a + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f,
                   0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e * e - f - 30, -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j]


def _g08(x):
    value = -np.sin(2 * PI * x[0]) ** 3 * np.sin(2 * PI * x[1]) / np.maximum(x[0] ** 3 * (x[0] + x[1]), 1e-12)
    return value, [x[0] ** 2 - x[1] + 1, 1 - x[0] + (x[1] - 4) ** 2]


def _g09(x):
    a, b, c, d, e, f, g = x
    value = ((a - 10) ** 2 + 5 * (b - 12) ** 2 + c ** 4 + 3 * (d - 11) ** 2 + 10 * e ** 6 + 7 * f * f + g ** 4 - 4 * f * g
             - 10 * f - 8 * g)
    return value, [-127 + 2 * a * a + 3 * b ** 4 + c + 4 * d * d + 5 * e, -282 + 7 * a + 3 * b + 10 * c * c + d - e,
                   -196 + 23 * a + b * b + 6 * f * f - 8 * g, 4 * a * a + b * b - 3 * a * b + 2 * c * c + 5 * f - 11 * g]


def _g24(x):
    a, b = x
    return -a - b, [-2 * a ** 4 + 8 * a ** 3 - 8 * a * a + b - 2, -4 * a ** 4 + 32 * a ** 3 - 88 * a * a + 96 * a + b - 36]


def _vessel(x):
    a, b, r, length = x
    return (0.6224 * a * r * length + 1.7781 * b * r * r + 3.1661 * a * a * length + 19.84 * a * a * r,
            [0.0193 * r - a, 0.00954 * r - b, 1296000 - PI * r * r * length - 4 / 3 * PI * r ** 3])


def _beam(x):
    h, length, t, b = x
    load, beam, e, g = 6000, 14, 30e6, 12e6
    moment, radius = load * (beam + length / 2), np.sqrt(length ** 2 / 4 + ((h + t) / 2) ** 2)
    j = 2 * np.sqrt(2) * h * length * (length ** 2 / 12 + ((h + t) / 2) ** 2)
    first, second = load / (np.sqrt(2) * h * length), moment * radius / j
    shear = np.sqrt(first ** 2 + first * second * length / radius + second ** 2)
    buckling = 4.013 * e * np.sqrt(t * t * b ** 6 / 36) / beam ** 2 * (1 - t / (2 * beam) * np.sqrt(e / (4 * g)))
    return (1.10471 * h * h * length + 0.04811 * t * b * (14 + length),
            [shear - 13600, 6 * load * beam / (b * t * t) - 30000, h - b, 4 * load * beam ** 3 / (e * t ** 3 * b) - 0.25,
             load - buckling])


def _spring(x):
    w, d, n = x
    return ((n + 2) * d * w * w,
            [1 - d ** 3 * n / (71785 * w ** 4),
             (4 * d * d - w * d) / (12566 * (d * w ** 3 - w ** 4)) + 1 / (5108 * w * w) - 1,
             1 - 140.45 * w / (d * d * n), (w + d) / 1.5 - 1])


def _reducer(x):
    a, b, c, d, e, f, g = x
    value = (0.7854 * a * b * b * (3.3333 * c * c + 14.9334 * c - 43.0934) - 1.508 * a * (f * f + g * g)
             + 7.4777 * (f ** 3 + g ** 3) + 0.7854 * (d * f * f + e * g * g))
    return value, [27 / (a * b * b * c) - 1, 397.5 / (a * b * b * c * c) - 1, 1.93 * d ** 3 / (b * c * f ** 4) - 1,
                   1.93 * e ** 3 / (b * c * g ** 4) - 1, np.sqrt((745 * d / (b * c)) ** 2 + 16.9e6) / (110 * f ** 3) - 1,
                   np.sqrt((745 * e / (b * c)) ** 2 + 157.5e6) / (85 * g ** 3) - 1, b * c / 40 - 1, 5 * b / a - 1,
                   a / (12 * b) - 1, (1.5 * f + 1.9) / d - 1, (1.1 * g + 1.9) / e - 1]


# name -> (function, lower, upper, least feasible value)
_CLASSIC = {
    "g04": (_g04, [78, 33, 27, 27, 27], [102, 45, 45, 45, 45], -30665.53867178333),
    "g06": (_g06, [13, 0], [100, 100], -6961.813875580135),
    "g07": (_g07, [-10] * 10, [10] * 10, 24.306209068179534),
    "g08": (_g08, [0, 0], [10, 10], -0.09582504141803),
    "g09": (_g09, [-10] * 7, [10] * 7, 680.6300573744021),
    "g24": (_g24, [0, 0], [3, 4], -5.508013271595),
    "vessel": (_vessel, [0.0625, 0.0625, 10, 10], [6.1875, 6.1875, 200, 240], 5804.376217431),
    "beam": (_beam, [0.1, 0.1, 0.1, 0.1], [2, 10, 10, 2], 1.7248523085974),
    "spring": (_spring, [0.05, 0.25, 2], [2, 1.3, 15], 0.0126652327883),
    "reducer": (_reducer, [2.6, 0.7, 17, 7.3, 7.3, 2.9, 5], [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5], 2994.471066147),
}


def _classic(name, instance):
    """The objective in units that leave a median regret of 100 over the box; instance only seeds the optimisers."""
    function, lower, upper, least = _CLASSIC[name]
    lower, upper = np.array(lower, float), np.array(upper, float)

    def raw(u):
        return function(lower + (np.asarray(u) + 5) / 10 * (upper - lower))
    sample = np.random.default_rng(7).uniform(-5, 5, (1000, len(lower)))
    unit = np.median([abs(raw(u)[0] - least) for u in sample]) / 100

    def parts(u):
        value, c = raw(u)
        return (value - least) / unit, np.array(c)
    return Problem(len(lower), parts, len(parts(sample[0])[1]))


def problem(name, d, instance):
    """One problem; d is 0 for those with a number of variables of their own."""
    return _classic(name, instance) if name in _CLASSIC else _made(name, d, instance)


def has(name, d):
    return (d == 0) == (name in _CLASSIC)
