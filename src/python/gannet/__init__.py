"""Bayesian optimisation of expensive simulations, with the C library of gannet inside.

For a first try, `minimize` finds good arguments of a function:

    import gannet

    result = gannet.minimize(lambda x, y: (x - 0.3)**2 + y**2, {"x": (0, 1), "y": (-1, 1)}, evaluations=30)
    print(result.x, result.value)

With a loop of your own, `Optimizer` proposes points, and you tell it the results:

    optimizer = gannet.Optimizer({"x": (0, 1), "rate": (1e-6, 1e-2, "log"), "fins": gannet.integer(1, 8),
                                  "solver": ["cg", "gmres"], "vent": bool},
                                 constraints={"stress": (None, 110)}, method="neural-bo", seed=1)
    for _ in range(20):
        points = optimizer.ask(4)
        for point in points:
            value, stress = simulate(**point)
            optimizer.tell(point, value, {"stress": stress})
    print(optimizer.best())

`Campaign` opens the directory of a campaign of the program gannet: its table, best designs, predictions and figures.

Under MPI every rank makes the same calls (`comm=` takes a communicator of mpi4py) and gets the same points.
Without `comm` the process is alone, and any thread may call: the calls wait for each other. The library is found by the environment
variable GANNET_LIBRARY (a path), in this folder and the folders above it, or by the system's linker. What it logs, such as
warnings about settings, goes to the logger "gannet" of the module logging, on rank 0.
"""
from ._campaign import Campaign
from ._library import Error, __version__
from ._minimize import Evaluation, Result, minimize
from ._optimizer import Optimizer
from ._results import Front, Prediction, Quantity
from ._variables import Point, boolean, categorical, derived, fixed, integer, ordinal, real

__all__ = ["__version__", "minimize", "Result", "Evaluation", "Campaign", "Optimizer", "Point", "Quantity", "Prediction", "Front", "real", "integer",
           "ordinal", "boolean", "categorical", "fixed", "derived", "Error"]
