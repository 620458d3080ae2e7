# test: labels cli timeout 300
"""Campaigns whose proposals weigh gain by cost: the points change, but not with kills and ranks; what is shown, and what is refused."""
import shutil

import program
from program import USAGE

# The cost rises a hundredfold along x, and reports of evaluation 1 lack it.
CAMPAIGN = """\
name: fast
seed: 3
method: gp-ei
initial: 5
search: {candidates: 500}
variables: {x: {lower: 0, upper: 1}, y: {lower: 0, upper: 1}}
outputs: {hours: {unit: h}}
cost: {from: hours, weigh: yes}
batch: 2
budget: {evaluations: 16}
evaluate: {backend: command, parallel: 2, command: [./simulate]}
"""
SIMULATE = """\
#!/bin/sh
awk '{v[$1] = $2} END {
  d = v["x"] - 0.7; e = v["y"] - 0.4
  printf "objective %.17g\\n", d*d + e*e + 0.1*sin(9*v["x"])*cos(7*v["y"])
  if (ENVIRON["GANNET_EVAL_ID"] != 1) printf "hours %.17g\\n", exp(4.6*v["x"])
}' params.in > results.out
test -z "$SLOW" || sleep "$SLOW"
"""
PLAIN = CAMPAIGN.replace("{from: hours, weigh: yes}", "hours")


