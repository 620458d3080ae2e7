"""The 24 noiseless functions of Hansen, Finck, Ros, Auger: Real-parameter black-box optimization benchmarking 2009
(INRIA RR-6829), with the instances of that benchmark, shifted so that every minimum is 0.

    value = bbob.function(number, dimension, instance); value(x) for x in [-5, 5]^dimension
"""
import numpy as np

NAMES = ["sphere", "ellipsoid-separable", "rastrigin-separable", "bueche-rastrigin", "linear-slope", "attractive-sector",
         "step-ellipsoid", "rosenbrock", "rosenbrock-rotated", "ellipsoid", "discus", "bent-cigar", "sharp-ridge",
         "different-powers", "rastrigin", "weierstrass", "schaffers-f7", "schaffers-f7-ill", "griewank-rosenbrock",
         "schwefel", "gallagher-101", "gallagher-21", "katsuura", "lunacek"]


def _uniform(count, seed):
    """The benchmark's generator (a shuffled Lehmer sequence), without which its instances are others."""
    state, table, values = max(abs(int(seed)), 1), [0] * 32, np.empty(count)

    def step(s):
        s = 16807 * (s % 127773) - 2836 * (s // 127773)
        return s + 2147483647 if s < 0 else s
    for i in range(39, -1, -1):
        state = step(state)
        if i < 32:
            table[i] = state
    last = table[0]
    for i in range(count):
        state = step(state)
        at = last // 67108865
        last, table[at] = table[at], state
        values[i] = last / 2.147483647e9 or 1e-99
    return values


def _normal(count, seed):
    u = _uniform(2 * count, seed)
    g = np.sqrt(-2 * np.log(u[:count])) * np.cos(2 * np.pi * u[count:])
    return np.where(g == 0, 1e-99, g)


def _place(d, seed):
    x = 8 * np.floor(1e4 * _uniform(d, seed)) / 1e4 - 4
    return np.where(x == 0, -1e-5, x)


def _rotation(d, seed):
    b = _normal(d * d, seed).reshape(d, d).T.copy()
    for i in range(d):
        for j in range(i):
            b[:, i] -= b[:, i] @ b[:, j] * b[:, j]
        b[:, i] /= np.sqrt(b[:, i] @ b[:, i])
    return b


def _oscillate(z):
    z = np.asarray(z, dtype=float)
    log = np.log(np.abs(np.where(z == 0, 1, z)))
    c1, c2 = np.where(z > 0, 10, 5.5), np.where(z > 0, 7.9, 3.1)
    return np.where(z == 0, 0, np.sign(z) * np.exp(log + 0.049 * (np.sin(c1 * log) + np.sin(c2 * log))))


def _powers(d):
    return np.arange(d) / max(d - 1, 1)


def _bend(z, beta):
    positive = np.maximum(z, 0)
    return np.where(z > 0, positive ** (1 + beta * _powers(len(z)) * np.sqrt(positive)), z)


def _condition(d, alpha):
    return alpha ** (_powers(d) / 2)


def _outside(x):
    return np.sum(np.maximum(np.abs(x) - 5, 0) ** 2)


def _rastrigin(z):
    return 10 * (len(z) - np.sum(np.cos(2 * np.pi * z))) + z @ z


def _rosenbrock(z):
    return np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2)


def function(number, d, instance=1):
    """One function, minimum 0."""
    seed = number + 10000 * instance
    # 4 and 18 share the instances of 3 and 17, as in the benchmark
    seed = {4: 3, 18: 17}.get(number, number) + 10000 * instance
    return _BUILD[number - 1](d, seed)


def _sphere(d, seed):
    opt = _place(d, seed)
    return lambda x: np.sum((x - opt) ** 2)


def _ellipsoid_separable(d, seed):
    opt, weight = _place(d, seed), 1e6 ** _powers(d)
    return lambda x: weight @ _oscillate(x - opt) ** 2


def _rastrigin_separable(d, seed):
    opt, scale = _place(d, seed), _condition(d, 10)
    return lambda x: _rastrigin(scale * _bend(_oscillate(x - opt), 0.2))


