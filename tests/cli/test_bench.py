# test: labels cli timeout 240
"""gannet bench: runs shared over ranks, stored one by one, told apart when the suite changes, and a report."""
import csv
import os
import pathlib
import shutil
import signal

import program
from program import FAILURES, FINISHED, RESUMABLE, USAGE

SUITE = """\
name: demo
runs: 3
budget: 4*D
batch: 2
measures: [simple, cumulative]
problems:
  branin: {function: branin}
  ackley: {function: ackley, dimension: [2, 3], noise: 0.1, measures: [incumbent, simple]}
  disk: {function: branin-disk, measures: [violation], constraint_noise: 0.05}
methods:
  random:
  thin: {method: neural-bo, initial: 4, surrogate: {width: 16}, search: {candidates: 100}}
"""
SMALL = """\
name: demo
runs: 4
budget: 4
problems:
  branin: {function: branin}
methods: [random, sobol]
"""
SIMULATION = """\
#!/bin/sh
echo "$GANNET_EVAL_ID" >> "$LEDGER"
awk '{v[$1] = $2} END {printf "objective %.17g\\n", (v["x"] - 1)^2}' "$GANNET_PARAMS" > "$GANNET_RESULTS"
"""
COMMAND = """\
name: demo
runs: 2
budget: 3
problems:
  branin: {function: branin}
  program:
    variables: {x: {lower: 0, upper: 3}}
    evaluate: {backend: command, command: [./simulate.sh]}
    optimum: 0
methods: [random]
"""


