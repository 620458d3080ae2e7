# test: labels cli timeout 240 processors 1
"""Designs that are run several times: as evaluations that follow each other, shown as one design with its mean."""
import csv
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import unittest

import program
from program import BRANIN, USAGE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser

# Noise that follows the number of an evaluation, so that every run of a campaign has the same.
SIMULATION = """\
#!/bin/bash
awk -v id="$GANNET_EVAL_ID" '{ v[$1] = $2 } END {
  noise = (id * 7919 % 101) / 101 - 0.5
  printf "objective %.17g\\nheat %.17g\\n", (v["x1"] - 2)^2 / 20 + (v["x2"] - 3)^2 / 40 + noise, v["x1"] + noise
}' "$GANNET_PARAMS" > "$GANNET_RESULTS"
"""
NOISY = """\
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 0, upper: 15}
initial: 4
batch: 8
budget: {evaluations: 40}
evaluate: {backend: command, command: ["{input_directory}/noisy.sh"], parallel: 2}
"""
SIMULATION_OF_TWO = SIMULATION.replace("objective", "lift %.17g\\ndrag").replace('\\n", (', '\\n", v["x2"] / 4 - noise, (')
TWO = "objectives: {drag: {}, lift: {goal: maximize}}\nconstraints: {heat: {upper: 5}}\n"
THRICE = NOISY + "replicates: 3\n"


