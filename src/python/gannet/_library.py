"""The shared library: where it is, its structures and functions, and what it reports by return codes and its log."""
from __future__ import annotations

import ctypes
import ctypes.util
import logging
import os
import pathlib
import threading
import types
from typing import Any, Callable

from numpy.typing import NDArray

Array = NDArray[Any]

__version__ = "0.2.0"  # of the library that these files are made for


class Error(RuntimeError):
    """A call failed. The text says what was wrong and what was expected. If `minimize` ended in this way after some
    evaluations, `result` is the Result with all of them; otherwise it is None."""

    __module__ = "gannet"
    result: Any = None


def _structure(name: str, /, **members: Any) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": list(members.items())})


_Variable = _structure("_Variable", name=ctypes.c_char_p, type=ctypes.c_int, lower=ctypes.c_double, upper=ctypes.c_double,
                       scale=ctypes.c_int, n_values=ctypes.c_int, values=ctypes.POINTER(ctypes.c_char_p),
                       role=ctypes.c_int, fixed=ctypes.c_double, expression=ctypes.c_char_p,
                       step=ctypes.c_double, numbers=ctypes.POINTER(ctypes.c_double), when=ctypes.c_char_p)
_Constraint = _structure("_Constraint", name=ctypes.c_char_p, lower=ctypes.c_double, upper=ctypes.c_double)
_Objective = _structure("_Objective", name=ctypes.c_char_p, goal=ctypes.c_int, threshold=ctypes.c_double, noise_sd=ctypes.c_double,
                        transform=ctypes.c_int, keeps_penalties=ctypes.c_int)
_Spec = _structure("_Spec", n_variables=ctypes.c_int, variables=ctypes.POINTER(_Variable), n_constraints=ctypes.c_int,
                   constraints=ctypes.POINTER(_Constraint), goal=ctypes.c_int, noise_sd=ctypes.c_double, n_objectives=ctypes.c_int,
                   objectives=ctypes.POINTER(_Objective))
_Slack = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))
_Function = _structure("_Function", name=ctypes.c_char_p, slack=_Slack, user=ctypes.c_void_p)
_Setting = _structure("_Setting", key=ctypes.c_char_p, text=ctypes.c_char_p)
_Quantity = _structure("_Quantity", name=ctypes.c_char_p, value=ctypes.c_double, sd=ctypes.c_double,
                       gradient=ctypes.POINTER(ctypes.c_double))
_Result = _structure("_Result", id=ctypes.c_int64, outcome=ctypes.c_int, objective=ctypes.c_double,
                     constraints=ctypes.POINTER(ctypes.c_double), n_quantities=ctypes.c_int,
                     quantities=ctypes.POINTER(_Quantity), objectives=ctypes.POINTER(ctypes.c_double))
_Recommendation = _structure("_Recommendation", id=ctypes.c_int64, mean=ctypes.c_double, sd=ctypes.c_double, noise_sd=ctypes.c_double)
_Prediction = _structure("_Prediction", mean=ctypes.c_double, sd=ctypes.c_double, kept=ctypes.c_double)
_Feasibility = _structure("_Feasibility", can_run=ctypes.c_double, feasible=ctypes.c_double)
_Best = _structure("_Best", id=ctypes.c_int64, objective=ctypes.c_double, feasible=ctypes.c_int,
                    runs=ctypes.c_int, error=ctypes.c_double)
_Sink = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p)
_Counts = _structure("_Counts", **dict.fromkeys(("pending", "done", "feasible", "cannot_run", "failed"), ctypes.c_int64))
_STRUCTURES = {"gannet_variable": _Variable, "gannet_variable_function": _Function, "gannet_constraint": _Constraint, "gannet_problem_spec": _Spec,
               "gannet_objective": _Objective,
               "gannet_method_setting": _Setting, "gannet_quantity": _Quantity, "gannet_result": _Result, "gannet_best": _Best, "gannet_counts": _Counts,
               "gannet_recommendation": _Recommendation, "gannet_prediction": _Prediction, "gannet_feasibility": _Feasibility}


def _find_library() -> str:
    """The path of the library, or its name where only the linker can know it."""
    named = os.environ.get("GANNET_LIBRARY")
    if named:
        return named
    for folder in pathlib.Path(__file__).resolve().parents[:6]:
        for place in (folder, folder / "lib", folder / "build", *sorted(folder.glob("lib/*-linux-gnu*"))):
            if (place / "libgannet.so").exists():
                return str(place / "libgannet.so")
    return ctypes.util.find_library("gannet") or "libgannet.so"


def _open_library(path: str) -> ctypes.CDLL:
    try:
        # MPI loads its own components later, which must find its symbols
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        if "/" in path and pathlib.Path(path).exists():
            raise ImportError(f"{path} cannot be loaded: {error}; install the packages that gannet needs, or build it again "
                              "on this machine") from error
        where = ("which GANNET_LIBRARY names" if os.environ.get("GANNET_LIBRARY")
                 else f"neither in the folders above {pathlib.Path(__file__).parent} nor by the linker")
        raise ImportError(f"the library of gannet was not found: {path}, {where} ({error}); install gannet, or set "
                          "GANNET_LIBRARY to the path of libgannet.so") from error


