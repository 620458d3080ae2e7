"""The plate of the heater simulation, solved by another program: least peak temperature for a given power.

Cell-centred finite volumes on n x n cells as in src/simulations/plate.h, and sources as in heater.h, with a direct
solver. Temperatures are linear in the powers, and the matrix is symmetric, so that one more solve gives the gradient of
a smooth maximum by positions and powers.
"""
import numpy as np
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import scipy.special

N, K, HEATERS, WIDTH, EDGE, AMBIENT = 64, 2.0, 3, 0.06, 0.5, 20.0
LOSS = 10.0 + 2.0 * 3  # with the three fins of the reference


def factorise():
    h = 1 / N
    line = scipy.sparse.diags([-np.ones(N - 1), -np.ones(N - 1)], [-1, 1])
    steps = np.full(N, 2.0)
    steps[[0, -1]] = 1.0
    along = K * (line + scipy.sparse.diags(steps))
    outside = np.zeros(N)
    outside[[0, -1]] = EDGE * h * 2 * K / (EDGE * h + 2 * K)
    along = along + scipy.sparse.diags(outside)
    unit = scipy.sparse.identity(N)
    matrix = scipy.sparse.kron(unit, along) + scipy.sparse.kron(along, unit) + LOSS * h * h * scipy.sparse.identity(N * N)
    return scipy.sparse.linalg.splu(matrix.tocsc())


SOLVER = factorise()
EDGES = np.linspace(0, 1, N + 1)


def spread(centre):
    """Share of a Gaussian in each cell, and its derivative by the centre."""
    scale = 1 / (WIDTH * np.sqrt(2))
    below = scipy.special.erf((EDGES - centre) * scale)
    slope = -2 / np.sqrt(np.pi) * scale * np.exp(-(((EDGES - centre) * scale) ** 2))
    inside, change = below[-1] - below[0], slope[-1] - slope[0]
    return np.diff(below) / inside, np.diff(slope) / inside - np.diff(below) * change / inside**2


def solve(design):
    """Temperatures of a design x1 y1 p1 ...: [n, n] by y and x."""
    heat = sum(p * np.outer(spread(y)[0], spread(x)[0]) for x, y, p in design.reshape(-1, 3))
    return AMBIENT + SOLVER.solve(heat.ravel()).reshape(N, N)


def peaks(design, cells):
    """Temperatures of some cells, and their gradients [cells, variables]."""
    columns = np.zeros((N * N, len(cells)))
    columns[cells, np.arange(len(cells))] = 1
    response = SOLVER.solve(columns).T.reshape(len(cells), N, N)
    value, gradient = np.full(len(cells), AMBIENT), np.zeros((len(cells), design.size))
    for k, (x, y, p) in enumerate(design.reshape(-1, 3)):
        (sx, dx), (sy, dy) = spread(x), spread(y)
        value += p * (response @ sx @ sy)
        gradient[:, 3 * k] = p * (response @ dx @ sy)
        gradient[:, 3 * k + 1] = p * (response @ sx @ dy)
        gradient[:, 3 * k + 2] = response @ sx @ sy
    return value, gradient


def least_peak(power, most=1000.0, starts=6, seed=1):
    """The design of this power with the least peak, by sequential quadratic programming on the hottest cells."""
    random = np.random.default_rng(seed)
    lower, upper = np.tile([0, 0, 0], HEATERS), np.tile([1, 1, most], HEATERS)
    best = None
    for _ in range(starts):
        design = np.column_stack([random.uniform(0.1, 0.9, (HEATERS, 2)), np.full(HEATERS, power / HEATERS)]).ravel()
        radius = 0.2
        for _ in range(60):
            field = solve(design)
            if best is None or field.max() < best[0]:
                best = (field.max(), design)
            cells = np.argsort(field.ravel())[-150:]
            value, gradient = peaks(design, cells)
            # least t with value + gradient step <= t, the power kept, within a region of trust
            scale = np.tile([radius, radius, radius * power], HEATERS)
            cost = np.append(np.zeros(design.size), 1)
            rows = np.column_stack([gradient, -np.ones(len(cells))])
            keeps = np.append(np.tile([0, 0, 1], HEATERS), 0)[None]
            bounds = list(zip(np.maximum(-scale, lower - design), np.minimum(scale, upper - design))) + [(None, None)]
            step = scipy.optimize.linprog(cost, rows, -value, keeps, [0], bounds, method="highs")
            trial = np.clip(design + step.x[:-1], lower, upper) if step.status == 0 else design
            if step.status == 0 and solve(trial).max() < field.max() - 1e-10:
                design, radius = trial, radius * 1.5
            else:
                radius /= 2.5
            if radius < 1e-9:
                break
    return best
