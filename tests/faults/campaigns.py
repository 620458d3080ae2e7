"""Short campaigns to do faults to: how each is begun, gone on with, and judged.

A campaign lies in a folder of its own: the campaign file and what simulations note there, and below `disk` the
campaign directory, to which the faults are done.
"""
import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import tracer

HERE = pathlib.Path(__file__).resolve().parent
STANDIN = HERE.parent / "evaluate" / "standin" / "scheduler"
FINISHED, RESOURCE, RESUMABLE = 0, 6, 75
LONGEST = float(os.environ.get("GANNET_FAULTS_LONGEST", 60))  # seconds that one command may take

HEAD = """\
name: c
seed: 7
method: {method}
variables:
  x1: {{lower: -5, upper: 10}}
  x2: {{lower: 0, upper: 15}}
batch: 2
budget: {{evaluations: {evaluations}}}
save: {{batches: 1, interval: 0s}}
"""
PROGRAM = "  command: [./simulation]\n  templates: [deck.in]\n  parallel: 2\n  kill_grace: 0.1s\n"


class Broken(Exception):
    """A promise that was not kept."""


class Campaign:
    """A function inside the program."""

    name = "function"
    evaluations = 4
    method = "gp-ei\ninitial: 2\nsearch: {candidates: 20}"
    # Ends of a run to which one fault was done: as if nothing had been, or to be resumed.
    ends = (FINISHED, RESOURCE, RESUMABLE)
    normal = FINISHED  # without a fault
    has_power_failures = True
    acknowledges = False  # the command promises something when it ends well

    def __init__(self, gannet, simulation, folder):
        self.gannet, self.simulation = gannet, simulation
        self.folder = pathlib.Path(folder)
        self.disk, self.place = self.folder / "disk", self.folder / "disk" / "c.campaign"
        self.environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                            "ASAN_OPTIONS": "detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_ess_singleton_isolated": "1",
                            "OMPI_MCA_orte_tmpdir_base": folder}  # its names there are those of few processes

    def text(self):
        return HEAD.format(method=self.method, evaluations=self.evaluations) \
            + "evaluate: {backend: function, simulation: branin, parallel: 2}\n"

    def set_up(self):
        """The folder as before the first command."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.disk.mkdir(parents=True)
        (self.folder / "c.yaml").write_text(self.text())

    def tear_down(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self):
        """What comes before the command to which a fault is done."""

    def command(self):
        return "run", "c.yaml", "--directory", self.place, "--quiet"

    def stop_node(self):
        """Nothing goes on beside gannet."""

    def after_failure(self):
        """The world goes on between a power failure and the resume."""

    def call(self, *words, timeout=LONGEST, folder=None):
        try:
            return subprocess.run([self.gannet, *map(str, words)], cwd=folder or self.folder, env=self.environment, timeout=timeout,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired as error:
            raise Broken(f"gannet {words[0]} is not over after {timeout:g} s: {error.stderr}") from None

    def trace(self, fault=None, make_look=None):
        for name in "out", "err":
            (self.folder / name).write_bytes(b"")
        return tracer.Run([self.gannet, *map(str, self.command())], self.disk, self.folder, self.environment,
                          self.folder / "out", self.folder / "err", fault, make_look)

    def finish(self):
        """Go on to the end, without faults."""
        done = self.call("run", "c.yaml", "--directory", self.place, "--resume", "--quiet")
        if done.returncode != FINISHED:
            raise Broken(f"the resume ends with {done.returncode}: {done.stderr[-600:]}")

    def digest(self):
        """Digest of the history; the files must be sound."""
        done = self.call("verify", self.place)
        if done.returncode != FINISHED or "DAMAGED" in done.stdout:
            raise Broken(f"verify ends with {done.returncode}: {done.stdout}{done.stderr}")
        return re.search(r"digest ([0-9a-f]{16})", done.stdout).group(1)

    def shown(self):
        """Ids of results that were shown: nobody may have to take them back."""
        try:
            return set(re.findall(r"(?m)^(\d+),", (self.place / "history.csv").read_text()))
        except FileNotFoundError:
            return set()

    def known(self):
        """Ids of results that gannet knows."""
        done = self.call("export", self.place)
        return {line.split(",")[0] for line in done.stdout.splitlines()[1:] if ",pending," not in line}

    def note(self, name):
        try:
            return (self.folder / name).read_text().split("\n")[:-1]
        except FileNotFoundError:
            return []

    def check_runs(self, reference):
        """No evaluation ran beside itself, and no attempt twice."""
        if self.note("overlaps"):
            raise Broken(f"ran twice at once: {self.note('overlaps')}")
        again = [run for run, n in collections.Counter(self.note("runs")).items() if n > 1]
        if again:
            raise Broken(f"ran again under the same name: {again}")

    def check(self, reference):
        digest = self.digest()
        if digest != reference:
            raise Broken(f"another history than without a fault: {digest}, not {reference}\n"
                         + self.call("export", self.place).stdout)
        self.check_runs(reference)


class Resumed(Campaign):
    """The second half of such a campaign."""

    name = "resume"

    def prepare(self):
        done = self.call("run", "c.yaml", "--directory", self.place, "--quiet", "--max-evals", 2)
        if done.returncode != FINISHED:
            raise Broken(f"the first half ends with {done.returncode}: {done.stderr}")

    def command(self):
        return "run", "c.yaml", "--directory", self.place, "--resume", "--quiet"


class Started(Campaign):
    """A campaign that begins with designs of its file, whole and in part; the second batch is a design and a point."""

    name = "start"
    evaluations = 5

    def text(self):
        return super().text() + "start: [{x1: 1}, {x1: 2, x2: 3}, {x2: 4}]\n"


class Imported(Started):
    """The same with results of earlier work, which are read once."""

    name = "import"

    def text(self):
        return super().text() + "import: [old.csv, more.csv]\n"

    def set_up(self):
        super().set_up()
        (self.folder / "old.csv").write_text("x1,x2,objective\n1,2,21.6\n3,4,2.5\n5,6,20.25\n")
        (self.folder / "more.csv").write_text("x2,x1,objective,status\n9,1,,cannot_run\n9,2,30.5,done\n")


class Related(Campaign):
    """A campaign that learns from results of a related problem, which are read once."""

    name = "related"

    def text(self):
        return super().text() + "import: {from: wing.csv, related: yes}\n"

    def set_up(self):
        super().set_up()
        (self.folder / "wing.csv").write_text("x1,x2,objective\n" + "".join(f"{k % 4},{2 * k},{k * k}\n" for k in range(8)))


class Changed(Resumed):
    """The second half of a campaign whose file has changed in between."""

    name = "change"

    def prepare(self):
        super().prepare()
        text = self.text().replace("upper: 10", "upper: 6")
        (self.folder / "c.yaml").write_text(text)

    def check(self, reference):
        super().check(reference)
        n = (self.place / "journal").read_text(errors="replace").count('"record":"change"')
        if n != 1:
            raise Broken(f"{n} changes in the journal, not one")


class Told(Campaign):
    """Results that the user tells. What was acknowledged must be there, whatever comes; what was not may be told again."""

    name = "tell"
    evaluations = 2
    acknowledges = True

    def text(self):
        return HEAD.format(method="sobol", evaluations=self.evaluations) + "evaluate: {backend: manual}\n"

    def must(self, *words, **options):
        done = self.call(*words, **options)
        if done.returncode != FINISHED:
            raise Broken(f"gannet {' '.join(map(str, words))} ends with {done.returncode}: {done.stderr}")

    def prepare(self):
        self.must("ask", "../c.yaml", folder=self.disk)
        self.must("tell", self.place, "--id", 0, "--objective", 3.5)

    def command(self):
        return "tell", self.place, "--id", 1, "--objective", 2.5

    def shown(self):
        shown = {"0"}
        return shown | {"1"} if "1" in self.note("acknowledged") else shown

    def finish(self):
        known = self.known()
        if not self.shown() <= known:
            raise Broken(f"acknowledged results are lost: {self.shown() - known}")
        for id, value in (0, 3.5), (1, 2.5):
            if str(id) not in known:
                self.must("tell", self.place, "--id", id, "--objective", value)


class ToldFile(Told):
    """Results of a file, some of which were asked for: told again after a fault, they are there once."""

    name = "tell-file"
    acknowledges = False

    def prepare(self):
        self.must("ask", "../c.yaml", folder=self.disk)
        asked = self.call("export", self.place).stdout.splitlines()
        points = [line.split(",")[2:4] for line in asked[1:3]]
        (self.folder / "told.csv").write_text(
            "x1,x2,objective\n" + "".join(f"{x1},{x2},{i + 1.5}\n" for i, (x1, x2) in enumerate(points)) + "1,2,3.5\n4,5,6.5\n")

    def command(self):
        return "tell", self.place, "--file", self.folder / "told.csv"

    def shown(self):
        return set()

    def finish(self):
        self.must(*self.command())
        if self.known() != {"0", "1", "2", "3"}:
            raise Broken(f"not the four results of the file: {self.known()}")


class Corrected(Campaign):
    """A result that the user corrects. What was acknowledged must be there, whatever comes; what was not may be done again."""

    evaluations = 6
    acknowledges = True
    words = ()

    def prepare(self):
        done = self.call("run", "c.yaml", "--directory", self.place, "--quiet", "--max-evals", 4)
        if done.returncode != FINISHED:
            raise Broken(f"the first half ends with {done.returncode}: {done.stderr}")

    def command(self):
        return self.name, self.place, "--id", 1, *self.words

    def finish(self):
        made = '"record":"correct"' in (self.place / "journal").read_text(errors="replace")
        if self.note("acknowledged") and not made:
            raise Broken("an acknowledged correction is lost")
        if not made:
            done = self.call(*self.command())
            if done.returncode != FINISHED:
                raise Broken(f"the correction ends with {done.returncode}: {done.stderr}")
        super().finish()


class Discarded(Corrected):
    name = "discard"
    words = "--why", "wrong mesh"


class Values(Corrected):
    name = "correct"
    words = "--objective", 99


class Retried(Corrected):
    name = "retry"


class Programs(Campaign):
    """Programs that are started beside gannet."""

    name = "command"
    method = "sobol"

    def text(self):
        return HEAD.format(method=self.method, evaluations=self.evaluations) + "evaluate:\n  backend: command\n  patience: 1s\n" + PROGRAM

    def set_up(self):
        super().set_up()
        (self.folder / "deck.in").write_text("x2 = {x2}\n")
        shutil.copy(self.simulation, self.folder / "simulation")


class Jobs(Programs):
    """Jobs of the stand-in of SLURM: the first two are submitted under faults, in one step."""

    name = "slurm"
    evaluations = 2
    normal = RESUMABLE
    patience = "20s"
    node = None

    def text(self):
        cluster = self.folder / "cluster"
        return super().text().replace("backend: command\n  patience: 1s", f"backend: slurm\n  patience: {self.patience}") \
            + "  poll_interval: 0.15s\n  grace: 3s\n  command_timeout: 10s\n" \
            + "".join(f"  {tool}_command: {cluster}/{tool}\n" for tool in ("sbatch", "squeue", "scancel", "sacct", "scontrol"))

    def set_up(self):
        super().set_up()
        self.hold()

    def hold(self):
        """A cluster without jobs, none of whose nodes is free yet."""
        (self.folder / "cluster" / "jobs").mkdir(parents=True)
        for tool in "sbatch", "squeue", "scancel", "sacct", "scontrol", "node":
            shutil.copy(STANDIN, self.folder / "cluster" / tool)

    def command(self):
        return "step", "c.yaml", "--directory", self.place, "--quiet"

    def start_node(self):
        self.node = subprocess.Popen([self.folder / "cluster" / "node"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def states(self):
        states = []
        for job in (self.folder / "cluster" / "jobs").iterdir():
            try:
                states.append((job / "state").read_text().strip())
            except FileNotFoundError:
                pass
        return states

    def after_failure(self):
        """Jobs outlive the host that submitted them."""
        self.start_node()
        end = time.monotonic() + 20
        while {"PENDING", "RUNNING"} & set(self.states()) and time.monotonic() < end:
            time.sleep(0.02)

    def finish(self):
        if not self.node:
            self.start_node()
        super().finish()

    def stop_node(self):
        if self.node:
            self.node.send_signal(signal.SIGKILL)
            self.node.wait()
            self.node = None

    def tear_down(self):
        self.stop_node()
        super().tear_down()


class Collected(Jobs):
    """Jobs that ended while gannet was away: their results are read under faults, and the next two are submitted."""

    name = "collect"
    evaluations = 4
    normal = FINISHED
    patience = "1s"
    has_power_failures = False  # what a job on another node wrote is not lost with this host

    def prepare(self):
        done = self.call(*super().command())
        if done.returncode != RESUMABLE:
            raise Broken(f"the first step ends with {done.returncode}: {done.stderr}")
        self.after_failure()

    def command(self):
        return "run", "c.yaml", "--directory", self.place, "--resume", "--quiet"


CAMPAIGNS = {campaign.name: campaign for campaign in (Campaign, Resumed, Started, Imported, Related, Changed, Told, ToldFile, Discarded, Values, Retried, Programs, Jobs, Collected)}
