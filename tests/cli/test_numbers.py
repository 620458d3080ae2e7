# test: labels cli timeout 120 processors 1
"""Numbers as Fortran writes them are read wherever a number comes from outside; others are refused with what is wrong."""
import program
from program import FINISHED, USAGE

TEXT = """\
variables:
  x: {lower: 1d-5, upper: 1.0D+05, scale: log}
  tiny: {lower: 1.5-103, upper: 2.5D-100}
constraints: {c: {upper: 1.0D+02}}
noise: 1D-3
method: sobol
batch: 2
budget: {evaluations: 1.0D+01}
evaluate: {backend: manual}
"""


class Numbers(program.ProgramTest):
    def test_campaign_files_settings_and_tell(self):
        file = self.write(TEXT, "c.yaml")
        self.succeed("run", self.write(TEXT.replace("manual", "command, shell: 'true'"), "s.yaml"), "-n", "--set", "variables.x.upper=2d4")
        self.succeed("ask", file, "-q", 1)
        self.succeed("tell", file, "--id", 0, "--objective", "-1.5D+01", "--constraint", "c=1.5-103")
        self.succeed("tell", file, "--point", "x=1.0D+00", "--point", "tiny=2d-103", "--objective", "1d-5", "--constraint", "c=1Q1")
        rows = {int(row["id"]): row for row in self.history("c.campaign")}
        self.assertEqual((float(rows[0]["objective"]), float(rows[0]["c"])), (-15, 1.5e-103))
        self.assertEqual(([float(row["x"]) for row in rows.values()][-1], float(rows[max(rows)]["c"])), (1, 10))

    def test_candidates(self):
        self.write("x,y\n1d-5,1.5-103\n 1.0D+00 ,2\n3.0E+00,-1.0D-01\r\n", "pool.csv")
        file = self.write("variables:\n  x: {lower: 0, upper: 10}\n  y: {lower: -1, upper: 10}\nmethod: sobol\ncandidates: pool.csv\n"
                          "budget: {evaluations: 3}\nevaluate: {backend: command, shell: 'echo objective 1d-3 > results.out'}\n", "c.yaml")
        self.succeed("run", file, "-q")
        rows = self.history("c.campaign")
        self.assertEqual(sorted((float(row["x"]), float(row["y"])) for row in rows), [(1e-5, 1.5e-103), (1, 2), (3, -0.1)])
        self.assertEqual({float(row["objective"]) for row in rows}, {1e-3})
        self.write("x,y\n1,2\n3;4,0x10\n", "pool.csv")
        self.assertIn("pool.csv: row", self.succeed("run", file, "-n", code=USAGE).err)

    def test_init_and_expressions(self):
        shown = self.succeed("init", "new.yaml", "--variable", "x=1d-5:1.0D+05:log", "--variable", "y=1.5-103:1", "--constraint", "c=:1D2",
                             "--dry-run").out
        self.assertIn("x: {type: real, lower: 1e-05, upper: 100000, scale: log}", shown)
        self.assertIn("y: {type: real, lower: 1.5e-103, upper: 1}", shown)
        self.assertIn("c: {upper: 100}", shown)
        text = ("variables: {x: {lower: 0, upper: 1}}\nmethod: pinn-bo\nbudget: {evaluations: 1}\n"
                "physics: {equations: [{terms: [{derivative: [x, x]}, {coefficient: '1.0D+02*x + 2d-1', derivative: []}]}]}\n"
                "evaluate: {backend: manual}\n")
        self.succeed("run", self.write(text, "p.yaml"), "-n")

    def test_what_is_no_number_is_refused_with_a_word(self):
        for wrong, told in (("1,5", "decimal point"), ("'1,000'", "decimal point"), ("1_000", "between thousands"), ("0x10", "decimal"),
                            (".inf", "finite"), ("nan", "not valid"), ("1d400", "finite"), ("5%", "0.05"), ("1.5-3", "not valid")):
            file = self.write(f"variables:\n  x:\n    lower: 0\n    upper: {wrong}\nbudget: {{evaluations: 1}}\nevaluate: {{backend: manual}}\n", "c.yaml")
            self.assertRegex(self.succeed("ask", file, code=USAGE).err, rf"c.yaml:4:\d+: .*{told}")
        self.succeed("ask", self.write(TEXT, "d.yaml"))
        for wrong in "nan", "inf", "0x1p3", "1,5", "1e999":
            self.succeed("tell", "d.yaml", "--id", 0, "--objective", wrong, "--constraint", "c=1", code=USAGE)


if __name__ == "__main__":
    program.main()
