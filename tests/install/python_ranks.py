"""The Python module on two ranks: what is wrong on one of them ends the call on all, and the next call works."""
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
    """Here with the part, elsewhere with the rank that it happened on."""
    try:
        call()
    except gannet.Error as error:
        assert (part if rank == 1 else "reported by rank 1") in str(error), error
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
world.mpi.MPI_Finalize()
