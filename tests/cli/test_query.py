# test: labels cli timeout 120 processors 1
"""Commands that only look: status, best, export, verify, list, explain, and words that are none."""
import csv
import io
import json
import re
import time

import program
from program import BRANIN, DAMAGED, FAST, FINISHED, INFEASIBLE, SOBOL, USAGE, slow

MIXED = """\
name: fast
method: sobol
goal: maximize
variables:
  x: {lower: 0, upper: 1}
  n: {type: integer, lower: 1, upper: 3}
  kind: {type: categorical, values: ["a, b", 'say "no"', plain]}
  on: {type: boolean}
constraints: {g: {lower: 0.1}}
batch: 4
budget: {evaluations: 8}
evaluate: {backend: command, command: [./s.sh], parallel: 4}
"""
SIMULATION = """\
#!/bin/sh
[ "$GANNET_EVAL_ID" = 3 ] && { printf 'comma, "quote" and caf\\303\\251' >&2; exit 1; }
printf 'objective %s\\ng 0.%s\\n' "$GANNET_EVAL_ID" "$GANNET_EVAL_ID" > "$GANNET_RESULTS"
"""

CRASHING = """\
#!/bin/sh
case $GANNET_EVAL_ID in
  2) kill -9 $$ ;;
  3) printf 'first line\\nsecond line\\n' >&2; exit 7 ;;
  4) echo 'the mesh is folded' ;;
  5) echo 'fail too thin' > "$GANNET_RESULTS"; exit 0 ;;
esac
printf 'objective %s\\ng 0.%s\\n' "$GANNET_EVAL_ID" "$GANNET_EVAL_ID" > "$GANNET_RESULTS"
"""


