# test: labels cli timeout 600 processors 1
"""gannet ask and gannet tell: the user runs the simulations."""
import csv
import fcntl
import io
import json
import math
import shutil

import program
from program import BRANIN, BUSY, FAST, FINISHED, USAGE

MANUAL = FAST + "evaluate: {backend: manual}\n"


def branin(x1, x2):
    return (x2 - 5.1 / (4 * math.pi ** 2) * x1 ** 2 + 5 / math.pi * x1 - 6) ** 2 \
        + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 10


class AskTell(program.ProgramTest):
    def ask(self, place, *words, ranks=0):
        return list(csv.DictReader(io.StringIO(self.succeed("ask", place, *words, ranks=ranks).out)))

    def test_a_loop_of_ten_rounds_optimises(self):
        file = self.write(MANUAL)
        for turn in range(10):
            for row in self.ask(file if turn == 0 else "fast.campaign", "-q", 1 + turn % 2, ranks=turn % 3):
                self.assertEqual(row["status"], "pending")
                value = branin(float(row["x1"]), float(row["x2"]))
                self.succeed("tell", "fast.campaign", "--id", row["id"], "--objective", repr(value))
        best = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)[0]
        self.assertLess(best["objective"], 20)
        self.check_history(15)
        self.succeed("verify", "fast.campaign")

    def test_ranks_do_not_matter(self):
        histories = []
        for ranks in 0, 2, 3:
            place = f"on-{ranks}.yaml"
            self.write(MANUAL.replace("name: fast", f"name: on-{ranks}"), place)
            for _ in range(2):
                for row in self.ask(place, "-q", 2, ranks=ranks):
                    value = branin(float(row["x1"]), float(row["x2"]))
                    self.succeed("tell", place, "--id", row["id"], "--objective", repr(value), ranks=ranks)
            histories.append(self.digest(f"on-{ranks}.campaign"))
        self.assertEqual(len(set(histories)), 1)

    def test_asking_by_hand_is_the_same_as_running(self):
        self.succeed("run", self.write(BRANIN, "run.yaml"), "-q", "--max-evals", 12, "-d", "run.campaign")
        values = {row["id"]: row["objective"] for row in self.history("run.campaign")}
        file = self.write(MANUAL)
        for _ in range(3):
            for row in self.ask(file):
                self.succeed("tell", file, "--id", row["id"], "--objective", values[row["id"]])
        self.assertEqual(self.digest(), self.digest("run.campaign"))

    def test_open_points_are_respected(self):
        file = self.write(MANUAL)
        points = [tuple(row.items())[2:4] for _ in range(4) for row in self.ask(file)]
        self.assertEqual(len(set(points)), 16)

    def test_what_cannot_be_told_is_refused_and_changes_nothing(self):
        file = self.write(MANUAL)
        self.ask(file)
        self.succeed("tell", file, "--id", 1, "--objective", 3)
        records = self.records()
        place = "fast.campaign"
        for words, hint in ((("--id", 4, "--objective", 1), "never proposed"), (("--id", -1, "--objective", 1), "id"),
                            (("--id", 1, "--objective", 1), "already"), (("--id", "x", "--objective", 1), "id"),
                            (("--id", 0), "objective"), (("--objective", 1), "--id"),
                            (("--id", 0, "--objective", "nan"), "finite"), (("--id", 0, "--objective", "1,5"), "1,5"),
                            (("--id", 0, "--objective", 1, "--failed", "x"), "one of"),
                            (("--id", 0, "--objective", 1, "--constraint", "g=1"), "no constraint"),
                            (("--point", "x1=1", "--objective", 1), "x2"),
                            (("--point", "x1=1", "--point", "x2=99", "--objective", 1), "x2"),
                            (("--point", "x1=1", "--point", "x3=1", "--objective", 1), "x3"),
                            (("--id", 0, "--id", 2, "--objective", 1), "--id is given twice"),
                            (("--id", 0, "--objective", 1, "--objective", 1), "--objective is given twice"),
                            (("--point", "x1=1", "--point", "x1=2", "--objective", 1), "--point x1 is given twice"),
                            (("--point", "x1", "--objective", 1), "NAME=VALUE")):
            for ranks in (0, 2) if hint == "already" else (0,):
                outcome = self.succeed("tell", place, *words, code=USAGE, ranks=ranks)
                self.assertIn(hint, outcome.err)
        self.assertEqual(self.records(), records)
        self.assertIn("no campaign", self.succeed("ask", self.folder, code=USAGE).err.replace("No such file", "no campaign"))
        self.succeed("ask", "nowhere.yaml", code=USAGE)

    def test_values_of_expressions_and_outputs(self):
        text = ("name: e\nvariables: {x: {lower: 1, upper: 2}}\nobjective: {name: cost, expression: \"drag + 0.01*mass\"}\n"
                "constraints: {ratio: {expression: \"lift/drag\", lower: 1}, stress: {upper: 5}}\nbatch: 1\nmethod: sobol\n"
                "outputs: {cells: {}}\nbudget: {evaluations: 4}\nevaluate: {backend: manual}\n")
        file = self.write(text, "e.yaml")
        parts = "--value", "drag=2", "--value", "lift=3"
        self.succeed("ask", file)
        for words, told in (((*parts, "-c", "stress=1"), "cost = drag + 0.01*mass: mass is missing; reported: ratio stress drag lift; give parts of"),
                            ((*parts, "--value", "mass=1"), "give --constraint stress=VALUE, too"),
                            (("--objective", 1, "-c", "stress=1", "--value", "lift=3", "--value", "drag=1", "--value", "mass=1"),
                             "cost is reported, and is computed from 'drag + 0.01*mass' too"),
                            ((*parts, "--value", "drag=3"), "the value of drag is given twice"),
                            ((*parts, "--value", "a-b=3"), "--value 'a-b': expected a name"),
                            ((*parts, "--value", "mass=heavy"), "mass: 'heavy' is not valid"),
                            ((*parts, "--failed", "x"), "give one of --objective (or --value), --cannot-run and --failed")):
            self.assertIn(told, self.succeed("tell", "e.campaign", "--id", 0, *words, code=USAGE).err)
        self.succeed("tell", "e.campaign", "--id", 0, *parts, "--value", "mass=10", "--value", "stress=4", "--value", "cells=7")
        row, = self.history("e.campaign")
        self.assertEqual([row[name] for name in ("objective", "ratio", "stress", "feasible", "cells", "drag")],
                         ["2.1000000000000001", "1.5", "4", "true", "7", "2"])
        self.succeed("verify", "e.campaign")
        read = self.write(text.replace("cells: {}", "cells: {pattern: \"^cells (.*)\"}").replace("name: e", "name: r"), "r.yaml")
        told = self.succeed("ask", read, code=USAGE).err
        self.assertIn("r.yaml:7:28: ", told)
        self.assertIn("outputs.cells.pattern: this back-end has no files and no printed text to read", told)
        self.assertFalse((self.folder / "r.campaign").exists())

    def test_many_may_report_at_once(self):
        """Each waits for its turn, and one that waits for long says for whom."""
        file = self.write(MANUAL)
        asked = [self.start("ask", file, "-q", 4) for _ in range(2)]  # one of them begins the campaign
        for running in asked:
            self.assertEqual((outcome := running.wait()).code, FINISHED, outcome)
        told = [self.start("tell", "fast.campaign", "--id", i, "--objective", i) for i in range(8)]
        for running in told:
            outcome = running.wait()
            self.assertEqual(outcome.code, FINISHED, outcome)
            self.assertNotIn("journal cannot be used", outcome.err)
        self.check_history(8)
        self.digest()
        with open(self.folder / "fast.campaign/journal.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("17 elsewhere\n")
            lock.flush()
            waiting = self.start("tell", "fast.campaign", "--point", "x1=1", "--point", "x2=1", "--objective", 1)
            outcome = self.succeed("ask", "fast.campaign", "--wait", "4s", code=BUSY)
            self.assertIn("waiting: ", outcome.err)
            self.assertIn("process 17 on elsewhere", outcome.err)
            self.assertIsNone(waiting.process.poll())
        self.assertEqual((outcome := waiting.wait()).code, FINISHED, outcome)
        self.assertIn("--wait: 'soon'", self.succeed("ask", file, "--wait", "soon", code=USAGE).err)

    def test_asking_beyond_the_budget_is_said(self):
        file = self.write(MANUAL.replace("evaluations: 24", "evaluations: 6").replace("initial: 8", "initial: 4"))
        self.assertEqual(self.succeed("ask", file, "-q", 5).err, "")
        self.succeed("tell", file, "--point", "x1=1", "--point", "x2=1", "--objective", 1)
        for ranks, n in (0, 8), (2, 10):
            outcome = self.succeed("ask", file, "-q", 2, ranks=ranks)
            self.assertEqual(outcome.err.count(f"{n} evaluations are proposed now, and budget.evaluations is 6"), 1)
            self.assertEqual(len(outcome.out.splitlines()), 3)

    def test_points_of_ones_own_count_for_the_budget(self):
        """Of run as of status and watch."""
        text = program.SOBOL.replace("evaluations: 24", "evaluations: 8")
        self.succeed("tell", self.write(text), "--point", "x1=1", "--point", "x2=1", "--objective", 1)
        self.assertIn("8 evaluations done", self.succeed("run", "fast.yaml", "-q", "--resume").out)
        self.assertIn("8 proposed of 8", self.succeed("status", "fast.campaign").out)
        self.assertIn("8/8 ended", self.succeed("watch", "fast.campaign").out)

    def test_points_of_ones_own_count_as_results(self):
        file = self.write(MANUAL)
        self.ask(file)
        self.succeed("tell", file, "--point", "x1=3.1415", "--point", "x2=2.275", "--objective", 0.397888, ranks=2)
        best = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)[0]
        self.assertEqual((best["id"], best["x1"], best["objective"]), (4, 3.1415, 0.397888))
        self.assertEqual([row["id"] for row in self.ask(file)], ["5", "6", "7", "8"])
        self.succeed("verify", "fast.campaign")
        # a rebuilt journal knows whose point it was
        digest = self.digest()
        (self.folder / "fast.campaign" / "journal").unlink()
        self.ask(file, "-q", 1)
        self.assertIn('"origin":"user"', (self.folder / "fast.campaign" / "journal").read_text())
        self.assertNotEqual(self.digest(), digest)

    def test_failures_and_bad_designs_can_be_told(self):
        file = self.write(MANUAL)
        self.ask(file)
        self.succeed("tell", file, "--id", 0, "--failed", "queue, \"lost\"")
        self.succeed("tell", file, "--id", 1, "--cannot-run", "no mesh")
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("0 done, 1 cannot run, 1 failed, 2 pending", status)
        self.assertIn('queue, "lost"', status)
        self.succeed("tell", file, "--id", 0, "--objective", 5)  # it came after all
        self.assertIn("1 done, 1 cannot run, 0 failed, 2 pending", self.succeed("status", "fast.campaign").out)
        self.succeed("tell", file, "--id", 1, "--objective", 5, code=USAGE)
        self.ask(file)
        self.succeed("verify", "fast.campaign")

    def test_reasons_are_one_line_of_text(self):
        """In which a terminal shows nothing else, and history.csv has whole lines."""
        self.ask(self.write(MANUAL))
        self.succeed("tell", "fast.campaign", "--id", 0, "--failed", "a\nb\t\x1b[31m\udcff,c")
        for words in ("export", "fast.campaign"), ("status", "fast.campaign"):
            self.assertIn("a b  [31m?,c", self.succeed(*words).out)
        self.assertEqual(self.history()[0]["reason"], "a b  [31m?,c")
        self.assertEqual(len((self.folder / "fast.campaign" / "history.csv").read_text().splitlines()), 2)

    def test_verify_names_what_writes_the_history(self):
        """No `gannet run`, which leaves simulations by hand alone."""
        self.ask(self.write(MANUAL))
        self.assertIn("not there; the next gannet tell writes it", self.succeed("verify", "fast.campaign").out)
        self.succeed("tell", "fast.campaign", "--id", 0, "--objective", 1)
        self.assertRegex(self.succeed("verify", "fast.campaign").out, "history.csv +sound, 1 of 1 results\n")

    def test_constraints_are_wanted(self):
        file = self.write(MANUAL + "constraints: {g: {upper: 0}, h: {lower: 1}}\n")
        self.ask(file)
        self.assertIn("give --constraint h=VALUE, too",
                      self.succeed("tell", file, "-i", 0, "-y", 1, "-c", "g=-1", code=USAGE).err)
        self.succeed("tell", file, "-i", 0, "-y", 1, "-c", "g=1", "-c", "h=2")
        self.succeed("tell", file, "-i", 1, "-y", 2, "-c", "g=-1", "-c", "h=2")
        best = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)[0]
        self.assertEqual((best["id"], best["g"], best["h"]), (1, -1, 2))

    def test_a_campaign_that_was_run_can_be_continued_by_hand(self):
        file = self.write(BRANIN)
        self.succeed("run", file, "-q", "--max-evals", 12)
        for row in self.ask("fast.campaign"):
            self.succeed("tell", "fast.campaign", "-i", row["id"], "-y", repr(branin(float(row["x1"]), float(row["x2"]))))
        self.succeed("run", file, "-q", "--resume")
        self.check_history(24)

    def test_a_result_that_was_written_down_reaches_the_optimiser_later(self):
        """As after a crash between the two records of a tell: the second is cut off."""
        file, place, cut = self.write(MANUAL), self.folder / "fast.campaign", self.folder / "cut.campaign"
        for row in [row for _ in range(3) for row in self.ask(file)]:
            value = branin(float(row["x1"]), float(row["x2"]))
            self.succeed("tell", place, "--id", row["id"], "--objective", repr(value))
        shutil.copytree(place, cut)
        lines = (cut / "journal").read_bytes().splitlines(keepends=True)
        self.assertIn(b'"tell"', lines[-1])
        (cut / "journal").write_bytes(b"".join(lines[:-1]))
        for snapshot in cut.glob("state.h5*"):
            snapshot.unlink()
        self.ask(place)
        self.ask(cut)
        self.assertEqual(self.digest(place), self.digest(cut))


if __name__ == "__main__":
    program.main()
