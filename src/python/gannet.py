"""Ask and tell from Python: a thin layer over the shared library, without compilation.

    import gannet

    optimizer = gannet.Optimizer({"x": (0, 1), "rate": (1e-6, 1e-2, "log"), "fins": gannet.integer(1, 8),
                                  "solver": ["cg", "gmres"], "vent": bool},
                                 constraints={"stress": (None, 110)}, method="neural-bo", seed=1)
    for _ in range(20):
        points = optimizer.ask(4)
        for point in points:
            value, stress = simulate(**point)
            optimizer.tell(point, value, {"stress": stress})
    print(optimizer.best())

Under MPI every rank makes the same calls (`comm=` takes a communicator of mpi4py) and gets the same points.
Without `comm` the process is alone, and any thread may call: the calls wait for each other. The library is found by the environment variable GANNET_LIBRARY (a path),
in the folders near this file, or by the system's linker. What it logs, such as warnings of settings, goes to the logger "gannet"
of the module logging, on rank 0.
"""
import collections
import collections.abc
import contextlib
import ctypes
import difflib
import numbers
import operator
import os

import numpy as np

from _gannet import (Error, _Best, _check, _Constraint, _Counts, _Feasibility, _Function, _library, _Objective, _Prediction, _Quantity,
                     _Recommendation, _Result, _Setting, _Slack, _Spec, _Variable, _hear)

__all__ = ["Error", "Front", "Optimizer", "Point", "Prediction", "Quantity", "boolean", "categorical", "derived", "fixed", "integer",
           "ordinal", "real"]

_REAL, _INTEGER, _BOOLEAN, _CATEGORICAL, _ORDINAL = range(5)
_DONE, _CANNOT_RUN, _FAILED, _PARTIAL = range(4)
_OK, _ERR_ARG, _ERR_INPUT = 0, 1, 5  # of gannet_err


class Quantity:
    """A number that a simulation reports.

    value     in its own units; None or nan = missing
    sd        standard deviation of the value, in its units; 0 = not known
    gradient  variable -> derivative, in their own units; None = not known
    """

    def __init__(self, value, sd=0.0, gradient=None):
        self.value, self.sd, self.gradient = value, sd, gradient

    def __repr__(self):
        return f"Quantity({self.value!r}, sd={self.sd!r}, gradient={self.gradient!r})"


Prediction = collections.namedtuple("Prediction", "mean sd kept can_run feasible")  # of Optimizer.predict
Front = collections.namedtuple("Front", "ids points objectives reference hypervolume")  # of Optimizer.front

_FREE, _FIXED, _DERIVED = range(3)  # gannet_variable_role
_Kind = collections.namedtuple("_Kind", "type lower upper scale values role fixed expression step numbers when",
                               defaults=(_FREE, 0, None, 0, (), None))


def real(lower, upper, scale="linear", step=None, when=None):
    """A real variable in units of your own; scale "log" where factors matter, not differences. A tuple
    (lower, upper) or (lower, upper, "log") says the same. With a step, the values are lower, lower + step, ...

    With when, as in when="solver == 'gmres'", a variable of any kind has a meaning only where that is true. Elsewhere
    it is inactive: Point.active does not name it, and in the Point it has one value, which means nothing."""
    return _Kind(_REAL, lower, upper, scale, (), step=_step(step), when=when)


def integer(lower, upper, scale="linear", step=None, when=None):
    """An integer variable, both bounds included. With a step, the values are lower, lower + step, ...; when as in real."""
    return _Kind(_INTEGER, lower, upper, scale, (), step=_step(step), when=when)


def ordinal(*values, scale="linear", when=None):
    """One of several numbers in ascending order, as in ordinal(16, 32, 64, scale="log"), or of several words in their
    order, as in ordinal("coarse", "medium", "fine"), or one list of them; when as in real."""
    values = _listed(values)
    if any(isinstance(value, str) for value in values):
        return _Kind(_ORDINAL, 0, 0, scale, values, when=when)
    return _Kind(_ORDINAL, 0, 0, scale, (), numbers=values, when=when)


def boolean(when=None):
    """A switch; bool says the same. when as in real."""
    return _Kind(_BOOLEAN, 0, 0, "linear", (), when=when)


def _step(step):
    if step is not None and not _float("step", step) > 0:
        raise Error(f"step {step!r}: expected a number above 0, or None")
    return step or 0


def _listed(values):
    """Arguments, or the members of the only one, a list."""
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else values


def categorical(*values, when=None):
    """One of several names; a list of names says the same. (bool is a switch.) when as in real."""
    values = _listed(values)
    return _Kind(_CATEGORICAL, 0, 0, "linear", values, when=when)


