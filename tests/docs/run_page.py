#!/usr/bin/env python3
"""Run what a page of the documentation tells its reader to do, in order, in a folder of its own that looks like
the top folder of the sources.

  run_page.py PROGRAM ROOT PAGE    PROGRAM: gannet; PAGE relative to ROOT; exit code 77: a tool is not there
  run_page.py --self-check         check that wrong pages are found

Shell and Python blocks are run, a campaign file or a part of one is checked by `gannet run --dry-run`; pictures in
characters and equations are left alone. Of anything else, and where that is not wanted, a comment above the block
(no reader sees it) says what happens to it:

  <!-- run: file NAME -->        the block is this file; one of the same name in docs/examples or its tutorial must be equal
  <!-- run: prints -->           what the last shell block prints, but for numbers, folders, and lines "..."; the host
                                 is called node
  <!-- run: exits 75 -->         the exit code of the block, for shell blocks
  <!-- run: with WORDS -->       words that each `gannet run` of the block gets besides, to keep tests short
  <!-- run: elsewhere TEST -->   a test, by its file or folder, that runs it
  <!-- run: no, REASON -->       it cannot be run here
  <!-- run: given CODE -->       a line of Python or shell before the block
  <!-- run: page no, REASON -->  for the whole page: shell blocks without a comment cannot be run here
  <!-- run: needs PROGRAM -->    for the whole page: without this program the test is skipped; also: needs import MODULE
  <!-- run: first COMMAND -->    for the whole page: something that is there before the page begins
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"((?:^ *<!-- run: .*? -->\n)*)^( *)```(\w*)\n(.*?)^\2```$", re.MULTILINE | re.DOTALL)
ORDER = re.compile(r"<!-- run: (\w+),? ?(.*?) -->")
SCENERY = ("docs", "inputs", "jobscripts", "tools", "include", "src")
COMMAND = re.compile(r"^\s*(\$ )?(gannet|mpirun|sbatch|srun|tools/|build/|apt-get|cmake|pip|cc|export)\b", re.MULTILINE)
BASE = {"variables": "variables:\n  x1: {lower: 0, upper: 1}\n  x2: {lower: 0, upper: 1}\n",
        "budget": "budget: {evaluations: 8}\n",
        "evaluate": 'evaluate:\n  backend: command\n  command: [./simulate, "{params}", "{results}"]\n'}


class Wrong(Exception):
    pass


class Block:
    def __init__(self, found, text):
        self.orders = dict(ORDER.findall(found[1]))
        self.language = found[3]
        indent = len(found[2])
        self.body = "".join(line[indent:] if line.strip() else line for line in found[4].splitlines(True))
        self.line = text.count("\n", 0, found.start(3)) + 1


def whole_campaign(fragment):
    """A part of a campaign file, with what is missing to make it a whole one."""
    given = set(re.findall(r"^(\w+):", fragment, re.MULTILINE))
    if "evaluate" in given and not re.search(r"\bbackend:", fragment):
        fragment = re.sub(r"^evaluate:\n", BASE["evaluate"], fragment, flags=re.MULTILINE)
    return fragment + "".join(text for key, text in BASE.items() if key not in given)


def masked(text):
    """A line's words without what differs between machines: numbers, units of times, folders, the host."""
    text = re.sub(r"(^|[\s'])[~/]\S*/", r"\1/", text.replace(os.uname().nodename, "node"))
    text = re.sub(r"-?\d[\d.]*(e[-+]?\d+)?", "#", text)
    return re.sub(r"\s+", " ", re.sub(r"# (ms|s|m)\b", "# s", text)).strip()


def prints(expected, printed):
    """Whether these lines were printed, in this order; "..." stands for any lines."""
    wanted = [masked(line) for line in expected.splitlines() if line.strip()]
    lines = [masked(line) for line in printed.splitlines() if line.strip()]
    at, gap = 0, False
    for want in wanted:
        if want == "...":
            gap = True
            continue
        while at < len(lines) and gap and lines[at] != want:
            at += 1
        if at == len(lines) or lines[at] != want:
            return f"'{want}' was not printed{' next' if not gap else ''}"
        at, gap = at + 1, False
    return None if gap or at == len(lines) else f"'{lines[at]}' was printed besides"


def quoted(name, body):
    """Shell that writes a file."""
    return f"mkdir -p $(dirname {shlex.quote(name)})\nprintf %s {shlex.quote(body)} > {shlex.quote(name)}\n"


