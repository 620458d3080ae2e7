# test: labels cli timeout 240 processors 1
"""An interrupted and resumed campaign is the uninterrupted one, on any number of ranks; what has changed meanwhile."""
import os
import shutil
import signal

import program
from program import BRANIN, BUSY, FAST, FINISHED, SOBOL, USAGE, slow


class Resume(program.ProgramTest):
    def test_a_path_that_is_not_utf8_is_said_and_not_cut(self):
        name = os.fsdecode(b"lat\xe9in/one")
        self.write(SOBOL, f"{name}/fast.yaml")
        outcome = self.succeed("run", f"{name}/fast.yaml", "-q", "--max-evals", "4")
        self.assertRegex(outcome.err, r"input_directory: '.*lat.in/one' is not valid UTF-8, so that campaign.yaml cannot name it; "
                                      "resume with your own campaign file")
        self.assertIn("lat?in/one", (self.folder / "fast.campaign/campaign.yaml").read_text())
        self.succeed("run", f"{name}/fast.yaml", "-q", "--resume", "--max-evals", "8")
        self.assertEqual(self.succeed("run", self.write(SOBOL), "-q", "-d", "other", "--max-evals", "4").err, "")

    def test_any_number_of_ranks_gives_the_same_history(self):
        digest = self.reference()
        file = self.write(BRANIN)
        for ranks in 2, 3, 4:
            self.succeed("run", file, "-d", f"on-{ranks}", "-q", ranks=ranks)
            self.assertEqual(self.digest(f"on-{ranks}"), digest)
            self.check_history(24, f"on-{ranks}")

    def test_a_larger_budget_on_other_ranks_continues_exactly(self):
        # Complaints: nomad #133, ray #14667, ray #20886.
        for text in BRANIN, SOBOL:
            digest = self.reference(text)
            file = self.write(text)
            for ranks, budget in (2, 4), (1, 12), (3, 16), (0, 24):
                self.succeed("run", file, "--resume", "--max-evals", budget, "-q", ranks=ranks)
                self.check_history(budget)
            self.assertEqual(self.digest(), digest)
            shutil.rmtree(self.folder / "fast.campaign")

    def test_a_lock_file_that_was_removed_is_made_again(self):
        digest = self.reference()
        lock = self.folder / "fast.campaign/journal.lock"
        running = self.start("run", self.write(slow(BRANIN, 0.15)), "-q")
        self.wait_for_records(6, running)
        lock.unlink()
        self.wait_until(lock.exists)
        self.assertIn("is held by process", self.succeed("run", "fast.yaml", "--resume", code=BUSY).err)
        outcome = running.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertEqual(outcome.err.count("journal.lock was removed while the campaign was running, and has been made again"), 1)
        self.check_history(24)
        self.assertEqual(self.digest(), digest)

    def test_who_lost_its_campaign_to_another_process_stops(self):
        digest = self.reference()
        file = self.write(slow(BRANIN, 0.15))
        for ranks in 0, 2:
            first = self.start("run", file, "-q", ranks=ranks)
            self.wait_for_records(6, first)
            stopped = first.pids()
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            (self.folder / "fast.campaign/journal.lock").unlink()
            before = self.records()
            second = self.start("run", file, "--resume", "-q")
            self.wait_for_records(before + 2, second)
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)
            outcome = first.wait()
            self.assertEqual(outcome.code, BUSY, outcome)
            self.assertRegex(outcome.err, r"no longer has the campaign, for its lock file was removed while it ran: '.*journal.lock' "
                                          r"is held by process \d+ on \S+; .*what it had acknowledged is in the journal")
            self.assertEqual((outcome := second.wait()).code, FINISHED, outcome)
            self.check_history(24)
            self.assertEqual(self.digest(), digest)
            shutil.rmtree(self.folder / "fast.campaign")

    def test_a_budget_that_is_no_multiple_of_the_batch_is_kept(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "--max-evals", 10, "-q")
        self.check_history(10)
        self.succeed("run", file, "--resume", "-q")
        self.check_history(24)

    def test_a_budget_that_was_spent_already_is_told_as_such(self):
        self.succeed("run", self.write(SOBOL.replace("24", "6").replace("batch: 4", "batch: 3")))
        self.succeed("run", self.folder / "fast.yaml", "--resume", "--max-evals", "4")
        over = r"\(2 over the limit of 4\)"
        self.assertRegex(self.succeed("status", "fast.campaign").out, f"evaluations  6 proposed {over}: 6 done")
        self.assertRegex(self.succeed("watch", "fast.campaign").out, f"6 {over} ended: 6 done")
        self.succeed("report", "fast.campaign")
        self.assertRegex((self.folder / "fast.campaign/report.html").read_text(), f'"evaluations": ?"6 {over}"')

    def test_a_finished_campaign_tells_its_result_again(self):
        file = self.write(BRANIN)
        first = self.succeed("run", file, "-q")
        records = self.records()
        self.assertEqual(self.succeed("run", file, "-q", "--resume").out, first.out)
        self.assertEqual(self.records(), records)
        smaller = self.succeed("run", file, "-q", "--resume", "--max-evals", 8)
        self.assertIn("24 evaluations done", smaller.out)

    def test_an_existing_campaign_is_never_overwritten(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "-q")
        before = {p.name: p.read_bytes() for p in (self.folder / "fast.campaign").iterdir()}
        outcome = self.succeed("run", file, "--set", "seed=8", code=USAGE)
        self.assertIn("--resume", outcome.err)
        self.assertEqual(before, {p.name: p.read_bytes() for p in (self.folder / "fast.campaign").iterdir()})

    def test_resume_without_a_campaign_begins_one(self):
        started = "fast.campaign' yet: starting one"
        self.assertIn(started, self.succeed("run", self.write(BRANIN), "--resume").err)
        self.check_history(24)
        self.assertNotIn(started, self.succeed("run", self.write(BRANIN), "--resume").err)

    def test_the_effective_configuration_runs_the_same_campaign(self):
        self.succeed("run", self.write(BRANIN), "-q")
        self.succeed("run", "fast.campaign/campaign.yaml", "-d", "again", "-q")
        self.assertEqual(self.digest("again"), self.digest())

    def test_the_effective_configuration_finds_what_the_campaign_file_found(self):
        """Programs, templates and what shells read, wherever the configuration lies and is run from."""
        self.write("#!/bin/sh\nread -r x < model.in\necho objective $x > results.out\n", "in/s.sh", 0o755)
        self.write("{x1}\n", "in/model.in")
        for name, how in (("list", "command: [./s.sh], templates: [model.in]"),
                          ("shell", "shell: '\"$GANNET_INPUT_DIRECTORY\"/s.sh', templates: [model.in]")):
            text = SOBOL.replace("backend: function, simulation: branin", "backend: command, " + how)
            self.write(text, "in/c.yaml")
            self.succeed("run", "in/c.yaml", "-q", "-d", name)
            self.succeed("run", f"{name}/campaign.yaml", "-q", "-d", f"{name}-again", ranks=2)
            self.assertIn(" 0 failed", self.succeed("status", f"{name}-again").out)
            self.assertEqual(self.digest(f"{name}-again"), self.digest(name))
            self.assertEqual(self.succeed("run", "in/c.yaml", "-q", "-d", name, "--resume").err, "")
        self.write(text, "c.yaml")
        self.assertIn("model.in", self.succeed("run", "c.yaml", "-n", code=USAGE).err)
        self.succeed("run", "c.yaml", "-n", "--set", "input_directory=in")
        outcome = self.succeed("run", "c.yaml", "-n", "--set", "input_directory=out", code=USAGE)
        self.assertRegex(outcome.err, "input_directory: '/.*/out' is not a directory here")
        self.write("input_directory: out\n" + text, "c.yaml")
        self.assertIn("c.yaml:1:", self.succeed("run", "c.yaml", "-n", code=USAGE).err)

    def test_a_campaign_goes_on_from_its_own_configuration(self):
        """Wherever that is done from: it is not begun anew, in a directory of the same name inside or beside it."""
        digest = self.reference()
        self.succeed("run", self.write(BRANIN), "-q", "-d", "part", "--max-evals", 8)
        for ranks, budget in (0, 16), (2, 24):
            (self.folder / "part/journal.lock").unlink()  # by whoever clears up such files
            outcome = self.succeed("run", "part/campaign.yaml", "--resume", "-q", "--max-evals", budget, ranks=ranks)
            self.assertIn(f"{budget} evaluations done", outcome.out)
        self.assertEqual(self.digest("part"), digest)
        self.assertFalse((self.folder / "fast.campaign").exists())
        shutil.copy(self.folder / "part" / "campaign.yaml", self.folder)  # which lies in no campaign
        self.succeed("run", "campaign.yaml", "--resume", "-q", "--max-evals", 4)
        self.check_history(4)
        within = self.succeed("run", "campaign.yaml", "--resume", "-q", "--max-evals", 28, wrapper=("env", "-C", "part"))
        self.assertIn("28 evaluations done", within.out)
        self.assertFalse((self.folder / "part" / "fast.campaign").exists())

    def refused(self, text, *words):
        file = self.write(text, "changed.yaml")
        before = self.digest(), (self.folder / "fast.campaign" / "campaign.yaml").read_text()
        for ranks in 0, 2:
            outcome = self.succeed("run", file, "--resume", "-d", "fast.campaign", "--max-evals", 40,
                                   code=USAGE, ranks=ranks)
            for word in words:
                self.assertIn(word, outcome.err)
        self.assertEqual((self.digest(), (self.folder / "fast.campaign" / "campaign.yaml").read_text()), before)
        self.check_history(24)

    def test_other_variables_are_refused(self):
        # What is no reading of the results that there are; test_changes.py has what is.
        self.succeed("run", self.write(BRANIN), "-q")
        self.refused(BRANIN.replace("  x2: {lower", "  y: {lower"), "variables.y is new", "was: VALUE")
        self.refused(BRANIN.replace("x2: {", "x2: {type: integer, "), "variable x2: ", "is not a whole number")

    def test_a_refusal_without_the_saved_configuration(self):
        self.succeed("run", self.write(BRANIN), "-q", "--max-evals", 4)
        (self.folder / "fast.campaign" / "campaign.yaml").unlink()
        outcome = self.succeed("run", self.write(BRANIN.replace("upper: 10", "upper: 11")), "--resume", code=USAGE)
        self.assertIn("variables, constraints or goal differ from those of the campaign to be resumed, and campaign.yaml", outcome.err)

    def test_another_seed_is_refused(self):
        # Complaints: Ax #2166.
        self.succeed("run", self.write(BRANIN), "-q")
        self.refused(BRANIN.replace("seed: 7", "seed: 8"), "seed", "7", "8")

    def test_another_method_is_said(self):
        self.succeed("run", self.write(BRANIN), "-q")
        for text in SOBOL, BRANIN.replace("neural-bo", "gp-ei"), BRANIN.replace("candidates: 500", "candidates: 600"):
            file = self.write(text, "changed.yaml")
            budget = len(self.history()) + 4
            outcome = self.succeed("run", file, "--resume", "-q", "-d", "fast.campaign", "--max-evals", budget)
            self.assertRegex(outcome.err, "warning: .*(method|search)")
            self.check_history(budget)
        self.assertRegex((self.folder / "fast.campaign" / "campaign.log").read_text(), "warning .*sobol")

    def test_of_many_changes_the_first_are_said(self):
        self.succeed("run", self.write(SOBOL), "-q", "--max-evals", 4)
        file = self.write(BRANIN, "changed.yaml")
        outcome = self.succeed("run", file, "--resume", "-q", "-d", "fast.campaign", "--max-evals", 5)
        self.assertRegex(outcome.err, "[0-9]{2} keys differ.*: method: sobol -> neural-bo, initial: auto -> 8, acquisition"
                                      r".*: \(none\) -> [^,]*, and [0-9]{2} more\n")
        self.assertLess(max(len(line) for line in outcome.err.splitlines()), 450)

    def test_values_that_are_too_long_are_not_said(self):
        text = FAST + "evaluate: {backend: command, shell: 'echo objective 1 >results.out; : %s'}\n"
        self.succeed("run", self.write(text % ("a" * 700)), "-q", "--max-evals", 1)
        outcome = self.succeed("run", self.write(text % ("b" * 700)), "--resume", "-q", "--max-evals", 1)
        self.assertIn("the simulation differs from that of the saved campaign, evaluate.shell: new results", outcome.err)

    def test_noise_and_mode_that_change_are_said(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "-q", "--max-evals", 4)
        outcome = self.succeed("run", file, "--resume", "-q", "--max-evals", 8, "--set", "noise=0.5",
                               "--set", "evaluate.mode=asynchronous")
        self.assertRegex(outcome.err, "2 keys differ.*noise: .* -> 0.5, evaluate.mode: batch -> asynchronous")

    def test_equations_that_change_are_said(self):
        text = SOBOL.replace("sobol", "pinn-bo") + \
            "physics:\n  points: 20\n  equations: [{terms: [{derivative: [x1, x1]}], rhs: \"%s\"}]\n"
        self.succeed("run", self.write(text % "0"), "-q", "--max-evals", 4)
        again = self.succeed("run", self.write(text % "0"), "--resume", "-q", "--max-evals", 4)
        self.assertEqual(again.err, "")
        changed = self.succeed("run", self.write(text % "x2"), "--resume", "-q", "--max-evals", 4)
        self.assertRegex(changed.err, r"1 key differs.*physics: \(as saved\) -> \(as in the file\)")

    def test_another_simulation_is_said(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "-q", "--max-evals", 4)
        again = self.succeed("run", file, "--resume", "-q", "--max-evals", 4, "--set", "evaluate.simulation=ackley")
        self.assertRegex(again.err, "warning: the simulation differs.*evaluate.simulation: branin -> ackley: .*comparable")
        self.assertEqual(again.err.count("warning"), 1)
        back = self.write(BRANIN.replace("backend: function, simulation: branin", "backend: command, command: [./a, b]"))
        self.write("#!/bin/sh\necho objective 1 > results.out\n", "a", 0o755)
        again = self.succeed("run", back, "--resume", "-q", "--max-evals", 4)
        self.assertRegex(again.err, r"evaluate.command: \(none\) -> \[./a, b\], evaluate.simulation: ackley -> \(none\)")
        self.assertEqual(self.succeed("run", back, "--resume", "-q", "--max-evals", 8).err, "")

    def test_another_way_to_the_same_numbers_is_said(self):
        text = SOBOL.replace("backend: function, simulation: branin", "backend: command, command: [cat, a.in], templates: [a.in], pattern: ['objective=^PLACE ([0-9.]+)']")
        self.write("one 1.5\ntwo 2.5\n", "a.in")
        self.succeed("run", self.write(text.replace("PLACE", "one")), "-q", "--max-evals", 4)
        again = self.succeed("run", self.write(text.replace("PLACE", "two")), "-q", "--resume", "--max-evals", 8)
        self.assertRegex(again.err, r"the simulation differs.*evaluate.pattern: .*one.* -> .*two")

    def test_two_files_of_one_directory_are_told_apart(self):
        text = SOBOL.replace("name: fast\n", "").replace("backend: function, simulation: branin", "backend: command, command: %s")
        for program_name in "a", "b":
            self.write("#!/bin/sh\necho objective 1 > results.out\n", program_name, 0o755)
        self.succeed("run", self.write(text % "./a", "wing (a).yaml"), "-q", "--max-evals", 4)
        other = self.succeed("run", self.write(text % "./b", "wing [a].yaml"), "-q", "--resume", "--max-evals", 8)
        self.assertRegex(other.err, r"the simulation differs.*evaluate.command: \[./a\] -> \[./b\]")

    def test_an_unchanged_campaign_is_resumed_in_silence(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "-q", "--max-evals", 12)
        self.assertEqual(self.succeed("run", file, "-q", "--resume", ranks=2).err, "")

    def test_a_second_controller_is_kept_out(self):
        file = self.write(slow(BRANIN, 0.2))
        running = self.start("run", file, "-q", ranks=2)
        self.wait_for_records(3, running)
        for words in ("run", file, "--resume"), ("ask", "fast.campaign", "--wait", "0s"), \
                     ("tell", "fast.campaign", "--id", 0, "--objective", 1, "-w", "0.1s"):
            outcome = self.succeed(*words, code=BUSY)
            self.assertRegex(outcome.err, r"in use.* process \d+")
        self.assertIn("`gannet run` keeps a campaign until it ends", outcome.err)
        outcome = running.wait()
        self.assertEqual(outcome.code, FINISHED, outcome)
        self.assertEqual(self.digest(), self.reference())


if __name__ == "__main__":
    program.main()