def _bueche_rastrigin(d, seed):
    opt, scale = _place(d, seed), _condition(d, 10)
    opt[::2] = np.abs(opt[::2])

    def value(x):
        z = _oscillate(x - opt)
        s = scale * np.where((np.arange(d) % 2 == 0) & (z > 0), 10, 1)
        return _rastrigin(s * z) + 100 * _outside(x)
    return value


def _linear_slope(d, seed):
    opt = np.where(_place(d, seed) > 0, 5.0, -5.0)
    slope = np.sign(opt) * 10 ** _powers(d)

    def value(x):
        z = np.where(opt * x < 25, x, opt)
        return np.sum(5 * np.abs(slope) - slope * z)
    return value


def _attractive_sector(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    m = r @ np.diag(_condition(d, 10)) @ q

    def value(x):
        z = m @ (x - opt)
        return _oscillate(np.sum((np.where(z * opt > 0, 100, 1) * z) ** 2)) ** 0.9
    return value


def _step_ellipsoid(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    scale, weight = _condition(d, 10), 100 ** _powers(d)

    def value(x):
        zh = scale * (r @ (x - opt))
        zt = np.where(np.abs(zh) > 0.5, np.floor(0.5 + zh), np.floor(0.5 + 10 * zh) / 10)
        return 0.1 * max(abs(zh[0]) / 1e4, weight @ (q @ zt) ** 2) + _outside(x)
    return value


def _rosenbrock_axes(d, seed):
    opt, scale = 0.75 * _place(d, seed), max(1, np.sqrt(d) / 8)
    return lambda x: _rosenbrock(scale * (x - opt) + 1)


def _rosenbrock_rotated(d, seed):
    r, scale = _rotation(d, seed), max(1, np.sqrt(d) / 8)
    return lambda x: _rosenbrock(scale * (r @ x) + 0.5)


def _ellipsoid(d, seed):
    opt, r, weight = _place(d, seed), _rotation(d, seed + 1000000), 1e6 ** _powers(d)
    return lambda x: weight @ _oscillate(r @ (x - opt)) ** 2


def _discus(d, seed):
    opt, r, weight = _place(d, seed), _rotation(d, seed + 1000000), np.r_[1e6, np.ones(d - 1)]
    return lambda x: weight @ _oscillate(r @ (x - opt)) ** 2


def _bent_cigar(d, seed):
    opt, r, weight = _place(d, seed + 1000000), _rotation(d, seed + 1000000), np.r_[1, 1e6 * np.ones(d - 1)]
    return lambda x: weight @ (r @ _bend(r @ (x - opt), 0.5)) ** 2


def _sharp_ridge(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    m = r @ np.diag(_condition(d, 10)) @ q

    def value(x):
        z = m @ (x - opt)
        return z[0] ** 2 + 100 * np.sqrt(z[1:] @ z[1:])
    return value


def _different_powers(d, seed):
    opt, r, power = _place(d, seed), _rotation(d, seed + 1000000), 2 + 4 * _powers(d)
    return lambda x: np.sqrt(np.sum(np.abs(r @ (x - opt)) ** power))


def _rastrigin_rotated(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    m = r @ np.diag(_condition(d, 10)) @ q
    return lambda x: _rastrigin(m @ _bend(_oscillate(r @ (x - opt)), 0.2))


def _weierstrass(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    m, k = r @ np.diag(_condition(d, 0.01)) @ q, np.arange(12)
    f0 = np.sum(0.5 ** k * np.cos(np.pi * 3.0 ** k))

    def value(x):
        z = m @ _oscillate(r @ (x - opt))
        waves = np.cos(2 * np.pi * np.outer(z + 0.5, 3.0 ** k)) @ 0.5 ** k
        return 10 * (np.mean(waves) - f0) ** 3 + 10 / d * _outside(x)
    return value


def _schaffers(condition):
    def build(d, seed):
        opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
        scale = _condition(d, condition)

        def value(x):
            z = scale * (q @ _bend(r @ (x - opt), 0.5))
            s = np.sqrt(z[:-1] ** 2 + z[1:] ** 2)
            return np.mean(np.sqrt(s) * (1 + np.sin(50 * s ** 0.2) ** 2)) ** 2 + 10 * _outside(x)
        return value
    return build


def _griewank_rosenbrock(d, seed):
    r, scale = _rotation(d, seed), max(1, np.sqrt(d) / 8)

    def value(x):
        z = scale * (r @ x) + 0.5
        s = 100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2
        return 10 + 10 / (d - 1) * np.sum(s / 4000 - np.cos(s))
    return value


def _schwefel(d, seed):
    sign, scale = np.where(_uniform(d, seed) > 0.5, 1, -1), _condition(d, 10)
    opt = 0.5 * 4.2096874633 * sign

    def value(x):
        xh = 2 * sign * x
        zh = xh.copy()
        zh[1:] += 0.25 * (xh[:-1] - 2 * np.abs(opt[:-1]))
        z = 100 * (scale * (zh - 2 * np.abs(opt)) + 2 * np.abs(opt))
        penalty = np.sum(np.maximum(np.abs(z) / 100 - 5, 0) ** 2)
        return -np.mean(z * np.sin(np.sqrt(np.abs(z)))) / 100 + 4.189828872724339 + 100 * penalty
    return value


def _gallagher(peaks, top, spread, corner):
    def build(d, seed):
        r = _rotation(d, seed)
        order = np.argsort(_uniform(peaks - 1, seed), kind="stable")
        alpha = np.r_[top, 1000 ** (2 * order / (peaks - 2))]
        sharp = np.empty((peaks, d))
        for i in range(peaks):
            mixed = np.argsort(_uniform(d, seed + 1000 * i), kind="stable")
            sharp[i] = alpha[i] ** (mixed / max(d - 1, 1) - 0.5)
        u = _uniform(d * peaks, seed).reshape(peaks, d)
        places = spread * u - spread / 2
        places[0] *= corner
        height = np.r_[10, 1.1 + 8 * np.arange(peaks - 1) / (peaks - 2)]
        centres = places @ r.T

        def value(x):
            apart = r @ x - centres
            best = np.max(height * np.exp(-0.5 / d * np.sum(sharp * apart ** 2, axis=1)))
            return _oscillate(10 - best) ** 2 + _outside(x)
        return value
    return build


def _katsuura(d, seed):
    opt, r, q = _place(d, seed), _rotation(d, seed + 1000000), _rotation(d, seed)
    m, power = r @ np.diag(_condition(d, 100)) @ q, 2.0 ** np.arange(1, 33)

    def value(x):
        z = np.outer(m @ (x - opt), power)
        rough = np.sum(np.abs(z - np.floor(z + 0.5)) / power, axis=1)
        return 10 / d ** 2 * (np.prod((1 + np.arange(1, d + 1) * rough) ** (10 / d ** 1.2)) - 1) + _outside(x)
    return value


def _lunacek(d, seed):
    r, q = _rotation(d, seed + 1000000), _rotation(d, seed)
    m, mu0 = r @ np.diag(_condition(d, 100)) @ q, 2.5
    opt = np.where(_normal(d, seed) < 0, -0.5, 0.5) * mu0
    s = 1 - 1 / (2 * np.sqrt(d + 20) - 8.2)
    mu1 = -np.sqrt((mu0 ** 2 - 1) / s)

    def value(x):
        xh = 2 * np.sign(opt) * x
        z = m @ (xh - mu0)
        bowls = min(np.sum((xh - mu0) ** 2), d + s * np.sum((xh - mu1) ** 2))
        return bowls + 10 * (d - np.sum(np.cos(2 * np.pi * z))) + 1e4 * _outside(x)
    return value


_BUILD = [_sphere, _ellipsoid_separable, _rastrigin_separable, _bueche_rastrigin, _linear_slope, _attractive_sector,
          _step_ellipsoid, _rosenbrock_axes, _rosenbrock_rotated, _ellipsoid, _discus, _bent_cigar, _sharp_ridge,
          _different_powers, _rastrigin_rotated, _weierstrass, _schaffers(10), _schaffers(1000), _griewank_rosenbrock,
          _schwefel, _gallagher(101, 1000, 10, 0.8), _gallagher(21, 1000 ** 2, 9.8, 1.0), _katsuura, _lunacek]