class Costs(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATE, "simulate", mode=0o755)

    def run_one(self, text, directory, **options):
        self.succeed("run", self.write(text), "--directory", directory, "-q", **options)
        return self.digest(directory)

    def hours(self, directory):
        return sum(float(row["hours"]) for row in self.check_history(16, directory) if row["hours"])

    def test_points_are_those_of_any_number_of_ranks_and_cheaper(self):
        weighed = {self.run_one(CAMPAIGN, f"weighed-{ranks}", ranks=ranks) for ranks in (1, 2, 3)}
        plain = {self.run_one(text, f"plain-{i}") for i, text in enumerate((
            PLAIN, PLAIN.replace("cost: hours\n", ""), CAMPAIGN.replace("weigh: yes", "weigh: no")))}
        self.assertEqual(len(weighed), 1)
        self.assertEqual(len(plain), 1)
        self.assertNotEqual(weighed, plain)
        self.assertLess(self.hours("weighed-1"), self.hours("plain-0"))

    def test_the_budget_of_cost_cools_the_weighing(self):
        text = CAMPAIGN.replace("evaluations: 16", "evaluations: 16, cost: 200")
        self.assertNotEqual(self.run_one(text, "both"), self.run_one(CAMPAIGN, "one"))

    def test_a_killed_campaign_goes_on_with_the_same_points(self):
        whole = self.run_one(CAMPAIGN, "whole.campaign")
        file = self.write(CAMPAIGN)
        for records in 14, 26:
            running = self.start("run", file, "-q", "--resume" if records > 14 else "-q", environment={"SLOW": "0.1"})
            self.wait_for_records(records, running)
            running.kill()
        self.succeed("run", file, "-q", "--resume", ranks=2)
        self.check_history(16)
        self.assertEqual(self.digest(), whole)

    def test_run_times_are_those_of_the_journal(self):
        """Whoever goes on with recorded run times proposes the same points."""
        text = CAMPAIGN.replace("from: hours", "from: time")
        self.succeed("run", self.write(text), "-q", "--set", "budget.evaluations=10", environment={"SLOW": "0.01"})
        found = set()
        for ranks in 1, 2, 3:
            shutil.copytree(self.folder / "fast.campaign", self.folder / f"on-{ranks}")
            if ranks == 3:
                for state in (self.folder / "on-3").glob("state.h5*"):
                    state.unlink()  # the journal alone
            self.succeed("run", self.write(text), "-q", "--resume", "--directory", f"on-{ranks}", "--set",
                         "budget.evaluations=12", ranks=ranks)
            rows = self.check_history(12, f"on-{ranks}")
            found.add(tuple((row["x"], row["y"]) for row in sorted(rows, key=lambda row: int(row["id"]))))
        self.assertEqual(len(found), 1)

    def test_what_is_shown(self):
        outcome = self.succeed("run", self.write(CAMPAIGN))
        self.assertIn("cost.weigh: for 1 of 6 results no cost above 0 is known (cost.from: hours): the model of the costs is learnt "
                      "from the others", outcome.err)
        self.assertRegex(self.succeed("status", "fast.campaign").out, r"\ncost         [\d.]+ h; proposals weigh gain per cost\n")
        self.succeed("report", "fast.campaign")
        self.assertIn(" h; proposals weigh gain per cost", (self.folder / "fast.campaign" / "report.html").read_text())
        self.assertNotIn("weigh", self.run_status(PLAIN))
        self.assertRegex(self.run_status(CAMPAIGN.replace("evaluations: 16", "cost: 60")),
                         r"\ncost         [\d.]+ of 60 h; proposals weigh gain per cost\n")

    def run_status(self, text):
        self.succeed("run", self.write(text), "-q", "--directory", "other.campaign")
        out = self.succeed("status", "other.campaign").out
        shutil.rmtree(self.folder / "other.campaign")
        return out

    def test_costs_that_cannot_be_weighed_are_told(self):
        for line, words in (("hours %.17g", "minutes %.17g"), "cost.weigh: for none of 6 results a cost above 0 is known (cost.from: hours)"), \
                           (("exp(4.6*v[\"x\"])", "2"), "cost.weigh: all 5 costs are 2 (cost.from: hours): there is nothing to weigh"):
            self.write(SIMULATE.replace(*line), "simulate", mode=0o755)
            self.succeed("run", self.write(CAMPAIGN.replace("batch: 2", "batch: 6").replace("initial: 5", "initial: 6")), "-q",
                         "--directory", "told.campaign")
            log = (self.folder / "told.campaign" / "campaign.log").read_text()
            self.assertIn(words, log)
            shutil.rmtree(self.folder / "told.campaign")

    def test_another_cost_on_a_resume(self):
        self.succeed("run", self.write(CAMPAIGN), "-q", "--set", "budget.evaluations=10")
        for cost, words in ("time", "cost.weigh: true -> false"), ("{from: hours, weigh: yes}", "cost.weigh: false -> true"):
            text = CAMPAIGN.replace("{from: hours, weigh: yes}", cost)
            outcome = self.succeed("run", self.write(text), "--resume", "--set", f"budget.evaluations={12 if cost == 'time' else 16}")
            self.assertIn(words, outcome.err)
        self.check_history(16)

    def refuse(self, text, *words):
        outcome = self.gannet("run", self.write(text), "--dry-run")
        self.assertEqual(outcome.code, USAGE, outcome)
        for word in words:
            self.assertIn(word, outcome.err)

    def test_nonsense_is_refused(self):
        self.refuse(CAMPAIGN.replace("method: gp-ei", "method: gp-ts"), "fast.yaml:8:28: cost.weigh: method 'gp-ts' cannot weigh gain by "
                    "cost, as its acquisition 'thompson' has no measure of gain; expected another method, as auto or gp-ei")
        self.refuse(CAMPAIGN.replace("method: gp-ei", "method: sobol").replace("initial: 5\n", ""), "fast.yaml:7:28: cost.weigh: method "
                    "'sobol' cannot weigh gain by cost, as it has no measure of gain")
        self.refuse(CAMPAIGN.replace("method: gp-ei", "method: portfolio\nportfolio: [gp-ts, quadratic]"),
                    "fast.yaml:9:28: cost.weigh: no method of [gp-ts, quadratic] can weigh gain by cost, as none has an acquisition")
        self.refuse(CAMPAIGN.replace("weigh: yes", "weigh: much"), "fast.yaml:8:28: cost.weigh: 'much' is not valid; expected true or false")
        self.refuse(CAMPAIGN.replace("weigh: yes", "wiegh: yes"), "fast.yaml:8:21: unknown key 'cost.wiegh'; did you mean 'weigh'?")
        self.refuse(CAMPAIGN.replace("from: hours", "from: hour"), "fast.yaml:8:14: cost: 'hour' is not a result of the simulation; did you "
                    "mean 'hours'?", "declare another one in the section outputs, as in 'outputs: {hour: {}}'")
        self.refuse(CAMPAIGN.replace("cost: {from: hours, weigh: yes}", "cost: [hours]"), "fast.yaml:8:8: cost: expected keys with values below it like {from: node_hours}; known keys: from weigh")

    def test_methods_of_a_portfolio_that_do_not_weigh_are_told(self):
        self.succeed("run", self.write(CAMPAIGN.replace("method: gp-ei", "method: auto")), "-q")
        log = (self.folder / "fast.campaign" / "campaign.log").read_text()
        self.assertIn("cost.weigh: methods of the portfolio that propose without a look at the cost", log)
        self.assertIn("could divide: quadratic, gp-draws", log)


if __name__ == "__main__":
    program.main()