class Page:
    """The script of a page: a part per block, whose output goes to a file of its own."""

    def __init__(self, root, text):
        self.root, self.parts, self.expected, self.needs = root, [], [], []
        self.first = [order for name, order in ORDER.findall(text) if name == "first"]
        self.page = next((order for name, order in ORDER.findall(text) if name == "page"), "")
        for name, order in ORDER.findall(text):
            if name == "needs":
                self.needs.append(order)
        for found in BLOCK.finditer(text):
            self.add(Block(found, text))

    def add(self, block):
        orders = block.orders
        if "no" in orders or "elsewhere" in orders:
            self.check_excuse(block)
        elif "prints" in orders:
            if not self.parts:
                raise Wrong(f"line {block.line}: nothing was run that could print this")
            self.expected.append((len(self.parts) - 1, block))
        elif "file" in orders:
            self.add_file(block)
        elif block.language == "sh" and re.match(r"no, .{10}", self.page):
            pass
        elif block.language == "sh":
            self.parts.append((block, self.shell(block)))
        elif block.language == "python":
            self.parts.append((block, quoted(f".python/{block.line}.py", orders.get("given", "") + "\n" + block.body) +
                               f"python3 .python/{block.line}.py"))
        elif block.language == "yaml":
            name = f".fragments/{block.line}.yaml"
            self.parts.append((block, quoted(name, whole_campaign(block.body)) +
                               f'cp "$SCRATCH"/simulate .fragments/simulate\ngannet run --dry-run {name}'))
        elif block.language in ("", "text", "math") and not COMMAND.search(block.body):
            pass
        else:
            raise Wrong(f"line {block.line}: a block of '{block.language}' that is not run: say why, "
                        "in a comment <!-- run: ... --> above it")

    def check_excuse(self, block):
        reason, test = block.orders.get("no"), block.orders.get("elsewhere")
        if test is not None and not (self.root / test).exists():
            raise Wrong(f"line {block.line}: there is no {test}")
        if test is None and len(reason) < 10:
            raise Wrong(f"line {block.line}: a reason is missing")

    def add_file(self, block):
        name = block.orders["file"]
        examples = self.root / "docs/examples"
        kept = next((file for file in (examples / "tutorial" / name, examples / name) if file.exists()), None)
        if kept and kept.read_text(encoding="utf-8") != block.body:
            raise Wrong(f"line {block.line}: {name} is not what {kept.relative_to(self.root)} is")
        self.parts.append((block, quoted(name, block.body)))

    @staticmethod
    def shell(block):
        body = block.orders.get("given", "") + "\n" + block.body
        if "with" in block.orders:
            body = re.sub(r"(gannet run [^#\n]*?)(\s*#.*)?$", rf"\1 {block.orders['with']}", body, flags=re.MULTILINE)
        if "exits" not in block.orders:
            return body
        code = int(block.orders["exits"])
        return f"code=0\n( set -e\n{body}\n) || code=$?\n[ $code = {code} ] || {{ echo \"exit code $code\"; false; }}"

    def script(self, scratch):
        lines = ["set -eo pipefail"]
        for number, (_, text) in enumerate(self.parts):
            lines.append(f"echo {number} > {scratch}/at\nexec > {scratch}/{number}.out 2>&1 < /dev/null\n{text}\n")
        return "\n".join(lines) + "\n"


def environment(program, root, scratch):
    bin_folder = scratch / "bin"
    bin_folder.mkdir()
    for tool in pathlib.Path(program).resolve().parent.glob("gannet*"):
        if tool.is_file() and os.access(tool, os.X_OK):
            (bin_folder / tool.name).symlink_to(tool)
    library = next(pathlib.Path(program).resolve().parent.rglob("libgannet.so"), "")
    system = [folder for folder in os.environ["PATH"].split(":") if folder]
    return {**os.environ, "PATH": ":".join([str(bin_folder), "/usr/bin", *system]), "HOME": str(scratch / "home"),
            "SCRATCH": str(scratch), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OPENBLAS_NUM_THREADS": "1", "GANNET_LIBRARY": str(library),
            "PYTHONPATH": str(root / "src/python"), "PYTHONDONTWRITEBYTECODE": "1"}


