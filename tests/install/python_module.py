"""The Python module from outside: every kind of variable, constraints, failures, errors."""
import concurrent.futures
import copy
import ctypes
import decimal
import fractions
import math
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import gannet._library as _gannet
import gannet
import numpy as np

KINDS = {"x": (0, 1), "rate": (1e-6, 1e-2, "log"), "fins": gannet.integer(1, 8), "solver": ["cg", "gmres", "lu"],
         "vent": bool}


def make(**more):
    return gannet.Optimizer(KINDS, {"stress": (None, 110), "mass": (1, 3)},
                            **{"method": "sobol", "noise": 0, "goal": "maximize", **more})


class Library(unittest.TestCase):
    """The library itself, with something else in what the module is made for."""

    def refusal(self):
        with self.assertRaises(gannet.Error) as caught:
            _gannet._load()
        return str(caught.exception)

    def test_another_version_is_refused_with_both_versions_and_the_path(self):
        with unittest.mock.patch.object(_gannet, "__version__", "9.8.7"):
            self.assertRegex(self.refusal(), r"^/.*libgannet\.so: version 0\.\d+\.\d+, but /.*_library\.py is made for version 9\.8\.7; ")

    def test_another_size_of_a_structure_is_refused(self):
        for name, structure in _gannet._STRUCTURES.items():
            longer = type("longer", (structure,), {"_fields_": [("more", ctypes.c_double)]})
            with self.subTest(name), unittest.mock.patch.dict(_gannet._STRUCTURES, {name: longer}):
                size = ctypes.sizeof(structure)
                self.assertIn(f", whose {name} has {size} bytes, not {ctypes.sizeof(longer)}, but ", self.refusal())

    def test_a_library_that_does_not_tell_its_version_is_refused(self):
        with self.assertRaisesRegex(gannet.Error, "^old.so: version older than 0.2.0, but "):
            _gannet._check_library(types.SimpleNamespace(), "old.so")


