# test: labels cli timeout 300
"""The report: one page that loads nothing, with the numbers of the campaign; as a real browser shows them if there is one; and the same as figures."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import program
from program import BRANIN, SOBOL

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser


FAILING = """\
#!/bin/sh
set -- $(awk '{print $2}' "$GANNET_PARAMS")
case $(awk -v x="$1" 'BEGIN {print int(x + 5) % 4}') in
  0) echo "mesh: element $$ <inverted>" >&2; exit 3;;
  1) echo "fail no flow" > "$GANNET_RESULTS"; exit 0;;
esac
awk -v x="$1" -v y="$2" 'BEGIN {printf "objective %.17g\\nstress %.17g\\n", (x - 1)^2 + (y - 2)^2, x * y}' > "$GANNET_RESULTS"
"""
MIXED = """\
name: fast
method: random
variables:
  x1: {lower: -5, upper: 10, unit: "mm 'net' % <b>"}
  x2: {lower: 1e-3, upper: 15, scale: log}
  solver: {type: categorical, values: [cg, "</script><b>&"]}
  vent: {type: boolean}
  fins: {type: integer, lower: 1, upper: 4}
constraints: {stress: {upper: 20, unit: MPa}}
batch: 8
goal: maximize
budget: {evaluations: 48, failures: {rate: 1}}
evaluate: {backend: command, command: [./fail.sh], parallel: 4, retries: 0}
"""


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))


class Report(program.ProgramTest):
    def report(self, directory="fast.campaign"):
        self.succeed("report", directory)
        page = (self.folder / directory / "report.html").read_text()
        self.assertFalse(os.path.exists(self.folder / directory / "report.html.part"))
        return page, data_of(page)

    def mixed(self):
        self.write(FAILING, "fail.sh", 0o755)
        self.succeed("run", self.write(MIXED), "-q")

    def test_noise_may_be_far_above_all_values(self):
        noisy = SOBOL.replace("method: sobol", "method: gp-ei").replace("budget: {evaluations: 24}", "budget: {evaluations: 12}")
        self.succeed("run", self.write(noisy + "noise: 1e200\n"), "-q")
        model = self.report()[1]["model"]
        self.assertNotIn("note", model)
        self.assertEqual(model["recommended"]["noise"], 1e200)

    def test_its_numbers_are_those_of_the_export(self):
        self.mixed()
        page, data = self.report()
        rows = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out)))
        columns, summary = data["columns"], data["summary"]
        self.assertEqual(columns["id"], list(range(48)))
        for row, objective in zip(rows, columns["objective"]):
            self.assertEqual(row["objective"] == "", objective is None)
            if objective is not None:
                self.assertAlmostEqual(float(row["objective"]), objective, delta=1e-6 * abs(objective))
        self.assertEqual(summary["campaign"]["failed"], sum(row["status"] == "failed" for row in rows))
        groups = summary["failures"].values()
        self.assertEqual(sum(g["count"] for g in groups), sum(row["status"] in ("failed", "cannot_run") for row in rows))
        self.assertEqual(len(groups), 2)  # the process ids in the reasons do not make them different
        feasible = [row for row in rows if row["feasible"] == "true"]
        best = max(feasible, key=lambda row: float(row["objective"]))
        self.assertEqual(summary["best"][0]["objective"], best["objective"])
        self.assertEqual(summary["best"][0]["x"], [best[name] for name in ("x1", "x2", "solver", "vent", "fins")])
        self.assertAlmostEqual(summary["trace"][-1][2], float(best["objective"]), places=6)
        model = data["model"]
        self.assertEqual([len(s["x"]) for s in model["slices"]], [61, 61, 2, 2, 4])
        self.assertEqual(len(model["importance"]), 5)
        self.assertGreater(model["importance"][0], 0.1)
        for line in model["slices"]:
            for low, median, high in zip(line["low"], line["median"], line["high"]):
                self.assertTrue(low <= median <= high)

    def test_best_designs_are_distinct(self):
        """A cluster of designs that differ by less than 1 % of every range is one row."""
        self.write("""name: fast
method: random
variables: {x: {lower: 0, upper: 100}, y: {lower: 0, upper: 1}}
start:
  - {x: 50, y: 0.5}
  - {x: 50.4, y: 0.502}
  - {x: 49.1, y: 0.508}
  - {x: 51.5, y: 0.5}
  - {x: 10, y: 0.1}
batch: 5
budget: {evaluations: 5}
evaluate:
  backend: command
  shell: |
    awk '/^x/ {print "objective", ($2 - 50)^2}' params.in > results.out
