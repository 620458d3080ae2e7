# test: labels cli timeout 900 processors 1
"""A campaign with more than twenty changes and corrections of all kinds, on changing numbers of ranks, killed in between."""
import shutil

import changing
import program
from changing import PLACE, SIMULATION, campaign

# What the campaign file says of each part, and how many evaluations there are to be; or words of a command.
PARTS = {"x1": "x1: {lower: -5, upper: 10}", "x2": "x2: {lower: 0, upper: 15}", "solver": "solver: {type: categorical, values: [cg, gmres]}", "more": "objective: cost\n", "method": "gp-ei"}
STEPS = [
    {"x1": "x1: {lower: -5, upper: 6}"},
    {"rho": "rho: {lower: 1, upper: 3, was: 2}"},
    ("discard", "--id", "1", "--why", "wrong mesh"),
    {"more": "objective: cost\nconstraints: {mass: {upper: 4}}\n"},
    {"solver": "solver: {type: categorical, values: [cg, gmres, lu]}"},
    ("correct", "--id", "2", "--objective", "1"),
    {"x2": "x2: {lower: 0, upper: 15, fixed: 2.5}"},
    {"more": "objective: cost\nconstraints: {mass: {upper: 5}}\ngoal: maximize\n"},
    {"more": "constraints: {mass: {upper: 5}}\nobjective: drag\n"},
    ("retry", "--id", "3"),
    {"solver": "solver: {type: categorical, values: [gmres, lu]}"},
    {"x2": "x2: {lower: 0, upper: 15}"},
    ("discard", "--id", "1", "--undo"),
    {"rho": "density: {lower: 1, upper: 3, renamed_from: rho}"},
    {"more": 'objective: cost\nconstraints: {mass: {upper: 5}}\nvariable_constraints: ["x1 <= x2"]\n'},
    {"solver": "solver: {fixed: lu}"},
    ("correct", "--id", "2", "--undo"),
    {"method": "gp-ucb"},
    {"solver": "solver: {type: categorical, values: [cg, gmres, lu]}", "more": "objective: cost\nstart: [{x1: 6, x2: 7, solver: cg}]\n"},
    {"x1": "x1: {lower: -5, upper: 5}", "rho": "density: {fixed: 1.5}"},
    {"x2": "x2: {lower: 0, upper: 15, step: 0.25}", "more": "start: [{x1: 6, x2: 7, solver: cg}]\nobjective: mass + 0.5*drag\n"},
    {"x1": "x1: {lower: -5, upper: 8}", "rho": "density: {lower: 1, upper: 3}", "more": "objective: cost\noutputs: {mass: {unit: kg}}\n"},
]


def texts():
    """Each step: the campaign file after it, and the words of a correction, of which one is None."""
    parts, evaluations, made = dict(PARTS), 8, []
    for step in STEPS:
        if isinstance(step, tuple):
            made.append((None, step))
            continue
        parts.update(step)
        evaluations += 1
        variables = "variables:\n" + "".join(f"  {parts[name]}\n" for name in ("x1", "x2", "rho", "solver") if name in parts)
        made.append((campaign(evaluations, variables, parts["more"]).replace("gp-ei", parts["method"]), None))
    return made


class TwentyChanges(changing.ChangingTest):
    def setUp(self):
        super().setUp()
        self.write(SIMULATION.replace("objective %", "cost %"), "simulate.sh", 0o755)

    def change(self, text, words, ranks):
        if words:
            self.succeed(words[0], PLACE, *words[1:])
        else:
            self.resume(text, ranks=ranks)

    def check(self):
        """Whoever looks at the campaign finds it sound."""
        digest = self.digest()
        for command in "status", "best", "export", "report":
            self.succeed(command, PLACE)
        return digest

    def test_twenty_changes(self):
        self.begin(campaign(more=PARTS["more"]))
        digests = []
        for i, (text, words) in enumerate(texts()):
            self.change(text, words, i % 3 + 1)
            digests.append(self.check())
        last = [text for text, _ in texts() if text][-1]
        rows = self.rows()
        self.assertEqual(len(rows), 8 + sum(1 for text, _ in texts() if text))
        records = self.records(PLACE)
        for ranks in 1, 2, 3:
            self.resume(last, ranks=ranks)
            self.assertEqual((self.digest(), self.records(PLACE)), (digests[-1], records))
        # From the snapshot, and from the journal alone.
        (self.folder / PLACE / "journal").rename(self.folder / "journal")
        self.resume(last)
        self.assertEqual(self.digest(), digests[-1])
        shutil.move(self.folder / "journal", self.folder / PLACE / "journal")
        for name in "state.h5", "state.h5.1", "campaign.yaml":
            (self.folder / PLACE / name).unlink(missing_ok=True)
        self.resume(last)
        self.assertEqual(self.digest(), digests[-1])
        # On one rank, killed with every change: the course is the same.
        shutil.rmtree(self.folder / PLACE)
        self.begin(campaign(more=PARTS["more"]))
        for i, (text, words) in enumerate(texts()):
            if text:
                self.kill_while(text)
            self.change(text, words, 1)
            self.assertEqual(self.digest(), digests[i], i)

    def kill_while(self, text):
        """End a resume by a signal that nothing can catch, when it has written some records."""
        before = self.records(PLACE)
        running = self.start("run", self.write(text, "changed.yaml"), "--resume", "-q", "-d", PLACE)
        self.wait_until(lambda: self.records(PLACE) > before or running.process.poll() is not None)
        running.kill()


if __name__ == "__main__":
    program.main()