def fixed(value):
    """A variable with one value, a number, a bool or a text: it is in every Point, and is no dimension of the search."""
    if isinstance(value, str):
        return _Kind(_CATEGORICAL, 0, 0, "linear", (value,), _FIXED, 0)
    kind = _BOOLEAN if isinstance(value, (bool, np.bool_)) else _INTEGER if isinstance(value, numbers.Integral) else _REAL
    return _Kind(kind, 0, 0, "linear", (), _FIXED, value)


def derived(expression, type=float):
    """A variable that is computed from others, as in derived("chord*span") or derived("solver == 'cg' ? 1 : 2").
    With type=int the nearest whole number is taken, with type=bool whether it is not 0. It is in every Point, and is
    no dimension of the search."""
    if type not in (float, int, bool):
        raise Error(f"derived({expression!r}): type {type!r}, expected float, int or bool")
    kind = {float: _REAL, int: _INTEGER, bool: _BOOLEAN}[type]
    return _Kind(kind, 0, 0, "linear", (), _DERIVED, 0, expression)


def _variable(name, given):
    """A kind from real(), integer() or categorical(), or the short forms of the module's example."""
    if given is bool:
        return _Kind(_BOOLEAN, 0, 0, "linear", ())
    if isinstance(given, list):
        return categorical(*given)
    if isinstance(given, _Kind):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3) and not any(isinstance(bound, str) for bound in given[:2]):
        return real(*given)
    raise Error(f"variable {name}: {given!r} is not a variable; expected (lower, upper), (lower, upper, 'log'), "
                "a list of names, bool, integer(lower, upper), ordinal(...), fixed(value) or derived(expression)")


class Point(dict):
    """Values by the names of the variables; `id` for telling, `x` as an array in the library's coding, `active` the names
    of the variables that have a meaning here: all but conditional ones whose condition is not true."""

    def __init__(self, names, kinds, number, x, active=None):
        super().__init__((name, _value(kind, v)) for name, kind, v in zip(names, kinds, x))
        self.id, self.x, self.active = number, x, frozenset(names) if active is None else active


def _value(kind, number):
    if number != number:  # a derived variable that has no finite value here
        return None
    if kind[0] == _INTEGER:
        return int(number)
    if kind[0] == _BOOLEAN:
        return bool(number)
    if kind.numbers:
        return min(kind.numbers, key=lambda value: abs(value - number))
    return kind[4][int(number)] if kind[4] else float(number)


def _float(what, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what}: {value!r} is not a number that fits into a double") from None


def _number(name, kind, value):
    if not kind[4]:
        return _float(f"variable {name}", value)
    if value not in kind[4]:
        raise Error(f"variable {name}: {value!r} is not one of {', '.join(map(repr, kind[4]))}")
    return float(kind[4].index(value))


def _check_names(what, given, known, optional=()):
    """A name that is wrong is a mistake even beside all the right ones: what it holds would be lost."""
    expected = f"expected {', '.join(known) or 'none'}"
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            raise Error(f"unknown {what} {name!r}; " + (f"did you mean {near[0]!r}? " if near else "") + expected)
    for name in known:
        if name not in given and name not in optional:
            raise Error(f"{what} {name} is missing; {expected}")


def _seed(given):
    """As in a campaign file; ctypes would take others modulo 2**64."""
    try:
        seed = operator.index(given)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**63:
        raise Error(f"seed {given!r}: expected an integer from 0 to 2**63 - 1")
    return seed


def _identifier(given):
    try:
        number = operator.index(given)
    except TypeError:
        raise Error(f"{given!r} is neither a Point, an id nor a dictionary with a design") from None
    if not 0 <= number < 2**63:
        raise Error(f"evaluation {number} was never asked for")
    return number


def _count(given):
    try:
        count = operator.index(given)
    except TypeError:
        raise Error(f"q = {given!r}, expected a whole number of points") from None
    if not 1 <= count < 2**31:
        raise Error(f"q = {count} points, expected " + ("at least 1" if count < 1 else "at most 2**31 - 1"))
    return count


def _bytes(what, text):
    """The library's strings end at the first zero: what follows would be left out without a word."""
    if not isinstance(text, str):
        raise Error(f"{what} {text!r}: expected text")
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise Error(f"{what} {text!r}: cannot be written as UTF-8") from None
    if b"\0" in encoded:
        raise Error(f"{what} {text!r}: has a zero character in it")
    return encoded


def _path(given):
    try:
        return _bytes("path", os.fsdecode(given))
    except TypeError:
        raise Error(f"path {given!r}: expected the path of a file") from None


