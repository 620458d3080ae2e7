"""Ask and tell."""
from __future__ import annotations

import collections.abc
import contextlib
import ctypes
import os
from typing import Any, Callable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np

from ._convert import (as_bytes, as_count, as_designs, as_entries, as_float, as_identifier, as_path, as_seed, as_setting, as_settings,
                       check_names)
from ._library import (Array, Error, _Best, _check, _Constraint, _Counts, _doubles, _Feasibility, _Function, _hear, _identifiers, _library,
                       _Objective, _Prediction, _Quantity, _Recommendation, _Setting, _Slack, _Spec)
from ._results import (CANNOT_RUN, DONE, FAILED, PARTIAL, Front, Names, Number, Numbers, Prediction, Quantity, as_constraint,
                       as_objective, as_related_results, as_result, is_maximized)
from ._variables import Design, Point, Variable, as_kind, as_structures, coded, may_be_left_out

_OWN = ("variables", "constraints", "goal", "noise", "objectives", "seed", "comm", "variable_constraints")  # arguments of Optimizer
_OK, _ERR_ARG, _ERR_INPUT = 0, 1, 5  # of gannet_err

Designs = Union[Design, Sequence[Design]]


def _slack(function: Callable[[Point], Any], to_point: Callable[[Any, Array], Point], n: int,
           raised: List[Tuple[str, BaseException]]) -> Any:
    """A variable constraint as the library calls it. After an exception nothing is allowed, and nothing asked any more."""
    def call(user: Any, x: Any) -> float:
        if raised:
            return np.nan
        try:
            value = function(to_point(None, np.array(x[:n])))
            if isinstance(value, (bool, np.bool_)):
                return 1.0 if value else -1.0
            try:
                return float(value)
            except (TypeError, ValueError):
                raise Error(f"variable constraint '{_name_of(function)}' has returned {value!r}; expected by how much it is "
                            "kept, a number, or True or False") from None
        except BaseException as error:
            raised.append((f"variable constraint '{_name_of(function)}': {type(error).__name__}: {error}", error))
            return np.nan
    return _Slack(call)


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", "function")


def _number_of(point: Any) -> int:
    return point.id if isinstance(point, Point) else as_identifier(point)