class Query(program.ProgramTest):
    def test_luck_is_not_recommended(self):
        noisy = SOBOL.replace("simulation: branin", "simulation: branin, settings: {noise: 0.5}")
        self.succeed("run", self.write(noisy + "noise: 25\n"), "-q")
        said = self.succeed("best", "fast.campaign", "--recommended", "--format", "json")
        self.assertRegex(said.err, r"without noise the model has \S+ here, give or take \S+; noise of a value given as 25$")
        chosen, = json.loads(said.out)
        lucky, = json.loads(self.succeed("best", "fast.campaign", "--format", "json").out)
        self.assertLessEqual(lucky["objective"], chosen["objective"])
        self.assertRegex(self.succeed("status", "fast.campaign").out,
                         rf"(?m)^recommended  evaluation {chosen['id']}: \S+ without noise, give or take \S+$")

    def test_noise_that_is_not_given_is_about(self):
        self.succeed("run", self.write(SOBOL), "-q")
        said = self.succeed("best", "fast.campaign", "--recommended")
        self.assertRegex(said.err, r"give or take \S+; noise of a value about \S+\n$")
        self.succeed("run", self.write(SOBOL.replace("fast", "short")), "-q", "-m", "3", "-d", "short.campaign")
        said = self.succeed("best", "short.campaign", "--recommended")
        self.assertRegex(said.err, r"the best value seen, \S+: fewer than 4 results tell nothing about noise\n$")

    def test_exact_values_need_no_model(self):
        self.succeed("run", self.write(SOBOL + "noise: 0\n"), "-q")
        self.assertEqual(self.succeed("best", "fast.campaign", "-r").out, self.succeed("best", "fast.campaign").out)
        self.assertNotIn("recommended", self.succeed("status", "fast.campaign").out)

    def test_every_format_says_the_same(self):
        self.write(SIMULATION, "s.sh", 0o755)
        self.succeed("run", self.write(MIXED), "-q")
        rows = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out)))
        objects = json.loads(self.succeed("export", "fast.campaign", "--format", "json").out)
        self.assertEqual(len(rows), 8)
        for row, item in zip(rows, objects):
            self.assertEqual(list(row), list(item))
            self.assertIn(row["kind"], ("a, b", 'say "no"', "plain"))
            for key in "id", "x", "n", "objective", "g", "attempts":
                self.assertEqual(float(row[key]) if row[key] else None, item[key])
            for key in "kind", "status", "host", "reason":
                self.assertEqual(row[key], item[key] or "")
            self.assertIs(item["on"], row["on"] == "true")
            self.assertEqual(item["feasible"], {"true": True, "false": False, "": None}[row["feasible"]])
        self.assertEqual(objects[3]["status"], "failed")
        self.assertIn('comma, "quote" and caf\u00e9', objects[3]["reason"])
        self.assertEqual(self.history(), sorted(self.history(), key=lambda row: int(row["id"])))
        self.assertEqual(rows, self.history())
        table = self.succeed("export", "fast.campaign", "-f", "table").out.splitlines()
        self.assertEqual(len(table), 9)
        self.succeed("export", "fast.campaign", "-o", "all.csv")
        self.assertEqual(list(csv.DictReader(io.StringIO((self.folder / "all.csv").read_text()))), rows)
        self.assertIn("7", self.succeed("best", "fast.campaign").out)
        best = json.loads(self.succeed("best", "fast.campaign", "-n", 3, "-f", "json").out)
        self.assertEqual([row["id"] for row in best], [7, 6, 5])  # maximised
        self.assertNotIn("reason", best[0])

    def test_units_are_shown_to_people(self):
        self.write(SIMULATION, "s.sh", 0o755)
        text = MIXED.replace("upper: 1}", "upper: 1, unit: \"\\u00b5m\\u202e\"}").replace("lower: 0.1}", "lower: 0.1, unit: K}")
        ended = self.succeed("run", self.write(text), "-q").out
        self.assertRegex(ended, r"(?m)^  x = 0[.\d]* \u00b5m +$")
        self.assertRegex(ended, r"(?m)^  n = \d$")
        self.assertRegex(ended, r"(?m)^  objective = \d$")
        self.assertRegex(ended, r"(?m)^  g = 0[.\d]* K$")
        heading, row = self.succeed("best", "fast.campaign").out.splitlines()
        self.assertRegex(heading, r"^id  batch +x \[\u00b5m +\]  n +kind +on  objective +g \[K\]  status  feasible$")
        self.assertEqual(len(heading), len(row))
        self.assertIn("g [K]", self.succeed("export", "fast.campaign", "-f", "table").out)
        self.assertEqual(self.succeed("best", "fast.campaign", "-f", "csv").out.splitlines()[0],
                         "id,batch,x,n,kind,on,objective,g,status,feasible")
        self.assertEqual(list(json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)[0])[2], "x")
        self.assertIn("g", self.history()[0])

    def test_every_column_has_a_name_of_its_own(self):
        text = MIXED.replace("  x:", "  batch:").replace("  n:", "  status:").replace("{g:", "{reason:")
        self.write(SIMULATION.replace("\\ng ", "\\nreason "), "s.sh", 0o755)
        self.succeed("run", self.write(text), "-q", "--max-evals", "3")
        row = self.history()[2]
        self.assertEqual((row["batch"], row["status"], row["reason"]), ("0", "done", ""))
        self.assertEqual(float(row["constraints.reason"]), 0.2)
        params = json.loads((self.folder / "fast.campaign/evals/000002/params.json").read_text())
        shown = json.loads(self.succeed("export", "fast.campaign", "-f", "json").out,
                           object_pairs_hook=lambda pairs: self.assertEqual(len(dict(pairs)), len(pairs)) or dict(pairs))
        best, = json.loads(self.succeed("best", "fast.campaign", "-f", "json").out)
        for found in (shown[2], best):
            self.assertEqual(found["variables.batch"], params["batch"])
            self.assertEqual(found["variables.status"], params["status"])
            self.assertEqual((found["batch"], found["status"]), (0, "done"))
        self.assertEqual(best["constraints.reason"], 0.2)
        self.succeed("verify", "fast.campaign")

    def test_a_finished_campaign(self):
        self.succeed("run", self.write(BRANIN), "-q")
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("24 proposed of 24: 24 done, 0 cannot run, 0 failed, 0 pending", status)
        for place in "fast.campaign/", str(self.folder / "fast.campaign"), "./fast.campaign/.":
            self.succeed("verify", place)
        self.assertEqual(self.succeed("status", "fast.campaign").err, "")
        self.assertIn("count", self.succeed("best", "-n", 0, "fast.campaign", code=USAGE).err)
        self.assertIn("csv", self.succeed("export", "-f", "xml", "fast.campaign", code=USAGE).err)

    def test_a_campaign_without_a_result(self):
        file = self.write(FAST + "evaluate: {backend: manual}\n")
        self.succeed("ask", file)
        self.assertIn("no result yet", self.succeed("status", "fast.campaign").out)
        outcome = self.succeed("best", "fast.campaign", code=INFEASIBLE)
        self.assertEqual(outcome.out, "")
        self.assertIn("no feasible", outcome.err)
        self.assertEqual(len(self.succeed("export", "fast.campaign").out.splitlines()), 5)
        self.succeed("verify", "fast.campaign")

    def test_directories_that_hold_none(self):
        (self.folder / "empty").mkdir()
        for command in "status", "best", "export", "verify":
            for place in "empty", "nowhere", self.write(BRANIN):
                outcome = self.succeed(command, place, code=USAGE)
                self.assertIn("not a campaign directory", outcome.err)
                self.assertEqual(outcome.out, "")
            self.succeed(command, code=USAGE)
            self.succeed(command, "a", "b", code=USAGE)

    def test_what_is_there_instead_is_told(self):
        self.write(SOBOL.replace("simulation: branin, parallel: 4", "simulation: branin"), "runs/fast.yaml")
        self.succeed("run", "runs/fast.yaml", "-q", "-d", "runs/fast.campaign")
        (self.folder / "plain" / "inner").mkdir(parents=True)
        (self.folder / "fast.campaign").write_text("no directory")
        for command, place, *told in (
                ("status", "gone.campaign", "it does not exist", f"nearest directory that exists is '{self.folder}'"),
                ("best", "plain/gone/x.campaign", "it does not exist", "nearest directory that exists is 'plain'"),
                ("report", "/gone/x.campaign", "nearest directory that exists is '/'"),
                ("watch", "runs/fats.campaign", "did you mean 'runs/fast.campaign'"),
                ("verify", "runs", "it has no campaign.yaml", "did you mean 'runs/fast.campaign'"),
                ("export", "fast.campaign", "it is a file; gannet run"),
                ("ask", "plain/gone.campaign", "it does not exist", "'plain'"),
                ("tell", "plain/inner", "it has no campaign.yaml"),
                ("run", "plain/gone/x.yaml", "nearest directory that exists is 'plain'"),
                ("run", "runs/fast.campaign", "is a directory", "campaign.yaml' with --resume?")):
            outcome = self.succeed(command, place, code=USAGE)
            for words in told:
                self.assertIn(words, outcome.err, (command, place))
        (self.folder / "runs" / "fast.campaign" / "campaign.yaml").unlink()
        outcome = self.succeed("status", "runs/fast.campaign", code=USAGE)
        self.assertIn("without its campaign.yaml; gannet run FILE --resume", outcome.err)
        self.succeed("run", "runs/fast.yaml", "-q", "--resume", "-d", "runs/fast.campaign")
        self.assertIn("24 done", self.succeed("status", "runs/fast.campaign").out)

    def test_queries_while_it_runs(self):
        running = self.start("run", self.write(slow(SOBOL, 0.05)), "-q", "--max-evals", 60, ranks=2)
        self.wait_for_records(2, running)
        last = 0
        while running.process.poll() is None:
            for command in "status", "verify", "best", "export":
                outcome = self.gannet(command, "fast.campaign")
                self.assertIn(outcome.code, (FINISHED, INFEASIBLE), outcome)
                if command == "verify":
                    self.assertNotIn("DAMAGED", outcome.out)
                if command == "export":
                    done = outcome.out.count(",done,")
                    self.assertGreaterEqual(done, last)
                    last = done
        self.assertEqual(running.wait().code, FINISHED)
        self.assertGreater(last, 0)

    def test_words_that_are_none(self):
        for words, hint in (["stauts", "x"], "status"), (["verify", "--foo", "x"], "--foo"), \
                           (["best", "--cuont", "3", "x"], "--count"), \
                           (["explain", "budget.evalutions"], "evaluations"), \
                           (["--wat"], "--wat"), (["run"], "CAMPAIGN"):
            outcome = self.succeed(*words, code=USAGE)
            self.assertIn(hint, outcome.err, words)
            self.assertEqual(outcome.out, "")

    def test_wrong_options_are_told_alone_and_columns_have_units(self):
        self.succeed("run", self.write(SOBOL.replace("simulation: branin", "simulation: branin-disk") + "constraints: {c1: {upper: 0}}\nobjective: {unit: EUR}\n"), "-q")
        for words in ("best", "--count", "0"), ("best", "--format", "xls"), ("export", "--format", "xls"):
            refused = self.succeed(words[0], "fast.campaign", *words[1:], code=USAGE)
            self.assertRegex(refused.err, rf"^gannet: error: {words[1]}: .*\n$")
        self.assertIn("  objective [EUR]  ", self.succeed("best", "fast.campaign").out)

    def test_help_everywhere(self):
        overview = self.succeed("--help").out
        for command in "run", "status", "best", "export", "verify", "explain", "list", "ask", "tell":
            self.assertIn(command, overview)
            self.assertIn("--help", self.succeed(command, "--help").out)
        for command in re.findall(r"(?m)^  (\w+)  ", overview.split("commands:")[1].split("exit codes:")[0]):
            told = self.succeed(command, "--help").out
            self.assertEqual([line for line in told.splitlines() if len(line) > 80], [], command)
            self.assertIn("\noptions:\n", told)
        self.assertIn("0.", self.succeed("--version").out)
        self.succeed(code=USAGE)

    def test_explain_and_list(self):
        self.assertIn("1 to", self.succeed("explain", "budget.evaluations").out)
        self.assertIn("command", self.succeed("explain", "evaluate").out)
        self.assertTrue(self.succeed("explain").out)
        listed = self.succeed("list").out
        for word in "neural-bo", "branin", "command", "tangent-kernel":
            self.assertIn(word, listed)
        one = self.succeed("list", "simulations", "drop-wave").out
        self.assertIn("noise_sd", one)
        self.assertIn('{coefficient: "x1", derivative: [x2]}', one)
        self.assertNotIn("branin", one)
        self.assertIn("drop-wave", self.succeed("list", "simulations", "dropwave", code=USAGE).err)
        self.assertIn("one by one", self.succeed("list", "methods", "auto", code=USAGE).err)
        listed = self.succeed("list", "methods").out
        self.assertEqual(len(re.findall(r"^  \S", listed, re.M)), len(re.findall(r"^ {24}use: \S", listed, re.M)))

    def test_a_closed_pipe_and_a_full_disk_are_noticed(self):
        self.succeed("run", self.write(BRANIN), "-q")
        outcome = self.gannet("export", "fast.campaign", "-o", "/dev/full")
        self.assertEqual(outcome.code, program.RESOURCE, outcome)
        outcome = self.gannet("export", "fast.campaign", "-o", "no/such/place")
        self.assertEqual(outcome.code, USAGE, outcome)


