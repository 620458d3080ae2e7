#!/usr/bin/env python3
"""Fail when the documents say what is not so: links that lead nowhere, files of the sources and tests that are not there, commands and
options that the program does not have, exit codes other than those of the header, another layout of the state file than
the writer's, a picture or a reference that is out of date.

  check_docs.py ROOT [PROGRAM]  check the documents below ROOT; without PROGRAM no commands
  check_docs.py --self-check    check that violations are found
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

import rule

SOURCE = re.compile(r"`((?:src|tests|tools|inputs|jobscripts)/[a-z0-9_./-]+)`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[\s/])gannet((?:[ \t]+[^\s`|]+)*)")
EXIT_ENTRY = re.compile(r'X\(GANNET_EXIT_\w+,\s*(\d+),\s*"([^"]*)"\)')
EXIT_ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*(.*?)\s*\|$", re.MULTILINE)


def documents(root):
    found = sorted((root / "docs").rglob("*.md"))
    return [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
            if (root / name).exists()] + found


def anchors(text):
    for title in re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def check_links(root, path, text):
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            yield f"{path.relative_to(root)}: link to {target}, which is not there"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}: {target}: no such heading"


def check_sources(root, path, text):
    for name in SOURCE.findall(text):
        if not (root / name).exists():
            yield f"{path.relative_to(root)}: names {name}, which is not there"


def check_complaints(root, text):
    """Every row of the table names tests that exist, one of which names each of its threads, or says why not."""
    for row in re.findall(r"^\| (.* #.*) \|$", text, re.MULTILINE):
        threads, _, here, tests = row.split(" | ")
        named = re.findall(r"\[`?([^\]`]+)`?\]\(\.\./(tests/[^)]+)\)", tests)
        if not named and not re.match(r"does not apply: .{20}", here):
            yield f"docs/known-complaints.md: {threads}: neither a test nor a reason"
        content = {file: (root / file).read_text(encoding="utf-8") for _, file in named if (root / file).exists()}
        for test, file in named:
            if not re.search(rf"(?<!\w){re.escape(test)}(?!\w)", content.get(file, "")):
                yield f"docs/known-complaints.md: {file} has no test {test}"
        for thread in threads.split(", ") if named else ():
            if not any(re.search(rf"{re.escape(thread)}\b", body) for body in content.values()):
                yield f"docs/known-complaints.md: no test of its row names {thread}"


def commands(text):
    """Words after each `gannet` in shell blocks and in code spans."""
    blocks = [body for language, body in FENCE.findall(text) if language == "sh"]
    spans = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    for line in "\n".join(blocks + spans).splitlines():
        line = line.split(" #")[0]
        match = COMMAND.search(line)
        if match and match.group(1).strip():
            yield match.group(1).split()


@functools.cache
def help_of(program, *words):
    ran = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60,
                         check=False)
    return ran.stdout if ran.returncode == 0 else None


def check_commands(program, name, text):
    general = help_of(program) or ""
    for words in commands(text):
        first = words[0]
        if first.startswith("-"):
            known = general
        elif not re.fullmatch(r"[a-z]+", first):
            continue
        elif not re.search(rf"^\s+{first}\b", general, re.MULTILINE):
            yield f"{name}: 'gannet {first}' is not in gannet --help"
            continue
        else:
            known = help_of(program, first)
            if known is None:
                yield f"{name}: 'gannet {first} --help' fails"
                continue
        for option in (word for word in words if word.startswith("-")):
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known):
                yield f"{name}: 'gannet {first}' has no option {option}"


def check_options(program, name, text):
    """Options named alone, as in `--resume`, belong to one of the commands."""
    general = help_of(program) or ""
    names = re.findall(r"^\s+([a-z]+)\b", general, re.MULTILINE)
    known = general + "".join(help_of(program, command) or "" for command in names)
    for span in re.findall(r"`(--[a-z-]+)[^`\n]*`", FENCE.sub("", text)):
        if not re.search(rf"(?<![\w-]){span}(?![\w-])", known):
            yield f"{name}: no command has the option {span}"


def check_exit_codes(root):
    header = (root / "include/gannet/status.h").read_text(encoding="utf-8")
    expected = EXIT_ENTRY.findall(header)
    text = (root / "docs/running.md").read_text(encoding="utf-8")
    section = text.partition("## Exit codes")[2].partition("\n## ")[0]
    rows = EXIT_ROW.findall(section)
    if not expected or rows != expected:
        yield (f"docs/running.md: the exit codes are {rows}, "
               f"include/gannet/status.h has {expected}")


def check_state_layout(root):
    dataset = r"(?:campaign|problem|history|optimizer)/\w+"
    writers = ("campaign/run/snapshot_write", "campaign/run/snapshot_fields", "problem/problem_columns", "problem/history_columns",
               "optimizer/state_columns")
    writer = "".join((root / f"src/{name}.c").read_text(encoding="utf-8") for name in writers)
    text = (root / "docs/campaign-directory.md").read_text(encoding="utf-8")
    section = text.partition("## State")[2].partition("\n## ")[0]
    written = set(re.findall(rf'"({dataset})"', writer))
    told = set(re.findall(rf"`({dataset})`", section))
    for name in sorted(written ^ told):
        yield (f"docs/campaign-directory.md: {name} is "
               f"{'not told of' if name in written else 'not in the state file'}")


def check_picture(root):
    drawn = subprocess.run([sys.executable, root / "tools/draw_how_it_works.py"],
                           capture_output=True, text=True, check=True).stdout
    if drawn != (root / "docs/images/how-it-works.svg").read_text(encoding="utf-8"):
        yield "docs/images/how-it-works.svg: not what tools/draw_how_it_works.py draws"


def check_reference(root):
    made = subprocess.run([sys.executable, root / "tools/make-reference", "--check"], capture_output=True, text=True,
                          check=False)
    if made.returncode != 0:
        yield made.stderr.strip()


def check(root, program=None):
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        yield from check_links(root, path, text)
        if path.name != "CHANGELOG.md":  # it names what earlier versions had
            yield from check_sources(root, path, text)
        if program:
            name = path.relative_to(root)
            yield from check_commands(program, name, text)
            yield from check_options(program, name, text)
    yield from check_complaints(root, (root / "docs/known-complaints.md").read_text(encoding="utf-8"))
    yield from check_exit_codes(root)
    yield from check_state_layout(root)
    yield from check_picture(root)
    yield from check_reference(root)


FAKE_PROGRAM = """#!/bin/sh
case "$*" in
  --help) printf 'commands:\\n  run   run it\\n' ;;
  'run --help') echo '  --resume  continue' ;;
  *) exit 2 ;;