def _text(value):
    """A setting as a campaign file has it: true and false, [gp-ei, neural-bo]."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    return str(value)


def _doubles(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _entries(what, given, expected):
    if not isinstance(given, collections.abc.Mapping):
        raise Error(f"{what} {given!r}: expected a dictionary, {expected}")
    return given.items()


def _listed_designs(given, expected="a dictionary with a design, or a list of them"):
    """A list of dictionaries, from one or several."""
    if isinstance(given, collections.abc.Mapping):
        return [given]
    if isinstance(given, str) or not isinstance(given, collections.abc.Iterable):
        raise Error(f"{given!r}: expected {expected}")
    designs = list(given)
    for design in designs:
        if not isinstance(design, collections.abc.Mapping):
            raise Error(f"{design!r}: expected a dictionary with a design")
    return designs


def _goal(what, given):
    if given not in ("minimize", "maximize"):
        raise Error(f"{what} {given!r}: expected 'minimize' or 'maximize'")
    return given == "maximize"


def _objective(name, given):
    """One of several objectives, from a goal or a dictionary."""
    given = {"goal": given} if isinstance(given, str) else given
    entry = dict(_entries(f"objective {name}", given, "of goal, threshold, noise, transform and penalties, or 'minimize' or 'maximize'"))
    known = ["goal", "threshold", "noise", "transform", "penalties"]
    _check_names(f"key of objective {name}:", entry, known, known)
    threshold, noise = (np.nan if entry.get(key) is None else _float(f"{key} of objective {name}", entry[key]) for key in known[1:3])
    transforms, transform, penalties = ("auto", "none", "log"), entry.get("transform", "auto"), entry.get("penalties", True)
    if transform not in transforms:
        raise Error(f"transform of objective {name} {transform!r}: expected 'auto', 'none' or 'log'")
    if penalties not in (True, False):
        raise Error(f"penalties of objective {name} {penalties!r}: expected True or False")
    return _Objective(_bytes("objective", name), _goal(f"goal of objective {name}", entry.get("goal", "minimize")), threshold, noise,
                      transforms.index(transform), not penalties)


def _named(what, given, known):
    """Values by their names, of a dictionary or of a sequence in the order of the names."""
    if isinstance(given, collections.abc.Mapping):
        return given
    expected = ", ".join(known) or "none"
    if isinstance(given, str) or not isinstance(given, collections.abc.Iterable):
        raise Error(f"{what}s {given!r}: expected a dictionary or a sequence of {expected}")
    values = list(given)
    if len(values) > len(known):
        raise Error(f"{len(values)} {what}s are given; expected {expected}")
    return dict(zip(known, values))


def _values(what, given, told, known, outcome):
    """An array in the order of the known names, of what is given, or told as quantities, which count first; nan = missing."""
    told = {name: told[name] for name in known if name in told and (told[name].value is not None or name not in (given or {}))}
    if given is None and not told:
        if known and outcome == _DONE:
            raise Error(f"{what}s are missing; expected {', '.join(known)}")
        return np.full(len(known), np.nan)
    given = {name: item.value if isinstance(item, Quantity) else item for name, item in {**(given or {}), **told}.items()}
    _check_names(what, given, known, known if outcome == _PARTIAL else ())
    return np.array([np.nan if given.get(name) is None else _float(what if what == name else f"{what} {name}", given[name])
                     for name in known])


def _bounds(name, given):
    """Of a constraint, as numbers."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"constraint {name}: {given!r} is no pair; expected (lower, upper), None = no bound")
    return tuple(missing if bound is None else _float(f"constraint {name}", bound)
                 for bound, missing in zip(given, (-np.inf, np.inf)))


def _slack(function, to_point, n, raised):
    """A variable constraint as the library calls it. After an exception nothing is allowed, and nothing asked any more."""
    def call(user, x):
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


def _name_of(function):
    return getattr(function, "__name__", "function")


