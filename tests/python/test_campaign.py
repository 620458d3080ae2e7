"""gannet.Campaign: tables, best designs, predictions, figures and reports of campaign directories, running ones included."""
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import gannet
import gannet._program
import numpy as np

PROGRAM, SOURCE = os.environ["GANNET_PROGRAM"], pathlib.Path(os.environ["GANNET_SOURCE"]).resolve()
ONE = r"""
name: one
variables:
  x: {lower: 0, upper: 1}
  rate: {lower: 0.001, upper: 1, scale: log}
  size: {lower: 0, upper: 1, step: 0.25}
  solver: {type: categorical, values: [gmres, cg]}
  restart: {type: integer, lower: 1, upper: 9, when: "solver == 'gmres'"}
  mesh: {type: ordinal, values: [low, mid, high]}
  vent: {type: boolean}
  area: {expression: "x*size"}
  rho: {fixed: 1.25}
constraints: {stress: {upper: 1.2}}
method: gp-ei
initial: 8
budget: {evaluations: 12}
evaluate:
  backend: command
  command: [python3, "{input_directory}/simulate.py"]
"""
TWO = r"""
name: two
objectives: {drag: {goal: minimize}, range: {goal: maximize}}
variables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}
budget: {evaluations: 10}
evaluate:
  backend: command
  command: [sh, -c, 'awk "{v[\$1]=\$2} END {print \"drag\", v[\"x\"]^2+v[\"y\"]; print \"range\", v[\"x\"]-v[\"y\"]}" "$GANNET_PARAMS" > "$GANNET_RESULTS"']
"""
SIMULATE = r"""
import os, sys
v = dict(line.split(None, 1) for line in open(os.environ["GANNET_PARAMS"]))
x = float(v["x"])
if x > 0.9:
    sys.exit(1)
print("objective", (x - 0.3)**2 + float(v["rate"]) / 10 + float(v["size"]), file=open("results.out", "w"))
print("stress", x + 0.5, "\nhours", 2, file=open("results.out", "a"))
"""


def tree(folder):
    """A digest of every file."""
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="gannet campaign ")  # a blank in the path, on purpose
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        (cls.folder / "simulate.py").write_text(SIMULATE)
        for name, text in ("one", ONE), ("two", TWO):
            (cls.folder / f"{name}.yaml").write_text(text)
            subprocess.run([PROGRAM, "run", f"{name}.yaml", "--quiet"], cwd=cls.folder, check=True, capture_output=True)
        cls.one, cls.two = (gannet.Campaign(cls.folder / f"{name}.campaign") for name in ("one", "two"))

    def setUp(self):
        before = tree(self.folder / "one.campaign"), tree(self.folder / "two.campaign")
        self.addCleanup(lambda: self.assertEqual((tree(self.folder / "one.campaign"), tree(self.folder / "two.campaign")), before))