class Replicates(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "noisy.sh", 0o755)

    def rows(self, directory="fast.campaign"):
        with open(self.folder / directory / "history.csv") as file:
            return sorted(csv.DictReader(file), key=lambda row: int(row["id"]))

    def best(self, *arguments, directory="fast.campaign"):
        return list(csv.DictReader(self.succeed("best", directory, "-f", "csv", *arguments).out.splitlines()))

    def designs(self, rows):
        """Rows of each design, in the order of the first."""
        found = {}
        for row in rows:
            found.setdefault((row["x1"], row["x2"]), []).append(row)
        return list(found.values())

    def check_columns(self, rows):
        for runs in self.designs(rows):
            self.assertEqual({row["design"] for row in runs}, {runs[0]["id"]})
            self.assertEqual([row["replicate"] for row in runs], [str(k + 1) for k in range(len(runs))])

    def test_every_design_is_run_three_times_across_batches(self):
        self.succeed("run", self.write(THRICE), "-q")
        rows = self.rows()
        points = [(row["x1"], row["x2"]) for row in rows]
        runs = [len(list(group)) for _, group in itertools.groupby(points)]
        self.assertEqual(runs, [3] * 13 + [1])
        self.assertEqual(len(set(points)), 14)
        self.assertEqual([row["batch"] for row in rows], [str(i // 8) for i in range(40)])
        self.check_columns(rows)

    def test_the_best_is_a_design_by_its_mean_everywhere(self):
        out = self.succeed("run", self.write(THRICE)).out
        rows = self.rows()
        several = [runs for runs in self.designs(rows) if len(runs) > 1]
        means = [statistics.mean(float(row["objective"]) for row in runs) for runs in several]
        first = min(range(len(several)), key=lambda i: means[i])
        values = [float(row["objective"]) for row in several[first]]
        error = statistics.stdev(values) / len(values) ** 0.5
        ids = [row["id"] for row in several[first]]
        best = self.best("-n", "20")
        self.assertEqual((best[0]["id"], best[0]["runs"], best[0]["evaluations"]), (ids[0], "3", " ".join(ids)))
        self.assertAlmostEqual(float(best[0]["objective"]), means[first], places=12)
        self.assertAlmostEqual(float(best[0]["objective.error"]), error, places=12)
        # The design with a single run comes last, whatever its value.
        self.assertEqual([row["runs"] for row in best], ["3"] * 13 + ["1"])
        self.assertEqual(best[-1]["objective.error"], "")
        ordered = [float(row["objective"]) for row in best[:13]]
        self.assertEqual(ordered, sorted(ordered))
        self.assertNotEqual(best[0]["objective"], min(rows, key=lambda row: float(row["objective"]))["objective"])
        phrase = f"(3 runs, evaluations {', '.join(ids)})"
        shown = rf"{means[first]:.10g} \+- {error:.2g} {re.escape(phrase)}"
        self.assertRegex(self.succeed("status", "fast.campaign").out, f"best +{shown}")
        self.assertRegex(self.succeed("watch", "fast.campaign").out, shown)
        self.assertIn(f"best design: {phrase[1:-1]}\n", out)
        self.succeed("report", "fast.campaign")
        page = (self.folder / "fast.campaign/report.html").read_text()
        self.assertIn(f'"evaluations": "{" ".join(ids)}"', page.replace('":"', '": "'))
        table = self.succeed("best", "fast.campaign").out
        self.assertRegex(table, r"runs +objective.error +evaluations")
        whole = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)
        self.assertEqual(whole[0]["runs"], 3)
        export = list(csv.DictReader(self.succeed("export", "fast.campaign").out.splitlines()))
        self.check_columns(sorted(export, key=lambda row: int(row["id"])))
        self.succeed("verify", "fast.campaign")

    def test_a_table_of_the_best_can_be_where_another_campaign_starts(self):
        text = THRICE + "constraints: {heat: {upper: 9}}\n"
        self.succeed("run", self.write(text), "-q")
        self.write(self.succeed("best", "fast.campaign", "-n", "2", "-f", "csv").out, "best.csv")
        self.succeed("run", self.write(text + "start: best.csv\n"), "-q", "-d", "next", "--max-evals", "8")
        self.assertEqual([row["x1"] for row in self.rows("next")[::3]][:2], [row["x1"] for row in self.best("-n", "2")])

    def means_of(self, rows, least=1):
        """Of each feasible design with so many runs: its first id, mean and standard error of drag and lift, and runs."""
        found = {}
        for runs in self.designs(row for row in rows if row["status"] == "done"):
            if statistics.fmean(float(row["heat"]) for row in runs) > 5:
                continue
            values = [[float(row[name]) for row in runs] for name in ("drag", "lift")]
            found[int(runs[0]["id"])] = ([statistics.fmean(v) for v in values],
                                         [statistics.stdev(v) / len(runs) ** 0.5 if len(runs) > 1 else None for v in values], len(runs))
        return found

    def test_the_front_of_several_objectives_is_that_of_means(self):
        self.write(SIMULATION_OF_TWO, "noisy.sh", 0o755)
        for method in "auto", "parego":
            directory = f"{method}.campaign"
            self.succeed("run", self.write(THRICE + TWO + f"method: {method}\n"), "-d", directory)
            means = self.means_of(self.rows(directory))
            front = [i for i, (a, _, _) in means.items()
                     if not any(b[0] <= a[0] and b[1] >= a[1] and b != a for b, _, _ in means.values())]
            shown = self.best(directory=directory)
            self.assertEqual([int(row["id"]) for row in shown], sorted(front, key=lambda i: means[i][0][0]))
            self.assertGreater(len(front), 1)
            for row in shown:
                mean, error, runs = means[int(row["id"])]
                self.assertEqual(int(row["runs"]), runs)
                self.assertEqual([round(float(row[name]), 9) for name in ("drag", "lift")], [round(value, 9) for value in mean])
                if runs > 1:
                    self.assertEqual([round(float(row[f"{name}.error"]), 9) for name in ("drag", "lift")], [round(value, 9) for value in error])
            self.assertRegex(self.succeed("best", directory).out, r"runs +drag.error +lift.error +evaluations")
            self.assertIn(f"{len(front)} designs", self.succeed("status", directory).out)
            export = list(csv.DictReader(self.succeed("export", directory).out.splitlines()))
            self.check_columns(sorted(export, key=lambda row: int(row["id"])))
            self.assertEqual({int(row["design"]) for row in export if row["front"] == "true"}, set(front))
            self.assertEqual(sum(row["front"] == "true" for row in export), sum(means[i][2] for i in front))
            self.succeed("report", directory)
        self.succeed("run", self.folder / "fast.yaml", "-d", "ranks.campaign", "-q", ranks=3)
        self.assertEqual(self.digest("ranks.campaign"), self.digest("parego.campaign"))
        outcome = self.gannet("run", self.write(THRICE + TWO.replace("{}", "{noise: 0}").replace("maximize", "maximize, noise: 0")), "-d", "exact")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("replicates: 3, but noise: 0 says", outcome.err)

    def test_auto_runs_designs_of_the_front_again(self):
        self.write(SIMULATION_OF_TWO, "noisy.sh", 0o755)
        self.succeed("run", self.write(NOISY.replace("batch: 8", "batch: 4") + TWO + "replicates: auto\nmethod: parego\n"), "-q")
        rows = self.rows()
        repeated = sum(len(runs) - 1 for runs in self.designs(rows))
        self.assertGreater(repeated, 4)
        self.assertLessEqual(repeated, 10)
        for at, row in enumerate(rows):  # what is run again was on the front of the means, or close to it
            if row["replicate"] == "1":
                continue
            means = self.means_of([before for before in rows[:at] if int(before["batch"]) < int(row["batch"])])
            mean = means[int(row["design"])][0]
            self.assertFalse(any(b[0] < mean[0] - 0.8 and b[1] > mean[1] + 0.8 for b, _, _ in means.values()), row)
        self.assertEqual(max(int(row["runs"]) for row in self.best()) > 1, True)

    def test_imported_designs_of_the_front_get_their_runs(self):
        self.write(SIMULATION_OF_TWO, "noisy.sh", 0o755)
        self.write("x1,x2,drag,lift,heat\n2,3,-2,1,2\n1,4,-1,3,1\n9,14,9,-9,4\n", "old.csv")
        self.succeed("run", self.write(THRICE + TWO + "import: [old.csv]\n"), "-q")
        runs = {(row[0]["x1"], row[0]["x2"]): len(row) for row in self.designs(self.rows())}
        self.assertEqual([runs["2", "3"], runs["1", "4"], runs["9", "14"]], [3, 3, 1])

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_the_report_shows_the_front_of_the_means(self):
        self.write(SIMULATION_OF_TWO, "noisy.sh", 0o755)
        self.succeed("run", self.write(THRICE + TWO + "method: sobol\n"), "-q")
        means = self.means_of(self.rows())
        front = [int(row["id"]) for row in self.best()]
        self.succeed("report", "fast.campaign", "--figures", "figures", "-f", "svg")
        page = (self.folder / "fast.campaign/report.html").read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
        columns = data["columns"]
        shown = {id: at for at, id in enumerate(columns["id"]) if columns["runs"][at] > 0}
        self.assertLessEqual(set(means), set(shown))  # the designs that are not feasible are shown, too
        for id, (mean, error, runs) in means.items():
            at = shown[id]
            self.assertEqual((columns["runs"][at], columns["feasible"][at]), (runs, 1))
            for m in range(2):
                self.assertAlmostEqual(columns["means"][m][at], mean[m], places=9)
        self.assertEqual([columns["means"][0][at] for at, runs in enumerate(columns["runs"]) if runs == 0], 26 * [None])
        blocks = (self.folder / "figures/front.dat").read_text().split("\n", 1)[1].split("\n\n\n")
        points = [[tuple(map(float, line.split())) for line in block.splitlines()] for block in blocks[:3]]
        self.assertEqual([len(block) for block in points], [len(front), len(means) - len(front), 14 - len(means)])
        for point, id in zip(points[0], front):
            for m in range(2):
                self.assertAlmostEqual(point[m], means[id][0][m], places=9)

    @unittest.skipIf("GANNET_SANITIZE" in os.environ, "another compilation writes the same page")
    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_a_browser_draws_the_front_of_the_means(self):
        self.write(SIMULATION_OF_TWO, "noisy.sh", 0o755)
        self.succeed("run", self.write(THRICE + TWO + "method: sobol\n"), "-q")
        self.succeed("report", "fast.campaign")
        means = self.means_of(self.rows())
        front = sorted(means[int(row["id"])][0] for row in self.best())
        with Browser(self.folder) as browser:
            browser.open((self.folder / "fast.campaign/report.html").as_uri())
            browser.wait_for("document.body.dataset.ready")
            drawn = browser.ask('echarts.getInstanceByDom(document.querySelector("#front .chart")).getOption().series[0].data.map((p) => [p[0], p[1]])')
            self.assertEqual(len(drawn), len(front))
            for point, mean in zip(drawn, front):
                for m in range(2):
                    self.assertAlmostEqual(point[m], mean[m], places=9)
            self.assertRegex(browser.ask('document.querySelector("#design").innerText'), r"(?i)objectives \(mean of 3 runs\)\s+drag\s+\S+ ± ")
            self.assertIn("at the means of their runs", browser.ask('document.querySelector("#front .note").textContent'))
            self.assertEqual(browser.complaints, [])

    def test_feasible_is_what_the_means_of_constraints_say(self):
        self.succeed("run", self.write(THRICE + "constraints: {heat: {upper: 1.5}}\n"), "-q")
        for runs in self.designs(self.rows()):
            mean = statistics.mean(float(row["heat"]) for row in runs)
            (shown,) = [row for row in self.best("-n", "99") if row["id"] == runs[0]["id"]] or [None]
            self.assertEqual(shown is not None, mean <= 1.5)
            if shown:
                self.assertAlmostEqual(float(shown["heat"]), mean, places=12)
                self.assertEqual(shown["feasible"], "true")

    def test_interrupted_on_any_number_of_ranks_it_is_the_same_campaign(self):
        starts = "start: [{x1: 1, x2: 2}, {x1: 4}, {x2: 5}]\n"
        for k, more in enumerate(("replicates: 3\n", "replicates: auto\nmethod: gp-ei\n", "replicates: 3\nmethod: turbo-1\n" + starts)):
            file = self.write(NOISY.replace("batch: 8", "batch: 4") + more)
            self.succeed("run", file, "-q", "-d", f"whole-{k}", ranks=3)
            for budget in 4, 8, 20, 40:
                self.succeed("run", file, "-q", "-d", f"parts-{k}", "--resume", "--max-evals", budget, ranks=budget % 3)
            self.assertEqual(self.digest(f"parts-{k}"), self.digest(f"whole-{k}"))
            self.check_columns(self.rows(f"parts-{k}"))

    def test_asked_for_by_hand_they_follow_each_other(self):
        file = self.write(THRICE.replace("backend: command, command: [\"{input_directory}/noisy.sh\"], parallel: 2", "backend: manual"))
        asked = []
        for q in 2, 5, 1, 4, 7:
            rows = list(csv.DictReader(self.succeed("ask", file if not asked else "fast.campaign", "-q", str(q)).out.splitlines()))
            for row in rows:
                self.succeed("tell", "fast.campaign", "--id", row["id"], "--objective", str(3 + int(row["id"]) % 5))
            asked += [(row["x1"], row["x2"]) for row in rows]
        self.assertEqual([len(list(group)) for _, group in itertools.groupby(asked)], [3] * 6 + [1])

    def test_designs_to_start_with_are_replicated_and_imports_are_not(self):
        self.write("x1,x2,objective\n-4,14,90\n9,13,80\n", "old.csv")
        self.succeed("run", self.write(THRICE + "start: [{x1: 1, x2: 2}, {x1: 4}, {x2: 5}]\nimport: [old.csv]\n"), "-q", ranks=2)
        rows = self.rows()
        self.assertEqual([row["origin"] for row in rows[:12]], ["import"] * 2 + ["start"] * 9 + ["method"])  # five designs: initial: 4 is complete
        self.assertEqual([len(runs) for runs in self.designs(rows)][:6], [1, 1, 3, 3, 3, 3])
        self.assertEqual([runs[0]["x1"] for runs in self.designs(rows)][2:4], ["1", "4"])
        self.assertEqual(len({row["x2"] for row in rows[5:8]}), 1)  # filled in once

    def test_an_import_that_leads_is_run_again(self):
        self.write("x1,x2,objective\n-4,14,-90\n9,13,80\n", "old.csv")
        self.succeed("run", self.write(THRICE + "import: [old.csv]\n"), "-q", "--max-evals", "8")
        rows = self.rows()
        self.assertEqual([(row["x1"], row["x2"]) for row in rows[2:4]], [("-4", "14")] * 2)
        self.assertEqual(rows[3]["replicate"], "3")

    def test_a_discarded_run_is_one_less_unless_its_design_is_best_or_last(self):
        file = self.write(THRICE)
        self.succeed("run", file, "-q", "--max-evals", "32")
        ranked = self.best("-n", "20")
        worst, best = ranked[-2], ranked[0]
        self.succeed("discard", "fast.campaign", "--id", worst["id"], "--why", "wrong mesh")
        self.succeed("discard", "fast.campaign", "--id", best["id"], "--why", "wrong mesh")
        other = best["evaluations"].split()[1:]
        again = {row["evaluations"]: row for row in self.best("-n", "20")}
        self.assertEqual(again[" ".join(other)]["runs"], "2")
        leading = min(again.values(), key=lambda row: float(row["objective"]))
        self.succeed("run", file, "-q", "--resume")
        point = lambda row: (row["x1"], row["x2"])
        count = lambda one: sum(point(row) == point(one) and row["status"] == "done" for row in self.rows())
        self.assertEqual((count(worst), count(leading)), (2, 3))

    def test_another_number_on_a_resume(self):
        file = self.write(NOISY)
        self.succeed("run", file, "-q", "--max-evals", "16")
        self.assertNotIn("design", self.rows()[0])
        lucky = self.best()[0]
        outcome = self.succeed("run", self.write(THRICE), "-q", "--resume")
        self.assertRegex(outcome.err, r"1 key differs from the saved campaign.*replicates.*3")
        rows = self.rows()
        self.check_columns(rows)
        # First the last design and the one that led by a single value are run up to three times.
        self.assertEqual([row["x1"] for row in rows[16:18]], [rows[15]["x1"]] * 2)
        if lucky["id"] != "15":
            self.assertEqual([row["x1"] for row in rows[18:20]], [lucky["x1"]] * 2)
        self.assertEqual(self.best()[0]["runs"], "3")
        self.succeed("run", self.write(NOISY), "-q", "--resume", "--max-evals", "44")
        rows = self.rows()
        self.assertNotIn("design", rows[0])
        self.assertEqual(len({(row["x1"], row["x2"]) for row in rows[40:]}), 4)
        self.succeed("verify", "fast.campaign")

    def test_a_design_that_a_change_excludes_is_not_run_again(self):
        """The last design lacks runs when its place is no longer allowed."""
        branin = BRANIN + "replicates: 3\n"
        for change in "upper: 10} # -> 2", "upper: 10} # fixed":
            directory = f"d{self.n_started}"
            self.succeed("run", self.write(branin, "a.yaml"), "-q", "--directory", directory, "--max-evals", 16)
            excluded = self.history(directory)[15]
            now = branin.replace("lower: -5, upper: 10", "lower: -5, upper: 2" if "2" in change else "lower: -5, upper: 10, fixed: 1.5")
            self.succeed("run", self.write(now, "b.yaml"), "-q", "--directory", directory, "--resume", "--max-evals", 24)
            for row in self.history(directory)[16:]:
                self.assertLessEqual(float(row["x1"]), 2)
                self.assertTrue("fixed" not in change or row["x1"] == "1.5", row)
            self.assertTrue(excluded)

    def test_equal_values_of_one_design_are_no_penalties(self):
        smooth = SIMULATION.replace("noise = (id * 7919 % 101) / 101 - 0.5", "noise = 0")
        self.write(smooth, "noisy.sh", 0o755)
        self.succeed("run", self.write(THRICE), "-q")
        self.assertNotIn("penalties", self.succeed("status", "fast.campaign").out)

    def test_auto_repeats_what_leads_and_no_more_than_a_quarter(self):
        self.succeed("run", self.write(NOISY + "replicates: auto\n"), "-q")
        rows = self.rows()
        repeated = [row for row in rows if row["replicate"] != "1"]
        self.assertGreaterEqual(len(repeated), 1)
        self.assertLessEqual(len(repeated), 10)
        self.assertTrue(all(row["id"] in ("15", "23", "31", "39") for row in repeated))  # the last of a batch
        self.assertGreaterEqual(int(self.best()[0]["runs"]), 2)

    def test_a_list_of_candidates_has_each_three_times(self):
        self.write("x1,x2\n" + "".join(f"{i % 5},{i // 5}\n" for i in range(10)), "pool.csv")
        out = self.succeed("run", self.write(THRICE.replace("40", "100") + "candidates: pool.csv\n")).out
        self.assertIn("finished: 30 evaluations done", out)
        self.assertEqual([len(runs) for runs in self.designs(self.rows())], [3] * 10)

    def test_a_design_that_cannot_run_is_not_run_again(self):
        self.write(SIMULATION.replace("awk", 'if [ "$GANNET_EVAL_ID" = 2 ]; then echo "fail no mesh" > "$GANNET_RESULTS"; exit; fi\nawk', 1), "noisy.sh", 0o755)
        self.succeed("run", self.write(THRICE.replace("batch: 8", "batch: 1").replace("40", "12")), "-q")
        self.assertEqual([len(runs) for runs in self.designs(self.rows())][:2], [3, 3])
        self.write(SIMULATION.replace("awk", 'if [ "$GANNET_EVAL_ID" = 0 ]; then echo "fail no mesh" > "$GANNET_RESULTS"; exit; fi\nawk', 1), "noisy.sh", 0o755)
        self.succeed("run", self.write(THRICE.replace("batch: 8", "batch: 1").replace("40", "12")), "-q", "-d", "other")
        self.assertEqual([len(runs) for runs in self.designs(self.rows("other"))][:2], [1, 3])

    def test_wrong_numbers_are_refused_with_their_place(self):
        wrong = r"fast.yaml:8:13: replicates: '{}' is not valid; expected whole number, 1 to 100, or auto"
        for text, message in (*((text, wrong.format(re.escape(text))) for text in ("0", "-1", "2.5", "1e9", "all")),
                              ("auto\nnoise: 0", r"fast.yaml:8:1: replicates: auto, but noise: 0 says that a design gives the same values whenever it runs; "
                               r"expected 1, or noise: auto"),
                              ("3\nnoise: 0", r"fast.yaml:8:1: replicates: 3, but noise: 0 says"),
                              ("50", r"fast.yaml:8:1: replicates: 50 runs of every design are more than budget.evaluations: 40; expected 1 to 40")):
            outcome = self.gannet("run", self.write(NOISY + f"replicates: {text}\n"), "-q")
            self.assertEqual(outcome.code, USAGE, outcome)
            self.assertRegex(outcome.err, message)

    def test_one_is_as_if_nothing_was_said(self):
        self.succeed("run", self.write(BRANIN), "-q")
        self.succeed("run", self.write(BRANIN + "replicates: 1\n", "one.yaml"), "-q", "-d", "one")
        self.assertEqual(self.digest(), self.digest("one"))
        self.assertEqual(list(self.rows()[0]), list(self.rows("one")[0]))
        self.assertNotIn("replicates", (self.folder / "one/campaign.yaml").read_text())


if __name__ == "__main__":
    program.main()