class Optimizer(contextlib.AbstractContextManager["Optimizer"]):
    """Ask for points and tell their results. Also a context manager: `with gannet.Optimizer(...) as optimizer:`.

    Collective over comm; the same arguments on all ranks.

    variables    name -> kind, in the order in which the library codes them
    constraints  name -> (lower, upper) of the values that are feasible, in their units; None = no bound
    goal         "minimize" or "maximize"
    noise        standard deviation of the objective, in its units; 0 = exact, None = to be learned
    objectives   for several objectives, instead of goal and noise: name -> "minimize", "maximize", or a dictionary of
                 goal, threshold (the worst value of interest; None = from the results), noise, transform ("auto",
                 "none" or "log", applied to the values before a model is fitted; auto = log where they spread far) and
                 penalties (False = every value counts as it is; otherwise a penalty value, such as 1e10 for a solver
                 that diverged, makes a result count as a failure of its design). See `front`
    seed         an integer from 0 to 2**63 - 1; the same seed and results give the same points
    comm         a communicator of mpi4py; None = this process alone
    variable_constraints  relations between variables that no point violates: ["chord + span <= 10", "a + b + c = 1"].
                 If a text cannot express a relation, give a function of a Point. It returns the slack: at least 0, or
                 True, where the relation holds; nan means violated. Functions must be cheap, and must return the same
                 on all ranks. An exception in a function is raised by the call that used it, and is a gannet.Error of
                 the same call on other ranks; the points of an ask that ends in this way are among `pending`
    settings     of the method, as in a campaign file: {"surrogate.width": 256, "region": {"restarts": False},
                 "portfolio": ["gp-ei", "neural-bo"]}. {"cost.from": "hours", "cost.weigh": True, "budget.cost": 40}
                 weighs gain by the quantity `hours` of the results, less so as the budget of 40 is spent
    more         the same where the key is a name: method="gp-ts", initial=8

    Errors: gannet.Error naming the wrong variables, constraints and settings: the first ones, and the number of further
    ones.
    """

    __module__ = "gannet"

    def __init__(self, variables: Mapping[str, Variable],
                 constraints: Optional[Mapping[str, Tuple[Optional[float], Optional[float]]]] = None, *,
                 goal: str = "minimize", noise: Optional[float] = None,
                 objectives: Optional[Mapping[str, Union[str, Mapping[str, Any]]]] = None, seed: int = 1, comm: Any = None,
                 variable_constraints: Union[str, Callable[[Point], Any], Sequence[Union[str, Callable[[Point], Any]]]] = (),
                 settings: Optional[Mapping[str, Any]] = None, **more: Any) -> None:
        self._context, self._problem, self._optimizer = (ctypes.c_void_p() for _ in range(3))
        self._open: dict[int, Tuple[Any, ...]] = {}  # what was asked for and has no result yet: id -> values
        self._functions: List[Any] = []  # variable constraints that are functions
        self._raised: List[Tuple[str, BaseException]] = []  # what they have raised
        try:
            self._create_context(comm, seed)
            with self._alike():
                variables = as_entries("variables", variables, "name -> kind")
                self.names = list(variables)
                self.kinds = [as_kind(name, kind) for name, kind in variables.items()]
                self.constraints = as_entries("constraints", constraints or {}, "name -> (lower, upper)")
                self.objectives = as_entries("objectives", {} if objectives is None else objectives, "name -> goal")
                if objectives is not None and not 2 <= len(self.objectives) <= 5:
                    raise Error(f"objectives: {len(self.objectives)} given, expected 2 to 5; for a single one leave objectives out, and give "
                                "goal and noise of it alone, as in goal='maximize'")
                self._filled = {name for name, kind in zip(self.names, self.kinds) if may_be_left_out(kind)}
                self._targets = list(self.objectives) or ["objective"]
                self._told = Names(self.names, self._filled, self._targets, list(self.constraints), bool(self.objectives))
                self._create_problem(goal, noise, variable_constraints)
                settings = as_settings({**as_entries("settings", settings or {}, "key -> value"), **more}, _OWN)
                entries = (_Setting * len(settings))(*((as_bytes("setting", key), as_bytes(f"setting {key}", as_setting(value)))
                                                       for key, value in settings.items()))
            self._finish(_library.gannet_optimizer_create(self._context, self._problem, len(entries), entries,
                                                    ctypes.byref(self._optimizer)))
        except Exception:
            self.close()
            raise

    @contextlib.contextmanager
    def _alike(self) -> Iterator[None]:
        """What is wrong on this rank alone must end the call of the others, too, which wait for it in the library."""
        try:
            yield
        except Exception as error:
            if self._context:
                self._agree(_ERR_ARG, str(error))
                if self._has_functions():  # the others agree on these, too, in _finish
                    self._agree(_ERR_ARG, str(error))
            raise

    def _agree(self, code: int, text: str) -> Any:
        return _library.gannet_context_agree(self._context, code, text.encode(errors="replace"))

    def _has_functions(self) -> bool:
        """Whether variable constraints are functions, which may fail on one rank alone; the same on all ranks, as the
        creation of the optimiser compares them."""
        return bool(self._optimizer and self._functions)

    def _create_context(self, comm: Any, seed: int) -> None:
        seed = as_seed(seed)
        made = ctypes.byref(self._context)
        if comm is not None and not hasattr(comm, "py2f"):
            raise Error(f"comm {comm!r}: expected a communicator of mpi4py")
        _check(_library.gannet_context_create_alone(seed, made) if comm is None
               else _library.gannet_context_create_fortran(comm.py2f(), seed, made))
        _hear(self._context)

    def _create_problem(self, goal: str, noise: Optional[float], relations: Any) -> None:
        maximize = is_maximized("goal", goal)
        if self.objectives and (maximize or noise is not None):
            raise Error("goal and noise are those of a single objective; each of several has its own, in objectives")
        variables = as_structures(self.names, self.kinds)
        constraints = (_Constraint * len(self.constraints))(*(as_constraint(name, given) for name, given in self.constraints.items()))
        objectives = (_Objective * len(self.objectives))(*(as_objective(name, given) for name, given in self.objectives.items()))
        spec = _Spec(len(variables), variables, len(constraints), constraints, maximize,
                     np.nan if noise is None else as_float("noise", noise), len(objectives), objectives)
        _check(_library.gannet_problem_create(ctypes.byref(spec), ctypes.byref(self._problem)))
        if not isinstance(relations, (str, collections.abc.Iterable)) and not callable(relations):
            raise Error(f"variable_constraints {relations!r}: expected texts or functions, as in ['chord + span <= 10']")
        relations = [relations] if isinstance(relations, str) or callable(relations) else list(relations)
        functions = [relation for relation in relations if callable(relation)]
        relations = [relation for relation in relations if not callable(relation)]
        texts = (ctypes.c_char_p * len(relations))(*(as_bytes("variable constraint", text) for text in relations))
        _check(_library.gannet_problem_set_variable_constraints(self._problem, len(relations), texts))
        self._functions = [_slack(function, self._point, len(self.names), self._raised) for function in functions]  # borrowed
        entries = (_Function * len(functions))(
            *((as_bytes("function", _name_of(function)), slack, None)
              for function, slack in zip(functions, self._functions)))
        code = _library.gannet_problem_set_variable_functions(self._problem, len(functions), entries)
        self._raise_own()
        _check(code)

    def _raise_own(self) -> None:
        """What a function among the variable constraints has raised on this rank."""
        if self._raised:
            error = self._raised[0][1]
            self._raised.clear()
            raise error

    def _finish(self, code: int) -> None:
        """After a collective call. When functions among the variable constraints have failed on some ranks, all must know
        before the next one."""
        message = _library.gannet_error_message().decode() if code else None
        if self._has_functions():
            failed = self._raised[0][0] if self._raised else ""
            if self._agree(_ERR_INPUT if failed else _OK, failed):
                message = _library.gannet_error_message().decode()
        self._raise_own()
        if message is not None:
            raise Error(message)

    def _working(self) -> Any:
        if not self._optimizer:
            raise Error("the optimiser was closed; make another one")
        return self._optimizer

    def _point(self, number: Any, x: Array) -> Point:
        x, active = np.ascontiguousarray(x), (ctypes.c_int * len(self.names))()
        _check(_library.gannet_problem_get_active(self._problem, _doubles(x), active))
        return Point(self.names, self.kinds, number, x, frozenset(name for name, flag in zip(self.names, active) if flag))

    def ask(self, q: int = 1) -> List[Point]:
        """Propose q points that differ from each other and from all earlier ones while the problem has that many untried
        designs. Returns a list of Point.

        Collective; the same points on all ranks.
        """
        with self._alike():
            q = as_count("q", "points", q)
            ids, x = np.empty(q, dtype=np.int64), np.empty((q, len(self.names)))
        self._finish(_library.gannet_optimizer_ask(self._working(), q,
                                             _identifiers(ids), _doubles(x)))
        return self._opened(ids, x)

    def ask_array(self, q: int = 1) -> Tuple[Array, Array]:
        """The same as arrays: ids [q], and points [q, variables] in the units of the variables. A switch is 0 or 1, a
        name is its position.

        Collective; the same points on all ranks.
        """
        points = self.ask(q)
        return np.array([p.id for p in points]), np.array([p.x for p in points])

    def start(self, designs: Designs) -> List[Point]:
        """Propose designs of your own, and return them as a list of Point to evaluate and tell, like those of `ask`.
        This is usually done before the first ask, but may also be done later. They count as designs of the setting
        initial. Until they are told, they are pending, and proposals take them into account.

        Collective; the same on all ranks.

        designs  a dictionary with a design, or a list of them. Variables that are left out or None get values of the
                 next points of the first design, such that variable constraints hold and given conditional variables
                 are active

        Errors: gannet.Error for an unknown variable, a value outside the bounds, a design without any value, or one
        that cannot be completed without violating variable constraints. After an error nothing is proposed.
        """
        with self._alike():
            rows = []
            for design in as_designs(designs):
                check_names("variable", design, self.names, self.names)
                rows.append([np.nan if design.get(name) is None else coded(name, kind, design[name])
                             for name, kind in zip(self.names, self.kinds)])
            x = np.array(rows, dtype=float).reshape(len(rows), len(self.names))
            ids = np.empty(len(rows), dtype=np.int64)
        self._finish(_library.gannet_optimizer_start(self._working(), len(x), _doubles(x),
                                                     _identifiers(ids)))
        return self._opened(ids, x)

    def _opened(self, ids: Array, x: Array) -> List[Point]:
        """Points that wait for their results."""
        points = [self._point(int(number), row) for number, row in zip(ids, x)]
        self._open.update((point.id, tuple(point.values())) for point in points)
        return points

    def _outcome(self, objective: Any, quantities: Any, partial: bool) -> int:
        is_done = objective is not None or any(name in (quantities or {}) for name in self._targets)
        return PARTIAL if partial else DONE if is_done else CANNOT_RUN

    def tell(self, point: Union[Point, int, Design], objective: Union[Number, Numbers] = None, constraints: Optional[Numbers] = None,
             quantities: Optional[Mapping[str, Number]] = None, partial: bool = False) -> int:
        """Report the result of a point. Returns its id.

        Collective; the same on all ranks.

        point        a Point from ask, an id from ask_array, or a dictionary with a design of your own, which may be
                     outside the bounds, between steps, or violate variable constraints: models learn from it, but it
                     is never the best
        objective    in its own units; None or nan: the simulation cannot work at this design, and models learn to avoid
                     it (see also fail). Objective and constraints may be a Quantity, which also has a standard
                     deviation. For several objectives: name -> value, or a sequence in their order
        constraints  name -> value, or a sequence in the order of the constraints, in their own units
        partial      True: some values are None, nan or left out, because an early check ended the evaluation, but at
                     least one is given; models learn from what is given
        quantities   name -> number or Quantity: other quantities of the evaluation, or objective and constraints with
                     gradients and with standard deviations, which models use as noise; kept for `quantity`

        Errors: gannet.Error for an id that was never asked for, for one that already has a result (a failed one can be
        told again), for a Point whose values were changed, and for a missing or unknown name of a variable or
        constraint. After an error the result is not accepted.
        """
        return self._tell(point, objective, constraints, self._outcome(objective, quantities, partial), quantities)

    def quantity(self, point: Union[Point, int], name: str) -> Quantity:
        """Return a Quantity that was told with the result of a Point or id, by name: "objective", one of several
        objectives, a constraint, or any other. Its value is nan if there is none.

        Local.
        """
        number = _number_of(point)
        found = _Quantity()
        _check(_library.gannet_optimizer_quantity(self._working(), number, as_bytes("quantity", name), ctypes.byref(found)))
        slopes = {variable: found.gradient[i] for i, variable in enumerate(self.names)} if found.gradient else None
        return Quantity(found.value, found.sd, slopes)

    def fail(self, point: Union[Point, int, Design]) -> int:
        """Report that there is no result, through no fault of the design. A result may be told later.

        Collective; the same on all ranks.
        """
        return self._tell(point, None, None, FAILED)

    def discard(self, point: Union[Point, int]) -> None:
        """Discard an evaluation, with or without a result. It no longer counts, and its point may be proposed again.
        The next points are those of an optimiser that was told only the remaining results, in their order.

        Collective; the same on all ranks.

        point  a Point or an id

        Errors: gannet.Error for an id that was never asked for, and for one that was discarded.
        """
        with self._alike():
            number = _number_of(point)
        self._finish(_library.gannet_optimizer_discard(self._working(), number))
        self._open.pop(number, None)

    def correct(self, point: Union[Point, int], objective: Union[Number, Numbers] = None, constraints: Optional[Numbers] = None,
                quantities: Optional[Mapping[str, Number]] = None, partial: bool = False) -> None:
        """Replace the result of an evaluation, with the arguments of `tell`. The next points are those of an optimiser
        that was told the corrected results, in their order.

        Collective; the same on all ranks.

        point  a Point or an id

        Errors: gannet.Error for an evaluation that has no result yet, or was discarded, and those of `tell`.
        """
        with self._alike():
            number = _number_of(point)
            result = as_result(self._told, number, objective, constraints, self._outcome(objective, quantities, partial), quantities)
        self._finish(_library.gannet_optimizer_correct(self._working(), number, ctypes.byref(result)))

    def tell_related(self, points: Sequence[Design], values: Union[Sequence[Optional[float]], Mapping[str, Sequence[Optional[float]]]],
                     constraints: Optional[Mapping[str, Sequence[Optional[float]]]] = None) -> None:
        """Tell results of a related problem, for example of the same wing at another speed. Models learn a prior from
        them. They are not evaluations.

        points  designs as dictionaries; a variable that the related problem does not have is left out of all of them, and
                values may be outside the bounds
        values  the objective at each design, with any shift and scale but the same sense; None or nan where it is not
                known. For several objectives: name -> values of those that the related problem has
        constraints  name -> values of some constraints at each design, with any shift and scale but the same sense;
                     None or nan where one is not known

        Each call is one problem; at most eight are allowed. The weight of each prior is learnt from the results of this
        problem, for each objective and each constraint, and becomes 0 if the problems are not related.

        Collective; the same on all ranks.
        """
        with self._alike():
            if isinstance(points, (str, collections.abc.Mapping)) or not isinstance(points, collections.abc.Iterable):
                raise Error(f"{points!r}: expected a list of dictionaries with designs")
            if isinstance(values, str) or not isinstance(values, collections.abc.Iterable):
                raise Error(f"values {values!r}: expected one for each design")
            rows = []
            for point in points:
                if not isinstance(point, collections.abc.Mapping):
                    raise Error(f"{point!r}: expected a dictionary with a design")
                unknown = [name for name in point if name not in self.names]
                if unknown:
                    raise Error(f"no variable '{unknown[0]}'; expected some of {', '.join(self.names)}")
                rows.append([coded(name, kind, point[name]) if name in point else np.nan
                             for name, kind in zip(self.names, self.kinds)])
            x = np.array(rows, dtype=float)
            results = as_related_results(x, values, constraints, self._told)
        self._finish(_library.gannet_optimizer_tell_related_results(self._working(), len(x), _doubles(x), results))

    def _tell(self, point: Any, *given: Any) -> int:
        is_own, made = isinstance(point, dict) and not isinstance(point, Point), ctypes.c_int64()
        with self._alike():
            result = as_result(self._told, -1, *given)
            if is_own:
                x = np.array(self._coded(point))
            else:
                result.id = self._check_values(point) if isinstance(point, Point) else as_identifier(point)
        if is_own:
            self._finish(_library.gannet_optimizer_tell_point(self._working(), _doubles(x), ctypes.byref(result),
                                                        ctypes.byref(made)))
            return int(made.value)
        self._finish(_library.gannet_optimizer_tell(self._working(), 1, ctypes.byref(result)))
        if result.is_final:
            self._open.pop(result.id, None)
        return int(result.id)

    def _coded(self, point: Design) -> List[float]:
        """A design in the library's coding; nan = filled in there."""
        check_names("variable", point, self.names, self._filled)
        return [np.nan if point.get(name) is None and name in self._filled else coded(name, kind, point[name])
                for name, kind in zip(self.names, self.kinds)]

    def _check_values(self, point: Point) -> int:
        """A result belongs to the design that was asked for: not to one that was changed since, nor to that of
        another optimiser, whose points have the same ids."""
        for name, asked in zip(self.names, self._open.get(point.id, ())):
            if name not in point or point[name] != asked:
                raise Error(f"point {point.id}: {name} is {point.get(name)!r}, but {asked!r} was asked for; a "
                            "dictionary that is no Point tells the result of a design of your own")
        return point.id

    def best(self) -> Optional[Tuple[Point, Any, bool]]:
        """(Point, objective, feasible) of the best evaluation, or None when there is none. If feasible is False, no
        evaluation satisfies all constraints, and this one violates them least. With the setting replicates it is the
        design whose runs have the best mean, with that mean and the number of its first run. With several objectives it
        is the best in the first one alone, and objective is a dictionary of all; `front` has those that no other one
        dominates.

        Local.
        """
        best, x = _Best(), np.empty(len(self.names))
        _library.gannet_optimizer_best(self._working(), ctypes.byref(best), _doubles(x))
        if best.id < 0:
            return None
        values = {name: self.quantity(best.id, name).value for name in self.objectives}
        return self._point(best.id, x), values or best.objective, bool(best.feasible)

    def front(self) -> Front:
        """A Front: the feasible evaluations that no other one dominates. An evaluation dominates another one if it is
        at least as good in every objective and better in one. Of evaluations that are equal in every objective, the
        front has the first. Its members:

        ids          [points] ascending
        points       a Point of each
        objectives   name -> array [points]
        reference    name -> value up to which the hypervolume is measured: the threshold, or from the results
        hypervolume  nan where it is larger than any number

        Local.
        """
        call, k = _library.gannet_optimizer_front, len(self._targets)
        n = call(self._working(), 0, None, None, None, None, None)
        _check(n < 0)
        ids, x, y = np.empty(n, dtype=np.int64), np.empty((n, len(self.names))), np.empty((n, k))
        reference, volume = np.empty(k), np.empty(1)
        _check(0 > call(self._working(), n, _identifiers(ids), *map(_doubles, (x, y, reference, volume))))
        return Front(ids, [self._point(int(number), row) for number, row in zip(ids, x)], dict(zip(self._targets, y.T)),
                     dict(zip(self._targets, map(float, reference))), float(volume[0]))

    def best_runs(self) -> Tuple[int, float]:
        """(runs, error) of best(): the number of evaluations whose mean is its objective, and the standard error of
        that mean (nan = unknown). For a single run, error is the standard deviation that was told with it. (0, nan)
        when there is no evaluation.

        Local.
        """
        best = _Best()
        _library.gannet_optimizer_best(self._working(), ctypes.byref(best), None)
        return best.runs, best.error

    def counts(self) -> dict[str, int]:
        """How many evaluations there are, as a dictionary: pending, done, feasible (those of done that satisfy all
        constraints), cannot_run (the simulation cannot work there) and failed.

        Local.
        """
        counts = _Counts()
        _library.gannet_optimizer_count(self._working(), ctypes.byref(counts))
        return {name: getattr(counts, name) for name, kind in _Counts._fields_}

    def recommend(self) -> Optional[Tuple[Point, float, float, float]]:
        """(Point, mean, sd, noise) of the evaluation to choose when values are noisy, or None when none is feasible. It
        is the evaluation at which a model of all results has the best mean. sd is the uncertainty of that mean, and
        noise the standard deviation of the noise, given or learned. The best value seen is often only the luckiest one.
        With fewer than four results it is returned, with the noise or nan as sd.

        Collective.
        """
        best, x = _Recommendation(), np.empty(len(self.names))
        self._finish(_library.gannet_optimizer_recommend(self._working(), ctypes.byref(best), _doubles(x)))
        if best.id < 0:
            return None
        return self._point(best.id, x), best.mean, best.sd, best.noise_sd

    def predict(self, points: Union[Designs, Array]) -> Prediction:
        """What the models of the next ask predict at designs that you choose, without a simulation: a Prediction. Its
        members are arrays [points], or numbers for a single design, for each quantity ("objective" or the names of
        several objectives, and the names of the constraints):

        mean      quantity -> mean, without the noise of a single value, in the user's units
        sd        quantity -> standard deviation
        kept      constraint -> probability that it holds
        can_run   probability that the simulation works there
        feasible  probability that it works and that all constraints hold

        For a transformed quantity, mean is the median, and sd is half the distance between the values one deviation
        above and below it. Each call fits the models, so give all designs at once.

        Collective; the same on all ranks.

        points  a dictionary with a design, a list of them, or an array [points, variables] as of ask_array

        Errors: gannet.Error for a design that is incomplete or outside the ranges of the variables, with fewer than four
        results, and where all results are equal (unless `penalties: no`).
        """
        single = isinstance(points, collections.abc.Mapping)
        with self._alike():
            x = self._designs(points)
        made, whole = np.empty((len(x), len(self._targets) + len(self.constraints), 3)), np.empty((len(x), 2))
        self._finish(_library.gannet_optimizer_predict(
            self._working(), len(x), _doubles(x), made.ctypes.data_as(ctypes.POINTER(_Prediction)),
            whole.ctypes.data_as(ctypes.POINTER(_Feasibility))))

        def shaped(array: Array) -> Any:
            return float(array[0]) if single else array

        mean, sd, kept = ({name: shaped(made[:, i, what]) for i, name in enumerate([*self._targets, *self.constraints])}
                          for what in range(3))
        for name in self._targets:
            del kept[name]
        return Prediction(mean, sd, kept, shaped(whole[:, 0]), shaped(whole[:, 1]))

    def _designs(self, points: Any) -> Array:
        """Designs [points, variables] in the library's coding."""
        if isinstance(points, np.ndarray):
            if points.ndim != 2 or points.shape[1] != len(self.names):
                raise Error(f"an array of shape {points.shape}; expected [points, {len(self.names)} variables]")
            return np.ascontiguousarray(points, dtype=float)
        rows = [self._coded(point) for point in as_designs(points, "a dictionary with a design, a list of them, or an array")]
        return np.array(rows).reshape(len(rows), len(self.names))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the state of the optimiser to a file: HDF5 with a checksum, written completely or not at all. An
        earlier file at the path becomes PATH.1.

        Collective; the same on all ranks.

        Errors: gannet.Error when the file cannot be written; an earlier file is then untouched.
        """
        with self._alike():
            encoded = as_path(path)
        self._finish(_library.gannet_optimizer_save(self._working(), encoded))

    def load(self, path: Union[str, os.PathLike[str]]) -> None:
        """Continue from a file of `save`, in a new optimiser with the same variables, constraints, settings and seed.
        It asks for the same points as one that was never interrupted, on any number of ranks. `pending` has the points
        that were asked for and not told.

        Collective; the same on all ranks.

        Errors: gannet.Error for an optimiser that already has evaluations, for a file that is damaged or was written by
        a later version, and for a file of another problem, method or seed; the message says what differs.
        """
        with self._alike():
            encoded = as_path(path)
        self._finish(_library.gannet_optimizer_load(self._working(), encoded))
        self._open.update((point.id, tuple(point.values())) for point in self.pending())

    def pending(self) -> List[Point]:
        """The points that were asked for and have no result, as a list of Point. After `load`, evaluate them again.

        Local.
        """
        n = _library.gannet_optimizer_pending(self._working(), 0, None, None)
        ids, x = np.empty(n, dtype=np.int64), np.empty((n, len(self.names)))
        _library.gannet_optimizer_pending(self._working(), n, _identifiers(ids), _doubles(x))
        return [self._point(int(number), row) for number, row in zip(ids, x)]

    def close(self) -> None:
        """Free everything. This happens by itself when the optimiser is no longer used.

        Collective.
        """
        for name in ("optimizer", "problem", "context"):
            pointer = getattr(self, f"_{name}", None)
            if pointer:
                getattr(_library, f"gannet_{name}_destroy")(ctypes.byref(pointer))

    __del__ = close

    def __reduce__(self) -> NoReturn:
        raise TypeError("an optimiser cannot be copied: a copy would close the original with itself")

    def __exit__(self, *unused: Any) -> None:
        self.close()
