# test: labels cli timeout 300
"""Campaigns that end before their budget is spent: by a target, without improvement. They say why, and go on when the
campaign file is changed."""
import program
from program import BRANIN, FINISHED, RESUMABLE, USAGE, slow

TARGET = BRANIN + "stop: {target: 5}\n"
REASON = "stop.target: best objective "
STAGNATION = BRANIN.replace("evaluations: 24", "evaluations: 400").replace("method: neural-bo", "method: random") \
                   .replace("initial: 8\n", "") + "stop: {stagnation: 12}\n"


REGRET = BRANIN.replace("evaluations: 24", "evaluations: 80").replace("method: neural-bo", "method: gp-ei") + \
    "stop: {regret: {within: 20}}\n"
SHELL = """\
name: fast
method: random
variables: {x: {lower: 0, upper: 1}}
outputs: {hours: {unit: h}}
cost: hours
batch: 2
budget: {cost: 10}
evaluate: {backend: command, parallel: 2,
  shell: 'sleep 0.05; echo objective $GANNET_EVAL_ID > results.out; test $GANNET_EVAL_ID = 0 || echo hours 1.5 >> results.out'}
"""


class StopRule(program.ProgramTest):
    def reason(self, outcome):
        """The reason that a run gives."""
        lines = [line for line in outcome.out.splitlines() if line.startswith("reason: ")]
        self.assertEqual(len(lines), 1, outcome)
        return lines[0][len("reason: "):]

    def test_a_target_ends_a_campaign_and_everything_says_so(self):
        file = self.write(TARGET)
        outcome = self.succeed("run", file, "-q")
        reason = self.reason(outcome)
        self.assertTrue(reason.startswith(REASON), reason)
        self.assertTrue(reason.endswith(" has reached 5"), reason)
        self.assertIn("finished: ", outcome.out)
        n = len(self.history())
        self.assertLess(n, 24)
        self.assertLessEqual(min(float(row["objective"]) for row in self.history()), 5)
        self.assertGreater(min(float(row["objective"]) for row in self.history()[:-4]), 5)
        self.assertIn(f"ended        {reason}\n", self.succeed("status", "fast.campaign").out)
        self.assertIn(f"finished, {reason}", self.succeed("watch", "fast.campaign", "--once").out)
        self.assertIn(f"ended: finished, {reason}\n", (self.folder / "fast.campaign" / "campaign.log").read_text())
        self.succeed("report", "fast.campaign")
        self.assertIn(reason, (self.folder / "fast.campaign" / "report.html").read_text())

    def test_a_resume_says_what_to_change_and_then_goes_on(self):
        """The reason in the journal no longer counts once points are proposed; they are those of a campaign without it."""
        file = self.write(TARGET)
        self.succeed("run", file, "-q")
        before = self.digest()
        for ranks in 1, 2:
            outcome = self.succeed("run", file, "-q", "--resume", ranks=ranks)
            self.assertIn("nothing was run", outcome.err)
            self.assertIn("--set stop.target=auto", outcome.err)
            self.assertEqual(self.digest(), before)
        records = self.records()
        self.assertIn("a run would propose nothing more (stop.target", self.succeed("run", file, "--resume", "--dry-run").out)
        self.assertEqual(self.records(), records)
        outcome = self.succeed("run", file, "-q", "--resume", "--set", "stop.target=auto")
        self.assertNotIn("reason:", outcome.out)
        self.assertEqual(outcome.err, "")
        self.check_history(24)
        self.assertEqual(self.digest(), self.reference(BRANIN))
        self.assertNotIn("ended ", self.succeed("status", "fast.campaign").out)

    def test_a_harder_target_is_another_reason(self):
        self.succeed("run", self.write(TARGET), "-q")
        outcome = self.succeed("run", self.write(TARGET.replace("target: 5", "target: 1")), "-q", "--resume")
        self.assertTrue(self.reason(outcome).endswith(" has reached 1"), outcome)
        self.assertIn(" has reached 1\n", self.succeed("status", "fast.campaign").out)

    def test_a_campaign_ends_at_the_same_place_on_any_number_of_ranks(self):
        digests, reasons = set(), set()
        for ranks in 1, 2, 3:
            outcome = self.succeed("run", self.write(TARGET), "-q", "--directory", f"{ranks}.campaign", ranks=ranks)
            reasons.add(self.reason(outcome))
            digests.add(self.digest(f"{ranks}.campaign"))
        self.assertEqual((len(digests), len(reasons)), (1, 1), reasons)

    def test_a_killed_campaign_ends_at_the_same_place(self):
        """Killed again and again, the last times after it has written why it ends."""
        whole = self.succeed("run", self.write(TARGET), "-q", "--directory", "whole.campaign")
        file = self.write(slow(TARGET, 0.05))
        for records in 6, 16, 27, 34:
            running = self.start("run", file, "-q", "--resume", ranks=2)
            self.wait_until(lambda: self.records() >= records or running.process.poll() is not None)
            running.kill()
        outcome = self.succeed("run", file, "-q", "--resume")
        self.assertEqual(self.reason(outcome), self.reason(whole))
        self.assertEqual(self.digest(), self.digest("whole.campaign"))
        self.assertIn("ended ", self.succeed("status", "fast.campaign").out)

    def test_a_snapshot_knows_the_reason(self):
        """The journal is made anew from it."""
        self.succeed("run", self.write(TARGET), "-q")
        status = self.succeed("status", "fast.campaign").out
        (self.folder / "fast.campaign" / "journal").write_text("junk\n")
        self.gannet("run", self.write(TARGET), "-q", "--resume")
        self.assertEqual(self.succeed("status", "fast.campaign").out, status)
        self.assertIn('"record":"stop"', (self.folder / "fast.campaign" / "journal").read_text())

    def test_stagnation_ends_a_campaign(self):
        """After so many results without a better one, rounded up to whole batches."""
        outcome = self.succeed("run", self.write(STAGNATION), "-q")
        rows = self.history()
        values = [float(row["objective"]) for row in rows]
        since = len(values) - 1 - values.index(min(values))
        self.assertIn(since, range(12, 16))
        self.assertIn(f"stop.stagnation: no improvement by the last {since} results (limit 12); best objective ", self.reason(outcome))

    def test_simulations_that_run_may_end(self):
        """Asynchronous: what is under way when the target is reached has a result, too."""
        file = self.write(slow(TARGET, 0.02).replace("parallel: 4", "parallel: 4, mode: asynchronous"))
        outcome = self.succeed("run", file, "-q")
        self.assertTrue(self.reason(outcome).startswith(REASON), outcome)
        self.assertIn(" 0 pending", outcome.out)
        self.assertTrue(all(row["status"] == "done" for row in self.history()))

    def test_steps_end(self):
        file = self.write(TARGET)
        outcome = self.succeed("step", file, "-q", code=RESUMABLE)
        steps = 1
        while outcome.code == RESUMABLE:
            self.assertNotIn("stop.target", outcome.out)
            outcome = self.gannet("step", file, "-q")
            steps += 1
        self.assertEqual(outcome.code, FINISHED)
        self.assertEqual(len(self.history()), 4 * steps)
        self.assertTrue(self.reason(outcome).startswith(REASON), outcome)

    def test_who_runs_simulations_by_hand_is_told(self):
        file = self.write(TARGET.replace("backend: function, simulation: branin, parallel: 4", "backend: manual"))
        self.assertEqual(self.succeed("ask", file, "--count", "2").err, "")
        self.succeed("tell", "fast.campaign", "--id", "0", "--objective", "4")
        self.assertNotIn("ended ", self.succeed("status", "fast.campaign").out)
        self.succeed("tell", "fast.campaign", "--id", "1", "--objective", "6")
        reason = "stop.target: best objective 4 (evaluation 0) has reached 5"
        self.assertIn(f"ended        {reason}\n", self.succeed("status", "fast.campaign").out)
        self.assertIn(f"would propose nothing more ({reason})", self.succeed("ask", "fast.campaign").err)

    def test_a_small_regret_ends_a_campaign(self):
        """At the same place on any number of ranks and after kills; a resume estimates it again and says what to change."""
        outcome = self.succeed("run", self.write(REGRET), "-q", "--directory", "whole.campaign")
        reason = self.reason(outcome)
        self.assertRegex(reason, r"^stop\.regret: with probability (0\.9[5-9]\d*|1) \(\d+ of 200 draws\) no design is better than "
                                 r"evaluation \d+ by more than 20$")
        self.assertLess(len(self.history("whole.campaign")), 80)
        file = self.write(slow(REGRET, 0.05))
        for records in 12, 24:
            running = self.start("run", file, "-q", "--resume", ranks=3)
            self.wait_until(lambda: self.records() >= records or running.process.poll() is not None)
            running.kill()
        self.assertEqual(self.reason(self.succeed("run", file, "-q", "--resume", ranks=2)), reason)
        self.assertEqual(self.digest(), self.digest("whole.campaign"))
        self.assertIn(f"ended        {reason}\n", self.succeed("status", "fast.campaign").out)
        again = self.succeed("run", file, "-q", "--resume")
        self.assertEqual(self.reason(again), reason)
        self.assertIn("--set stop.regret.within=auto", again.err)
        self.assertIn(f"the campaign has ended ({reason}); a run would check", self.succeed("run", file, "--resume", "--dry-run").out)
        n = len(self.history())
        after = self.succeed("run", file, "-q", "--resume", "--set", "stop.regret.within=auto", "--max-evals", str(n + 4))
        self.assertNotIn("reason:", after.out)
        self.check_history(n + 4)

    def test_cost_ends_a_campaign(self):
        """A quantity of the results; an evaluation without it costs nothing."""
        file = self.write(SHELL)
        reason = "budget.cost: 10.5 of 10 h are spent"
        self.assertEqual(self.reason(self.succeed("run", file, "-q", ranks=2)), reason)
        self.check_history(8)
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("cost         10.5 of 10 h\n", status)
        self.assertIn(f"ended        {reason}\n", status)
        self.succeed("report", "fast.campaign")
        self.assertIn("10.5 of 10 h", (self.folder / "fast.campaign" / "report.html").read_text())
        self.assertIn("--set budget.cost=auto", self.succeed("run", file, "-q", "--resume").err)
        self.assertIn("propose nothing more (budget.cost", self.succeed("run", file, "--dry-run", "--resume").out)
        self.succeed("run", file, "-q", "--resume", "--set", "budget.cost=14")
        self.check_history(12)

    def test_run_time_is_a_cost(self):
        """That of all simulations together."""
        file = self.write(SHELL.replace("cost: hours\n", "").replace("cost: 10", "cost: 0.22s"))
        self.assertRegex(self.reason(self.succeed("run", file, "-q")), r"^budget\.cost: [\d.]+ m?s of 220 ms of run time are spent$")

    def refuse(self, text, *words):
        outcome = self.gannet("run", self.write(text), "--dry-run")
        self.assertEqual(outcome.code, USAGE, outcome)
        for word in words:
            self.assertIn(word, outcome.err)

    def test_nonsense_is_refused(self):
        line = BRANIN.count("\n") + 1
        self.refuse(BRANIN + "stop: {target: low}\n", f"fast.yaml:{line}:16: stop.target: 'low' is not valid; expected any number, or auto")
        self.refuse(BRANIN + "stop: {target: .inf}\n", f"fast.yaml:{line}:16: stop.target", "not finite")
        self.refuse(BRANIN + "stop: {stagnation: 0}\n", f"fast.yaml:{line}:20: stop.stagnation: '0' is not valid", "1 to 1e+09, or auto")
        self.refuse(BRANIN + "stop: {stagnaton: 9}\n", f"fast.yaml:{line}:8: unknown key 'stop.stagnaton'; did you mean 'stagnation'?")
        self.refuse(BRANIN + "stop: {regret: {within: 0}}\n", f"fast.yaml:{line}:25: stop.regret.within: '0' is not valid", "above 0, or auto")
        self.refuse(BRANIN + "stop: {regret: {within: 1, probability: 1.5}}\n", "stop.regret.probability: '1.5' is not valid", "at most 1")
        self.refuse(BRANIN + "stop: {regret: {within: 1, probability: 0}}\n", "stop.regret.probability: '0' is not valid", "above 0")
        self.refuse(BRANIN + "stop: {regret: {probability: 0.9}}\n", f"fast.yaml:{line}:", "stop.regret.probability: needs within")
        self.refuse(SHELL.replace("cost: hours", "cost: hour"), "fast.yaml:5:7: cost: 'hour' is not a result of the simulation; did you "
                    "mean 'hours'?; expected time or one of: objective hours")
        self.refuse(SHELL.replace("cost: 10", "cost: 4h"), "fast.yaml:7:16: budget.cost: '4h' is a time, and cost names the quantity 'hours'")
        self.refuse(SHELL.replace("cost: 10", "cost: -1"), "fast.yaml:7:16: budget.cost: '-1' is not valid")
        self.refuse(BRANIN.replace("budget: {evaluations: 24}", "stop: {stagnation: 9}"), "budget: give a limit")


if __name__ == "__main__":
    program.main()