""", "campaign.yaml")
        self.succeed("run", "campaign.yaml", "-q")
        best = self.report()[1]["summary"]["best"]
        self.assertEqual([(row["id"], row.get("like"), row.get("alike")) for row in best], [(0, 2, [1, 2]), (3, None, None), (4, None, None)])

    def test_folders_and_the_ends_of_logs(self):
        self.mixed()
        summary = self.report()[1]["summary"]
        self.assertEqual(summary["folders"]["directory"], str((self.folder / "fast.campaign").resolve()))
        failed = next(group for group in summary["failures"].values() if group["status"] == "failed")
        self.assertRegex(summary["folders"]["ends"][str(failed["ids"][0])]["stderr.log"], r"^mesh: element \d+ <inverted>$")
        for log in (self.folder / "fast.campaign").glob("evals/*/std*.log"):
            log.unlink()
        self.assertEqual(self.report()[1]["summary"]["folders"]["ends"], {})
        for number, text in enumerate(["x" * 5000 + " last words\n", "".join(f"line {i}\n" for i in range(50)), " \n\n", "\0\ndone\n\n"]):
            (self.folder / f"fast.campaign/evals/{failed['ids'][number]:06}/stderr.log").write_text(text)
        ends = self.report()[1]["summary"]["folders"]["ends"]
        self.assertEqual([ends.get(str(failed["ids"][number])) for number in range(4)],
                         [{"stderr.log": " last words"}, {"stderr.log": "\n".join(f"line {i}" for i in range(38, 50))}, None, {"stderr.log": " \ndone"}])
        self.succeed("run", self.write(SOBOL.replace("name: fast", "name: plain")), "-q")
        self.assertIsNone(self.report("plain.campaign")[1]["summary"]["folders"])

    def test_words_that_are_not_utf8(self):
        """Of a simulation in Latin-1, or in no alphabet at all: everything that is written is UTF-8."""
        self.write("""#!/bin/sh
case $GANNET_EVAL_ID in
0) printf 'Stra\\337e </script><b>\\0 \\377\\376\\n' >&2; exit 3 ;;
1) printf 'fail gr\\366\\337e' > "$GANNET_RESULTS" ;;
2) printf 'objective zw\\366lf' > "$GANNET_RESULTS" ;;
3) awk 'BEGIN {s = "fail "; for (i = 0; i < 260; ++i) s = s "\\303\\244"; print s}' > "$GANNET_RESULTS" ;;
*) echo objective 3 > "$GANNET_RESULTS" ;;
esac
""", "fail.sh", 0o755)
        text = MIXED.replace("constraints: {stress: {upper: 20, unit: MPa}}\n", "").replace("evaluations: 48", "evaluations: 8")
        outcome = self.succeed("run", self.write(text))
        place = self.folder / "fast.campaign"
        data = self.report()[1]
        reasons = sorted(group["reason"] for group in data["summary"]["failures"].values())
        self.assertEqual(reasons[:2], ["exit code 3; stderr: Stra?e </script><b>  ??", "gr??e"])
        self.assertEqual(reasons[2], "results.out line 1: objective is 'zw?lf', expected a number, or 'missing'")
        self.assertRegex(reasons[3], r"^ä{100,}\.\.\.$")
        told = [outcome.out, outcome.err, self.succeed("status", "fast.campaign").out]
        told += [self.succeed("export", "fast.campaign", "-f", form).out for form in ("csv", "json", "table")]
        told += [(place / name).read_text(encoding="utf-8", errors="replace") for name in ("history.csv", "campaign.log", "journal", "report.html")]
        for text in told:
            self.assertNotIn("\ufffd", text)
        self.assertIn("gr??e", told[2])
        self.assertNotIn(b"zw\xf6lf", (place / "state.h5").read_bytes())

    def test_a_method_that_was_left_out_is_told(self):
        equation = "{terms: [{derivative: [x1, x1]}], rhs: '1'}"
        text = BRANIN.replace("method: neural-bo\n", f"""\
method: auto
physics:
  points: 20000  # no machine has the memory for so many
  equations: [{", ".join(20 * [equation])}]
