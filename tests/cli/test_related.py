# test: labels cli timeout 240 processors 1
"""Results of related problems: `import: {from: ..., related: yes}`."""
import math
import random
import shutil

import program
from program import BRANIN, FAST, SOBOL, USAGE
from test_import import branin

GP = BRANIN.replace("method: neural-bo", "method: gp-ei")


def related(n, factor=3.0, seed=3, header="x1,x2,objective"):
    numbers = random.Random(seed)
    points = [(numbers.uniform(-6, 10), numbers.uniform(0, 16)) for _ in range(n)]
    return header + "\n" + "".join(f"{a!r},{b!r},{factor * branin(a + 0.2, b) - 40!r}\n" for a, b in points)


PAIR_SIMULATION = """\
#!/bin/bash
awk '{ v[$1] = $2 } END { a = v["x1"]; b = v["x2"]
     printf "low %.17g\\nhigh %.17g\\n", sin(a / 2) + b * b / 50, cos(a / 3) * (b + 5) }' params.in > results.out
"""
PAIR = GP.replace("method: gp-ei", "method: auto").replace("backend: function, simulation: branin", 'backend: command, command: ["{input_directory}/pair.sh"]')
PAIR = PAIR.replace("variables:", "objectives: {low: {}, high: {goal: maximize}}\nvariables:")


def pair(n, header):
    numbers = random.Random(3)
    points = [(numbers.uniform(-5, 10), numbers.uniform(0, 15)) for _ in range(n)]
    rows = [{"x1": a, "x2": b, "low": 9 * math.sin(a / 2) + 0.18 * b * b + 4, "high": 2 * math.cos(a / 3) * (b + 5)} for a, b in points]
    return header + "\n" + "".join(",".join(repr(row[name]) for name in header.split(",")) + "\n" for row in rows)


