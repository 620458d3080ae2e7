# test: labels cli timeout 240 processors 1
"""evaluate.start_from: nearest: a simulation is told the folder of the nearest feasible design that has ended."""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess

import program
from program import BUSY, USAGE

# Evaluation 4 fails, and designs with x above 50 violate the constraint. Each notes what it was told.
SIMULATION = """\
#!/bin/sh
x=$(sed -n 's/^x //p' params.in)
echo "$1|$GANNET_NEAREST" > from
echo field > field.dat
[ -z "$GANNET_NEAREST" ] || cat "$GANNET_NEAREST/field.dat" > start || exit 9
[ "$GANNET_EVAL_ID" != 4 ] || exit 1
if [ -e "$GANNET_INPUT_DIRECTORY/slow" ] && [ "$GANNET_EVAL_ID" -ge 6 ]; then sleep 1000; fi
printf 'objective %s\\ng %s\\n' "$x" "$x" > results.out
"""
TEXT = """\
name: n
variables:
  x: {lower: 1, upper: 100, scale: log}
  n: {type: integer, lower: 0, upper: 4}
  k: {type: categorical, values: [a, b, c]}
constraints: {g: {upper: 50}}
budget: {evaluations: 12}
batch: 3
method: sobol
evaluate:
  backend: command
  command: ["{input_directory}/simulate.sh", "{nearest}"]
  start_from: nearest
  parallel: 2
  retries: 0
"""
STANDIN = pathlib.Path(__file__).resolve().parent.parent / "evaluate" / "standin" / "scheduler"
TOOLS = "sbatch", "squeue", "sacct", "scontrol", "scancel"


def square_of_distance(a, b):
    logs = [math.log(one[0]) / math.log(100) for one in (a, b)]
    return (logs[0] - logs[1]) ** 2 + ((a[1] - b[1]) / 4) ** 2 + (a[2] != b[2])


