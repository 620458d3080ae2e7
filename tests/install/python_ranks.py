"""The Python module on several ranks: what is wrong on one of them ends the call on all, and the next call works."""
import ctypes
import os

import gannet


class World:
    """As a communicator of mpi4py, which need not be installed."""
    def __init__(self):
        self.mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
        self.mpi.MPI_Init(None, None)

    def py2f(self):
        return 0  # MPI_COMM_WORLD of Open MPI


world = World()
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])


def fails(part, call):
    """Here with the part, elsewhere with the rank that it happened on, too."""
    try:
        call()
    except (gannet.Error, KeyError) as error:
        assert part in str(error), error
        assert isinstance(error, gannet.Error) or rank == 1, error
        assert rank == 1 or "reported by rank 1" in str(error), error
    else:
        raise AssertionError(part)


def make(**more):
    return gannet.Optimizer({"x": (0, 1)}, {"g": (None, 1)}, comm=world, method="sobol", **more)


def here(wrong, right):
    return wrong if rank == 1 else right


fails("goal 'best'", lambda: make(goal=here("best", "minimize")))
fails("setting initial", lambda: make(initial=here("\0", 4)))
with make() as optimizer:
    fails("expected a whole number", lambda: optimizer.ask(here("x", 2)))
    a, b = optimizer.ask(2)
    fails("objective: 'x' is not a number", lambda: optimizer.tell(a, here("x", 1), [0]))
    fails("unknown constraint 'h'", lambda: optimizer.tell(a, 1, {here("h", "g"): 0}))
    fails("variable x is missing", lambda: optimizer.tell(here({}, {"x": 0.5}), 1, [0]))
    fails("is neither a Point", lambda: optimizer.tell(here("a", a), 1, [0]))
    optimizer.tell(a, 2, [0])
    optimizer.fail(b)
    assert optimizer.best() == (a, 2, True)


class Fragile:
    """A variable constraint that raises on rank 1 when it is asked for the n-th time from now."""
    __name__ = "fragile"

    def __init__(self):
        self.n = 10**9

    def __call__(self, point):
        self.n -= 1
        if self.n <= 0 and rank == 1:
            raise KeyError("no such row")
        return 1.5 - point["x"] - point["y"]


def make_fragile(fragile, method, **more):
    return gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, comm=world, method=method, noise=0, initial=4,
                            variable_constraints=[fragile], **more)


for n in 1, 30:  # at the statement of the constraint, and at the creation of the optimiser or never
    fragile = Fragile()
    fragile.n = n
    try:
        make_fragile(fragile, "sobol")
        assert n > 1
    except (gannet.Error, KeyError) as error:
        assert "no such row" in str(error), error
for method in "sobol", "gp-ei", "auto":
    fragile = Fragile()
    with make_fragile(fragile, method) as optimizer:
        for n in 1, 2, 3, 10, 100, 1000, 10**9:
            fragile.n = n
            try:
                optimizer.ask(3)
                assert n >= 10
            except (gannet.Error, KeyError) as error:
                assert n < 10**9 and "no such row" in str(error), error
            fragile.n = 10**9
            fails("is not a number", lambda: optimizer.tell({"x": here("a", 0.25), "y": 0.5}, 1))
            for point in optimizer.pending():
                optimizer.tell(point, point["x"] - point["y"])
        fragile.n = 1
        fails("no such row", lambda: optimizer.tell({"x": 0.5, "y": 0.5}, 0))
        fragile.n = 10**9
        assert optimizer.counts()["pending"] == 0
        optimizer.ask(2)
world.mpi.MPI_Finalize()