class Related(program.ProgramTest):
    def points(self, directory="fast.campaign"):
        return [(row["x1"], row["x2"]) for row in self.history(directory)]

    def test_they_are_a_prior_and_no_evaluations(self):
        self.write(related(60), "wing.csv")
        file = self.write(GP + "import: {from: wing.csv, related: yes}\n")
        self.assertIn("  would learn from 60 results of a related problem from '", self.succeed("run", file, "--dry-run").out)
        for ranks in 0, 2, 3:
            self.succeed("run", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
            self.assertEqual(self.digest(f"on-{ranks}"), self.digest("on-0"))
        status = self.succeed("status", "on-0").out
        self.assertIn("24 proposed of 24: 24 done", status)
        self.assertRegex(status, r"related      60 results of a related problem from .*wing.csv: weight [01]\.\d\d\n")
        self.assertNotIn("imported", status)
        self.assertEqual(len(self.points("on-0")), 24)
        self.succeed("run", self.write(GP), "-q", "-d", "without")
        self.assertNotEqual(self.points("on-0"), self.points("without"))
        self.assertEqual(self.points("on-0")[:8], self.points("without")[:8])
        self.succeed("verify", "on-0")
        self.assertIn("related: yes", (self.folder / "on-0/campaign.yaml").read_text())
        page = self.folder / "page.html"
        self.succeed("report", "on-0", "-o", page)
        self.assertIn("wing.csv", page.read_text())

    def test_each_of_several_objectives_has_a_weight(self):
        self.write(PAIR_SIMULATION, "pair.sh", 0o755)
        for kind, columns in ("whole", "low,high"), ("half", "high"):
            self.write(pair(60, f"x1,x2,{columns}"), f"{kind}.csv")
            file = self.write(PAIR + f"import: {{from: {kind}.csv, related: yes}}\n")
            for ranks in 0, 3:
                self.succeed("run", file, "-q", "-d", f"{kind}{ranks}", ranks=ranks)
            self.assertEqual(self.digest(f"{kind}3"), self.digest(f"{kind}0"))
            low = r"low weight [01]\.\d\d; " if kind == "whole" else ""
            self.assertRegex(self.succeed("status", f"{kind}0").out, rf"related      60 results of a related problem from .*{kind}.csv: {low}high weight [01]\.\d\d\n")
            self.succeed("verify", f"{kind}0")
        self.succeed("run", file, "-q", "--max-evals", "12", "-d", "resumed")
        self.succeed("run", file, "-q", "--resume", "-d", "resumed", ranks=2)
        self.assertEqual(self.digest("resumed"), self.digest("half0"))
        outcome = self.succeed("run", file, "--set", "method=parego", "-d", "parego", "--max-evals", "9")
        self.assertIn("this method does not model every objective, and does not use the results of a related problem", outcome.err)
        # One of the objectives becomes a number that is only recorded: what is known of the other one stays.
        alone = self.write(PAIR.replace("objectives: {low: {}, high: {goal: maximize}}", "objective: high\ngoal: maximize")
                           + "import: {from: whole.csv, related: yes}\n")
        self.succeed("run", alone, "-q", "--resume", "-d", "whole0", "--max-evals", "27", code=0)
        self.assertRegex(self.succeed("status", "whole0").out, r"related      60 results of a related problem from .*whole.csv: weight [01]\.\d\d\n")
        back = self.write(PAIR + "import: {from: whole.csv, related: yes}\n")
        self.succeed("run", back, "-q", "--resume", "-d", "whole0", "--max-evals", "30", code=0)
        self.succeed("verify", "whole0")

    def test_what_is_not_related_changes_nothing(self):
        self.write(related(60, -1), "wing.csv")
        self.succeed("run", self.write(GP + "import: {from: wing.csv, related: yes}\n"), "-q", "-d", "with")
        self.succeed("run", self.write(GP), "-q", "-d", "without")
        self.assertEqual(self.points("with"), self.points("without"))
        self.assertIn("wing.csv: not used: the results do not agree with them", self.succeed("status", "with").out)

    def test_a_resume_goes_on_with_them(self):
        self.write(related(60), "wing.csv")
        file = self.write(GP + "import: {from: wing.csv, related: yes}\n")
        self.succeed("run", file, "-q", "-d", "whole")
        self.succeed("run", file, "-q", "--max-evals", "12")
        old = self.folder / "wing.csv"
        text = old.read_text()
        old.unlink()
        outcome = self.succeed("run", file, "-q", "--resume", "--max-evals", "16", ranks=2)
        self.assertRegex(outcome.err, "warning: import: '.*wing.csv' is gone since it was read; the campaign continues with the 60 results")
        (self.folder / "fast.campaign/journal").unlink()  # the state alone keeps them
        old.write_text(text)
        self.succeed("run", file, "-q", "--resume", "--max-evals", "20")
        self.succeed("run", file, "-q", "--resume")
        self.assertEqual(self.digest(), self.digest("whole"))
        old.write_text(related(70))
        self.assertIn("has changed since it was read", self.succeed("run", file, "-q", "--resume", "--max-evals", "25").err)
        self.succeed("run", file, "-q", "--resume", "--max-evals", "26", "--reimport")
        self.assertIn("related      70 results of a related problem", self.succeed("status", "fast.campaign").out)
        self.assertNotIn("related      60", self.succeed("status", "fast.campaign").out)
        self.assertEqual(self.succeed("run", file, "-q", "--resume", "--max-evals", "27").err, "")
        self.succeed("verify", "fast.campaign")

    def test_killed_at_the_record_and_after_it(self):
        """The journal ends within a record, from that of the related results on."""
        self.write(related(20), "wing.csv")
        file = self.write(GP.replace("evaluations: 24", "evaluations: 16") + "import: {from: wing.csv, related: yes}\n")
        self.succeed("run", file, "-q", "-d", "whole")
        lines = (self.folder / "whole/journal").read_bytes().splitlines(True)
        first = next(i for i, line in enumerate(lines) if b'"record":"related"' in line)
        for ranks, n in zip((1, 2, 3), range(first, first + 3)):
            place = self.folder / f"cut-{n}"
            place.mkdir()
            shutil.copy(self.folder / "whole/campaign.yaml", place)
            (place / "journal").write_bytes(b"".join(lines[:n]) + lines[n][:40])
            self.succeed("run", file, "-q", "--resume", "-d", place.name, ranks=ranks)
            self.assertEqual(self.digest(place.name), self.digest("whole"), n)
            self.assertEqual((place / "journal").read_bytes().count(b'"record":"related"'), 1)

    def test_another_campaign_with_fewer_variables(self):
        self.succeed("run", self.write(BRANIN.replace("  x2: {lower: 0, upper: 15}\n", "  x2: {fixed: 2}\n"), "line.yaml"), "-q", "-d", "line")
        file = self.write(GP.replace("x2: {lower: 0, upper: 15}", "depth: {lower: 0, upper: 15}").replace("backend: function, simulation: branin, parallel: 4",
                          "backend: manual") + "constraints:\n  stress: {upper: 1}\nimport: [{from: line, related: yes}]\n")
        self.succeed("ask", file, "-q", "1")
        self.assertIn("related      24 results of a related problem from", self.succeed("status", "fast.campaign").out)

    def test_constraints_are_learnt_from_too(self):
        limited = GP.replace("batch: 4", "constraints:\n  gap: {upper: 2}\n  other: {upper: 1}\nbatch: 4").replace(
            "backend: function, simulation: branin, parallel: 4", "backend: command, command: [\"{input_directory}/sim.sh\"], parallel: 4")
        self.write("#!/bin/bash\nawk '{ x[$1] = $2 } END { a = x[\"x1\"]; b = x[\"x2\"]\n"
                   "     print \"objective\", (a - 2)^2 + b > \"results.out\"\n"
                   "     print \"gap\", 3 * sin(a / 2) * cos(b / 3) > \"results.out\"\n"
                   "     print \"other\", a / 20 > \"results.out\" }' params.in\n", "sim.sh", 0o755)
        numbers = random.Random(5)
        points = [(numbers.uniform(-5, 10), numbers.uniform(0, 15)) for _ in range(60)]
        self.write("x1,x2,objective,gap\n" + "".join(
            f"{a!r},{b!r},{'' if i == 7 else math.cos(9 * a * b)},{'' if i == 5 else 7 * math.sin(a / 2) * math.cos(b / 3) + 1}\n"
            for i, (a, b) in enumerate(points)), "wing.csv")
        file = self.write(limited + "import: {from: wing.csv, related: yes}\n")
        for ranks in 0, 2:
            self.succeed("run", file, "-q", "-d", f"on-{ranks}", ranks=ranks)
        self.assertEqual(self.digest("on-0"), self.digest("on-2"))
        self.assertRegex(self.succeed("status", "on-0").out, r"related      60 results of a related problem from .*wing.csv: not used: the "
                         r"results do not agree with them; gap \d\.\d\d\n")
        self.succeed("run", file, "-q", "--max-evals", "12")
        (self.folder / "fast.campaign/journal").unlink()  # the state alone keeps them
        self.succeed("run", file, "-q", "--resume", "--max-evals", "16")
        self.succeed("run", file, "-q", "--resume", ranks=2)
        self.assertEqual(self.digest(), self.digest("on-0"))
        # Another order of the constraints, and one that the rows do not know.
        self.write(file.read_text().replace("  gap: {upper: 2}\n  other: {upper: 1}\n", "  more: {upper: 1}\n  gap: {upper: 1.5}\n")
                   .replace("other", "more"), "fast.yaml")
        self.write((self.folder / "sim.sh").read_text().replace("other", "more"), "sim.sh", 0o755)
        self.gannet("run", file, "-q", "--resume", "--max-evals", "30")
        self.assertRegex(self.succeed("status", "fast.campaign").out, r"; gap (\d\.\d\d|not used)\n")
        self.succeed("verify", "fast.campaign")

    def test_what_cannot_be_used(self):
        self.write("x1,x2,objective,status\n1,2,,done\n1,2,5,done\n1,3,6,done\n1,1e9,6,done\n1,4,,cannot_run\n", "wing.csv")
        out = self.succeed("run", self.write(GP + "import: {from: wing.csv, related: yes}\n"), "--dry-run").out
        self.assertIn("would learn from 2 results of a related problem", out)
        self.assertIn("line 2: no value of the objective", out)
        self.assertIn("line 5: variable x2: 1e+09 is further outside [0, 15] than a million times its width", out)
        self.assertIn("line 6: cannot run: only values of a related problem are learnt from", out)

        def fails(text, key="related: yes", base=GP):
            self.write(text, "wing.csv")
            outcome = self.gannet("run", self.write(base + f"import: {{from: wing.csv, {key}}}\n"), "-q", "-d", "new")
            self.assertEqual(outcome.code, USAGE, outcome)
            return outcome.err

        self.assertRegex(fails("a,b,objective\n1,2,3\n"), "fast.yaml:.*wing.csv:1: no column has the name of a variable; expected at least one in common")
        self.assertIn("no column 'objective' for the objective", fails("x1,x2,y\n1,2,3\n"))
        self.assertIn("wing.csv' has 1 result of a related problem that can be used, expected at least 2", fails("x1,x2,objective\n1,2,3\n"))
        many = "".join(f"  - {{from: {k}.csv, related: yes}}\n" for k in range(9))
        for k in range(9):
            self.write(f"x1,x2,objective\n1,2,3\n2,{k},4\n", f"{k}.csv")
        outcome = self.gannet("run", self.write(GP + "import:\n" + many), "-q", "-d", "many")
        self.assertEqual(outcome.code, USAGE, outcome)
        self.assertIn("import: more than 8 related problems, with those that were read before; leave this one out", outcome.err)
        self.assertIn("import.related", fails("x1,x2,objective\n1,2,3\n", key="related: maybe"))

    def test_methods_without_a_model_say_so(self):
        self.write(related(10), "wing.csv")
        outcome = self.succeed("run", self.write(SOBOL + "import: {from: wing.csv, related: yes}\n"), "-q")
        self.assertRegex(outcome.err, "warning: import: this method does not model the objective, and does not use the results of a related problem "
                                      "in '.*wing.csv'; choose another method, such as auto")
        self.assertIn("not used yet", self.succeed("status", "fast.campaign").out)


if __name__ == "__main__":
    program.main()