esac
"""


def self_check():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        program = root / "program"
        program.write_text(FAKE_PROGRAM)
        program.chmod(0o755)
        path = root / "README.md"
        cases = [("# A title\n[x](README.md#a-title) [y](#a-title)", 0), ("[x](nowhere.md)", 1),
                 ("[x](#other)", 1), ("`gannet run c.yaml --resume`", 0), ("`gannet fly`", 1),
                 ("`gannet run --fly`", 1), ("```sh\nmpirun -n 2 build/gannet run --fly\n```", 1),
                 ("with `--resume`", 0), ("with `--fly high`", 1), ("see `src/nothing.c`", 1), ("see `src/ROOM/`", 0)]
        for text, expected in cases:
            path.write_text(text)
            found = [*check_links(root, path, text), *check_sources(root, path, text),
                     *check_commands(program, "r", text), *check_options(program, "r", text)]
            assert len(found) == expected, (text, found)
        (root / "tests").mkdir()
        (root / "tests/t.c").write_text("/* Any #1. */ void it_works(void)")
        for row, expected in [("| Any #1 | x | y | [`it_works`](../tests/t.c) |", 0), ("| Any #1 | x | y |  |", 1),
                              ("| Any #12 | x | y | [`it_works`](../tests/t.c) |", 1),
                              ("| Any #1 | x | y | [`it_work`](../tests/t.c) |", 1),
                              ("| Any #1 | x | y | [`it_works`](../tests/u.c) |", 2),
                              ("| Any #1 | x | does not apply: nothing listens anywhere |  |", 0)]:
            found = list(check_complaints(root, row))
            assert len(found) == expected, (row, found)


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