class Bench(program.ProgramTest):
    def rows(self, name="results.csv", folder="demo.bench"):
        with open(self.folder / folder / name, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def numbers(self, folder="demo.bench"):
        """All evaluations without their times."""
        return [tuple(value for key, value in row.items() if key != "seconds")
                for row in self.rows(folder=folder)]

    def stored(self):
        return sorted((self.folder / "demo.bench" / "runs").glob("*/*/*.h5"))

    def test_results_do_not_depend_on_the_number_of_ranks(self):
        file = self.write(SUITE, "demo.yaml")
        for ranks in 1, 2, 3:
            self.succeed("bench", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
        self.assertEqual(len(self.numbers("on-1")), 2 * 3 * (8 + 8 + 12 + 8))
        self.assertEqual(self.numbers("on-1"), self.numbers("on-2"))
        self.assertEqual(self.numbers("on-1"), self.numbers("on-3"))
        for name in "summary.csv", "tests.csv":
            self.assertEqual(self.rows(name, "on-1"), self.rows(name, "on-3"))

    def test_noise_is_on_what_methods_see_only(self):
        self.succeed("bench", self.write(SUITE, "demo.yaml"), "-q")
        for row in self.rows():
            noisy = row["problem"].startswith("ackley")
            self.assertEqual(row["seen"] != row["exact"], noisy, row)
            self.assertEqual(row["problem"] == "disk" and float(row["exact_violation"]) > 0,
                             row["exact_violation"] != "0", row)

    def test_killed_runs_are_made_again_and_stored_ones_are_kept(self):
        text = SMALL.replace("{function: branin}",
                             "{function: branin, evaluate: {settings: {delay: 0.05}}}")
        file = self.write(text, "demo.yaml")
        self.succeed("bench", file, "-q", "-d", "whole")
        running = self.start("bench", file, "-q", ranks=2)
        self.wait_until(lambda: len(self.stored()) >= 3)
        self.assertTrue(running.kill())
        before = {path: path.stat().st_mtime_ns for path in self.stored()}
        self.assertLess(len(before), 8)
        outcome = self.succeed("bench", file, ranks=3)
        self.assertIn(f"{8 - len(before)} runs made", outcome.out)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        self.assertEqual(self.numbers(), self.numbers("whole"))

    def test_a_stop_file_and_a_signal_end_it_and_it_goes_on(self):
        text = SMALL.replace("{function: branin}",
                             "{function: branin, evaluate: {settings: {delay: 0.05}}}")
        file = self.write(text, "demo.yaml")
        running = self.start("bench", file, "-q")
        self.wait_until(lambda: len(self.stored()) >= 1)
        (self.folder / "demo.bench" / "STOP").touch()
        self.assertEqual(running.wait().code, RESUMABLE)
        stored = len(self.stored())
        self.assertLess(stored, 8)
        (self.folder / "demo.bench" / "STOP").unlink()
        running = self.start("bench", file, "-q")
        self.wait_until(lambda: len(self.stored()) > stored)
        os.kill(running.process.pid, signal.SIGTERM)
        self.assertEqual(running.wait().code, RESUMABLE)
        self.succeed("bench", file, "-q")
        self.assertEqual(len(self.stored()), 8)

    def test_mistakes_are_told_with_their_places(self):
        for wrong, words in (
                (SMALL.replace("sobol]", "sobbol]"), (":6:19", "sobol")),
                (COMMAND, ("simulate.sh",)),
        ):
            with self.subTest(words=words):
                outcome = self.gannet("bench", self.write(wrong, "wrong.yaml"))
                self.assertEqual(outcome.code, USAGE, outcome)
                for word in words:
                    self.assertIn(word, outcome.err)
        self.assertIn("--only", self.succeed("bench", self.write(SMALL), "--only", "x/y", code=USAGE).err)

    def test_a_run_that_fails_takes_no_other_along(self):
        self.write(SIMULATION, "simulate.sh", 0o755)
        file = self.write(COMMAND, "demo.yaml")
        ledger = {"LEDGER": str(self.folder / "calls")}
        (self.folder / "demo.bench").mkdir()
        (self.folder / "demo.bench" / "work").touch()  # evaluations have no place
        outcome = self.succeed("bench", file, ranks=2, environment=ledger, code=FAILURES)
        self.assertIn("4 runs made, 2 of them failed", outcome.out)
        self.assertEqual({row["problem"] for row in self.rows()}, {"branin"})
        self.assertIn("program | random | 1 | failed", self.read("demo.bench/report.md"))
        (self.folder / "demo.bench" / "work").unlink()
        self.assertIn("2 runs made, 0", self.succeed("bench", file, ranks=2, environment=ledger).out)
        self.assertEqual(len([row for row in self.rows() if row["problem"] == "program"]), 6)
        self.assertEqual(len((self.folder / "calls").read_text().splitlines()), 6)

    def test_runs_in_which_nothing_worked_have_failed(self):
        self.write("#!/bin/sh\necho no licence >&2\nexit 3\n", "simulate.sh", 0o755)
        file = self.write(COMMAND, "demo.yaml")
        outcome = self.succeed("bench", file, "-q", ranks=2, code=FAILURES)
        self.assertIn("4 runs made, 2 of them failed", outcome.out)
        for words in "runs failed, the first: program/random seed 1", "(exit code)", "no licence":
            self.assertIn(words, outcome.err)
        self.assertEqual(outcome.err.count("gannet:"), 1, outcome.err)
        self.assertIn("no licence", self.read("demo.bench/report.md"))
        outcome = self.succeed("bench", file, "-q", "-o", "program", "-d", "other", code=FAILURES)
        self.assertIn("all runs failed, the first: ", outcome.err)
        self.write('#!/bin/sh\n[ "$GANNET_EVAL_ID" = 1 ] && exec "$GANNET_INPUT_DIRECTORY"/answer.sh\nexit 3\n',
                   "simulate.sh", 0o755)
        self.write(SIMULATION, "answer.sh", 0o755)
        outcome = self.succeed("bench", file, "-q", environment={"LEDGER": str(self.folder / "calls")})
        self.assertIn("2 runs made, 0 of them failed", outcome.out)  # some that fail are data

    def test_places_without_runs_are_told(self):
        file = self.write(SMALL, "demo.yaml")
        outcome = self.succeed("bench", file, "--report", "-d", "nowhere", code=USAGE)
        self.assertIn("nowhere' to report; make some without --report", outcome.err)
        self.assertIn("--directory is empty", self.succeed("bench", file, "-d", "", code=USAGE).err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["demo.yaml"])

    def test_a_changed_suite_is_not_mixed_with_the_old_one(self):
        file = self.write(SMALL, "demo.yaml")
        self.succeed("bench", file, "-q")
        old = self.numbers()
        outcome = self.gannet("bench", file, "--set", "budget=5")
        self.assertEqual(outcome.code, USAGE, outcome)
        for word in "8 runs", "branin", "--redo":
            self.assertIn(word, outcome.err)
        self.assertIn("changed", self.succeed("bench", file, "--set", "budget=5", "--dry-run").out)
        self.assertEqual(self.numbers(), old)
        self.assertIn("8 runs made", self.succeed("bench", file, "--set", "budget=5", "--redo").out)
        self.assertEqual(len(self.numbers()), 8 * 5)
        more = self.succeed("bench", file, "--set", "budget=5", "--set", "runs=5")
        self.assertIn("2 runs made", more.out)

    def test_only_some_runs_are_made_when_asked_for(self):
        file = self.write(SMALL, "demo.yaml")
        self.assertIn("2 runs made", self.succeed("bench", file, "--only", "b*/sob*", "--set", "runs=2").out)
        report = self.read("demo.bench/report.md")
        self.assertNotIn("| random |", report)
        self.assertIn("| sobol | **1.00** |", report)
        listed = self.succeed("bench", file, "--dry-run").out.splitlines()
        self.assertEqual(len(listed), 8)
        self.assertEqual(sum("done" in line for line in listed), 2)
        self.assertIn("4 runs made", self.succeed("bench", file, "--only", "branin/random").out)

    def test_the_report_has_everything(self):
        file = self.write(SUITE, "demo.yaml")
        self.succeed("bench", file, "-q", ranks=2)
        report = self.read("demo.bench/report.md")
        for words in ("Average rank", "Wins, ties and losses", "Time per proposed point", "## ackley-3",
                      "best positive regret plus violation", "| method | after 2 | after 4 | after 8 |"):
            self.assertIn(words, report)
        self.assertEqual(report.count("p-values"), 4)
        if shutil.which("gnuplot"):
            for name in "branin.simple", "branin.cumulative", "disk.violation", "ackley-2.incumbent":
                self.assertIn(f"](pictures/{name}.svg)", report)
                self.assertIn("</svg>", self.read(f"demo.bench/pictures/{name}.svg"))
            self.assertEqual(self.read("demo.bench/report.html").count("</svg>"), 2 + 2 + 2 + 1)

    def test_several_objectives_are_compared_by_their_hypervolumes(self):
        text = ("name: demo\nruns: 2\nbudget: 24\nbatch: 4\nproblems:\n  zdt1: {function: zdt1, dimension: 3}\n"
                "  ball: {function: dtlz2, dimension: 4, evaluate: {settings: {objectives: 3}}, noise: 0.1, constraint_noise: 0.1}\n"
                "  disk: {function: branin-currin-disk}\n"
                "  own: {function: zdt1, dimension: 2, objectives: {f1: {threshold: 2}, f2: {goal: maximize, threshold: 3}}, optimum: 12}\n"
                "methods: [sobol]\n")
        self.succeed("bench", self.write(text, "demo.yaml"), "-q")
        report = (self.folder / "demo.bench/report.md").read_text(encoding="utf-8")
        for part in ("Hypervolume of the true front: 120.66667", "Hypervolume of the true front: 0.80740122", "609.4037",
                     "Hypervolume of the true front: 12."):
            self.assertIn(part, report)
        for problem, most in ("zdt1", 121), ("ball", 0.81), ("disk", 610), ("own", 16):
            volumes = [-float(row["exact"]) for row in self.rows() if row["problem"] == problem and row["seed"] == "1"]
            self.assertEqual(len(volumes), 24)
            self.assertEqual(volumes, sorted(volumes))
            self.assertTrue(0 < volumes[-1] < most, (problem, volumes))
            differs = any(row["seen"] != row["exact"] for row in self.rows() if row["problem"] == problem)
            self.assertEqual(differs, problem == "ball")
        self.assertIn("set ylabel 'hypervolume of the true front less that attained'", (self.folder / "demo.bench/pictures/zdt1.simple.gp").read_text())
        self.check_attainment("own", {"sobol": 0}, lambda f1, f2: f1 < 2 and f2 > 3)
        self.check_attainment("disk", {"sobol": 0}, lambda f1, f2: f1 < 80 and f2 < 12)
        self.assertFalse((self.folder / "demo.bench/pictures/ball.attainment.gp").exists())
        lacking = text.replace("f1: {threshold: 2}", "f1: {}")
        self.succeed("bench", self.write(lacking, "lacking.yaml"), "-q", "-d", "lacking", "-o", "own", code=FAILURES)
        reasons = (self.folder / "lacking/report.md").read_text(encoding="utf-8")
        self.assertIn("problems.own.objectives.f1: missing key 'threshold'", reasons)

    def check_attainment(self, problem, blocks, counts):
        """The stored fronts give the surfaces of the picture: how many runs attain what lies on the line of a share."""
        sign = -1 if problem == "own" else 1
        points = {}
        for row in csv.DictReader((self.folder / "demo.bench/fronts.csv").read_text().splitlines()):
            if row["problem"] == problem:
                points.setdefault((row["method"], row["seed"], row["point"]), {})[row["objective"]] = float(row["value"])
        names = list(next(iter(points.values())))
        fronts = {}
        for (method, seed, _), point in points.items():
            fronts.setdefault(method, {}).setdefault(seed, []).append([point[name] for name in names])
        for front in (front for runs in fronts.values() for front in runs.values()):
            for a in front:
                self.assertFalse(any(b[0] <= a[0] and sign * b[1] <= sign * a[1] and a != b for b in front))
        text = (self.folder / f"demo.bench/pictures/{problem}.attainment.dat").read_text()
        surfaces = text.split("\n\n\n")[1:]
        self.assertEqual(len(surfaces), len(blocks))
        for method, block in blocks.items():
            rows = [[float(word) for word in line.split()] for line in surfaces[block].splitlines()]
            self.assertGreater(len(rows), 4)
            for x, *levels in rows[1::2]:  # after each step
                for share, level in zip((0.25, 0.5, 0.75), levels):
                    runs = sum(any(f1 <= x * (1 + 1e-9) and sign * f2 <= sign * level + 1e-9 and counts(f1, f2) for f1, f2 in front)
                               for front in fronts[method].values())
                    if level == level:
                        self.assertGreaterEqual(runs, share * len(fronts[method]), (x, level))

    def test_without_gnuplot_the_report_says_so(self):
        file = self.write(SMALL, "demo.yaml")
        self.write("#!/bin/sh\n", "ssh", 0o755)  # Open MPI wants to see one, without using it
        self.succeed("bench", file, "-q", environment={"PATH": str(self.folder)})
        report = self.read("demo.bench/report.md")
        self.assertIn("gnuplot", report)
        self.assertNotIn("](pictures/", report)
        self.assertTrue((self.folder / "demo.bench/pictures/branin.simple.gp").exists())
        (self.folder / "demo.bench/report.md").unlink()
        self.succeed("bench", file, "--report")
        if shutil.which("gnuplot"):
            self.assertIn("](pictures/", self.read("demo.bench/report.md"))

    def test_a_problem_without_its_means_is_left_out(self):
        text = COMMAND.replace("    optimum: 0\n", "    optimum: 0\n    requires: [sh, -c, exit 3]\n"
                                                   "    hint: install it\n")
        outcome = self.succeed("bench", self.write(text, "demo.yaml"))
        self.assertIn("2 runs made, 0", outcome.out)
        self.assertIn("'sh' ended with exit code 3; install it", self.read("demo.bench/report.md"))

    def test_the_reference_of_the_keys_is_what_the_tables_say(self):
        """docs/suite-reference.md is made by gannet explain --suite --markdown."""
        root = pathlib.Path(__file__).resolve().parents[2]
        self.assertEqual(self.succeed("explain", "--suite", "--markdown").out,
                         (root / "docs/suite-reference.md").read_text(encoding="utf-8"))
        self.assertIn("problems.*.optimum", self.succeed("explain", "--suite", "optimum").out)
        self.assertIn("did you mean", self.succeed("explain", "--suite", "problems.*.optimun", code=USAGE).err)

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    program.main()