class StartFrom(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION, "simulate.sh", 0o755)
        self.file = self.write(TEXT, "n.yaml")

    def starts(self, directory="n.campaign"):
        return {int(row["id"]): row["start_from"] for row in self.history(directory)}

    def check_starts(self, directory="n.campaign"):
        """What history.csv says is what the journal must have chosen, and what the simulations were told."""
        points, told, results, expected = {}, set(), {}, {}
        for line in (self.folder / directory / "journal").read_text().splitlines()[1:]:
            record = json.loads(line[line.index("{"):])
            if record["record"] == "propose":
                for i, x in enumerate(record["x"]):
                    points[record["first"] + i] = x
                for number in range(record["first"], record["first"] + len(record["x"])):
                    known = [(square_of_distance(points[number], points[other]), other) for other in told if results[other]]
                    expected[number] = str(min(known)[1]) if known else ""
            if record["record"] == "result":
                results[record["id"]] = record["status"] == "done" and record["constraints"][0] <= 50
            if record["record"] == "tell":
                told |= set(record["ids"])
        self.assertEqual(self.starts(directory), expected)
        for number, start in expected.items():
            folder = str(self.folder / directory / f"evals/{int(start):06}") if start else ""
            evaluation = self.folder / directory / f"evals/{number:06}"
            self.assertEqual((evaluation / "from").read_text(), f"{folder}|{folder}\n")
            self.assertEqual((evaluation / "start").exists(), bool(start))
        self.succeed("verify", directory)
        return expected

    def test_the_nearest_feasible_design_that_has_ended(self):
        self.succeed("run", self.file, "-q")
        expected = self.check_starts()
        self.assertEqual([expected[number] for number in range(3)], ["", "", ""])
        self.assertNotIn("", [expected[number] for number in range(3, 12)])
        self.assertNotIn("4", expected.values())
        text = (self.folder / "n.campaign/campaign.yaml").read_text()
        self.assertIn("  start_from: nearest\n", text)
        for ranks in 2, 3:
            shutil.rmtree(self.folder / "n.campaign")
            self.succeed("run", self.file, "-q", ranks=ranks)
            self.assertEqual(self.check_starts(), expected)
        self.assertIn("start_from", self.succeed("export", "n.campaign").out.splitlines()[0])

    def test_an_asynchronous_campaign(self):
        self.succeed("run", self.file, "-q", "--set", "evaluate.mode=asynchronous")
        self.check_starts()

    def test_a_kill_at_each_write(self):
        """A resume of every beginning of the journal gives the same neighbours, also after the journal was made anew."""
        self.write(TEXT.replace("evaluations: 12", "evaluations: 8"), "n.yaml")
        self.succeed("run", self.file, "-q")
        expected, digest = self.check_starts(), self.digest("n.campaign")
        whole = self.folder / "whole"
        (self.folder / "n.campaign").rename(whole)
        lines = (whole / "journal").read_bytes().splitlines(keepends=True)
        for n in range(2, len(lines)):
            place = self.folder / "n.campaign"
            shutil.copytree(whole, place, ignore=shutil.ignore_patterns("state.h5*", "history.csv"))
            (place / "journal").write_bytes(b"".join(lines[:n]))
            ended = set(re.findall(r'"record":"result","id":(\d+)', b"".join(lines[:n]).decode()))
            for folder in (place / "evals").iterdir():
                if str(int(folder.name)) not in ended:
                    shutil.rmtree(folder)
            self.succeed("run", self.file, "-q", "--resume", ranks=2 if n % 6 == 0 else 0)
            self.assertEqual((self.check_starts(), self.digest("n.campaign")), (expected, digest), n)
            shutil.rmtree(place)
        shutil.copytree(whole, self.folder / "n.campaign")
        journal = self.folder / "n.campaign/journal"
        journal.write_bytes(journal.read_bytes()[:200] + b"#" + journal.read_bytes()[201:])
        self.succeed("run", self.file, "-q", "--resume", "--max-evals", "9")
        self.assertEqual({number: start for number, start in self.starts().items() if number < 8}, expected)
        self.succeed("verify", "n.campaign")

    def test_the_folder_of_a_neighbour_stays_until_it_is_not_needed(self):
        keep = "--set", "evaluate.keep={files: [from, start], all_files_of: best 2}"
        self.write("", "slow")
        running = self.start("run", self.file, "-q", *keep)
        evals = self.folder / "n.campaign/evals"
        self.wait_until(lambda: (evals / "000006/from").exists() and (evals / "000007/from").exists())
        self.wait_until(lambda: self.records("n.campaign") >= 10)
        needed = {(evals / f"00000{number}/from").read_text().strip().split("|")[1] for number in (6, 7)}
        record = json.loads([line for line in (self.folder / "n.campaign/journal").read_text().splitlines()
                             if '"first":6' in line][0].split(" ", 2)[2])
        needed |= {str(evals / f"{number:06}") for number in record["start_from"]}  # evaluation 8 waits for its turn
        left = lambda: {str(path.parent) for path in evals.glob("*/field.dat")} - {str(evals / f"00000{n}") for n in (6, 7, 8)}
        rows = self.history("n.campaign")
        feasible = sorted((float(row["x"]), row["id"]) for row in rows if row["feasible"] == "true")[:2]
        best = {str(evals / f"{int(number):06}") for _, number in feasible}
        self.assertLessEqual(needed, best)  # one of those that have all their files
        self.wait_until(lambda: left() == best)
        outcome = self.gannet("tidy", "n.campaign", "--keep", "from")
        self.assertEqual(outcome.code, BUSY, outcome)
        running.kill()
        self.succeed("tidy", "n.campaign", "--keep", "from", "--keep", "start")
        self.assertEqual(left(), needed)
        os.remove(self.folder / "slow")
        self.succeed("run", self.file, "-q", "--resume", "--max-evals", "9", *keep)
        self.assertEqual({row["status"] for row in self.history("n.campaign") if row["id"] != "4"}, {"done"})
        self.assertEqual(len(list(evals.glob("*/field.dat"))), 2)

    def test_a_result_that_was_told_has_no_folder(self):
        self.succeed("run", self.file, "-q", "--max-evals", "3")
        self.succeed("tell", "n.campaign", "--point", "x=3", "--point", "n=1", "--point", "k=c", "--objective", "1", "-c", "g=1")
        self.succeed("run", self.file, "-q", "--resume", "--set", "budget.evaluations=13")
        self.assertNotIn("3", self.starts().values())
        self.succeed("verify", "n.campaign")

    def test_old_evaluations_have_none_and_it_can_be_turned_off(self):
        plain = "--set", "evaluate.start_from=none", "--set", "evaluate.command=[./simulate.sh, '']"
        self.succeed("run", self.file, "-q", "--max-evals", "6", *plain)
        self.assertNotIn("start_from", self.history("n.campaign")[0])
        self.assertNotIn("start_from", (self.folder / "n.campaign/journal").read_text())
        outcome = self.succeed("run", self.file, "-q", "--resume", "--max-evals", "9")
        self.assertIn("evaluate.start_from: none -> nearest", outcome.err)
        starts = self.starts()
        self.assertEqual([bool(starts[number]) for number in range(9)], 6 * [False] + 3 * [True])
        self.succeed("run", self.file, "-q", "--resume", *plain)
        self.assertEqual([bool(start) for _, start in sorted(self.starts().items())], 6 * [False] + 3 * [True] + 3 * [False])
        self.assertEqual((self.folder / "n.campaign/evals/000011/from").read_text(), "|\n")

    def test_a_case_folder_as_jobs(self):
        (self.folder / "scheduler/jobs").mkdir(parents=True)
        for name in *TOOLS, "node":
            shutil.copy(STANDIN, self.folder / "scheduler" / name)
        self.write("start {nearest}\nx {x}\n", "case/deck")
        node = subprocess.Popen(["/bin/sh", self.folder / "scheduler/node"], start_new_session=True)
        slurm = ("backend: slurm\n  poll_interval: 0.1s\n  case: {copy: case, templates: [deck]}\n"
                 + "".join(f"  {tool}_command: ./scheduler/{tool}\n" for tool in TOOLS))
        try:
            for packing in "", "  runs_per_job: 2\n  runs_at_once: 2\n  step: [env]\n":
                with self.subTest(packing=packing):
                    shutil.rmtree(self.folder / "n.campaign", ignore_errors=True)
                    text = TEXT.replace("backend: command\n", slurm + packing)
                    self.succeed("run", self.write(text, "s.yaml"), "-q", "--max-evals", "9")
                    for number, start in self.check_starts().items():
                        folder = f"{self.folder}/n.campaign/evals/{int(start):06}" if start else ""
                        deck = (self.folder / f"n.campaign/evals/{number:06}/deck").read_text()
                        self.assertTrue(deck.startswith(f"start {folder}\nx "), deck)
        finally:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()

    def test_a_try_has_no_neighbour(self):
        self.succeed("try", self.file)
        self.assertEqual((self.folder / "n.try-1/evals/000000/from").read_text(), "|\n")

    def test_mistakes_are_told(self):
        for change, told in (
                ("evaluate.start_from=none", "n.yaml:12:13: evaluate.command: 'nearest' is a placeholder only with evaluate.start_from: nearest"),
                ("evaluate.start_from=neares", "'neares' is not valid; expected one of: none nearest; did you mean 'nearest'?"),
                ("evaluate={backend: function, simulation: branin, start_from: nearest}",
                 "evaluate.start_from: this back-end has no folders to start from; expected none, or backend: command or slurm"),
                ("evaluate={backend: manual, start_from: nearest}", "evaluate.start_from: this back-end has no folders"),
                ("evaluate.environment=[GANNET_NEAREST=3]", "sets a name that gannet sets for every evaluation"),
                ("evaluate.command=['{nearst}']", "did you mean '{nearest}'?")):
            with self.subTest(change=change):
                self.assertIn(told, self.succeed("run", self.file, "--dry-run", "--set", change, code=USAGE).err)
        self.succeed("run", self.file, "-q", "--max-evals", "6")
        journal = self.folder / "n.campaign/journal"
        self.assertIn('"start_from":[', journal.read_text())


if __name__ == "__main__":
    program.main()