""").replace("initial: 8", "initial: 4").replace("evaluations: 24", "evaluations: 16")
        outcome = self.succeed("run", self.write(text), "-q", ranks=2)
        self.assertEqual(re.findall(r"pinn-bo is left out until there are (\d+) results", outcome.err), ["8", "16"])
        self.assertIn("out of memory: a model with equations that are imposed in 600000 rows", outcome.err)
        self.assertIn("left out     pinn-bo (at 8 results)", self.succeed("status", "fast.campaign").out)
        self.assertEqual(self.report()[1]["summary"]["campaign"]["absent"], "pinn-bo (at 8 results)")
        whole = self.digest()
        part = self.succeed("run", self.write(text), "-q", "-d", "part.campaign", "--max-evals", "12")
        rest = self.succeed("run", self.write(text), "-q", "-d", "part.campaign", "--resume", ranks=3)
        self.assertEqual((part.err.count("left out"), rest.err.count("left out")), (2, 0))
        self.assertEqual(self.digest("part.campaign"), whole)

    def test_it_loads_nothing(self):
        self.succeed("run", self.write(BRANIN), "-q")
        page, _ = self.report()
        without_library = page[:page.index('<script type="application/json"')]
        self.assertNotRegex(without_library, r"""(src|href)=["'](?!#)""")
        self.assertNotIn("url(", without_library)
        self.assertNotIn("@import", page)

    def test_a_model_that_fits_is_told_to_fit(self):
        """Branin: both variables matter, and predictions without a result are near it."""
        self.succeed("run", self.write(BRANIN.replace("evaluations: 24", "evaluations: 40")), "-q")
        model = self.report()[1]["model"]
        self.assertGreater(min(model["importance"]), 0.2)
        residuals = model["calibration"]["residual"]
        self.assertEqual(len(residuals), 40)
        self.assertGreater(sum(abs(r) < 1.96 for r in residuals), 32)

    def test_campaigns_without_results(self):
        self.write("#!/bin/sh\nexit 1\n", "fail.sh", 0o755)
        self.succeed("run", self.write(MIXED.replace("evaluations: 48", "evaluations: 8")), "-q", code=program.INFEASIBLE)
        data = self.report()[1]
        self.assertEqual(data["summary"]["best"], [])
        self.assertIn("needs at least", data["model"]["note"])
        self.assertIsNone(data["summary"]["campaign"]["best"])

    def test_where_it_cannot_be_written(self):
        self.succeed("run", self.write(BRANIN), "-q")
        outcome = self.gannet("report", "fast.campaign", "-o", "no/such/place.html")
        self.assertEqual(outcome.code, program.USAGE, outcome)
        self.assertIn("no/such/place.html", outcome.err)
        self.assertIn("nowhere", self.gannet("report", "nowhere.campaign").err)

    def test_links_and_pipes_stay_what_they_are(self):
        self.succeed("run", self.write(SOBOL), "-q")
        self.write("old", "target.html")
        os.symlink("target.html", self.folder / "link.html")
        self.succeed("report", "fast.campaign", "-o", "link.html")
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertIn("</html>", (self.folder / "target.html").read_text())
        os.mkfifo(self.folder / "pipe")
        reader = subprocess.Popen(["sh", "-c", "cat pipe >read.html"], cwd=self.folder)
        self.succeed("report", "fast.campaign", "-o", "pipe")
        self.assertEqual(reader.wait(timeout=60), 0)
        self.assertIn("</html>", (self.folder / "read.html").read_text())
        self.assertTrue((self.folder / "pipe").is_fifo())

    def test_a_file_that_may_not_grow(self):
        self.succeed("run", self.write(SOBOL), "-q")
        outcome = self.gannet("report", "fast.campaign", "-o", "small.html", wrapper=("sh", "-c", 'ulimit -f 2; exec "$@"', "sh"))
        self.assertEqual(outcome.code, program.RESOURCE, outcome)
        self.assertIn("small.html", outcome.err)
        self.assertFalse((self.folder / "small.html").exists() or (self.folder / "small.html.new").exists())

    def test_long_campaigns_are_thinned_out(self):
        """All steps of the best value, and how busy the slots were by all evaluations."""
        text = SOBOL.replace("batch: 4", "batch: 3000").replace("parallel: 4", "parallel: 30").replace("evaluations: 24", "evaluations: 21000")
        self.succeed("run", self.write(text), "-q")
        page, data = self.report()
        columns, summary, course = data["columns"], data["summary"], data["course"]
        self.assertLess(len(page), 3e6)
        self.assertTrue(6990 < len(columns["id"]) < 7100)
        for part in range(0, 21000, 150):  # evenly, and as many even as odd ones: every second Sobol point is in one half of the box
            mine = [i for i in columns["id"] if part <= i < part + 150]
            self.assertTrue(abs(len(mine) - 50) < 12 and abs(sum(i % 2 for i in mine) - 25) < 10, (part, mine))
        self.assertTrue({step[0] - 1 for step in summary["trace"]} <= set(columns["id"]))
        self.assertEqual([pause[0] for pause in summary["pauses"]], list(range(7)))
        busy = sum(course["busy"]) * course["width"]
        self.assertAlmostEqual(busy, summary["campaign"]["busy"], delta=0.02 * busy)
        rows = course["rows"]
        self.assertAlmostEqual(sum(map(sum, rows["busy"])) * rows["each"] * course["width"], busy, delta=0.05 * busy)
        self.assertTrue(390 <= data["model"]["points"] <= 401)  # one of 53 results, and the best one

    def test_repeated_attempts_are_in_the_time_line(self):
        """They may begin before the first attempt that counted."""
        self.write('#!/bin/sh\n[ -e "$PWD.again" ] || { : > "$PWD.again"; exit 137; }\necho objective 1 > "$GANNET_RESULTS"\n', "twice.sh", 0o755)
        text = MIXED.replace("fail.sh", "twice.sh").replace("retries: 0", "retries: 1").replace("evaluations: 48", "evaluations: 8") \
                    .replace("constraints: {stress: {upper: 20, unit: MPa}}\n", "")
        self.succeed("run", self.write(text), "-q")
        course = self.report()[1]["course"]
        self.assertEqual(sorted(one[0] for one in course["retried"]), list(range(8)))
        self.assertGreater(sum(course["lost"]), 0)
        self.assertLess(sum(course["lost"]), sum(course["busy"]))
        self.assertEqual(min(one[1] for one in course["retried"]), 0)

    def test_penalties_are_no_objectives(self):
        """The first result is one, of every three."""
        self.write('#!/bin/sh\n[ $((GANNET_EVAL_ID % 3)) = 0 ] && y=1e9 || y=$((20 + GANNET_EVAL_ID % 7))\n'
                   'echo objective $y > "$GANNET_RESULTS"\n', "s.sh", 0o755)
        file = self.write(SOBOL.split("evaluate:")[0] + "evaluate: {backend: command, command: [./s.sh], parallel: 4}\n")
        self.succeed("run", file, "-q")
        _, data = self.report()
        columns, summary = data["columns"], data["summary"]
        self.assertEqual((summary["campaign"]["done"], summary["campaign"]["penalties"]), (24, 8))
        self.assertEqual(columns["status"], [2, 1, 1] * 8)
        self.assertEqual(columns["objective"], [None if i % 3 == 0 else 20 + i % 7 for i in range(24)])
        self.assertEqual(columns["penalty"], [1e9 if i % 3 == 0 else None for i in range(24)])
        self.assertEqual((summary["range"]["best"], summary["range"]["worst"]), (20, 26))
        self.assertEqual([step[::2] for step in summary["trace"]], [[2, 21], [8, 20]])
        self.assertEqual(len(data["model"]["calibration"]["residual"]), 16)

    def test_equal_results_are_objectives(self):
        text = SOBOL.split("evaluate:")[0] + "evaluate: {backend: command, shell: 'echo objective 3 > results.out', parallel: 4}\n"
        self.succeed("run", self.write(text), "-q")
        _, data = self.report()
        self.assertEqual(data["summary"]["campaign"]["penalties"], 0)
        self.assertEqual((data["columns"]["status"], data["columns"]["objective"]), ([1] * 24, [3] * 24))

    def test_the_model_is_that_of_the_method(self):
        self.succeed("run", self.write(BRANIN), "-q")
        model = self.report()[1]["model"]
        self.assertEqual((model["surrogate"], model["of_method"], model["points"]), ("tangent-kernel", True, 24))
        self.succeed("run", self.write(SOBOL.replace("name: fast", "name: plain")), "-q")
        model = self.report("plain.campaign")[1]["model"]
        self.assertEqual((model["surrogate"], model["of_method"]), ("gp", False))

    def figures(self, *more, **options):
        return self.gannet("report", "fast.campaign", "--figures", "figures", *more, **options)

    def rows(self, name, index=0):
        """Numbers of a block of a figure's data."""
        blocks = (self.folder / "figures" / f"{name}.dat").read_text().split("\n", 1)[1].split("\n\n\n")
        return [[word if word.startswith('"') else float(word) for word in line.split()] for line in blocks[index].splitlines()]

    def test_figures_need_gnuplot(self):
        self.succeed("run", self.write(BRANIN), "-q")
        self.write("#!/bin/sh\n", "ssh", 0o755)
        outcome = self.figures(environment={"PATH": str(self.folder)})
        self.assertEqual(outcome.code, program.FINISHED, outcome)
        self.assertIn("gannet: warning: there is no gnuplot (Debian package gnuplot-nox): data and commands", outcome.err)
        self.assertTrue((self.folder / "fast.campaign/report.html").exists())
        self.assertTrue((self.folder / "figures/best.gp").exists())
        self.assertIn("'gif' is no format of figures; expected svg, pdf, png", self.figures("--format", "svg,gif").err)
        self.assertIn("add --figures", self.gannet("report", "fast.campaign", "--format", "svg").err)
        self.assertIn("expected the name of a folder", self.gannet("report", "fast.campaign", "--figures", "").err)
        self.assertIn("is not a name for a file", self.gannet("report", "fast.campaign", "--output", ".").err)
        self.write("#!/bin/sh\necho 'line 7: no such colour' >&2\nexit 1\n", "gnuplot", 0o755)
        outcome = self.figures(environment={"PATH": str(self.folder)})
        self.assertEqual(outcome.code, program.INTERNAL, outcome)
        self.assertIn("ended with exit code 1: line 7: no such colour;", outcome.err)

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_objectives_that_differ_little(self):
        """A large value in common to all of them, such as a total energy, hides nothing."""
        shell = """awk '/^x/ {x = $2} END {printf "objective %.12f\\n", 2342 + 1e-4 * (x - 0.3)^2}' params.in > results.out"""
        self.succeed("run", self.write(f"name: fast\nmethod: random\nvariables: {{x: {{lower: 0, upper: 1}}}}\nbatch: 6\nbudget: {{evaluations: 12}}\n"
                                       f"evaluate:\n  backend: command\n  shell: |\n    {shell}\n"), "-q")
        self.assertEqual(self.figures("-f", "svg").code, 0)
        data = data_of((self.folder / "fast.campaign/report.html").read_text())
        for values in (data["columns"]["objective"], [row[2] for row in self.rows("best")], data["model"]["calibration"]["observed"]):
            self.assertGreater(len(set(values)), 8)

    def formula(self, name, text, lower=0, upper=1):
        """A campaign of 24 random points of x and y whose results awk computes."""
        self.succeed("run", self.write(
            f"name: fast\nmethod: random\nvariables: {{x: {{lower: {lower}, upper: {upper}}}, y: {{lower: 0, upper: 1}}}}\nconstraints: {{c: {{upper: 0.004}}}}\n"
            f"batch: 12\nbudget: {{evaluations: 24}}\nevaluate:\n  backend: command\n  parallel: 2\n  shell: |\n    awk '/^x/ {{x = $2}} /^y/ {{y = $2}} END {{{text}}}' "
            "params.in > results.out\n", name), "-q")

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_the_largest_objectives(self):
        """Their differences are no numbers any more."""
        self.formula("huge.yaml", 'printf "objective %.9fe308\\nc 0\\n", x < 0.5 ? -1.7 + y / 10 : 1.7 - y / 10')
        outcome = self.figures("-f", "svg")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        places = [row[1] for block in (self.folder / "figures/parallel.dat").read_text().split("\n", 1)[1].split("\n\n")
                  if block.strip() for row in [[float(word) for word in block.splitlines()[2].split()]]]
        self.assertGreater(len(set(places)), 20)
        self.assertEqual((min(places), max(places)), (0, 1))
        self.assertIn("objective / 1e100", (self.folder / "figures/best.gp").read_text())
        self.assertEqual(len({row[2] for row in self.rows("best")}), 24)
        self.assertLess(max(abs(row[2]) for row in self.rows("best")), 1e300)

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_ticks_tell_values_apart(self):
        """At a large offset gnuplot's own would all be 1e+06."""
        self.formula("far.yaml", 'printf "objective %.9f\\nc 0\\n", 1e6 + 1e-3 * ((x - 1e6) * 1e3 - y)^2', 1000000, 1000000.001)
        self.assertEqual(self.figures("-f", "svg").code, 0)
        for name in "best", "projection", "slices", "calibration":
            picture = (self.folder / f"figures/{name}.svg").read_text()
            texts = [text.strip() for text in re.findall(r">([^<>]+)</", picture)]
            self.assertNotIn("1e+06", texts, name)
            ticks = [text for text in texts if re.fullmatch(r"-?[\d.]+", text)]
            self.assertTrue(name == "calibration" or any(re.fullmatch(r"1000000\.00\d+", text) for text in ticks), (name, ticks))

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_figures_show_the_same(self):
        self.mixed()
        outcome = self.figures("-f", "svg,pdf")
        self.assertEqual(outcome.code, 0, outcome)
        data = data_of((self.folder / "fast.campaign/report.html").read_text())
        columns, summary, model = data["columns"], data["summary"], data["model"]
        names = ("best", "best-time", "importance", "slices", "parallel", "projection", "constraints", "timeline", "slots",
                 "batches", "calibration", "coverage", *(f"{kind}{of}" for kind in ("slices", "partial", "map") for of in ("", "-stress", "-p-feasible")))
        for name in names:
            self.assertIn("</svg>", (self.folder / f"figures/{name}.svg").read_text(), name)
            self.assertTrue((self.folder / f"figures/{name}.pdf").read_bytes().startswith(b"%PDF"), name)
        self.assertEqual([v["unit"] for v in summary["variables"]], ["mm 'net' % <b>", "", "", "", ""])
        for name, label in (("slices", "x1 [mm ''net'' % <b>]"), ("parallel", "x1 [mm ''net'' %% <b>]"), ("constraints", "stress [MPa]")):
            self.assertIn(f"'{label}'", (self.folder / f"figures/{name}.gp").read_text(), name)
        kinds = [sum(s == 1 and f == 1 for s, f in zip(columns["status"], columns["feasible"])),
                 sum(s == 1 and f == 0 for s, f in zip(columns["status"], columns["feasible"])), sum(s > 1 for s in columns["status"])]
        self.assertEqual([len(self.rows("best", i)) for i in range(3)], kinds)
        self.assertGreater(min(kinds), 0)
        self.assertEqual([len(self.rows("projection", i)) for i in (0, 3, 1)], kinds)  # hollow and grey are apart
        self.assertEqual(sorted(row[2] for row in self.rows("projection")), [k / (kinds[0] - 1) for k in range(kinds[0])])
        lines = [line for line in (self.folder / "figures/parallel.dat").read_text().splitlines()[1:] if line.strip()]
        self.assertEqual(sum(line.split()[2] == "-1" for line in lines) * kinds[0], sum(line.split()[2] != "-1" for line in lines) * kinds[1])
        self.assertAlmostEqual(self.rows("best", 3)[-1][2], float(summary["best"][0]["objective"]), places=3)
        self.assertEqual(len(self.rows("coverage")), len(model["calibration"]["residual"]) + 2)
        for effect, row in zip(sorted(model["importance"], reverse=True), self.rows("importance")):
            self.assertAlmostEqual(effect, row[0], places=5)
            self.assertEqual(row[2], f'"{summary["variables"][model["importance"].index(effect)]["name"]}"')
        self.assertEqual([len(self.rows("slices", i)) for i in range(5)],
                         [len(s["x"]) for _, s in sorted(zip(model["importance"], model["slices"]), key=lambda p: -p[0])])
        self.assertEqual(sum(len(self.rows("timeline", i)) for i in range(3)), 48)
        self.check_models_of_figures(model)

    def check_models_of_figures(self, model):
        """Curves and maps of the objective, of the constraint, and of the probability of being feasible."""
        def near(some, others):
            self.assertEqual(len(some), len(others))
            for a, b in zip(some, others):
                self.assertAlmostEqual(a, b, delta=1e-5 * (1 + abs(b)))

        (stress,) = model["constraints"]
        for of, one in (("", model), ("-stress", stress)):
            order = sorted(range(5), key=lambda k: -one["importance"][k])
            for kind, middle in (("slices", "median"), ("partial", "mean")):
                for i, k in enumerate(order):
                    for column, key in ((0, "x"), (1, middle), (2, "low"), (3, "high")):
                        near([row[column] for row in self.rows(kind + of, i)], one[kind][k][key])
        self.assertIn(", 20 with lines", (self.folder / "figures/slices-stress.gp").read_text())
        first = max(range(5), key=lambda k: model["importance"][k])
        for kind in "slices", "partial":
            near([row[1] for row in self.rows(f"{kind}-p-feasible")], model[kind][first]["feasible"])
        for k, pair in enumerate(model["maps"][:3]):
            near([row[6] for row in self.rows("map", 2 * k)], pair["quantities"][0]["mean"])
            near([row[6] for row in self.rows("map", 2 * k + 1)], pair["quantities"][0]["sd"])
            near([row[6] for row in self.rows("map-stress", 2 * k)], pair["quantities"][1]["mean"])
            near([row[6] for row in self.rows("map-p-feasible", 2 * k)], pair["feasible"])
            near([row[6] for row in self.rows("map-p-feasible", 2 * k + 1)], pair["works"])
            for x, y, left, right, low, high, _ in self.rows("map", 2 * k):
                self.assertTrue(left <= x <= right and low <= y <= high and left < right and low < high)

    def look(self, browser, page):
        browser.open(page.as_uri())
        browser.wait_for("document.body.dataset.ready")

    def charts(self, browser, section):
        """Of every chart of a section, the data of its series by name or type."""
        return browser.ask(f"""[...document.querySelectorAll("#{section} .chart")].map((holder) => Object.fromEntries(
            echarts.getInstanceByDom(holder).getOption().series.map((s) => [s.name && !s.name.includes("series") ? s.name : s.type, s.data])))""")

    def check_charts(self, browser, data):
        columns, summary, model = data["columns"], data["summary"], data["model"]
        labels = browser.ask('[...document.querySelectorAll("section:not([hidden]) .chart")].map((one) => one.getAttribute("aria-label"))')
        self.assertIn("Objective of every evaluation and the best value so far: feasible, not feasible, best so far, no result", labels)
        self.assertTrue(all(label and len(label) < 150 for label in labels), labels)
        self.assertEqual(browser.ask('[...document.querySelectorAll("section:not([hidden]) table")].filter((one) => !one.getAttribute("aria-label")).length'), 0)
        (best,) = self.charts(browser, "progress")
        self.assertEqual(sum(len(best.get(kind, [])) for kind in ("feasible", "not feasible", "no result")), 48)
        self.assertEqual(best["best so far"][-1], [48, float(f'{float(summary["best"][0]["objective"]):.12g}')])
        (bars,) = self.charts(browser, "importance")
        self.assertEqual(bars["bar"], sorted(model["importance"], reverse=True))
        self.assertEqual(len(self.charts(browser, "slices")), 5)
        self.assertEqual(browser.ask('[...document.querySelectorAll(".chart")].filter((one) => [...one.querySelectorAll("svg, canvas")]'
                                     '.some((drawn) => drawn.getBoundingClientRect().width > one.clientWidth + 1)).length'), 0)
        (lines,) = self.charts(browser, "parallel")
        self.assertEqual((len(lines["feasible"]), len(lines["not feasible"])), tuple(sum(
            s == 1 and f == kept for s, f in zip(columns["status"], columns["feasible"])) for kept in (1, 0)))
        self.assertEqual(len(lines["no result"]), sum(s > 1 for s in columns["status"]))
        self.assertEqual(browser.ask('echarts.getInstanceByDom(document.querySelector("#parallel .chart")).getOption().parallelAxis.find((one) => one.name === "result").data'),
                         ["failed", "cannot run", "not feasible", "feasible"])
        self.assertEqual(browser.ask('shortened(["radius_of_the_inboard_slat", "radius_of_the_outboard_slat", "x"], [13, 13, 13])'),
                         ["…inboard_slat", "…utboard_slat", "x"])
        self.assertEqual(browser.ask('shortened(["first_of_all", "last_of_all"], [8, 8])'), ["first_o…", "last_of…"])
        self.assertEqual(len({tuple(browser.ask(f'echarts.getInstanceByDom(document.querySelectorAll("#slices .chart")[{k}]).getModel().getComponent("yAxis").axis.scale.getExtent()')) for k in range(5)}), 1)
        (plane,) = self.charts(browser, "map")
        self.assertEqual((len(plane["model"]), len(plane["designs"]), len(plane["not feasible"]), len(plane["no result"]), len(plane["best"])),
                         (len(model["maps"][0]["feasible"]), len(lines["feasible"]), len(lines["not feasible"]), len(lines["no result"]), 1))
        self.check_choices(browser, model)
        (plane,) = self.charts(browser, "projection")
        self.assertEqual((len(plane["designs"]), len(plane["not feasible"]), len(plane["no result"]), len(plane["best"])),
                         (len(lines["feasible"]), len(lines["not feasible"]), sum(s > 1 for s in columns["status"]), 1))
        self.assertRegex(browser.ask('document.querySelector("#lead").textContent'), rf"; {len(lines['feasible'])} of \d+ feasible\.")
        (stress,) = self.charts(browser, "constraints")
        self.assertEqual(len(stress["violated"]), sum(c is not None and c > 20 for c in columns["c"][0]))
        (times,) = self.charts(browser, "timeline")
        self.assertEqual({name: len(bars) for name, bars in times.items()},
                         {name: columns["status"].count(k) for k, name in ((1, "done"), (2, "cannot run"), (3, "failed")) if k in columns["status"]})
        self.assertEqual(len(self.charts(browser, "use")[0]["busy"]), 600)
        self.assertEqual(len(self.charts(browser, "pauses")[0]["the rest"]), 6)
        self.assertEqual([len(c["line"]) for c in self.charts(browser, "calibration")], [2, 2])
        self.assertEqual(browser.ask('document.querySelectorAll("#failures tbody tr").length'), 2)
        self.assertIn("Open MPI", browser.ask('document.querySelector("#starts").innerText'))
        self.assertIn("lower: 0.001", browser.ask('document.querySelector("#configuration pre").textContent'))

    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_the_largest_and_the_smallest_numbers_in_a_browser(self):
        self.formula("huge.yaml", 'printf "objective %.9fe308\\nc %.9f\\n", x < 0.5 ? -1.7 + y / 10 : 1.7 - y / 10, y / 100')
        self.succeed("report", "fast.campaign")
        with Browser(self.folder) as browser:
            self.look(browser, self.folder / "fast.campaign/report.html")
            self.assertEqual(browser.complaints, [])
            self.assertRegex(browser.ask('document.querySelector("#lead").textContent'), r"^Best objective -1\.\d+e\+308, ")
            shown = browser.ask('document.querySelector("#progress .chart").textContent')
            self.assertIn("e+308", shown)
            bound = browser.ask("""(() => { const one = echarts.getInstanceByDom(document.querySelector("#constraints .chart"));
                return one.convertToPixel({yAxisIndex: 0}, 0.004) - Math.max(...[...document.querySelectorAll("#constraints .chart path")].map((path) =>
                  path.getAttribute("stroke-dasharray") ? path.getBBox().y : -1)); })()""")
            self.assertLess(abs(bound), 2)  # the line is at the bound, not at 0
            self.write("#!/bin/sh\nexit 1\n", "fail.sh", 0o755)
            self.succeed("run", self.write(MIXED.replace("evaluations: 48", "evaluations: 8")), "-q", "-d", "none", code=program.INFEASIBLE)
            self.succeed("report", "none")
            self.look(browser, self.folder / "none/report.html")
            self.assertEqual(browser.complaints, [])
            self.assertEqual(browser.ask('document.querySelector("#lead a").hash'), "#failures")
            shown = browser.ask('[...document.querySelectorAll("main > section:not([hidden])")].map((section) => section.id)')
            self.assertEqual(set(shown) & {"progress", "best", "importance", "constraints", "parallel"}, set())
            self.assertIn("failures", shown)

    def choose(self, browser, section, place, value):
        browser.ask(f'Object.assign(document.querySelectorAll("#{section} .controls select")[{place}], {{value: {value}}}).dispatchEvent(new Event("change"))')

    def check_choices(self, browser, model):
        """Quantities of the pictures of the model, planes, and the switch that hides what is not feasible."""
        self.assertEqual(browser.ask('[...document.querySelectorAll("#words li")].map((one) => one.textContent)'), model["words"])
        self.choose(browser, "importance", 0, 1)
        self.assertEqual(self.charts(browser, "importance")[0]["bar"], sorted(model["constraints"][0]["importance"], reverse=True))
        self.choose(browser, "slices", 0, 2)
        shown = self.charts(browser, "slices")[0]["line"]
        self.assertIn([p for _, p in shown], [line["feasible"] for line in model["slices"]])
        self.choose(browser, "slices", 0, 0)
        names = browser.ask('[...document.querySelectorAll("#map select")[1].options].map((one) => one.textContent)')
        self.assertEqual(names, ["objective: mean", "objective: standard deviation", "stress [MPa]: mean", "stress [MPa]: standard deviation",
                                 "probability of being feasible", "probability that the simulation works"])
        for place, layer in enumerate([model["maps"][1]["quantities"][0]["mean"], None, None, None, model["maps"][1]["feasible"], model["maps"][1]["works"]]):
            self.choose(browser, "map", 0, 1)
            self.choose(browser, "map", 1, place)
            if layer:
                self.assertEqual([cell[2] for cell in self.charts(browser, "map")[0]["model"]], layer)
        browser.ask('document.querySelector("#switch input").click()')
        for section in "map", "projection", "parallel":
            (shown,) = self.charts(browser, section)
            self.assertEqual((shown["not feasible"], shown["no result"]), ([], []), section)
        self.assertNotIn("not feasible", self.charts(browser, "progress")[0])
        browser.ask('document.querySelector("#switch input").click()')

    def check_keys(self, browser, data):
        browser.ask('document.querySelector("#progress .chart").focus()')
        browser.press("ArrowRight")
        browser.press("ArrowRight")
        browser.ask("new Promise((done) => setTimeout(done, 120))")
        first = [i for i, (s, f) in enumerate(zip(data["columns"]["status"], data["columns"]["feasible"])) if s == 1 and f == 1]
        self.assertIn(f"evaluation {first[1]}", browser.ask('document.querySelector("#said").textContent'))
        zoom = 'echarts.getInstanceByDom(document.querySelector("#progress .chart")).getOption().dataZoom[0].end'
        browser.press("+")
        self.assertEqual(browser.ask(zoom), 75)
        browser.press("0")
        self.assertEqual(browser.ask(zoom), 100)
        browser.press("Enter")
        self.assertRegex(browser.ask('document.querySelector("#design strong").textContent'), rf"^Evaluation {first[1]}: number \d+ of {len(first)} feasible ones$")
        self.assertEqual(browser.ask('document.querySelector("#design a").href'), (self.folder / f"fast.campaign/evals/{first[1]:06}/").as_uri() + "/")
        failed = next(group for group in data["summary"]["failures"].values() if group["status"] == "failed")["ids"][0]
        browser.ask(f"chooseId({failed})")
        self.assertEqual(browser.ask('document.querySelector("#design strong").textContent'), f"Evaluation {failed}: failed")
        self.assertIn("<inverted>", browser.ask('document.querySelector("#design pre").textContent'))
        self.assertEqual(browser.ask('document.querySelector("#failures a").getAttribute("href")'),
                         f'evals/{max(data["summary"]["failures"].values(), key=lambda group: group["count"])["ids"][0]:06}/')
        browser.ask('navigator.clipboard.writeText = async (text) => { window.copied = text; };'
                    'Object.assign(document.querySelector("#best select"), {value: 1}).dispatchEvent(new Event("change"));'
                    'document.querySelector("#best tbody button").focus()')
        browser.ask('document.activeElement.click()')
        copied, best = json.loads(browser.ask("window.copied")), data["summary"]["best"][0]["x"]
        self.assertEqual(copied["solver"], best[2])
        self.assertEqual([copied["x1"], copied["x2"], copied["vent"]], [float(best[0]), float(best[1]), best[3] == "true"])

    def check_paper(self, browser):
        browser.ask('window.dispatchEvent(new Event("beforeprint"))')
        self.assertEqual(browser.ask("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertLessEqual(browser.ask('Math.max(...charts.map((c) => c.instance.getWidth()))'), 700)
        browser.ask('window.dispatchEvent(new Event("afterprint"))')
        self.assertEqual(browser.ask("getComputedStyle(document.body).backgroundColor"), "rgb(18, 22, 28)")
        self.assertTrue(browser.print().startswith(b"%PDF"))

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "another compilation writes the same page")
    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_a_browser_shows_it(self):
        self.mixed()
        page = self.folder / "fast.campaign/report.html"
        data = self.report()[1]
        with Browser(self.folder) as shown:
            shown.resize(1280)
            self.look(shown, page)
            self.check_charts(shown, data)
            self.assertIn("mesh: element", shown.ask("document.body.innerText"))
            self.assertEqual(shown.ask('document.querySelectorAll("inverted, b").length'), 0)  # a simulation's text is no markup
            self.check_keys(shown, data)
            self.assertEqual(shown.complaints, [])
            shown.resize(390, dark=True)
            self.look(shown, page)
            self.assertEqual(shown.ask("document.documentElement.scrollWidth"), 390)
            self.check_paper(shown)
            self.assertEqual(shown.complaints, [])


if __name__ == "__main__":
    program.main()