class Module(unittest.TestCase):
    def test_points_have_the_types_of_their_variables(self):
        for point in make().ask(32):
            self.assertTrue(0 <= point["x"] <= 1 and 1e-6 <= point["rate"] <= 1e-2)
            self.assertIsInstance(point["fins"], int)
            self.assertIn(point["solver"], ["cg", "gmres", "lu"])
            self.assertIsInstance(point["vent"], bool)

    def test_values_keep_to_steps_lists_and_expressions(self):
        with gannet.Optimizer({
                "span": gannet.real(0.1, 1.25, step=0.1), "n": gannet.integer(5, 50, step=5), "x": (0, 1),
                "cells": gannet.ordinal(16, 32, 64, scale="log"), "mesh": gannet.ordinal("coarse", "fine"),
                "rho": gannet.fixed(1.25), "word": gannet.fixed("w"), "area": gannet.derived("span*x"),
                "half": gannet.derived("cells/2 + (mesh == 'fine')", int), "none": gannet.derived("log(x - 0.5)")},
                method="sobol", noise=0) as optimizer:
            points = optimizer.ask(16)
            for point in points:
                self.assertIn(point["span"], [k / 10 for k in range(1, 13)])
                self.assertIn(point["n"], range(5, 51, 5))
                self.assertEqual((point["rho"], point["word"], point["area"]), (1.25, "w", point["span"] * point["x"]))
                self.assertIsInstance(point["cells"], int)
                self.assertEqual(point["half"], point["cells"] // 2 + (point["mesh"] == "fine"))
                self.assertEqual(point["none"] is None, point["x"] <= 0.5)
                optimizer.tell(point, point["span"])
            self.assertEqual({point["mesh"] for point in points}, {"coarse", "fine"})
            self.assertEqual({point["cells"] for point in points}, {16, 32, 64})
            own = {"span": 0.1 + 2 * 0.1, "n": 10, "x": 0.75, "cells": 32, "mesh": "fine"}
            optimizer.tell(own, -1)
            self.assertEqual((optimizer.best()[0]["span"], optimizer.best()[0]["half"]), (0.3, 17))
            optimizer.predict(own)
            for wrong, told in (({"span": 0.33}, "choose 0.3, the nearest"), ({"cells": 20}, "choose 16, the nearest"),
                                ({"rho": 2}, "variable rho: 2 is not its value here"), ({"mesh": "fin"}, "is not one of")):
                with self.assertRaisesRegex(gannet.Error, told):
                    optimizer.predict({**own, **wrong})
            for between in {"span": 0.33}, {"cells": 20}:  # as from earlier work: learnt from
                optimizer.tell({**own, **between}, -3)
            self.assertEqual(optimizer.best()[1], -1)
            for wrong, told in ({"rho": 2}, "variable rho: 2 is not its value here"), ({"mesh": "fin"}, "is not one of"):
                with self.assertRaisesRegex(gannet.Error, told):
                    optimizer.tell({**own, **wrong}, 3)
        with self.assertRaisesRegex(gannet.Error, "step 0: expected a number above 0"):
            gannet.real(0, 1, step=0)
        with self.assertRaisesRegex(gannet.Error, "type <class 'str'>, expected float, int or bool"):
            gannet.derived("x", str)
        for kind, told in ((gannet.ordinal(1, 3, 2), "values must increase"), (gannet.derived("y*2"), "unknown name 'y'"),
                           (gannet.integer(0, 9, step=20), "larger than the range")):
            with self.assertRaisesRegex(gannet.Error, told):
                gannet.Optimizer({"x": (0, 1), "v": kind})

    def test_conditional_variables(self):
        kinds = {"solver": ["cg", "gmres", "sor"], "restart": gannet.integer(5, 200, when="solver == 'gmres'"),
                 "omega": gannet.real(0.1, 1.9, when="solver == 'sor'"), "fast": gannet.boolean(when="restart > 100 or omega < 1"),
                 "cells": gannet.ordinal(16, 32, 64, when="fast"), "mode": gannet.categorical("a", "b", when="not fast")}
        active = {"cg": {"solver"}, "gmres": {"solver", "restart", "fast"}, "sor": {"solver", "omega"}}
        with gannet.Optimizer(kinds, method="gp-ei", initial=6, seed=1, noise=0) as optimizer:
            for point in optimizer.ask(12):
                self.assertTrue(active[point["solver"]] - {"fast"} <= point.active)
                self.assertEqual("restart" in point.active, point["solver"] == "gmres")
                if "restart" not in point.active:
                    self.assertEqual(point["restart"], 103)
                optimizer.tell(point, point["omega"])
            optimizer.tell({"solver": "cg"}, -1)
            optimizer.tell({"solver": "cg", "restart": 7, "omega": None}, -2)  # of the same design
            best = optimizer.best()[0]
            self.assertEqual((best["restart"], best.active), (103, {"solver"}))
            self.assertEqual(optimizer.ask()[0].active - set(kinds), set())
            for own, told in (({"solver": "gmres"}, "variable restart: has no value, but is active at this design"),
                              ({"restart": 7}, "variable solver is missing")):
                with self.assertRaisesRegex(gannet.Error, told):
                    optimizer.tell(own, 1)
        for when, told in (("solvr == 'cg'", "did you mean 'solver'"), (3, "variable restart: when 3: expected text")):
            with self.assertRaisesRegex(gannet.Error, told):
                gannet.Optimizer({**kinds, "restart": gannet.integer(5, 200, when=when)})

    def test_arrays_are_the_same_points(self):
        ids, x = make().ask_array(6)
        points = make().ask(6)
        self.assertEqual(list(ids), [p.id for p in points])
        np.testing.assert_array_equal(x, [p.x for p in points])

    def test_constraints_decide_which_is_best(self):
        optimizer = make()
        a, b, c, d = optimizer.ask(4)
        self.assertIsNone(optimizer.best())
        optimizer.tell(a, 9, {"stress": 120, "mass": 2})
        self.assertEqual(optimizer.best()[1:], (9, False))
        optimizer.tell(b, 5, [100, 2])
        optimizer.tell(c)
        optimizer.fail(d)
        self.assertEqual(optimizer.best(), (b, 5, True))
        self.assertEqual(optimizer.counts(), {"pending": 0, "done": 2, "feasible": 1, "cannot_run": 1, "failed": 1})
        optimizer.tell(d, 7, {"stress": 1, "mass": 1})  # a late result
        self.assertEqual(optimizer.best(), (d, 7, True))
        self.assertEqual((optimizer.counts()["feasible"], optimizer.counts()["done"]), (2, 3))

    def test_no_point_violates_a_variable_constraint(self):
        relations = ["a < b", "a + b + c = 1", "s != 'two words' or b < 0.5"]
        variables = {"a": (0, 1), "b": (0, 1), "c": (0, 1), "s": ["one", "two words"]}
        with gannet.Optimizer(variables, noise=0, variable_constraints=relations) as optimizer:
            for _ in range(15):
                point = optimizer.ask()[0]
                self.assertLess(point["a"], point["b"])
                self.assertAlmostEqual(point["a"] + point["b"] + point["c"], 1, delta=1e-14)
                self.assertTrue(point["s"] == "one" or point["b"] < 0.5)
                optimizer.tell(point, point["a"] ** 2 + point["c"])
        for text, part in (("a + d < 1", "unknown name 'd'"), ("a + b > 3", "no point inside the bounds")):
            with self.assertRaisesRegex(gannet.Error, part):
                gannet.Optimizer(variables, variable_constraints=text)

    def test_functions_are_variable_constraints_too(self):
        variables = {"a": (0, 1), "b": (0, 1), "s": ["one", "two"], "c": gannet.derived("a + b")}

        def ring(point):
            self.assertAlmostEqual(point["c"], point["a"] + point["b"], delta=1e-12)
            return 0.05 - abs(math.hypot(point["a"], point["b"]) - (0.7 if point["s"] == "one" else 0.5))

        relations = [ring, "a < b", lambda point: point["s"] == "two" or point["a"] > 0.2]
        with gannet.Optimizer(variables, noise=0, variable_constraints=relations) as optimizer:
            for _ in range(12):
                point = optimizer.ask()[0]
                self.assertTrue(point["a"] < point["b"] and ring(point) >= 0 and relations[2](point))
                optimizer.tell(point, point["a"] + point["b"])
        with self.assertRaisesRegex(gannet.Error, "'never': its slack is -1, expected at least 0"):
            def never(point):
                return False
            gannet.Optimizer(variables, variable_constraints=never)
        calls = []

        def breaks(point):
            calls.append(point)
            if len(calls) > most[0]:
                raise ValueError("what the function says")
            return 1.0

        most = [3]
        with self.assertRaisesRegex(ValueError, "what the function says"):
            gannet.Optimizer(variables, variable_constraints=[breaks])
        self.assertEqual(len(calls), 4)
        most = [10**9]
        optimizer = gannet.Optimizer(variables, noise=0, variable_constraints=[breaks], method="sobol")
        most = [0]
        with self.assertRaisesRegex(ValueError, "what the function says"):
            optimizer.ask()
        most = [10**9]
        optimizer.ask()  # the optimiser goes on

    def test_designs_of_the_caller_count(self):
        optimizer = make()
        mine = {"x": 0.5, "rate": 1e-4, "fins": 3, "solver": "gmres", "vent": True}
        optimizer.tell(mine, 2, {"stress": 0, "mass": 1})
        point, value, feasible = optimizer.best()
        self.assertEqual((dict(point), value, feasible), (mine, 2, True))

    def test_what_users_write_is_understood(self):
        with gannet.Optimizer({"n": gannet.ordinal(np.array([16, 32, 64])), "s": gannet.categorical(["a", "b"]), "x": (0, 1)}, {"g": (0, None)},
                              method="sobol") as optimizer:
            a, b = optimizer.ask(2)
            optimizer.tell(a, gannet.Quantity(2, sd=0.5), {"g": gannet.Quantity(1, sd=0.25)})
            optimizer.tell(b, gannet.Quantity(3, sd=0.125), [1], quantities={"cells": 9})
            self.assertEqual((optimizer.best()[1], optimizer.quantity(a, "objective").sd, optimizer.quantity(a, "g").sd), (2, 0.5, 0.25))
            self.assertEqual((optimizer.quantity(b, "objective").sd, optimizer.quantity(b, "cells").value), (0.125, 9))
            for points, values, told in (([{"x": 1}], ["a"], "value: 'a' is not a number"), ({"x": 1}, [1], "expected a list of dictionaries"),
                                         ([{"x": 1}], 1, "values 1: expected one for each"), ([(1, 2)], [1], "expected a dictionary")):
                with self.assertRaisesRegex(gannet.Error, told):
                    optimizer.tell_related(points, values)
            for call in optimizer.save, optimizer.load:
                with self.assertRaisesRegex(gannet.Error, "path 3: expected the path of a file"):
                    call(3)
        for function in (lambda point: None), (lambda point: "far"):
            with self.assertRaisesRegex(gannet.Error, "'<lambda>' has returned .*; expected by how much it is kept"):
                gannet.Optimizer({"x": (0, 1)}, variable_constraints=function)

    def test_designs_outside_the_bounds_are_learnt_from(self):
        optimizer = make(method="gp-ei", initial=4)
        inside = {"x": 0.5, "rate": 1e-4, "fins": 3, "solver": "gmres", "vent": True}
        optimizer.tell({**inside, "x": 2.5, "fins": 12}, -9, {"stress": 0, "mass": 1})
        self.assertIsNone(optimizer.best())
        optimizer.tell(inside, 2, {"stress": 0, "mass": 1})
        self.assertEqual(optimizer.best()[1], 2)
        self.assertEqual((optimizer.counts()["done"], optimizer.counts()["feasible"]), (2, 1))
        for point in optimizer.ask(4):
            self.assertTrue(0 <= point["x"] <= 1 and 1 <= point["fins"] <= 8)
        for given, part in (({"rate": 0}, "rate: 0 has no place on a logarithmic scale"), ({"fins": 1.5}, "not a whole number"),
                            ({"x": 1e9}, "further outside"), ({"vent": 3}, "neither 0 nor 1")):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.tell({**inside, **given}, 2, {"stress": 0, "mass": 1})

    def test_what_else_is_told_is_kept(self):
        optimizer = make()
        a, b = optimizer.ask(2)
        slopes = dict.fromkeys(a, 0.5)
        optimizer.tell(a, 9, [100, 2], quantities={"cells": 12, "mass": gannet.Quantity(2, sd=0.25, gradient=slopes)})
        self.assertEqual(optimizer.quantity(a, "cells").value, 12)
        mass = optimizer.quantity(a.id, "mass")
        self.assertEqual((mass.value, mass.sd, mass.gradient), (2, 0.25, slopes))
        self.assertEqual(optimizer.quantity(a, "objective").value, 9)
        self.assertTrue(np.isnan(optimizer.quantity(b, "cells").value))
        optimizer.tell(b, quantities={"objective": gannet.Quantity(11, sd=0.1), "stress": 1, "mass": 2})
        self.assertEqual(optimizer.best(), (b, 11, True))
        for told, part in (({"a b": 1}, "quantity 'a b': expected a name"), ({"c": "x"}, "quantity c: 'x' is not a number"),
                           ({"c": gannet.Quantity(1, sd=-1)}, "quantity c: standard deviation is -1"),
                           ({"c": gannet.Quantity(1, gradient={"x": 1})}, "variable")):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.tell({**a, "x": 0.25}, 1, [0, 1], quantities=told)
        with self.assertRaisesRegex(gannet.Error, "evaluation 99 was never asked for"):
            optimizer.quantity(99, "cells")
        with self.assertRaisesRegex(gannet.Error, "quantities are told without an objective"):
            optimizer.tell({**a, "x": 0.25}, quantities={"cells": 1})
        with self.assertRaisesRegex(gannet.Error, "expected a dictionary"):
            optimizer.tell({**a, "x": 0.25}, 1, [0, 1], quantities=[1])
        c = optimizer.ask()[0]
        optimizer.tell(c, 20, [0, 2], quantities={"objective": gannet.Quantity(None, sd=0.5)})
        self.assertEqual((optimizer.best()[1], optimizer.quantity(c, "objective").sd), (20, 0.5))

    def test_errors_are_the_library_s_and_clear(self):
        def fails(part, call):
            with self.assertRaises(gannet.Error) as caught:
                call()
            self.assertIn(part, str(caught.exception))
        optimizer = make()
        point = optimizer.ask()[0]
        fails("neural-bo", lambda: make(method="neural-bi"))
        fails("surrogate.widht", lambda: make(settings={"surrogate.widht": 3}))
        fails("lower", lambda: gannet.Optimizer({"x": (1, 0)}))
        fails("not a variable", lambda: gannet.Optimizer({"x": "real"}))
        fails("goal", lambda: make(goal="best"))
        for seed in (-1, 2**63, 2**64, 1.5, "1", None):
            fails(f"seed {seed!r}: expected an integer from 0", lambda: make(seed=seed))
        fails("never asked", lambda: optimizer.tell(77, 1, [0, 1]))
        fails("constraint mass is missing", lambda: optimizer.tell(point, 1, {"stress": 3}))
        fails("constraints are missing", lambda: optimizer.tell(point, 1))
        fails("3 constraints are given; expected stress, mass", lambda: optimizer.tell(point, 1, [0, 1, 2]))
        fails("'qr' is not one of", lambda: optimizer.tell({**point, "solver": "qr"}, 1, [0, 1]))
        fails("unknown constraint 'mas'; did you mean 'mass'? expected stress, mass",
              lambda: optimizer.tell(point, 1, {"stress": 0, "mass": 1, "mas": 1}))
        fails("unknown constraint 'strss'; did you mean 'stress'?",
              lambda: optimizer.tell(point, 1, {"strss": 0, "mass": 1}))
        fails("unknown constraint 'qqq'; expected", lambda: optimizer.tell(point, 1, {"stress": 0, "mass": 1, "qqq": 1}))
        fails("unknown variable 'fin'; did you mean 'fins'? expected x, rate",
              lambda: optimizer.tell({**point, "fin": 3}, 1, [0, 1]))
        for q in (0, -1):
            fails(f"q = {q} points, expected at least 1", lambda: optimizer.ask(q))
        fails("at least 1", lambda: optimizer.ask(1 - 2**32))  # no room for the one point that 32 bits of it are
        fails("at most 2**31 - 1", lambda: optimizer.ask_array(2**32 + 1))
        for q in (2.5, "2", None):
            fails(f"q = {q!r}, expected a whole number", lambda: optimizer.ask(q))
        for number in (-1, 2**64 + point.id):
            fails(f"evaluation {number} was never asked for", lambda: optimizer.tell(number, 1, [0, 1]))
        fails("unknown constraint 'g'; expected none",
              lambda: gannet.Optimizer({"x": (0, 1)}).tell({"x": 0.5}, 1, {"g": 1}))
        optimizer.tell(point, 1, [0, 1])
        fails("already has the result", lambda: optimizer.tell(point, 1, [0, 1]))
        optimizer.close()
        for call in (optimizer.ask, optimizer.recommend, lambda: optimizer.predict([]), lambda: optimizer.tell(point, 1, [0, 1]),
                     optimizer.best, optimizer.counts):
            fails("the optimiser was closed", call)

    def test_what_is_no_number_or_no_pair_is_named(self):
        for variables, constraints, more, part in (
                ({"x": (0, "a")}, None, {}, "variable x: .* is not a variable"),
                ({"s": ("cg", "gmres")}, None, {}, "variable s: .* is not a variable; expected .* a list of names"),
                ({"s": ("a", "b", "c", "d", "e")}, None, {}, "variable s: .* is not a variable"),
                ({"x": (0, None)}, None, {}, "variable x: None is not a number"),
                ({"n": gannet.integer(0, 10**400)}, None, {}, "variable n: 10+ is not a number that fits"),
                (["x"], None, {}, "variables .* expected a dictionary, name -> kind"),
                ({"x": (0, 1)}, {"g": 110}, {}, r"constraint g: 110 is no pair; expected \(lower, upper\)"),
                ({"x": (0, 1)}, {"g": (0, "a")}, {}, "constraint g: 'a' is not a number"),
                ({"x": (0, 1)}, ["g"], {}, "constraints .* expected a dictionary"),
                ({"x": (0, 1)}, None, {"noise": "a"}, "noise: 'a' is not a number"),
                ({"x": (0, 1)}, None, {"comm": 0}, "comm 0: expected a communicator of mpi4py"),
                ({"x": (0, 1)}, None, {"settings": ["method"]}, "settings .* expected a dictionary")):
            with self.assertRaisesRegex(gannet.Error, part):
                gannet.Optimizer(variables, constraints, **more)

    def test_results_that_are_no_numbers_change_nothing(self):
        optimizer = make()
        a, b = optimizer.ask(2)
        for tell, part in (
                (lambda: optimizer.tell(a, 1j, [0, 1]), "objective: 1j is not a number"),
                (lambda: optimizer.tell(a, 10**400, [0, 1]), "objective: 10+ is not a number"),
                (lambda: optimizer.tell(a, np.zeros(2), [0, 1]), "objective: array"),
                (lambda: optimizer.tell(a, 1, 0.5), "constraints 0.5: expected a dictionary or a sequence of stress, mass"),
                (lambda: optimizer.tell(a, 1, {"stress": "x", "mass": 1}), "constraint stress: 'x' is not a number"),
                (lambda: optimizer.tell({**a, "x": None}, 1, [0, 1]), "variable x: None is not a number"),
                (lambda: optimizer.tell({**a, "vent": "no"}, 1, [0, 1]), "variable vent: 'no' is not a number")):
            with self.assertRaisesRegex(gannet.Error, part):
                tell()
        self.assertIsNone(optimizer.best())
        optimizer.tell(a, np.float32(1.5), (value for value in (0, 1)))
        optimizer.tell(b, decimal.Decimal("0.5"), types.MappingProxyType({"stress": 1, "mass": fractions.Fraction(3, 2)}))
        self.assertEqual(optimizer.best(), (a, 1.5, True))

    def test_texts_are_taken_whole_or_not_at_all(self):
        for variables, constraints, settings, part in (
                ({"a\0b": (0, 1)}, None, None, r"variable 'a\\x00b': has a zero"),
                ({1: (0, 1)}, None, None, "variable 1: expected text"),
                ({"s": ["a\0b", "c"]}, None, None, r"variable s: value 'a\\x00b': has a zero"),
                ({"s": ["\udc80", "c"]}, None, None, r"variable s: value '\\udc80': cannot be written"),
                ({"x": (0, 1)}, {"g\0": (0, 1)}, None, "constraint 'g"),
                ({"x": (0, 1)}, None, {"method": "sobol\0x"}, r"setting method 'sobol\\x00x': has a zero"),
                ({"x": (0, 1)}, None, {2: 3}, "setting 2: expected text")):
            with self.assertRaisesRegex(gannet.Error, part):
                gannet.Optimizer(variables, constraints, settings=settings)
        optimizer = make()
        point = optimizer.ask()[0]
        for name, part in ("a\0b", r"quantity 'a\\x00b': has a zero"), ("\udc80", "cannot be written"), (3, "quantity 3: expected text"):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.tell(point, 1, (100, 2), quantities={name: 2})
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.quantity(point, name)

    def test_whole_numbers_are_kept_or_refused(self):
        """A double has 53 bits."""
        self.assertEqual(gannet.Optimizer({"x": (0, 1), "n": gannet.fixed(2**60)}).ask()[0]["n"], 2**60)
        for kind in gannet.fixed(2**60 + 1), gannet.ordinal(1, 2**53 + 1):
            with self.assertRaisesRegex(gannet.Error, "variable n.*has more digits than a double keeps"):
                gannet.Optimizer({"x": (0, 1), "n": kind})

    def test_a_result_belongs_to_the_design_that_was_asked_for(self):
        optimizer, other = (gannet.Optimizer({"x": (0, 1)}, method="sobol", seed=seed) for seed in (1, 2))
        point, failed = optimizer.ask(2)
        for foreign in (other.ask()[0], None):
            rounded = foreign or pickle.loads(pickle.dumps(point))
            if not foreign:
                rounded["x"] = round(point["x"], 2)
            with self.assertRaisesRegex(gannet.Error, f"point 0: x is {rounded['x']}, but {point['x']} was asked for"):
                optimizer.tell(rounded, 1)
            self.assertIsNone(optimizer.best())
        with self.assertRaisesRegex(gannet.Error, "0.7 is neither a Point, an id nor a dictionary"):
            optimizer.tell(0.7, 1)
        sent = pickle.loads(pickle.dumps(point))  # as from a pool of processes
        sent["mesh"] = "fine"
        self.assertEqual(optimizer.tell(sent, 1), 0)
        optimizer.tell(failed, math.nan)
        failed["x"] += 0.125
        with self.assertRaisesRegex(gannet.Error, "point 1: x is"):
            optimizer.tell(failed, 2)
        self.assertEqual(optimizer.tell(1, 2), 1)

    def test_a_closed_optimiser_says_so(self):
        optimizer = make()
        optimizer.close()
        for call in optimizer.best, optimizer.best_runs, optimizer.counts, optimizer.pending, optimizer.front, optimizer.ask:
            with self.assertRaisesRegex(gannet.Error, "was closed"):
                call()

    def test_an_optimiser_is_not_copied(self):
        optimizer = make()
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "cannot be copied"):
                duplicate(optimizer)
        self.assertEqual(len(optimizer.ask(2)), 2)

    def test_threads_wait_for_each_other(self):
        def minimise(seed):
            optimizer = gannet.Optimizer({"x": (-1, 2), "y": (-1, 2)}, method="gp-ei", noise=0, seed=seed)
            for _ in range(10):
                for point in optimizer.ask(2):
                    optimizer.tell(point, (point["x"] - 0.3) ** 2 + math.cosh(point["y"]))
            return optimizer.best()
        shared = gannet.Optimizer({"x": (0, 1)}, method="gp-ei", noise=0)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(minimise, range(8)))
            ids = list(pool.map(lambda _: shared.tell(shared.ask()[0], 1), range(16)))
        self.assertEqual(together, [minimise(seed) for seed in range(8)])
        self.assertEqual(sorted(ids), list(range(16)))

    def test_every_integer_of_the_range_is_a_seed(self):
        points = [make(seed=seed).ask(2) for seed in (0, np.int64(7), 7, 2**63 - 1)]
        self.assertEqual(points[1], points[2])
        self.assertNotEqual(points[2], points[3])

    def test_settings_are_switches_and_lists_of_python_as_well(self):
        def start(**more):
            optimizer = gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, initial=2, **more)
            for point in optimizer.ask(2):
                optimizer.tell(point, point["x"])
            return optimizer.ask(3)
        trust = {"search.candidates": 200, "region.type": "trust", "region.length": 0.1}
        given = {text: start(method="gp-ei", settings={**trust, "region.weighted": text}) for text in ("true", "false")}
        for switch in (True, np.True_):
            self.assertEqual(start(method="gp-ei", settings={**trust, "region.weighted": switch}), given["true"])
        self.assertEqual(start(method="gp-ei", settings={**trust, "region.weighted": False}), given["false"])
        named = start(portfolio="[sobol, random]")
        self.assertEqual(start(portfolio=["sobol", "random"]), named)
        self.assertEqual(start(portfolio=("sobol", "random")), named)

    def test_a_model_finds_the_minimum(self):
        with gannet.Optimizer({"x": (-1, 2), "y": (-1, 2)}, method="gp-ei", noise=0) as optimizer:
            for _ in range(24):
                point = optimizer.ask()[0]
                optimizer.tell(point, (point["x"] - 0.3) ** 2 + math.cosh(point["y"]))
            self.assertLess(optimizer.best()[1], 1.01)

    def test_the_noise_of_one_result_is_the_given_one_or_unknown(self):
        for noise in (0.5, None):
            with gannet.Optimizer({"x": (0, 1)}, noise=noise) as optimizer:
                optimizer.tell({"x": 0.5}, 1)
                told = ["0.5" if noise else "nan"]
                self.assertEqual([str(number) for number in optimizer.recommend()[1:]], ["1.0", *told, *told])

    def test_designs_are_predicted_without_a_simulation(self):
        optimizer = make(method="gp-ei", initial=4)
        rng = np.random.default_rng(1)
        for x in rng.uniform(size=24):
            optimizer.tell({"x": x, "rate": 1e-4, "fins": 3, "solver": "gmres", "vent": True}, 2 * x, {"stress": 220 * x, "mass": 2})
        mine = {"x": 0.25, "rate": 1e-4, "fins": 3, "solver": "gmres", "vent": True}
        one = optimizer.predict(mine)
        self.assertLess(abs(one.mean["objective"] - 0.5), 0.05)
        self.assertLess(abs(one.mean["stress"] - 55), 5)
        self.assertTrue(0 < one.sd["objective"] < 0.1 and one.kept["stress"] > 0.99 and one.can_run == 1)
        many = optimizer.predict([mine, {**mine, "x": 0.9}])
        self.assertEqual(many.mean["objective"].shape, (2,))
        self.assertAlmostEqual(many.mean["objective"][0], one.mean["objective"], 9)
        self.assertLess(many.kept["stress"][1], 0.01)
        np.testing.assert_allclose(many.feasible, many.kept["stress"] * many.kept["mass"])
        x = np.array([[0.25, 1e-4, 3, 1, 1]])
        self.assertEqual(optimizer.predict(x).mean["mass"].shape, (1,))
        self.assertEqual(len(optimizer.predict([]).feasible), 0)
        for given, part in (({"x": 0.5}, "variable rate is missing"), ({**mine, "x": 2}, r"variable x: 2 is outside \[0, 1\]"),
                            ([mine, 3], "3: expected a dictionary with a design"), (np.zeros(5), r"an array of shape \(5,\)"),
                            (7, "expected a dictionary with a design, a list of them")):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.predict(given)
        with self.assertRaisesRegex(gannet.Error, "too few results for a model: 0 of 0"):
            make().predict(mine)

    def test_results_of_a_related_problem_are_a_prior(self):
        def value(point):
            return math.sin(9 * point["x"]) + (point["y"] - 0.4) ** 2

        def search(**related):
            with gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, method="gp-ei", noise=0, initial=4, seed=3) as optimizer:
                if related:
                    optimizer.tell_related(**related)
                for _ in range(5):
                    point = optimizer.ask()[0]
                    optimizer.tell(point, value(point))
                return [optimizer.ask()[0][name] for name in ("x", "y")], optimizer.best()[1]
        grid = [{"x": i / 7, "y": j / 5 - 0.2} for i in range(8) for j in range(8)]  # partly outside the bounds
        plain, _ = search()
        self.assertNotEqual(search(points=grid, values=[3 * value(point) + 100 for point in grid])[0], plain)
        self.assertEqual(search(points=grid, values=[-value(point) for point in grid])[0], plain)

        def bounded(related):
            with gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, constraints={"gap": (None, 0.2), "rest": (None, 1)}, method="gp-ei", noise=0,
                                  initial=4, seed=3) as optimizer:
                if related:
                    optimizer.tell_related(grid, [math.cos(40 * point["x"] * point["y"]) for point in grid], related)
                for _ in range(6):
                    point = optimizer.ask()[0]
                    optimizer.tell(point, point["x"], {"gap": value(point), "rest": point["y"]})
                return [optimizer.ask()[0][name] for name in ("x", "y")]
        gaps = [5 * value(point) + 1 for point in grid]
        self.assertNotEqual(bounded({"gap": [None, *gaps[1:]]}), bounded(None))
        self.assertEqual(bounded({"gap": [-gap for gap in gaps]}), bounded(None))
        with self.assertRaisesRegex(gannet.Error, "unknown constraint 'gab'; did you mean 'gap'"):
            bounded({"gab": gaps})
        with self.assertRaisesRegex(gannet.Error, "64 points and 63 values"):
            bounded({"gap": gaps[1:]})
        def pair(factor):
            with gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, objectives={"drag": {"noise": 0}, "lift": {"goal": "maximize", "noise": 0}}, initial=4,
                                  seed=3) as optimizer:
                if factor:
                    optimizer.tell_related(grid, {"drag": [1] + [None] * (len(grid) - 1), "lift": [None, *(factor * value(point) for point in grid[1:])]})
                for _ in range(6):
                    point = optimizer.ask()[0]
                    optimizer.tell(point, {"drag": point["x"] * point["y"], "lift": value(point)})
                return [optimizer.ask()[0][name] for name in ("x", "y")]
        self.assertNotEqual(pair(3), pair(0))
        self.assertEqual(pair(-1), pair(0))
        with gannet.Optimizer({"x": (0, 1)}, objectives={"drag": {}, "lift": {}}) as optimizer:
            for values, part in ([1, 2], "expected those of each objective by its name, of drag, lift"), \
                                ({"lief": [1, 2]}, "unknown objective 'lief'; did you mean 'lift'"), \
                                ({"lift": [1]}, "2 points and 1 values"):
                with self.assertRaisesRegex(gannet.Error, part):
                    optimizer.tell_related([{"x": 0.1}, {"x": 0.2}], values)
        optimizer = make()
        for points, values, part in (([{"z": 1}] * 2, [1, 2], "no variable 'z'; expected some of x, rate"),
                                     ([{"x": 1}] * 2, [1, 2, 3], "2 points and 3 values"),
                                     ([{"x": 1}], [1], "1 results of a related problem, expected at least 2"),
                                     ([{"x": 1}] * 2, [1, math.nan], "result 2 of a related problem has no value")):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.tell_related(points, values)

    def test_evaluations_are_discarded_and_corrected(self):
        optimizer = gannet.Optimizer({"x": (0, 1)}, constraints={"g": (None, 1)}, noise=0, method="sobol")
        points = optimizer.ask(4)
        for number, point in enumerate(points[:3]):
            optimizer.tell(point, float(-number), {"g": 0}, {"cells": number})
        optimizer.discard(points[2])
        self.assertEqual(optimizer.best(), (points[1], -1, True))
        optimizer.correct(points[1].id, 3, {"g": 0})
        self.assertEqual(optimizer.best()[1:], (0, True))
        self.assertEqual(optimizer.best()[0].id, 0)
        optimizer.correct(points[0], 0, {"g": 2})
        self.assertEqual(optimizer.best()[0].id, 1)
        optimizer.correct(points[1])  # it cannot run
        self.assertEqual(optimizer.best()[0].id, 0)
        self.assertEqual(optimizer.counts(), {"pending": 1, "done": 1, "feasible": 0, "cannot_run": 1, "failed": 0})
        optimizer.discard(3)
        self.assertEqual(optimizer.ask()[0].id, 4)
        self.assertEqual([point.id for point in optimizer.pending()], [4])
        for call, words in ((lambda: optimizer.discard(2), "evaluation 2 was discarded"),
                            (lambda: optimizer.discard(9), "evaluation 9 was never asked for"),
                            (lambda: optimizer.discard("first"), "'first' is neither a Point"),
                            (lambda: optimizer.correct(4, 1, {"g": 0}), "evaluation 4 has no result yet"),
                            (lambda: optimizer.correct(0, 1), "constraints are missing; expected g"),
                            (lambda: optimizer.tell(points[2], 1, {"g": 0}), "evaluation 2 was discarded"),
                            (lambda: optimizer.quantity(2, "cells"), "evaluation 2 was discarded")):
            with self.assertRaisesRegex(gannet.Error, words):
                call()

    def wing(self, **more):
        objectives = {"drag": {"goal": "minimize", "threshold": 5}, "range": "maximize"}
        return gannet.Optimizer({"x": (0, 1), "y": (0, 1)}, {"stress": (None, 10)}, objectives=objectives,
                                **{"method": "sobol", **more})

    def test_several_objectives_have_a_front(self):
        optimizer = self.wing()
        self.assertEqual(len(optimizer.front().ids), 0)
        points = optimizer.ask(6)
        optimizer.tell(points[0], {"drag": 3, "range": 3}, {"stress": 1})
        optimizer.tell(points[1], [2, 4], [2])
        optimizer.tell(points[2], np.array([1, 2]), [3])
        optimizer.tell(points[3], {"range": gannet.Quantity(6, sd=0.5), "drag": 4}, [4])
        optimizer.tell(points[4], (0, 9), [11])  # violates the constraint
        optimizer.tell(points[5], quantities={"drag": 3, "range": 2, "stress": 0})
        front = optimizer.front()
        self.assertEqual((list(front.ids), front.points), ([1, 2, 3], points[1:4]))
        self.assertEqual({name: list(values) for name, values in front.objectives.items()},
                         {"drag": [2, 1, 4], "range": [4, 2, 6]})
        self.assertEqual(set(front.reference), {"drag", "range"})
        self.assertEqual(front.reference["drag"], 5)
        self.assertAlmostEqual(front.reference["range"], 2 - 0.4)  # a tenth of the front's range beyond the worst
        self.assertAlmostEqual(front.hypervolume, 1 * 0.4 + 2 * 2.4 + 1 * 4.4)
        self.assertEqual(optimizer.best(), (points[2], {"drag": 1, "range": 2}, True))
        self.assertEqual(optimizer.quantity(3, "range").sd, 0.5)
        own = optimizer.tell({"x": 0.5, "y": 0.5}, [0.5, 9], [0])
        self.assertEqual(list(optimizer.front().ids), [own])
        optimizer.correct(own, {"drag": 4.5, "range": 1}, [0])
        self.assertEqual(list(optimizer.front().ids), [1, 2, 3])
        partial = optimizer.ask()[0]
        optimizer.tell(partial, {"drag": 1}, partial=True)
        optimizer.tell(optimizer.ask()[0])  # it cannot run
        self.assertEqual((optimizer.counts()["done"], optimizer.counts()["cannot_run"]), (8, 1))
        found = optimizer.predict({"x": 0.5, "y": 0.5})
        self.assertEqual((list(found.mean), list(found.kept)), (["drag", "range", "stress"], ["stress"]))
        self.assertTrue(all(math.isfinite(found.mean[name]) and found.sd[name] >= 0 for name in found.mean))

    def test_what_is_wrong_with_several_objectives_is_told(self):
        optimizer = self.wing()
        point = optimizer.ask()[0]
        for given, part in ((3.0, "objectives 3.0: expected a dictionary or a sequence of drag, range"),
                            ([1, 2, 3], "3 objectives are given; expected drag, range"), ([1], "objective range is missing"),
                            ({"drag": 1}, "objective range is missing; expected drag, range"),
                            ({"drag": 1, "rang": 2}, "unknown objective 'rang'; did you mean 'range'"),
                            ({"drag": 1, "range": "far"}, "objective range: 'far' is not a number")):
            with self.assertRaisesRegex(gannet.Error, part):
                optimizer.tell(point, given, [1])
        with self.assertRaisesRegex(gannet.Error, "constraints are missing; expected stress"):
            optimizer.tell(point, [1, 2])
        with self.assertRaisesRegex(gannet.Error, "objective range is missing"):
            optimizer.tell(point, quantities={"drag": 1, "stress": 2})
        optimizer.tell(point, [1, 2], [1])
        for wrong, part in (({"objectives": {"a": "least", "b": "maximize"}}, "goal of objective a 'least': expected 'minimize'"),
                            ({"objectives": {"a": {"treshold": 1}, "b": "maximize"}}, "'treshold'; did you mean 'threshold'"),
                            ({"objectives": {"a": {"threshold": "low"}, "b": "maximize"}}, "threshold of objective a: 'low' is not"),
                            ({"objectives": {"a": {"transform": "ln"}, "b": "maximize"}}, "transform of objective a 'ln': expected 'auto', 'none' or 'log'"),
                            ({"objectives": {"a": {"penalties": 1e10}, "b": "maximize"}}, "penalties of objective a 10000000000.0: expected True or False"),
                            ({"transform": "log", "method": "gp-nehvi"}, "transform.*with several objectives each has its own"),
                            ({"penalties": "no"}, "penalties.*with several objectives each has its own"),
                            ({"objectives": {"a": 3, "b": "maximize"}}, "objective a 3: expected a dictionary, of goal, threshold"),
                            ({"objectives": {"a": {"threshold": math.nan}, "b": "maximize"}}, "threshold of objective a nan: expected a number"),
                            ({"objectives": {}}, "objectives: 0 given, expected 2 to 5; for a single one leave objectives out"),
                            ({"objectives": {"a": "minimize"}}, "objectives: 1 given, expected 2 to 5; for a single one leave"),
                            ({"objectives": {f"f{i}": "minimize" for i in range(6)}}, "objectives: 6 given, expected 2 to 5"),
                            ({"objectives": ["a", "b"]}, "objectives .*: expected a dictionary, name -> goal"),
                            ({"objectives": {"x": "minimize", "b": "maximize"}}, "x"),
                            ({"settings": {"region": "trust"}}, "region: a section has no value of its own; expected .* region.type$"),
                            ({"settings": {"candidates": 3}}, "unknown key 'candidates'; its place is 'search.candidates'$"),
                            ({"settings": {"width": 256, "refit": "x"}}, "'width'; its place is 'surrogate.width'\nrefit: 'x' is not valid"),
                            ({"settings": {"surrogate": {"type": "gp", "kernal": "se"}}}, "unknown key 'surrogate.kernal'"),
                            ({"settings": {"region": {"type": "none"}, "region.type": "none"}}, "setting 'region.type' is given twice"),
                            ({"settings": {"seed": 3}}, "setting 'seed': this is an argument, .*; expected seed=3 beside settings"),
                            ({"batch": 4}, "setting 'batch': the number of points is the argument of ask, as in ask"),
                            ({"method": {"batch": 4}}, "setting 'method': .*expected the name of a method"),
                            ({"variable_constraints": 3}, "variable_constraints 3: expected texts or functions"),
                            ({"goal": "maximize"}, "goal and noise are those of a single objective"),
                            ({"noise": 0}, "each of several has its own")):
            with self.subTest(wrong), self.assertRaisesRegex(gannet.Error, part):
                gannet.Optimizer({"x": (0, 1)}, **{"objectives": {"a": "minimize", "b": "maximize"}, **wrong})
        for wrong in [0, 1], [0.5, 2.5]:  # bounds, or categories?
            with self.assertRaisesRegex(gannet.Error, "are two numbers; expected .* if they are bounds, else ordinal"):
                gannet.Optimizer({"x": wrong})
        with gannet.Optimizer({"x": (0, 1)}, settings={"method": "neural-bo", "surrogate": {"width": 64}}) as nested:
            self.assertEqual(len(nested.ask(1)), 1)
        single = make()
        with self.assertRaisesRegex(gannet.Error, "objective: .* is not a number"):
            single.tell(single.ask()[0], {"drag": 1}, [1, 2])

    def test_a_penalty_is_on_no_front(self):
        for kept in False, True:
            optimizer = gannet.Optimizer({"x": (0, 1)}, objectives={"drag": {"transform": "log", "penalties": not kept}, "mass": "minimize"})
            points = optimizer.ask(6)
            for i, point in enumerate(points):
                optimizer.tell(point, {"drag": 1e10 if i % 2 else 1 + i, "mass": 0 if i % 2 else 9 - i})
            self.assertEqual(list(optimizer.front().ids), [0, 1, 2, 4] if kept else [0, 2, 4])

    def test_the_front_of_one_objective_is_its_best(self):
        optimizer = make()
        a, b = optimizer.ask(2)
        optimizer.tell(a, 1, [1, 2])
        optimizer.tell(b, 3, [1, 2])
        self.assertEqual((list(optimizer.front().ids), list(optimizer.front().objectives["objective"])), ([b.id], [3]))

    def test_designs_of_the_caller_come_first(self):
        kinds = {"chord": (0.5, 2), "span": gannet.real(1, 12, step=0.0625), "cells": gannet.ordinal(16, 32, 64), "solver": ["cg", "gmres"],
                 "restart": gannet.integer(5, 200, when="solver == 'gmres'"), "rho": gannet.fixed(1.2), "area": gannet.derived("chord*span")}
        with gannet.Optimizer(kinds, method="gp-ei", initial=4, noise=0, variable_constraints="chord + span <= 10") as optimizer:
            given = {"chord": 1.1, "span": 4, "cells": 32, "solver": "cg"}
            for wrong, told in (({"cord": 1}, "unknown variable 'cord'; did you mean 'chord'?"), ({"chord": 3}, r"design 2 of 2: variable chord: 3 is outside"),
                                ({"solver": "lu"}, "'lu' is not one of 'cg', 'gmres'"), ({}, "design 2 of 2: gives no variable"),
                                ({"cells": 20}, "choose 16, the nearest"), ({"span": 12}, r"chord \+ span <= 10"),
                                ({"chord": "x"}, "variable chord: 'x' is not a number"), ("chord", "expected a dictionary with a design")):
                with self.assertRaisesRegex(gannet.Error, told):
                    optimizer.start([given, wrong])
            for wrong in 7, "chord", None:
                with self.assertRaisesRegex(gannet.Error, "expected a dictionary with a design, or a list of them"):
                    optimizer.start(wrong)
            self.assertEqual(optimizer.start([]), [])
            whole, partial = optimizer.start([given, {"restart": 77, "chord": None}])
            self.assertEqual((whole.id, partial.id, optimizer.counts()["pending"]), (0, 1, 2))
            self.assertEqual({name: whole[name] for name in given}, given)
            self.assertEqual((whole["rho"], whole["area"], "restart" in whole.active), (1.2, 4.4, False))
            self.assertEqual((partial["restart"], partial["solver"]), (77, "gmres"))
            self.assertLessEqual(partial["chord"] + partial["span"], 10)
            with self.assertRaisesRegex(gannet.Error, "but 77 was asked for"):
                optimizer.tell(gannet.Point(optimizer.names, optimizer.kinds, 1, [*partial.x[:4], 78, *partial.x[5:]]), 1)
            for point in optimizer.pending() + optimizer.ask(4):
                optimizer.tell(point, point["area"])
            (late,) = optimizer.start({"chord": 2})
            self.assertEqual((late.id, late["chord"]), (6, 2))

    def test_what_the_library_logs_goes_to_its_logger(self):
        with self.assertLogs("gannet", "WARNING") as heard, gannet.Optimizer({"n": gannet.integer(1, 9)}, method="gp-ei", initial=2) as optimizer:
            for point in optimizer.start([{"n": 5}] * 20 + [{"n": 3}]):
                optimizer.tell(point, point["n"])
            optimizer.ask()
        self.assertRegex(heard.output[0], "^WARNING:gannet:[0-9]+ of the last results are exactly those of the same designs before")
        with self.assertLogs("gannet", "INFO") as heard, gannet.Optimizer({"x": (0, 1)}, method="gp-ei", initial=2, noise=0) as optimizer:
            for point in optimizer.ask(4):
                optimizer.tell(point, 1)
            optimizer.ask()
        self.assertIn("INFO:gannet:all 4 results are 1: nothing is learnt from them until one differs (penalties: no = learn all the same)", heard.output)

    def test_an_optimiser_goes_on_in_another_process(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "saved.h5"
            optimizer = make(method="auto", initial=4)
            for point in optimizer.ask(6)[:5]:
                optimizer.tell(point, point["x"], {"stress": 100 * point["x"], "mass": 2}, quantities={"cells": 7})
            waiting, = optimizer.pending()
            optimizer.save(path)
            script = ("import sys; sys.path.insert(0, {!r}); import gannet, python_module as m; o = m.make(method='auto', initial=4);"
                      "o.load({!r}); p, = o.pending(); o.tell(p, 0.5, [1, 2]); print([dict(q) for q in o.ask(3)])")
            said = subprocess.run([sys.executable, "-c", script.format(str(pathlib.Path(__file__).parent), str(path))],
                                  check=True, capture_output=True, text=True).stdout
            optimizer.tell(waiting, 0.5, [1, 2])
            self.assertEqual(said.strip(), str([dict(point) for point in optimizer.ask(3)]))
            other = make(method="auto", initial=4)
            other.load(path)
            self.assertEqual([(p.id, dict(p)) for p in other.pending()], [(waiting.id, dict(waiting))])
            self.assertEqual(other.quantity(0, "cells").value, 7)
            moved = other.pending()[0]
            moved["x"] = -1
            with self.assertRaisesRegex(gannet.Error, "x is -1, but"):
                other.tell(moved, 1, [1, 2])
            for refused, part in ((other, "evaluations already; load into a new one"), (make(method="gp-ei"), "method is auto in the file, gp-ei"),
                                  (make(method="auto", initial=4, goal="minimize"), "problem/goal is maximize, expected minimize")):
                with self.assertRaisesRegex(gannet.Error, part):
                    refused.load(path)
            with self.assertRaisesRegex(gannet.Error, "none.h5"):
                make().load(path.with_name("none.h5"))


if __name__ == "__main__":
    unittest.main()
