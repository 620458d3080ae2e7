# test: labels cli timeout 240 processors 1
"""Campaign files and simulations with something wrong: all errors at once with their places, failures with reasons."""
import pathlib
import re
import shutil
import subprocess

import program
from program import BRANIN, BUSY, DAMAGED, FAST, FAILURES, FINISHED, INFEASIBLE, RESOURCE, SOBOL, USAGE, slow

WRONG = """\
name: wrong
sed: 3
method: neural-bo
variables:
  a: {lower: 1, upper: 1}
  b: {lower: -1, upper: 1, scale: log}
  c: {type: integer, lower: 0.5, upper: 2}
  d: {type: categorical, values: [one]}
budget: {evaluations: 0}
search: {candidates: many}
evaluate: {backend: function, simulation: branin, paralel: 2}
"""


class Input(program.ProgramTest):
    def command(self, script, more="", text=FAST):
        self.write("#!/bin/sh\n" + script, "simulate.sh", 0o755)
        return self.write(text + f"evaluate: {{backend: command, command: [./simulate.sh], parallel: 4{more}}}\n")

    def test_all_errors_of_a_file_are_told_at_once(self):
        file = self.write(WRONG, "wrong.yaml")
        for ranks, words in (0, ()), (0, ("--dry-run",)), (3, ()):
            outcome = self.succeed("run", file, *words, code=USAGE, ranks=ranks)
            for place in (2, 1, "seed"), (5, 3, "only one value"), (6, 3, "log"), (7, 3, "whole"), (8, 3, "two values"), \
                         (9, 9, "evaluations"), (10, 10, "candidates"), (11, 52, "parallel"):
                line, column, word = place
                self.assertRegex(outcome.err, rf"wrong\.yaml:{line}:\d+: .*{word}")
            self.assertEqual(len(re.findall(r"wrong\.yaml:2:1: ", outcome.err)), 1, outcome)
            self.assertFalse((self.folder / "wrong.campaign").exists())

    def test_what_a_back_end_finds_is_told_with_the_rest(self):
        text = ("variables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 4}\nevaluate:\n  backend: command\n"
                "  command: [./nothere, '{parms}']\n  templates: [nofile.in]\n  pattern: ['objctive=(.*)']\n%s")
        places = (5, "nothere"), (5, "parms"), (6, "nofile.in"), (7, "objctive")
        for wrong, key in ("", ""), ("seed: -1", "seed"), ("method: sobl", "method"), ("  parallel: 0", "evaluate.parallel"), \
                          ("  cannot_run_exit_codes: [300]", "evaluate.cannot_run_exit_codes"), ("bogus: 1", "bogus"):
            for ranks in (0, 2) if key in ("", "seed", "evaluate.parallel") else (0,):
                outcome = self.succeed("run", self.write(text % wrong, "c.yaml"), "-n", code=USAGE, ranks=ranks)
                for line, word in (*places, *([(8, key)] if key else [])):
                    self.assertRegex(outcome.err, rf"c\.yaml:{line}:\d+: .*{word}")
                self.assertIn(f"{len(places) + bool(key)} errors in", outcome.err)
        wrong = self.write(text.replace("[./nothere, '{parms}']", "{a: b}") % "seed: -1", "c.yaml")  # given, though not well
        self.assertNotIn("missing", self.succeed("run", wrong, "-n", code=USAGE).err)
        wrong = self.write(BRANIN.replace("seed: 7", "seed: -1"), "c.yaml")
        self.assertIn("1 error in", self.succeed("run", wrong, "-n", code=USAGE).err)

    def test_items_of_a_list_that_are_wrong_are_named(self):
        file = self.command("exit 0\n", ", cannot_run_exit_codes: [0, 3, 300]")
        outcome = self.succeed("run", file, "-n", code=USAGE)
        for item in "0", "300":
            self.assertIn(f"cannot_run_exit_codes: '{item}' is not valid; expected list of numbers, 1 to 255", outcome.err)
        self.assertNotIn("'3'", outcome.err)

    def test_an_error_in_a_file_is_told_once(self):
        outcome = self.succeed("run", self.write(BRANIN.replace("seed", "sed")), code=USAGE, ranks=3)
        self.assertEqual(outcome.err.count("sed"), 1, outcome)

    def test_a_name_is_made_of_the_letters_that_names_have(self):
        for file, name in ("\u00fcml\u00e4ut.v2.yaml", "_ml_ut.v2"), ("my heater.yaml", "my_heater"), (".-x.yaml", "_-x"):
            self.succeed("run", self.write(SOBOL.replace("name: fast\n", ""), file), "-q")
            self.assertTrue((self.folder / f"{name}.campaign").is_dir(), file)

    def test_a_plugin_that_cannot_be_loaded_is_told_with_the_page(self):
        file = self.write(FAST + "evaluate: {backend: plugin, plugin: ./no.so}\n")
        page = re.search(r"(docs/\S+\.md)", self.succeed("run", file, "-n", code=USAGE).err).group(1)
        text = (pathlib.Path(__file__).resolve().parents[2] / page).read_text()
        self.assertIn("shared object that exports", text)
        self.assertIn("gannet_simulate", text)

    def test_files_that_are_none(self):
        self.assertIn("No such file", self.succeed("run", "nowhere.yaml", code=USAGE).err)
        self.assertIn("directory", self.succeed("run", ".", code=USAGE).err)
        for text in "", "- 1\n", "a: [\n", "\0\1\2", "x: &a [*a]\n":
            outcome = self.succeed("run", self.write(text, "bad.yaml"), code=USAGE)
            self.assertIn("bad.yaml", outcome.err)

    def test_settings_on_the_command_line_are_checked_alike(self):
        file = self.write(BRANIN)
        for words, hint in (("--set", "batsch=2"), "batch"), (("--set", "batch=x"), "batch"), (("--set", "batch"), "="), \
                           (("--max-evals", "0"), "max-evals"), (("--max-evals", "1e3x"), "max-evals"), \
                           (("--time-limit", "soon"), "time-limit"), (("--max-evlas", "3"), "max-evals"), \
                           (("--set",), "set"):
            outcome = self.succeed("run", file, *words, code=USAGE)
            self.assertIn(hint, outcome.err)
        self.assertFalse((self.folder / "fast.campaign").exists())

    def test_a_path_that_is_too_long_is_not_cut(self):
        outcome = self.succeed("run", self.write(BRANIN), "--directory", "/tmp/" + "d/" * 2100 + "x", code=USAGE)
        self.assertIn("--directory: too long", outcome.err)

    def test_what_cannot_be_run_is_told_before_anything_is_made(self):
        for evaluate, hint in ("{backend: command, command: [./missing.sh]}", "missing.sh"), \
                              ("{backend: command, command: [no-such-program-anywhere]}", "no-such-program"), \
                              ("{backend: function, simulation: brannin}", "branin"), \
                              ("{backend: plugin, plugin: ./none.so}", "none.so"), \
                              ("{backend: function, simulation: hartmann6}", "6"), \
                              ("{backend: manual}", "ask"):
            for words in (), ("--dry-run",):
                outcome = self.gannet("run", self.write(FAST + f"evaluate: {evaluate}\n"), *words)
                if "manual" in evaluate and words:
                    continue
                self.assertEqual(outcome.code, USAGE, outcome)
                self.assertIn(hint, outcome.err)
                self.assertFalse((self.folder / "fast.campaign" / "journal").exists(), evaluate)

    def test_equations_without_values_are_told_before_a_simulation_runs(self):
        text = BRANIN.replace("method: neural-bo\n", """\
method: auto
physics:
  equations: [{terms: [{derivative: [x1, x1], coefficient: log(x1)}], rhs: "1"}]
""")
        for words, ranks in (("--dry-run",), 0), ((), 2):
            outcome = self.succeed("run", self.write(text), *words, ranks=ranks, code=USAGE)
            self.assertRegex(outcome.err, r"fast.yaml:5:16: physics, equation 1: coefficient 'log\(x1\)' is not a number at x1 = -\S+ x2 = \S+; choose an expression")
        self.assertFalse((self.folder / "fast.campaign").exists())

    def test_equations_that_say_nothing_are_refused_before_a_simulation_runs(self):
        for terms in "[{coefficient: 0, derivative: x1}, {coefficient: x2 - x2}]", "[{derivative: x1}, {coefficient: -1, derivative: x1}]":
            text = BRANIN.replace("method: neural-bo\n", f"""\
method: auto
physics:
  equations:
    - terms: [{{derivative: x1}}]
    - terms: {terms}
""")
            for words, ranks in (("--dry-run",), 0), ((), 2):
                outcome = self.succeed("run", self.write(text), *words, ranks=ranks, code=USAGE)
                self.assertIn("fast.yaml:7:7: physics, equation 2: the coefficients of its terms are 0 everywhere, or cancel", outcome.err)

    def test_models_and_plugins_of_equations_that_cannot_work_are_told_before_a_simulation_runs(self):
        text = BRANIN.replace("method: neural-bo\n", "method: pinn-bo\nphysics: {equations: [{terms: [{derivative: [x1]}]%s}]}\n%s")
        for plugin, surrogate, hint in ("", "surrogate: {activation: relu}\n", r"fast.yaml:5:25: surrogate.activation: .*tanh erf sin"), \
                                       (", plugin: ./no-law.so", "", "cannot load the plugin: .*no-law.so"):
            for words, ranks in (("--dry-run",), 0), (("--dry-run",), 2), ((), 2):
                outcome = self.succeed("run", self.write(text % (plugin, surrogate)), *words, ranks=ranks, code=USAGE)
                self.assertRegex(outcome.err, hint)
                self.assertNotIn("no errors", outcome.out)
        self.assertFalse((self.folder / "fast.campaign").exists())

    def test_a_dry_run_warns_of_what_a_run_would(self):
        (self.folder / "mesh.dat").write_text("")
        for word, warning in ("mesh.dat", "write {input_directory}/mesh.dat"), ("'{input_directory}/mash.dat'", "mash.dat' now; correct it"):
            file = self.write(FAST + f"evaluate: {{backend: command, command: [cat, {word}]}}\n")
            outcome = self.succeed("run", file, "--dry-run", ranks=2)
            self.assertEqual(outcome.err.count(warning), 1, outcome)

    def test_a_script_that_is_a_template_is_started_by_env(self):
        self.write("#!/bin/sh\necho objective {x2} > results.out\n", "run.sh", 0o755)
        self.write("#!/bin/sh\necho objective 2 > results.out\n", "b.sh", 0o755)
        text = FAST.replace("  x2:", "  kind: {type: categorical, values: [a, b]}\n  x2:") + (
            "evaluate: {backend: command, command: %s, templates: [run.sh], parallel: 2}\n")
        for command in "./run.sh", "{input_directory}/run.sh":
            outcome = self.succeed("run", "--dry-run", self.write(text % f'["{command}"]'))
            self.assertIn("'run.sh' runs as it is; for the copy with its variables filled in write "
                          '[env, "{directory}/run.sh"]', outcome.err)
        outcome = self.succeed("run", "--dry-run", self.write(text % '["{directory}/run.sh"]'), code=USAGE)
        self.assertIn("only {input_directory} is replaced; put env before it", outcome.err)
        outcome = self.succeed("run", "-q", "--max-evals", "4", self.write(text % '[env, "{directory}/run.sh"]'))
        self.assertEqual(outcome.err, "")
        for row in self.check_history(4):
            self.assertEqual(row["objective"], row["x2"])
        self.succeed("run", "-q", "--max-evals", "4", "-d", "each", self.write(text % '[env, "{input_directory}/{kind}.sh"]'))
        self.assertEqual({(row["kind"], row["status"]) for row in self.history("each")}, {("a", "failed"), ("b", "done")})

    def test_a_dry_run_makes_nothing(self):
        outcome = self.succeed("run", self.write(BRANIN), "--dry-run", ranks=2)
        self.assertIn("no errors", outcome.out)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["fast.yaml"])

    def files(self):
        return {p.relative_to(self.folder): (p.read_bytes(), p.stat().st_mtime_ns) for p in self.folder.rglob("*") if p.is_file()}

    def foretell(self, file, *words, code=FINISHED, **options):
        """What a dry run says; it changes nothing."""
        before = self.files()
        outcome = self.succeed("run", file, "--dry-run", *words, code=code, **options)
        self.assertEqual(self.files(), before)
        return outcome

    def test_a_dry_run_tells_what_a_run_would_do(self):
        file, place = self.write(BRANIN), self.folder / "fast.campaign"
        self.assertIn(f"a run would begin a campaign of 24 evaluations: {place}\n", self.foretell(file).out)
        self.assertIn(f"a run would begin a campaign of 24 evaluations: {self.folder}/a/b\n", self.foretell(file, "-d", "a/b", "--resume").out)
        endless = self.write(BRANIN.replace("evaluations: 24", "wall_time: 1h"), "endless.yaml")
        self.assertIn("without a limit", self.foretell(endless).out)
        self.succeed("run", file, "-q", "--max-evals", 12)
        self.assertIn("already holds a campaign", self.foretell(file, code=USAGE).err)
        for ranks in 0, 2:
            self.assertIn(f"a run would continue after 12 evaluations of 24: {place}\n", self.foretell(file, "--resume", ranks=ranks).out)
        self.assertIn("12 evaluations (4 over the limit of 8)", self.foretell(file, "--resume", "--max-evals", 8).out)
        other = self.foretell(file, "--resume", "--set", "method=sobol")
        self.assertRegex(other.err, "warning: .*method")
        for change, words in ("seed=8", "begun with seed 7, not 8"), ("variables.x1.type=integer", "x1: .* is not a whole number"):
            told = [self.foretell(file, "--resume", "--set", change, code=USAGE).err,
                    self.succeed("run", file, "-q", "--resume", "--set", change, code=USAGE).err]
            self.assertRegex(told[0], words)
            self.assertEqual(told[0], told[1])

    def test_a_dry_run_finds_what_is_wrong_with_the_directory(self):
        file, place = self.write(BRANIN), self.folder / "fast.campaign"
        self.write("x", "taken")
        for path in "taken", "taken/below":
            outcome = self.foretell(file, "-d", path, code=USAGE)
            self.assertRegex(outcome.err, "taken' exists and is not a directory")
        wrapper = ["setpriv", "--reuid", "65534", "--clear-groups"]
        self.succeed("run", file, "-q", "--max-evals", 12)
        if subprocess.run([*wrapper, program.GANNET, "--version"], stdout=subprocess.DEVNULL).returncode == 0:
            for words in ("-d", "new"), ("--resume",):
                outcome = self.foretell(file, *words, code=RESOURCE, wrapper=wrapper, environment={"HOME": "/tmp"})
                self.assertIn("Permission denied", outcome.err)
        sound = (place / "journal").read_bytes()
        (place / "journal").write_bytes(sound[:-2000])
        outcome = self.foretell(file, "--resume")
        self.assertRegex(outcome.err, "journal is damaged: .*--resume rebuilds")
        self.assertIn("after 12 evaluations of 24", outcome.out)
        (place / "state.h5").unlink()
        (place / "state.h5.1").unlink(missing_ok=True)
        (place / "journal").write_bytes(sound.replace(b'"result"', b'"resulT"', 1))
        self.assertIn("damaged", self.foretell(file, "--resume", code=DAMAGED).err)
        shutil.rmtree(place)
        running = self.start("run", self.write(slow(BRANIN, 2), "slow.yaml"), "-q")
        self.wait_until(lambda: self.records() >= 2 or running.process.poll() is not None)
        outcome = self.succeed("run", file, "--dry-run", "--resume", code=BUSY)
        self.assertIn(f"is held by process {running.process.pid} ", outcome.err)
        running.kill()

    def failing(self, script, evaluations, more=""):
        """Every evaluation fails. Returns the status, which has its reason."""
        file = self.command(script, more, FAST.replace("evaluations: 24", f"evaluations: {evaluations}"))
        outcome = self.gannet("run", file, "-q", "--set", "budget.failures.minimum=100")
        self.assertEqual(outcome.code, INFEASIBLE, outcome)
        self.assertIn(f"{evaluations} failed", outcome.out)
        self.assertEqual([row["status"] for row in self.check_history(evaluations)], ["failed"] * evaluations)
        self.succeed("verify", "fast.campaign")
        return self.succeed("status", "fast.campaign", "--failed", evaluations).out

    def test_simulations_that_give_no_result_fail_with_a_reason(self):
        # Complaints: nomad #168.
        out = 'cat > "$GANNET_RESULTS"'
        ways = (("exit 0", "results.out"), ("exit 3", "exit code 3"), ("echo went wrong >&2; exit 3", "went wrong"),
                (f"echo objective nan | {out}", "finite|nan"), (f"echo objective 1e999 | {out}", "finite|inf|range"),
                (f"echo objective seven | {out}", "seven"), (f"echo hello world | {out}", "hello|objective"),
                (f"head -c 3000 /dev/urandom | {out}", "results"), (f": | {out}", "results|objective"),
                ("kill -SEGV $$", "signal 11"),
                (r"printf 'bad \377\376 bytes\n\033[31mred\n' >&2; exit 1", "bad"))
        cases = "".join(f"{number}) {script};;\n" for number, (script, _) in enumerate(ways))
        status = self.failing(f"case $GANNET_EVAL_ID in\n{cases}esac\n", evaluations=len(ways))
        told = dict(re.findall(r"^  0*(\d+)  (.*?)(?=^  \d{6}  |\Z)", status, re.M | re.S))
        self.assertEqual(len(told), len(ways), status)
        for number, (_, reason) in enumerate(ways):
            self.assertRegex(told[str(number)], reason)

    def test_a_simulation_that_never_ends_is_ended(self):
        self.assertIn("time", self.failing("trap '' TERM; sleep 600 & wait; sleep 600\n", 4, ", time_limit: 1s"))

    def test_too_many_failures_stop_the_campaign(self):
        # Complaints: PyBNF #146.
        file = self.command("exit 1\n")
        outcome = self.gannet("run", file, "-q", "--set", "budget.failures.minimum=8")
        self.assertEqual(outcome.code, FAILURES, outcome)
        self.assertIn("evaluations failed", outcome.out)
        self.assertEqual(len(self.history()), 8)
        again = self.gannet("run", file, "-q", "--resume", "--set", "budget.failures.minimum=8")
        self.assertEqual(again.code, FAILURES, again)
        self.assertEqual(len(self.history()), 8)

    def test_failures_of_the_last_batch_count_like_any_other(self):
        """15 of 20 fail, of the first ten five."""
        text = FAST.replace("method: neural-bo\nsearch: {candidates: 500}", "method: sobol").replace("initial: 8\n", "")
        file = self.command('case $GANNET_EVAL_ID in [0-4]) echo objective 1 > "$GANNET_RESULTS";; *) exit 3;; esac\n', text=text)
        for batch in 20, 10, 2:
            place = f"by-{batch}.campaign"
            words = "run", file, "-q", "-d", place, "--set", f"batch={batch}", "--max-evals", 20
            outcome = self.succeed(*words, code=FAILURES)
            self.assertIn("evaluations failed", outcome.out)
            self.succeed(*words, "--resume", code=FAILURES)
            self.succeed("watch", place, code=FAILURES)
            self.succeed(*words, "--resume", "--set", "budget.failures.rate=1")

    def test_no_feasible_design_is_told(self):
        text = FAST + "constraints: {g: {upper: 0}}\n"
        self.write("#!/bin/sh\nprintf 'objective 1\\ng %s\\n' $((GANNET_EVAL_ID + 1)) > $GANNET_RESULTS\n", "s.sh", 0o755)
        file = self.write(text + "evaluate: {backend: command, command: [./s.sh], parallel: 4}\n")
        outcome = self.succeed("run", file, "-q", "--max-evals", 8, code=INFEASIBLE)
        self.assertIn("8 evaluations done, 0 cannot run, 0 failed, 0 pending; 0 of 8 feasible", outcome.out)
        self.assertIn("no feasible design; least violation 1 at evaluation 0", outcome.out)
        best = self.succeed("best", "fast.campaign", code=INFEASIBLE)
        self.assertIn("0 of 8 feasible", best.err)
        self.assertIn("no feasible design; least violation 1 at evaluation 0", best.err)
        self.assertTrue(best.out)
        for words in ("status",), ("watch", "--once"):
            told = self.succeed(*words, "fast.campaign", code=INFEASIBLE if words[0] == "watch" else FINISHED).out
            self.assertIn("0 of 8 feasible", told)
            self.assertIn("no feasible design yet; least violation 1 at evaluation 0", told)

    def test_feasible_designs_are_counted(self):
        file = self.command("[ $GANNET_EVAL_ID = 2 ] && exit 1\nprintf 'objective %d\\ng %d\\n' $GANNET_EVAL_ID "
                            "$((3 - GANNET_EVAL_ID)) > $GANNET_RESULTS\n",
                            text=FAST.replace("method: neural-bo", "method: sobol").replace("search: {candidates: 500}\n", "")
                            .replace("initial: 8\n", "") + "constraints: {g: {upper: 0}}\n")
        outcome = self.succeed("run", file, "--max-evals", 8)
        self.assertIn("3 done, 0 cannot run, 1 failed, 1 of 3 feasible, best 3 (evaluation 3)", outcome.err)
        self.assertIn("7 evaluations done, 0 cannot run, 1 failed, 0 pending; 5 of 7 feasible", outcome.out)
        for words in "status", "watch":
            told = self.succeed(words, "fast.campaign").out
            self.assertIn("5 of 7 feasible", told)
            self.assertNotIn("infeasible", told)
        for words in "best", "export":
            outcome = self.succeed(words, "fast.campaign")
            self.assertEqual(outcome.err, "gannet: 5 of 7 feasible\n")
            self.assertNotIn("5 of 7", outcome.out)
        self.succeed("tell", "fast.campaign", "--id", 2, "--objective", 1, "--constraint", "g=1")  # a late result
        self.assertIn("8 done, 0 cannot run, 0 failed, 0 pending; 5 of 8 feasible", self.succeed("status", "fast.campaign").out)
        self.assertNotIn("feasible", self.succeed("run", self.write(SOBOL, "plain.yaml"), "-d", "plain").out)

    def test_designs_that_do_not_work_are_no_failures(self):
        # Complaints: Ax #1392, Ax #578, Ax #372, Ax #2574, Ax #2576.
        file = self.command('echo "fail no mesh here" > "$GANNET_RESULTS"\n')
        outcome = self.succeed("run", file, "-q", "--max-evals", 16, code=INFEASIBLE)
        self.assertIn("16 cannot run, 0 failed", outcome.out)
        for words, shown in ((), 1), (("--failed", 0), 0):
            status = self.succeed("status", "fast.campaign", *words).out
            self.assertEqual(status.count("no mesh here"), shown)
            self.assertEqual(status.count("16 times, first at evaluation 0"), shown)

    def test_penalties_are_told_apart_from_results(self):
        """Once in the log, and by status, unless every value is one."""
        script = '[ $((GANNET_EVAL_ID % 2)) = 0 ] && y=1e9 || y=$GANNET_EVAL_ID\necho objective $y > "$GANNET_RESULTS"\n'
        self.succeed("run", self.command(script), "-q", "--max-evals", 16)
        told = "8 results of 1e+09 or more count as failures of their designs"
        self.assertIn(told, self.succeed("status", "fast.campaign").out)
        log = (self.folder / "fast.campaign" / "campaign.log").read_text()
        self.assertEqual(log.count("is a penalty"), 1, log)
        self.succeed("run", "fast.yaml", "-q", "--max-evals", 16, "--directory", "c", "--set", "penalties=no")
        self.assertNotIn("penalties", self.succeed("status", "c").out)

    def test_equal_results_are_no_failures(self):
        """Nothing is learnt from them, but they are results."""
        self.succeed("run", self.command('echo objective 3 > "$GANNET_RESULTS"\n'), "-q", "--max-evals", 12)
        status = self.succeed("status", "fast.campaign").out
        self.assertIn("all 12 results are 3: nothing is learnt until one differs", status)
        self.assertNotIn("penalties", status)
        log = (self.folder / "fast.campaign" / "campaign.log").read_text()
        self.assertEqual((log.count("results are 3: nothing"), log.count("is a penalty")), (1, 0), log)
        self.command('[ $GANNET_EVAL_ID = 12 ] && y=1 || y=3\necho objective $y > "$GANNET_RESULTS"\n')
        self.succeed("run", "fast.yaml", "-q", "--resume", "--max-evals", 20)
        self.assertIn("19 results of 3 or more count as failures", self.succeed("status", "fast.campaign").out)
        self.assertEqual((self.folder / "fast.campaign" / "campaign.log").read_text().count("is a penalty"), 1)

    def test_a_constant_objective_leaves_the_search_to_the_constraints(self):
        sim = ('awk \'{ v[$1] = $2 } END { printf "objective 0\\ng %.17g\\n", (v["x1"] - 3)^2 + (v["x2"] - 9)^2 }\' '
               '"$GANNET_PARAMS" > "$GANNET_RESULTS"\n')
        file = self.command(sim, text=FAST + "constraints: {g: {upper: 2}}\n")
        self.succeed("run", file, "-q", "--max-evals", 40)
        self.assertGreater(sum(row["feasible"] == "true" for row in self.history()), 10)
        self.assertNotIn("penalties", self.succeed("status", "fast.campaign").out)

    def test_one_failure_does_not_spoil_its_batch(self):
        # Complaints: GPyOpt #195, elfi #433, FOQUS #676.
        file = self.command('[ "$GANNET_EVAL_ID" = 5 ] && exit 9\necho objective $GANNET_EVAL_ID > "$GANNET_RESULTS"\n')
        outcome = self.succeed("run", file, "-q", ranks=2)
        self.assertIn("23 evaluations done, 0 cannot run, 1 failed", outcome.out)
        self.assertIn("000005", self.succeed("status", "fast.campaign").out)


if __name__ == "__main__":
    program.main()