def set_scene(root, scratch):
    """A folder that looks like the sources with a build; what a page writes stays in it."""
    place = scratch / "gannet"
    place.mkdir()
    (scratch / "home").mkdir()
    for name in SCENERY:
        if (root / name).exists():
            (place / name).symlink_to(root / name)
    (place / "build").symlink_to(scratch / "bin")
    simulate = scratch / "simulate"
    simulate.write_text("#!/bin/sh\nawk '{s += $2 * $2} END {print \"objective\", s; print \"peak_stress\", s}' "
                        '"$GANNET_PARAMS" > "$GANNET_RESULTS"\n')
    simulate.chmod(0o755)
    shutil.copy(simulate, place / "simulate")
    return place


def is_there(name):
    if name.startswith("import "):
        return subprocess.run(["/usr/bin/python3", "-c", name], capture_output=True, check=False).returncode == 0
    return shutil.which(name, path="/usr/bin:" + os.environ["PATH"])


def run(program, root, text):
    """None when the page is right, else what is wrong."""
    page = Page(root, text)
    for name in page.needs:
        if not is_there(name):
            print(f"skipped: {name} is not installed")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="gannet-docs-") as folder:
        scratch = pathlib.Path(folder)
        place, variables = set_scene(root, scratch), environment(program, root, scratch)
        script = "".join(f"{command}\n" for command in page.first) + page.script(scratch)
        ran = subprocess.run(["bash", "-c", script], cwd=place, env=variables, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, check=False)
        if ran.returncode != 0:
            if not (scratch / "at").exists():
                return f"before the page: {ran.stdout}{ran.stderr}"
            number = int((scratch / "at").read_text())
            block, printed = page.parts[number][0], (scratch / f"{number}.out").read_text()
            return f"line {block.line}: failed with exit code {ran.returncode}:\n{block.body}---\n{printed}"
        for number, block in page.expected:
            printed = (scratch / f"{number}.out").read_text()
            problem = prints(block.body, printed)
            if problem:
                return f"line {block.line}: {problem}; this was:\n{printed}"
    return None


def block_of(language, body, order=""):
    return (f"<!-- run: {order} -->\n" if order else "") + f"```{language}\n{body}\n```\n"


def outcome(text):
    try:
        return run("/bin/true", pathlib.Path("/nowhere"), text)
    except Wrong as wrong:
        return str(wrong)


def self_check():
    right = [block_of("sh", "echo it took 3.5 s") + block_of("text", "it took 17 s", "prints"),
             block_of("sh", "exit 75", "exits 75"), block_of("sh", "nonsense", "no, needs a cluster"),
             block_of("text", "echo 5", "file a b.sh") + block_of("sh", "cd .\nsh 'a b.sh'") +
             block_of("", "6", "prints"), block_of("math", "x"), block_of("python", "print(1)"),
             block_of("sh", "export A=3\ncd /") + block_of("sh", "echo $A a; pwd") + block_of("", "3 a\n/", "prints"),
             block_of("sh", "echo in /tmp/x/a.h5 since 5 ms") + block_of("", "in ~/y/a.h5 since 0.7 s", "prints"),
             block_of("sh", "printf 'a\\nb\\nc\\n'") + block_of("", "a\n...\nc", "prints")]
    wrong = [block_of("sh", "false"), block_of("sh", "exit 3", "exits 75"), block_of("sh", "x", "no, why"),
             block_of("sh", "echo a") + block_of("", "b", "prints"), block_of("c", "int a;"),
             block_of("", "gannet run a.yaml"), block_of("sh", "x", "elsewhere tests/nowhere"),
             block_of("sh", "echo a; echo b") + block_of("", "a", "prints"), block_of("python", "1 / 0"),
             block_of("sh", "printf 'a\\nb\\nc\\n'") + block_of("", "a\nc", "prints"), block_of("", "x", "prints")]
    for text in right:
        assert outcome(text) is None, (text, outcome(text))
    for text in wrong:
        assert outcome(text) is not None, text
    assert whole_campaign("evaluate:\n  mode: batch\n").count("evaluate:") == 1
    assert "backend: command" in whole_campaign("evaluate:\n  mode: batch\n")


def main():
    if sys.argv[1:] == ["--self-check"]:
        return self_check()
    program, root, name = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    try:
        problem = run(program, root, (root / name).read_text(encoding="utf-8"))
    except Wrong as wrong:
        problem = str(wrong)
    if problem:
        sys.exit(f"{name}: {problem}")
    return None


if __name__ == "__main__":
    main()