class Optimizer(contextlib.AbstractContextManager):
    """Ask for points and tell their results. A context manager too: `with gannet.Optimizer(...) as optimizer:`.

    Collective over comm; the same arguments on all ranks.

    variables    name -> kind, in the order in which the library codes them
    constraints  name -> (lower, upper) of the values that are feasible, in their units; None = no bound
    goal         "minimize" or "maximize"
    noise        standard deviation of the objective, in its units; 0 = exact, None = to be learned
    objectives   of several, instead of goal and noise: name -> "minimize", "maximize", or a dictionary of goal, threshold (a
                 value that is not better is of no interest; None = from the results), noise, transform ("auto", "none" or
                 "log": of its values before a model sees them; auto = none) and penalties (False = every value is one;
                 otherwise those that are a penalty, such as 1e10 for a solver that diverged, make a result count as a
                 failure of its design). See `front`
    seed         an integer from 0 to 2**63 - 1; the same seed and results give the same points
    comm         a communicator of mpi4py; None = this process alone
    variable_constraints  relations between variables that no point violates: ["chord + span <= 10", "a + b + c = 1"].
                 Among them functions of a Point, for what no text can express, which return by how much they are
                 kept: at least 0 or True where they are; nan is violated. They must be cheap, and give the same on all
                 ranks. What they raise is raised by the call that has used them, and is a gannet.Error of the same call on
                 other ranks; points of an ask that ends so are among `pending`
    settings     of the method, as in a campaign file: {"surrogate.width": 256, "region.restarts": False,
                 "portfolio": ["gp-ei", "neural-bo"]}. {"cost.from": "hours", "cost.weigh": True, "budget.cost": 40}
                 weighs gain by the quantity `hours` of the results, less and less as these 40 are spent
    more         the same where the key is a name: method="gp-ts", initial=8

    Errors: gannet.Error naming the wrong variables, constraints and settings, of many the first ones and how
    many more.
    """

    def __init__(self, variables, constraints=None, *, goal="minimize", noise=None, objectives=None, seed=1, comm=None,
                 variable_constraints=(), settings=None, **more):
        self._context, self._problem, self._optimizer = (ctypes.c_void_p() for _ in range(3))
        self._open = {}  # what was asked for and has no result yet: id -> values
        self._functions, self._raised = [], []  # variable constraints that are functions, and what they have raised
        try:
            self._create_context(comm, seed)
            with self._alike():
                variables = dict(_entries("variables", variables, "name -> kind"))
                self.names = list(variables)
                self.kinds = [_variable(name, kind) for name, kind in variables.items()]
                self._filled = {name for name, kind in zip(self.names, self.kinds)
                                if kind.role != _FREE or kind.when is not None}  # what a design may leave out
                self.constraints = dict(_entries("constraints", constraints or {}, "name -> (lower, upper)"))
                self.objectives = dict(_entries("objectives", objectives or {}, "name -> goal"))
                self._targets = list(self.objectives) or ["objective"]
                self._create_problem(goal, noise, variable_constraints)
                settings = {**dict(_entries("settings", settings or {}, "key -> value")), **more}
                entries = (_Setting * len(settings))(*((_bytes("setting", key), _bytes(f"setting {key}", _text(value)))
                                                       for key, value in settings.items()))
            self._finish(_library.gannet_optimizer_create(self._context, self._problem, len(entries), entries,
                                                    ctypes.byref(self._optimizer)))
        except Exception:
            self.close()
            raise

    @contextlib.contextmanager
    def _alike(self):
        """What is wrong on this rank alone must end the call of the others, too, which wait for it in the library."""
        try:
            yield
        except Exception as error:
            if self._context:
                self._agree(_ERR_ARG, str(error))
                if self._has_functions():  # the others agree on these, too, in _finish
                    self._agree(_ERR_ARG, str(error))
            raise

    def _agree(self, code, text):
        return _library.gannet_context_agree(self._context, code, text.encode(errors="replace"))

    def _has_functions(self):
        """Whether variable constraints are functions, which may fail on one rank alone; the same on all ranks, as the
        creation of the optimiser compares them."""
        return bool(self._optimizer and self._functions)

    def _create_context(self, comm, seed):
        seed = _seed(seed)
        made = ctypes.byref(self._context)
        if comm is not None and not hasattr(comm, "py2f"):
            raise Error(f"comm {comm!r}: expected a communicator of mpi4py")
        _check(_library.gannet_context_create_alone(seed, made) if comm is None
               else _library.gannet_context_create_fortran(comm.py2f(), seed, made))
        _hear(self._context)

    def _create_problem(self, goal, noise, relations):
        maximize = _goal("goal", goal)
        if self.objectives and (maximize or noise is not None):
            raise Error("goal and noise are those of a single objective; each of several has its own, in objectives")
        variables = (_Variable * len(self.names))()
        for entry, name, kind in zip(variables, self.names, self.kinds):
            if kind.scale not in ("linear", "log"):
                raise Error(f"variable {name}: scale {kind.scale!r}, expected 'linear' or 'log'")
            texts = (ctypes.c_char_p * len(kind.values))(
                *(_bytes(f"variable {name}: value", str(v)) for v in kind.values))
            entry.name, entry.type, entry.role = _bytes("variable", name), kind.type, kind.role
            entry.lower, entry.upper, entry.fixed = (
                _float(f"variable {name}", number) for number in (kind.lower, kind.upper, kind.fixed))
            listed = [_float(f"variable {name}: value", value) for value in kind.numbers]
            entry.scale, entry.n_values, entry.values = kind.scale == "log", len(texts) + len(listed), texts
            entry.step = _float(f"variable {name}: step", kind.step)
            if listed:
                entry.numbers = (ctypes.c_double * len(listed))(*listed)
            if kind.when is not None:
                entry.when = _bytes(f"variable {name}: when", kind.when)
            if kind.role == _DERIVED:
                entry.expression = _bytes(f"variable {name}: expression", kind.expression)
        constraints = (_Constraint * len(self.constraints))(
            *((_bytes("constraint", name), *_bounds(name, given)) for name, given in self.constraints.items()))
        objectives = (_Objective * len(self.objectives))(*(_objective(name, given) for name, given in self.objectives.items()))
        spec = _Spec(len(variables), variables, len(constraints), constraints, maximize,
                     np.nan if noise is None else _float("noise", noise), len(objectives), objectives)
        _check(_library.gannet_problem_create(ctypes.byref(spec), ctypes.byref(self._problem)))
        relations = [relations] if isinstance(relations, str) or callable(relations) else list(relations)
        functions = [relation for relation in relations if callable(relation)]
        relations = [relation for relation in relations if not callable(relation)]
        texts = (ctypes.c_char_p * len(relations))(*(_bytes("variable constraint", text) for text in relations))
        _check(_library.gannet_problem_set_variable_constraints(self._problem, len(relations), texts))
        self._functions = [_slack(function, self._point, len(self.names), self._raised) for function in functions]  # borrowed
        entries = (_Function * len(functions))(
            *((_bytes("function", _name_of(function)), slack, None)
              for function, slack in zip(functions, self._functions)))
        code = _library.gannet_problem_set_variable_functions(self._problem, len(functions), entries)
        self._raise_own()
        _check(code)

    def _raise_own(self):
        """What a function among the variable constraints has raised on this rank."""
        if self._raised:
            error = self._raised[0][1]
            self._raised.clear()
            raise error

    def _finish(self, code):
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

    def _working(self):
        if not self._optimizer:
            raise Error("the optimiser was closed; make another one")
        return self._optimizer

    def _point(self, number, x):
        x, active = np.ascontiguousarray(x), (ctypes.c_int * len(self.names))()
        _check(_library.gannet_problem_get_active(self._problem, _doubles(x), active))
        return Point(self.names, self.kinds, number, x, frozenset(name for name, flag in zip(self.names, active) if flag))

    def ask(self, q=1):
        """q points that differ from each other and from all before, as a list of Point.

        Collective; the same points on all ranks.
        """
        with self._alike():
            q = _count(q)  # of which ctypes would take the lower 32 bits
            ids, x = np.empty(q, dtype=np.int64), np.empty((q, len(self.names)))
        self._finish(_library.gannet_optimizer_ask(self._working(), q,
                                             ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), _doubles(x)))
        return self._opened(ids, x)

    def ask_array(self, q=1):
        """The same as arrays: ids [q], and points [q, variables] in the units of the variables; of a switch 0 or 1,
        of a name its position.

        Collective; the same points on all ranks.
        """
        points = self.ask(q)
        return np.array([p.id for p in points]), np.array([p.x for p in points])

    def start(self, designs):
        """Propose designs of your own, and return them as a list of Point to evaluate and tell, like those of `ask`. Usually
        before the first ask; any later time is right too. They count as designs of the setting initial, and what comes next
        knows that they are pending.

        Collective; the same on all ranks.

        designs  a dictionary with a design, or a list of them. Variables that are left out or None are filled in with the next
                 points of the first design, such that variable constraints hold and conditional variables that are given
                 are active

        Errors: gannet.Error for a name that is no variable, a value outside the bounds, a design that gives nothing, or that
        violates variable constraints whatever is filled in; nothing is proposed then.
        """
        with self._alike():
            rows = []
            for design in _listed_designs(designs):
                _check_names("variable", design, self.names, self.names)
                rows.append([np.nan if design.get(name) is None else _number(name, kind, design[name])
                             for name, kind in zip(self.names, self.kinds)])
            x = np.array(rows, dtype=float).reshape(len(rows), len(self.names))
            ids = np.empty(len(rows), dtype=np.int64)
        self._finish(_library.gannet_optimizer_start(self._working(), len(x), _doubles(x),
                                                     ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))))
        return self._opened(ids, x)

    def _opened(self, ids, x):
        """Points that wait for their results."""
        points = [self._point(int(number), row) for number, row in zip(ids, x)]
        self._open.update((point.id, tuple(point.values())) for point in points)
        return points

    def _quantities(self, given):
        """Structures, and the arrays that they borrow."""
        kept, made = [], (_Quantity * len(given))()
        for place, (name, value) in zip(made, given.items()):
            place.name = str(name).encode()
            place.value = np.nan if value.value is None else _float(f"quantity {name}", value.value)
            place.sd = _float(f"sd of quantity {name}", value.sd)
            if value.gradient is not None:
                _check_names("variable", value.gradient, self.names, self._filled)
                gradient = np.array([np.nan if slope is None else _float(f"gradient of {name}", slope)
                                     for slope in (value.gradient.get(variable, np.nan) for variable in self.names)])
                place.gradient = _doubles(gradient)
                kept.append(gradient)
        return made, kept

    def _result(self, number, objective, constraints, outcome, quantities=None):
        if quantities is not None and not isinstance(quantities, dict):
            raise Error(f"quantities {quantities!r}: expected a dictionary of name -> number or Quantity")
        told = {name: item if isinstance(item, Quantity) else Quantity(item) for name, item in (quantities or {}).items()}
        goals = (objective if objective is None else _named("objective", objective, self._targets) if self.objectives
                 else {"objective": objective})
        given = constraints if constraints is None else _named("constraint", constraints, list(self.constraints))
        told.update((name, item) for name, item in [*(goals or {}).items(), *(given or {}).items()] if isinstance(item, Quantity))
        is_known = outcome in (_DONE, _PARTIAL)
        if told and not is_known:
            raise Error("quantities are told without an objective; expected one, or no quantities")
        y = _values("objective", goals, told, self._targets, outcome)
        values = _values("constraint", given, told, list(self.constraints), outcome)
        result = _Result(number, outcome, np.nan, _doubles(values), objectives=_doubles(y))
        made, kept = self._quantities(told)
        result.n_quantities, result.quantities = len(made), made
        result.keep = y, values, made, kept  # the structure only borrows
        result.is_final = outcome in (_CANNOT_RUN, _PARTIAL) or np.isfinite([*y, *values]).all()
        return result

    def _outcome(self, objective, quantities, partial):
        is_done = objective is not None or any(name in (quantities or {}) for name in self._targets)
        return _PARTIAL if partial else _DONE if is_done else _CANNOT_RUN

    def tell(self, point, objective=None, constraints=None, quantities=None, partial=False):
        """The result of a point. Returns its id.

        Collective; the same on all ranks.

        point        a Point from ask, an id from ask_array, or a dictionary with a design of your own, which may be
                     outside the bounds, between steps, or violate variable constraints: models learn from it, but it
                     is never the best
        objective    in its own units; None or nan: the simulation cannot work at this design, stay away (see also fail).
                     It and constraints may be a Quantity, which has a standard deviation too. Of several objectives
                     name -> value, or a sequence in their order
        constraints  name -> value, or a sequence in the order of the constraints, in their own units
        partial      True: objective or constraints that are None, nan or left out are missing, but not all of them, as a
                     check that came first has ended the evaluation; models learn from what is given
        quantities   name -> number or Quantity: what else is known of the evaluation, or objective and constraints
                     with their standard deviations, which models take for noise, and gradients; kept for `quantity`

        Errors: gannet.Error for an id that was never asked, for one that has a result already (a failed one can be
        told again), for a Point whose values are not those that were asked for, and for a name of a variable or
        constraint that is missing or unknown; nothing is taken over then.
        """
        return self._tell(point, objective, constraints, self._outcome(objective, quantities, partial), quantities)

    def quantity(self, point, name):
        """A Quantity that was told with the result of a Point or id: by its name, "objective", or that of one of several
        objectives or of a constraint.
        Its value is nan when there is none.

        Local.
        """
        number = point.id if isinstance(point, Point) else _identifier(point)
        found = _Quantity()
        _check(_library.gannet_optimizer_quantity(self._working(), number, str(name).encode(), ctypes.byref(found)))
        slopes = {variable: found.gradient[i] for i, variable in enumerate(self.names)} if found.gradient else None
        return Quantity(found.value, found.sd, slopes)

    def fail(self, point):
        """No result, through no fault of the design; it may be told later.

        Collective; the same on all ranks.
        """
        return self._tell(point, None, None, _FAILED)

    def discard(self, point):
        """Take an evaluation out, also one that has no result yet: it counts nowhere any more, and its point may be
        proposed again. What comes next is that of an optimiser that was told the remaining results, in their order.

        Collective; the same on all ranks.

        point  a Point or an id

        Errors: gannet.Error for an id that was never asked, and for one that was discarded.
        """
        with self._alike():
            number = point.id if isinstance(point, Point) else _identifier(point)
        self._finish(_library.gannet_optimizer_discard(self._working(), number))
        self._open.pop(number, None)

    def correct(self, point, objective=None, constraints=None, quantities=None, partial=False):
        """Replace the result of an evaluation by another one, given as to `tell`. What comes next is that of an optimiser
        that was told the results as they are now, in their order.

        Collective; the same on all ranks.

        point  a Point or an id

        Errors: gannet.Error for an evaluation that has no result yet, or was discarded, and those of `tell`.
        """
        with self._alike():
            number = point.id if isinstance(point, Point) else _identifier(point)
            result = self._result(number, objective, constraints, self._outcome(objective, quantities, partial), quantities)
        self._finish(_library.gannet_optimizer_correct(self._working(), number, ctypes.byref(result)))

    def tell_related(self, points, values, constraints=None):
        """Tell results of a related problem, as of the same wing at another speed: a prior that is learnt, no evaluations.

        points  designs as dictionaries; a variable that the related problem does not have is left out of all of them, and
                values may be outside the bounds
        values  the objective at each, of any shift and scale, but good in the same sense; None or nan where it is not known
        constraints  name -> values of some constraints at each point, of any shift and scale, but large in the same sense;
                     None or nan where one is not known

        Every call is one problem of at most eight. How much one counts is learnt from the results of this one, for the
        objective and for each constraint, and nothing is lost with a problem that turns out not to be related.

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
                rows.append([_number(name, kind, point[name]) if name in point else np.nan
                             for name, kind in zip(self.names, self.kinds)])
            x = np.array(rows, dtype=float)
            y = np.array([np.nan if value is None else _float("value", value) for value in values])
            limits = {name: np.array(list(column), dtype=float) for name, column in (constraints or {}).items()}
            _check_names("constraint", limits, list(self.constraints), self.constraints)
            for column in y, *limits.values():
                if len(x) != len(column):
                    raise Error(f"{len(x)} points and {len(column)} values; expected as many of both")
            given = np.array([limits.get(name, np.full(len(x), np.nan)) for name in self.constraints]).T.copy()
            results = (_Result * max(1, len(y)))()
            for i, value in enumerate(y):
                known = len(self.constraints) > 0 and not np.isnan(given[i]).all()
                results[i] = _Result(0, _PARTIAL if known else _DONE, value, _doubles(given[i]) if known else None)
        self._finish(_library.gannet_optimizer_tell_related_results(self._working(), len(y), _doubles(x), results))

    def _tell(self, point, *given):
        is_own, made = isinstance(point, dict) and not isinstance(point, Point), ctypes.c_int64()
        with self._alike():
            result = self._result(-1, *given)
            if is_own:
                x = np.array(self._coded(point))
            else:
                result.id = self._check_values(point) if isinstance(point, Point) else _identifier(point)
        if is_own:
            self._finish(_library.gannet_optimizer_tell_point(self._working(), _doubles(x), ctypes.byref(result),
                                                        ctypes.byref(made)))
            return made.value
        self._finish(_library.gannet_optimizer_tell(self._working(), 1, ctypes.byref(result)))
        if result.is_final:
            self._open.pop(result.id, None)
        return result.id

    def _coded(self, point):
        """A design in the library's coding; nan = filled in there."""
        _check_names("variable", point, self.names, self._filled)
        return [np.nan if point.get(name) is None and name in self._filled else _number(name, kind, point[name])
                for name, kind in zip(self.names, self.kinds)]

    def _check_values(self, point):
        """A result belongs to the design that was asked for: not to one that was changed since, nor to that of
        another optimiser, whose points have the same ids."""
        for name, asked in zip(self.names, self._open.get(point.id, ())):
            if name not in point or point[name] != asked:
                raise Error(f"point {point.id}: {name} is {point.get(name)!r}, but {asked!r} was asked for; a "
                            "dictionary that is no Point tells the result of a design of your own")
        return point.id

    def best(self):
        """(Point, objective, feasible) of the best evaluation, or None when there is none. Not feasible: no evaluation
        satisfies all constraints, and this one violates them least. With the setting replicates it is the design
        whose runs have the best mean, with that mean, under the number of its first run. Of several objectives it is the
        best by the first one alone, and objective is a dictionary of all; `front` has those that no other one dominates.

        Local.
        """
        best, x = _Best(), np.empty(len(self.names))
        _library.gannet_optimizer_best(self._working(), ctypes.byref(best), _doubles(x))
        if best.id < 0:
            return None
        values = {name: self.quantity(best.id, name).value for name in self.objectives}
        return self._point(best.id, x), values or best.objective, bool(best.feasible)

    def front(self):
        """A Front: the feasible evaluations that no other one dominates, which means that none is at least as good in every
        objective and better in one. Of those that are equal in every objective it has the first. Its members:

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
        _check(0 > call(self._working(), n, ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), *map(_doubles, (x, y, reference, volume))))
        return Front(ids, [self._point(int(number), row) for number, row in zip(ids, x)], dict(zip(self._targets, y.T)),
                     dict(zip(self._targets, map(float, reference))), float(volume[0]))

    def best_runs(self):
        """(runs, error) of best(): how many evaluations its objective is the mean of, and the standard error of that
        mean, nan when unknown; of a single run the standard deviation that was told with it. (0, nan) when there is
        none.

        Local.
        """
        best = _Best()
        _library.gannet_optimizer_best(self._optimizer, ctypes.byref(best), None)
        return best.runs, best.error

    def counts(self):
        """How many evaluations there are, as a dictionary: pending, done, feasible (those of done that satisfy all
        constraints), cannot_run (the simulation cannot work there) and failed.

        Local.
        """
        counts = _Counts()
        _library.gannet_optimizer_count(self._working(), ctypes.byref(counts))
        return {name: getattr(counts, name) for name, kind in _Counts._fields_}

    def recommend(self):
        """(Point, mean, sd, noise) of the evaluation to run with when values are noisy, or None when none is feasible: where
        a model of all results has the best mean, with its uncertainty, and the standard deviation of the noise, given or
        the model's. The best value seen is the luckiest one; of fewer than four results it is that, sd the noise or nan.

        Collective.
        """
        best, x = _Recommendation(), np.empty(len(self.names))
        self._finish(_library.gannet_optimizer_recommend(self._working(), ctypes.byref(best), _doubles(x)))
        if best.id < 0:
            return None
        return self._point(best.id, x), best.mean, best.sd, best.noise_sd

    def predict(self, points):
        """A Prediction: what the models of the next ask expect at designs of yours, without any simulation. Its members are
        arrays [points], or numbers for a single design, of each quantity ("objective", or the names of several, and those of
        the constraints):

        mean      quantity -> mean, without the noise of a single value, in the user's units
        sd        quantity -> standard deviation
        kept      constraint -> probability that it is kept
        can_run   probability that the simulation works there
        feasible  probability that it works and that all constraints are kept

        Of a transformed quantity the mean is the median, and sd half the distance of the values one deviation above
        and below. Each call costs a fit: give all designs at once.

        Collective; the same on all ranks.

        points  a dictionary with a design, a list of them, or an array [points, variables] as of ask_array

        Errors: gannet.Error for a design that is incomplete or outside the ranges of the variables, and with less than
        four results.
        """
        single = isinstance(points, collections.abc.Mapping)
        with self._alike():
            x = self._designs(points)
        made, whole = np.empty((len(x), len(self._targets) + len(self.constraints), 3)), np.empty((len(x), 2))
        self._finish(_library.gannet_optimizer_predict(
            self._working(), len(x), _doubles(x), made.ctypes.data_as(ctypes.POINTER(_Prediction)),
            whole.ctypes.data_as(ctypes.POINTER(_Feasibility))))

        def shaped(array):
            return float(array[0]) if single else array

        mean, sd, kept = ({name: shaped(made[:, i, what]) for i, name in enumerate([*self._targets, *self.constraints])}
                          for what in range(3))
        for name in self._targets:
            del kept[name]
        return Prediction(mean, sd, kept, shaped(whole[:, 0]), shaped(whole[:, 1]))

    def _designs(self, points):
        """Designs [points, variables] in the library's coding."""
        if isinstance(points, np.ndarray):
            if points.ndim != 2 or points.shape[1] != len(self.names):
                raise Error(f"an array of shape {points.shape}; expected [points, {len(self.names)} variables]")
            return np.ascontiguousarray(points, dtype=float)
        rows = [self._coded(point) for point in _listed_designs(points, "a dictionary with a design, a list of them, or an array")]
        return np.array(rows).reshape(len(rows), len(self.names))

    def save(self, path):
        """Write everything that asks and tells have made of the optimiser to a file: HDF5 with a checksum, whole or not
        there at all. What was at the path before becomes PATH.1.

        Collective; the same on all ranks.

        Errors: gannet.Error when the file cannot be written; what was there before is untouched then.
        """
        with self._alike():
            path = _path(path)
        self._finish(_library.gannet_optimizer_save(self._working(), path))

    def load(self, path):
        """Go on with what `save` wrote, in a new optimiser with the same variables, constraints, settings and seed: it asks
        for the same points as one that was never interrupted, on any number of ranks. `pending` has the points that were
        asked for and not told.

        Collective; the same on all ranks.

        Errors: gannet.Error for an optimiser that has evaluations, for a file that is damaged, or of a later version, and
        for one of another problem, method or seed, saying what differs.
        """
        with self._alike():
            path = _path(path)
        self._finish(_library.gannet_optimizer_load(self._working(), path))
        self._open.update((point.id, tuple(point.values())) for point in self.pending())

    def pending(self):
        """The points that were asked for and have no result, as a list of Point: after `load` those to evaluate again.

        Local.
        """
        n = _library.gannet_optimizer_pending(self._working(), 0, None, None)
        ids, x = np.empty(n, dtype=np.int64), np.empty((n, len(self.names)))
        _library.gannet_optimizer_pending(self._working(), n, ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), _doubles(x))
        return [self._point(int(number), row) for number, row in zip(ids, x)]

    def close(self):
        """Free everything; called by itself at the end.

        Collective.
        """
        for name in ("optimizer", "problem", "context"):
            pointer = getattr(self, f"_{name}", None)
            if pointer:
                getattr(_library, f"gannet_{name}_destroy")(ctypes.byref(pointer))

    __del__ = close

    def __reduce__(self):
        raise TypeError("an optimiser cannot be copied: a copy would close the original with itself")

    def __exit__(self, *unused):
        self.close()