_lock = threading.RLock()


def _in_turn(function: Callable[..., Any]) -> Callable[..., Any]:
    """ctypes lets other threads run during a call, and an optimiser cannot have two at a time."""
    def call(*arguments: Any) -> Any:
        with _lock:
            return function(*arguments)
    return call


def _check_library(library: Any, path: str) -> None:
    """Another library would read and write structures where this file has none."""
    found = "older than 0.2.0"
    if hasattr(library, "gannet_version"):
        library.gannet_version.restype = ctypes.c_char_p
        library.gannet_struct_size.restype, library.gannet_struct_size.argtypes = ctypes.c_size_t, [ctypes.c_char_p]
        found = library.gannet_version().decode()
    advice = (f"{__file__} is made for version {__version__}; set GANNET_LIBRARY to the path of that library, or import the "
              "package gannet that belongs to this one")
    if found != __version__:
        raise Error(f"{path}: version {found}, but {advice}")
    for name, structure in _STRUCTURES.items():
        size = library.gannet_struct_size(name.encode())
        if size != ctypes.sizeof(structure):
            raise Error(f"{path}: version {found}, whose {name} has {size} bytes, not {ctypes.sizeof(structure)}, but {advice}")


def _load() -> Any:
    path = _find_library()
    library = _open_library(path)
    _check_library(library, path)
    handle, doubles, ids = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
    taken = ctypes.POINTER(handle)
    signatures = {
        "gannet_context_create_alone": [ctypes.c_uint64, taken],
        "gannet_context_create_fortran": [ctypes.c_int, ctypes.c_uint64, taken],
        "gannet_context_agree": [handle, ctypes.c_int, ctypes.c_char_p],
        "gannet_context_set_log": [handle, ctypes.c_int, _Sink, ctypes.c_void_p],
        "gannet_context_destroy": [taken], "gannet_problem_destroy": [taken], "gannet_optimizer_destroy": [taken],
        "gannet_problem_create": [ctypes.POINTER(_Spec), taken],
        "gannet_problem_get_active": [handle, doubles, ctypes.POINTER(ctypes.c_int)],
        "gannet_problem_set_variable_constraints": [handle, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)],
        "gannet_problem_set_variable_functions": [handle, ctypes.c_int, ctypes.POINTER(_Function)],
        "gannet_optimizer_create": [handle, handle, ctypes.c_int, ctypes.POINTER(_Setting), taken],
        "gannet_optimizer_ask": [handle, ctypes.c_int, ids, doubles],
        "gannet_optimizer_start": [handle, ctypes.c_int, doubles, ids],
        "gannet_optimizer_tell": [handle, ctypes.c_int, ctypes.POINTER(_Result)],
        "gannet_optimizer_tell_point": [handle, doubles, ctypes.POINTER(_Result), ids],
        "gannet_optimizer_discard": [handle, ctypes.c_int64],
        "gannet_optimizer_correct": [handle, ctypes.c_int64, ctypes.POINTER(_Result)],
        "gannet_optimizer_tell_related_results": [handle, ctypes.c_int, doubles, ctypes.POINTER(_Result)],
        "gannet_optimizer_quantity": [handle, ctypes.c_int64, ctypes.c_char_p, ctypes.POINTER(_Quantity)],
        "gannet_optimizer_front": [handle, ctypes.c_int64, ids, doubles, doubles, doubles, doubles],
        "gannet_optimizer_best": [handle, ctypes.POINTER(_Best), doubles],
        "gannet_optimizer_count": [handle, ctypes.POINTER(_Counts)],
        "gannet_optimizer_recommend": [handle, ctypes.POINTER(_Recommendation), doubles],
        "gannet_optimizer_save": [handle, ctypes.c_char_p], "gannet_optimizer_load": [handle, ctypes.c_char_p],
        "gannet_optimizer_pending": [handle, ctypes.c_int64, ids, doubles],
        "gannet_optimizer_predict": [handle, ctypes.c_int, doubles, ctypes.POINTER(_Prediction), ctypes.POINTER(_Feasibility)],
    }
    calls = types.SimpleNamespace(path=path, gannet_error_message=library.gannet_error_message)
    for name, arguments in signatures.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = None if name.endswith(("_destroy", "_best", "_count", "_set_log")) else ctypes.c_int
        setattr(calls, name, _in_turn(function))
    library.gannet_optimizer_pending.restype = library.gannet_optimizer_front.restype = ctypes.c_int64
    library.gannet_error_message.restype = ctypes.c_char_p
    return calls


_library = _load()


def _check(code: int) -> None:
    if code:
        raise Error(_library.gannet_error_message().decode())


_logger = logging.getLogger("gannet")
_LEVELS = logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG  # of gannet_log_level


@_Sink  # type: ignore[misc]
def _forward(user: Any, level: int, rank: int, line: bytes) -> None:
    _logger.log(_LEVELS[level], "%s", line.decode(errors="replace"))


def _hear(context: Any) -> None:
    """Let the logger have what the library logs: lines for debugging only if it wants any now."""
    _library.gannet_context_set_log(context, 3 if _logger.isEnabledFor(logging.DEBUG) else 2, _forward, None)


def _doubles(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _identifiers(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