class Directory(Case):
    def test_names(self):
        self.assertEqual(self.one.variables, ["x", "rate", "size", "solver", "restart", "mesh", "vent", "area", "rho"])
        self.assertEqual((self.one.objectives, self.one.constraints, self.one.name), ({"objective": "minimize"}, ["stress"], "one"))
        self.assertEqual((self.two.objectives, self.two.constraints), ({"drag": "minimize", "range": "maximize"}, []))

    def test_a_single_objective_may_have_a_name(self):
        """Its column is that of the program; results that were imported are results."""
        (self.folder / "old.csv").write_text("x,y,objective\n0.25,0.5,3\n0.5,0.5,2\n")
        (self.folder / "named.yaml").write_text("name: named\nvariables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}\nobjective: drag\n"
                                                "budget: {evaluations: 9}\nevaluate: {backend: manual}\nimport: old.csv\n")
        subprocess.run([PROGRAM, "ask", "named.yaml"], cwd=self.folder, check=True, capture_output=True)
        history = self.folder / "named.campaign" / "history.csv"
        for first_line in None, b"", b"\xff,y\n", b"\0" * 200000:
            if first_line is not None:
                history.write_bytes(first_line)
            named = gannet.Campaign(self.folder / "named.campaign")
            self.assertEqual((named.variables, named.objectives, named.constraints), (["x", "y"], {"drag": "minimize"}, []))
        self.assertEqual((named.best()["objective"], named.best()["x"]), (2, 0.5))
        self.assertEqual([value for value in named.table()["objective"] if value == value], [3, 2])

    def test_the_table_is_that_of_the_program(self):
        rows = json.loads(subprocess.run([PROGRAM, "export", self.one.directory, "-f", "json"], check=True, capture_output=True).stdout)
        for hidden in (), ("pandas",):
            with unittest.mock.patch.dict(sys.modules, {name: None for name in hidden}):
                table = self.one.table()
            self.assertEqual(list(table), list(rows[0]))
            self.assertEqual(list(table["x"]), [row["x"] for row in rows])
            self.assertEqual(list(table["solver"]), [row["solver"] for row in rows])
            np.testing.assert_array_equal(table["objective"], [np.nan if row["objective"] is None else row["objective"] for row in rows])
            self.assertEqual({bool(value) for value in table["vent"]}, {True, False})
            self.assertTrue((table["id"] == np.arange(12)).all())
            self.assertIsInstance(table, dict) if hidden else None

    def test_best(self):
        best, table = self.one.best(), self.one.table()
        feasible = np.array([value is True or value == 1 for value in table["feasible"]])
        self.assertEqual(best["objective"], np.min(np.asarray(table["objective"])[feasible]))
        self.assertEqual(best["objective"], self.one.status()["best"]["objective"])
        self.assertEqual(list(self.one.best(3)["id"])[0], best["id"])
        self.assertGreater(self.one.best(where="x > 0.5")["x"], 0.5)
        self.assertIn("x", self.one.best(recommended=True))
        self.assertIsNone(self.one.best(where="x > 2"))
        for wrong, told in (dict(count=0), "count = 0 designs, expected at least 1"), (dict(where="q > 1"), "q"):
            with self.assertRaisesRegex(gannet.Error, told):
                self.one.best(**wrong)

    def test_front(self):
        front, table = self.two.front(), self.two.table()
        self.assertEqual(sorted(front["id"]), [number for number, is_there in zip(table["id"], table["front"]) if is_there])
        self.assertEqual(list(front["drag"]), sorted(front["drag"]))
        self.assertEqual(len(self.two.front(knee=True)["id"]), 1)
        self.assertEqual(self.two.best()["drag"], min(front["drag"]))
        with self.assertRaisesRegex(gannet.Error, "the campaign has a single objective"):
            self.one.front()

    def test_predictions(self):
        best = self.one.best()
        one = self.one.predict(best)
        self.assertEqual({type(value) for value in (one.mean["objective"], one.kept["stress"], one.can_run, one.feasible)}, {float})
        self.assertLess(abs(one.mean["stress"] - best["stress"]), 0.1)
        self.assertEqual((set(one.mean), set(one.kept)), ({"objective", "stress"}, {"stress"}))
        design = {name: best[name] for name in ("x", "rate", "size", "mesh", "vent")}
        many = self.one.predict([best, {**design, "solver": "gmres", "restart": 3, "x": np.float64(0.5), "vent": np.bool_(False)},
                                 {**design, "solver": "cg", "restart": None}])
        self.assertEqual(many.mean["stress"].shape, (3,))
        self.assertEqual(many.mean["stress"][0], one.mean["stress"])
        for hidden in {}, {"pandas": None}:
            with unittest.mock.patch.dict(sys.modules, hidden):
                self.assertEqual(self.one.predict(self.one.table()).sd["objective"].shape, (12,))
        for wrong, told in (({"x": 0.5}, "the design is not complete|has no column|rate"), ({**best, "x": 2}, "variables?\\.?.*x"),
                            ({**design, "sover": "cg"}, "unknown variable 'sover'; did you mean 'solver'"), ([], "no designs are given"),
                            (3, "3: expected a dictionary with a design, a list of them, or a table")):
            with self.subTest(told), self.assertRaisesRegex(gannet.Error, told):
                self.one.predict(wrong)

    def test_status_and_report(self):
        status = self.one.status()
        self.assertEqual((status["state"], status["evaluations"]["proposed"]), ("finished", 12))
        page = self.one.report(self.folder / "page.html")
        self.assertIn("<html", page.read_text(encoding="utf-8")[:2000])
        with self.assertRaisesRegex(gannet.Error, "nowhere"):
            self.one.report(self.folder / "nowhere/page.html")

    def test_a_campaign_that_runs(self):
        folder = self.folder / "busy"
        folder.mkdir()
        (folder / "busy.yaml").write_text(TWO.replace("name: two", "name: busy").replace("'awk", "'sleep 1; awk"))
        with subprocess.Popen([PROGRAM, "run", "busy.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while b" 1 done" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            busy = gannet.Campaign(folder / "busy.campaign")
            status, done = busy.status(), busy.best()
            rows = len(busy.table()["id"])
            process.terminate()
            process.stderr.read()
        self.assertEqual(status["state"], "running")
        self.assertIn("drag", done)
        self.assertGreaterEqual(rows, 1)

    def test_a_campaign_that_has_just_begun(self):
        folder = self.folder / "young"
        shutil.copytree(self.one.directory, folder / "one.campaign")
        (folder / "two.yaml").write_text(TWO.replace("backend: command", "backend: manual").split("  command:")[0].replace("name: two", "name: young"))
        subprocess.run([PROGRAM, "ask", "two.yaml", "--count", "2"], cwd=folder, check=True, capture_output=True)
        young = gannet.Campaign(folder / "young.campaign")
        self.assertIsNone(young.best())
        self.assertEqual(len(young.best(3)), 0)
        self.assertEqual(list(young.table()["status"]), ["pending"] * 2)
        with self.assertRaisesRegex(gannet.Error, "no evaluation has a result; give the design"):
            young.plot_slices()
        young.plot_convergence()


class Mistakes(Case):
    def test_no_campaign_directory(self):
        with self.assertRaisesRegex(gannet.Error, "is not a campaign directory: it has no campaign.yaml"):
            gannet.Campaign(self.folder)
        with self.assertRaisesRegex(gannet.Error, r"'.*/on.campaign' is not a campaign directory: it does not exist; did you mean '.*one\.campaign'"):
            gannet.Campaign(self.folder / "on.campaign")
        with self.assertRaisesRegex(gannet.Error, "path 3: expected the path of a file"):
            gannet.Campaign(3)

    def test_damaged_and_newer_states(self):
        """A header of a later version, with the checksum that belongs to it, and snapshots and a journal that are not whole."""
        text = b"gannet journal schema 99 " + (self.one.directory / "journal").read_bytes().split()[4]
        check = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
        check.restype, check.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
        for name, journal, told in (("newer", b"%s %016x\n" % (text, check(text, len(text))), "has schema 99, this gannet reads up to 2; use the newer"),
                                    ("damaged", b"no journal\n", "journal")):
            copy = self.folder / f"{name}.campaign"
            shutil.copytree(self.one.directory, copy)
            (copy / "journal").write_bytes(journal)
            for snapshot in copy.glob("state.h5*"):
                snapshot.write_bytes(snapshot.read_bytes()[:3000])
            with self.subTest(name), self.assertRaisesRegex(gannet.Error, told):
                gannet.Campaign(copy)

    def test_the_program(self):
        for path, told in (("/nowhere/gannet", "/nowhere/gannet cannot be run: No such file or directory; set GANNET_PROGRAM"),
                           ("/bin/echo", r"/bin/echo is echo .*; expected gannet 0\.\d+\.\d+, set GANNET_PROGRAM")):
            with unittest.mock.patch.dict(os.environ, {"GANNET_PROGRAM": path}), self.assertRaisesRegex(gannet.Error, told):
                gannet.Campaign(self.one.directory)
        without = {name: value for name, value in os.environ.items() if name != "GANNET_PROGRAM"}
        with unittest.mock.patch.dict(os.environ, without, clear=True):
            self.assertEqual(pathlib.Path(gannet._program.find_program()).resolve(), pathlib.Path(PROGRAM).resolve())
            with unittest.mock.patch.object(gannet._program._library, "path", "libgannet.so.0.2"):
                self.assertNotIn(pathlib.Path("gannet").resolve(), list(gannet._program._candidates()))  # in the present folder
                self.assertIn(SOURCE / "bin/gannet", list(gannet._program._candidates()))
            with unittest.mock.patch.object(gannet._program, "_candidates", lambda: iter(())), \
                    unittest.mock.patch.dict(os.environ, {"PATH": "/nowhere"}), \
                    self.assertRaisesRegex(gannet.Error, "the program gannet was not found, neither beside /.*libgannet.so nor in PATH; install it"):
                gannet.Campaign(self.one.directory)

    def test_figures_without_matplotlib(self):
        with unittest.mock.patch.dict(sys.modules, {"matplotlib": None, "matplotlib.pyplot": None}):
            for draw in self.one.plot_convergence, self.one.plot_slices, self.two.plot_front:
                with self.assertRaisesRegex(gannet.Error, r"figures need matplotlib \(.*\); install it, as in pip install matplotlib"):
                    draw()


class Figures(Case):
    @classmethod
    def setUpClass(cls):
        try:
            import matplotlib
        except ImportError:
            raise unittest.SkipTest("python3-matplotlib is not installed") from None
        matplotlib.use("Agg")
        super().setUpClass()

    def test_convergence(self):
        ax = self.one.plot_convergence()
        table, line = self.one.table(), ax.lines[0]
        feasible = np.array([value is True or value == 1 for value in table["feasible"]])
        values = np.where(feasible, np.asarray(table["objective"], dtype=float), np.inf)
        np.testing.assert_array_equal(line.get_ydata()[-1], values.min())
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("evaluation", "objective"))
        self.assertEqual({text.get_text() for text in ax.get_legend().get_texts()}, {"feasible", "infeasible", "best so far", "no result"})
        up = self.two.plot_convergence("range", ax)
        self.assertIs(up, ax)
        drawn = self.two.plot_convergence("range").lines[0].get_ydata()
        self.assertTrue((np.diff(drawn) >= 0).all())
        with self.assertRaisesRegex(gannet.Error, "unknown objective 'mass'; expected objective"):
            self.one.plot_convergence("mass")

    def test_front(self):
        ax = self.two.plot_front()
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("drag", "range"))
        self.assertEqual(list(ax.lines[0].get_xdata()), sorted(self.two.front()["drag"]))
        other = self.two.plot_front(y="drag")
        self.assertEqual((other.get_xlabel(), other.get_ylabel()), ("range", "drag"))
        with self.assertRaisesRegex(gannet.Error, "single objective and so no front; use plot_convergence"):
            self.one.plot_front()

    def test_slices(self):
        figure = self.one.plot_slices("stress", points=5)
        panels = {ax.get_xlabel(): ax for ax in figure.axes if ax.get_xlabel()}
        self.assertEqual(list(panels), ["x", "rate", "size", "solver", "restart", "mesh", "vent"])
        x = panels["x"].lines[0]
        self.assertEqual(list(x.get_xdata()), [0, 0.25, 0.5, 0.75, 1])
        self.assertGreater(x.get_ydata()[-1], x.get_ydata()[0] + 0.5)
        self.assertEqual((panels["rate"].get_xscale(), panels["x"].get_xscale()), ("log", "linear"))
        self.assertLessEqual(set(panels["size"].lines[0].get_xdata()), {0, 0.25, 0.5, 0.75, 1})
        self.assertEqual([text.get_text() for text in panels["mesh"].get_xticklabels()],
                         [word for word in ("low", "mid", "high") if word in set(self.one.table()["mesh"])])
        at = self.one.best()
        self.assertEqual(len(self.one.plot_slices(at={**at, "x": 0.1}, points=3).axes), 9)
        with self.assertRaisesRegex(gannet.Error, "unknown quantity 'mass'"):
            self.one.plot_slices("mass")


if __name__ == "__main__":
    unittest.main()
