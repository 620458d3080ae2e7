"""A campaign of the program gannet, seen from Python."""
from __future__ import annotations

import collections.abc
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _figures
from ._convert import as_count, as_designs, as_path, check_names
from ._library import Error
from ._program import ask_program, find_program
from ._results import Prediction
from ._table import as_table, columns_of


class Campaign:
    """Read a campaign directory. Nothing in it is changed, and the campaign may be running: every call shows its
    present state. Local: without MPI.

    directory  NAME.campaign, made by `gannet run`

    directory    its path
    name         of the campaign
    variables    names of the variables, in the order of the campaign file
    objectives   name -> "minimize" or "maximize"
    constraints  names of the constraints

    A table is a pandas.DataFrame. Without pandas, it is a dictionary with a numpy array [rows] for every column. Values
    are in the
    units of the campaign file, times in seconds.

    Errors: gannet.Error for a directory that is not a campaign directory, for a state that is damaged or was written by
    a later version, and when the program gannet of this version is missing. The package looks for the program in the
    environment variable GANNET_PROGRAM, beside the library, and in PATH.
    """

    __module__ = "gannet"

    def __init__(self, directory: Union[str, os.PathLike[str]]) -> None:
        self.directory = pathlib.Path(os.fsdecode(as_path(directory)))
        self._program = find_program()
        state = self.status()
        self.name: str = state["campaign"]
        self.objectives: Dict[str, str] = {one["name"]: one["goal"] for one in state["objectives"]}
        header = self._header()
        self._columns = [*header, "front"]
        self._column = {name: name if len(self.objectives) > 1 else "objective" for name in self.objectives}  # in tables
        targets = list(self._column.values())
        first, last = (header.index(name) for name in (targets[0], "status"))
        self.variables: List[str] = header[header.index("batch") + 1:first]
        self.constraints: List[str] = [name for name in header[first:last] if name not in targets]

    def _header(self) -> List[str]:
        """The names of the columns: history.csv is made with the first result, and may be damaged."""
        header: List[str] = []
        with contextlib.suppress(OSError, UnicodeDecodeError, csv.Error), open(self.directory / "history.csv", encoding="utf-8") as file:
            header = next(csv.reader([file.readline()]), [])
        if {"batch", "status"} <= set(header):
            return header
        return next(csv.reader(io.StringIO(ask_program(self._program, "export", self.directory)[1])))

    def __repr__(self) -> str:
        return f"Campaign({str(self.directory)!r})"

    def _ask(self, command: str, *arguments: Any) -> Any:
        return json.loads(ask_program(self._program, command, self.directory, "--format", "json", *arguments)[1] or "[]")

    def status(self) -> Dict[str, Any]:
        """The progress of the campaign, as `gannet status --format json` prints it: "state", "evaluations", "best",
        "failures" and more. The page
        "The state of a campaign for programs" describes every field."""
        state: Dict[str, Any] = self._ask("status")
        return state

    def table(self) -> Any:
        """A table of all evaluations: id, batch, a column for each variable, objective and constraint, status ("done",
        "cannot_run", "failed" or "pending"), feasible, times, host, and the other numbers that the simulation reported.
        The column of a single objective is called "objective", whatever its name."""
        rows = self._ask("export")
        return as_table(columns_of(rows) if rows else {name: [] for name in ("id", "batch", *self.variables, *self._column.values(),
                                                                             *self.constraints, "status", "feasible")})

    def best(self, count: Optional[int] = None, *, where: Optional[str] = None, recommended: bool = False) -> Any:
        """The best feasible design, as a dictionary with its id, variables, objectives, constraints and "feasible";
        None when no evaluation has a result. When "feasible" is False, no evaluation satisfies all constraints, and
        this one violates them least. With several objectives, it is the design of the front that is best in the first
        objective.

        count        None, or how many of the best designs: the answer is then a table, best first
        where        only designs for which this holds, as in "mass <= 700"
        recommended  True: the design at which a model of all results has the best mean, for noisy results
        """
        asked = ["--count", str(1 if count is None else as_count("count", "designs", count))]
        asked += ["--where", where] if where is not None else []
        rows = self._ask("best", *asked, *(["--recommended"] if recommended else []))
        return as_table(columns_of(rows)) if count is not None else rows[0] if rows else None

    def front(self, *, where: Optional[str] = None, knee: bool = False) -> Any:
        """With several objectives: a table of the designs that no other one dominates, best in the first objective
        first.

        where  only designs for which this holds, as in "mass <= 700"
        knee   True: only the design where the front bends most

        Errors: gannet.Error for a campaign with a single objective.
        """
        asked = [*(["--where", where] if where is not None else []), "--knee" if knee else "--front"]
        return as_table(columns_of(self._ask("best", *asked)))

    def predict(self, designs: Any) -> Prediction:
        """What the models of the next proposal predict at designs that you choose, without a simulation: a Prediction,
        as of `Optimizer.predict`. Each call fits the models, which takes seconds when there are many results, so give
        all designs at once.

        designs  a dictionary with a design, a list of them, or a table, of which other columns are ignored. Derived
                 variables may be left out, and inactive ones left out or None

        Errors: gannet.Error for a design that is incomplete or outside the ranges of the variables, with fewer than four
        results, and where all results are equal (unless `penalties: no`).
        """
        is_single = isinstance(designs, collections.abc.Mapping) and not any(isinstance(value, (np.ndarray, list)) for value in
                                                                             designs.values())
        given = self._designs(designs)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "designs.csv"
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                free = [name for name, kind in self._kinds().items() if "expression" not in kind and "fixed" not in kind]
                names = [name for name in free if any(name in design for design in given)]
                writer.writerow(names)
                writer.writerows([_cell(design.get(name)) for name in names] for design in given)
            rows = self._ask("predict", "--file", path)

        def shaped(name: str) -> Any:
            values = np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=float)
            return float(values[0]) if is_single else values

        quantities = [*self.objectives, *self.constraints]
        mean, sd = ({name: shaped(f"{name}.{what}") for name in quantities} for what in ("mean", "sd"))
        return Prediction(mean, sd, {name: shaped(f"{name}.kept") for name in self.constraints}, shaped("can_run"), shaped("feasible"))

    def _designs(self, designs: Any) -> Sequence[Any]:
        """Designs as dictionaries, from a dictionary, a list of them or a table."""
        if hasattr(designs, "to_dict") and hasattr(designs, "columns"):  # a DataFrame
            return [{name: row[name] for name in self.variables if name in row} for row in designs.to_dict("records")]
        if isinstance(designs, collections.abc.Mapping) and any(isinstance(value, (np.ndarray, list)) for value in designs.values()):
            columns = {name: designs[name] for name in self.variables if name in designs}
            return [dict(zip(columns, values)) for values in zip(*columns.values())]
        given = as_designs(designs, "a dictionary with a design, a list of them, or a table")
        if not given:
            raise Error("no designs are given; expected at least one")
        for design in given:
            check_names("variable", [name for name in design if name not in self._columns], self.variables, self.variables)
        return given

    def _kinds(self) -> Dict[str, Dict[str, str]]:
        """The variables as the effective campaign file has them, a line for each."""
        text = (self.directory / "campaign.yaml").read_text(encoding="utf-8")
        lines = re.findall(r'^  "?(.+?)"?: \{(type: .*)\}$', text, re.MULTILINE)
        entry = re.compile(r"(type|lower|upper|scale|step|expression|fixed|values): (\[.*?\]|[^,]+)")
        return {name: dict(entry.findall(entries)) for name, entries in lines if name in self.variables}

    def report(self, path: Union[str, os.PathLike[str]], figures: Union[str, os.PathLike[str], None] = None) -> pathlib.Path:
        """Write one HTML page with pictures of the campaign, and return its path. It needs nothing but a browser.

        path     of the page
        figures  None, or a folder for the pictures as SVG and PDF files with their data; needs gnuplot
        """
        page = pathlib.Path(os.fsdecode(as_path(path)))
        asked = ["--figures", os.fsdecode(as_path(figures))] if figures is not None else []
        ask_program(self._program, "report", self.directory, "--output", page, *asked)
        return page

    def plot_convergence(self, objective: Optional[str] = None, ax: Any = None) -> Any:
        """Draw the values of an objective against the number of the evaluation, and the best feasible value so far as a line.
        Infeasible designs are hollow, evaluations without a result ticks at the bottom. Needs matplotlib.

        objective  its name; None = the first
        ax         the matplotlib Axes to draw into; None = new ones

        Returns the Axes.
        """
        objective = next(iter(self.objectives)) if objective is None else objective
        check_names("objective", [objective], list(self.objectives), list(self.objectives))
        return _figures.convergence(self.table(), self._column[objective], objective, self.objectives[objective] == "maximize",
                                    _figures.axes(ax))

    def plot_front(self, x: Optional[str] = None, y: Optional[str] = None, ax: Any = None) -> Any:
        """Draw all evaluations by two objectives, with the front as a line. Needs matplotlib.

        x  name of the objective across; None = the first
        y  name of the objective upwards; None = the second
        ax  the matplotlib Axes to draw into; None = new ones

        Returns the Axes.
        """
        names = list(self.objectives)
        if len(names) < 2:
            raise Error("the campaign has a single objective and so no front; use plot_convergence")
        x = x or next(name for name in names if name != y)
        y = y or next(name for name in names if name != x)
        check_names("objective", [x, y], names, names)
        return _figures.front(self.table(), self.front(), x, y, _figures.axes(ax))

    def plot_slices(self, quantity: Optional[str] = None, at: Optional[Dict[str, Any]] = None, points: int = 41) -> Any:
        """Draw what the models predict when one variable of a design changes, with a band of two standard deviations.
        Each variable has a panel, over the range of the values that were tried. For categories, switches and ordered
        words, the panel has a bar for each value. Needs matplotlib.

        quantity  name of an objective or constraint; None = the first objective
        at        a design, as a dictionary; None = the best one
        points    predictions along each variable

        Returns the Figure.
        """
        known = [*self.objectives, *self.constraints]
        quantity = known[0] if quantity is None else quantity
        check_names("quantity", [quantity], known, known)
        design = self.best() if at is None else at
        if design is None:
            raise Error("no evaluation has a result; give the design to start from, at={...}")
        table, kinds = self.table(), {name: kind for name, kind in self._kinds().items() if "expression" not in kind and "fixed" not in kind}
        _figures.pyplot()  # its absence is told before the fit
        slices = _figures.slices_of(table, kinds, as_count("points", "points", points))
        design = {name: design[name] for name in kinds if design.get(name) is not None}
        filled = {name: values[len(values) // 2] for name, values in slices.items()}  # of variables that are inactive there
        made = self.predict([{**filled, **design, name: value} for name, values in slices.items() for value in values])
        logs = [name for name, kind in kinds.items() if kind.get("scale") == "log"]
        return _figures.slices(slices, design, quantity, made.mean[quantity], made.sd[quantity], logs)


def _cell(value: Any) -> str:
    """A value as a table of designs has it."""
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