class Course(program.ProgramTest):
    def test_status_shows_why_and_the_time_line_where(self):
        self.write(CRASHING, "s.sh", 0o755)
        text = MIXED.replace("parallel: 4}", "parallel: 2, retries: 1, cannot_run_text: [folded]}") \
                    .replace("evaluations: 8}", "evaluations: 8, failures: {rate: 1}}")
        self.succeed("run", self.write(text), "-q")
        told = self.succeed("status", "fast.campaign").out
        for words in ("(exit code), exit code 7", "(signal), signal 9, 2 attempts", "(rule)", "(word)",
                      "| first line", "| second line", "evals/000003", "% busy"):
            self.assertIn(words, told)
        classes = [row["failure"] for row in csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign").out))]
        self.assertEqual(classes, ["", "", "signal", "exit code", "rule", "word", "", ""])
        bars = list(csv.DictReader(io.StringIO(self.succeed("export", "fast.campaign", "--timeline").out)))
        objects = json.loads(self.succeed("export", "fast.campaign", "-t", "-f", "json").out)
        self.assertEqual([(bar["host"], int(bar["id"]), bar["status"]) for bar in bars],
                         [(item["host"], item["id"], item["status"]) for item in objects])
        self.assertEqual(sorted((int(bar["id"]), int(bar["attempt"])) for bar in bars),
                         sorted([(i, 1) for i in range(8)] + [(2, 2)]))
        for one, two in zip(bars, bars[1:]):
            self.assertLessEqual(int(one["slot"]), int(two["slot"]))
            if one["slot"] == two["slot"]:
                self.assertLessEqual(one["ended"], two["started"])
        self.assertEqual({int(bar["slot"]) for bar in bars}, {0, 1})


if __name__ == "__main__":
    program.main()
