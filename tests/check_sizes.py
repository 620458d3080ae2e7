#!/usr/bin/env python3
"""Functions of at most 60 lines, files of at most 1000: a function tells a whole step, a file a whole topic.

Lines of numbers in a table do not count.

  check_sizes.py ROOT          check the sources below ROOT
  check_sizes.py --self-check  check that violations are found
"""
import pathlib
import re

import rule

FILE_LIMIT, FUNCTION_LIMIT = 1000, 60
FOLDERS = ("src", "include", "tests", "docs", "tools")
SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ""}
NUMBERS = re.compile(r"[\s{}(),;]*(?:-?\d[\w.+-]*[\s{}(),;]*)+")


def without_comments(text):
    """The text with block comments blanked out, line numbers kept."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def functions(lines):
    """(line, length) of each function body, by the layout that clang-format gives."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.search(r"\) \{$", line):
            start = number
        elif line == "}" and start is not None:
            yield start, number - start + 1
            start = None


def complaints(name, text):
    counted = sum(not NUMBERS.fullmatch(line) for line in text.splitlines())
    if counted > FILE_LIMIT:
        yield f"{name}: {counted} lines, at most {FILE_LIMIT}"
    if name.suffix in (".c", ".h"):
        for line, length in functions(without_comments(text).splitlines()):
            if length > FUNCTION_LIMIT:
                yield f"{name}:{line}: a function of {length} lines, at most {FUNCTION_LIMIT}"


def check(root):
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES and "__pycache__" not in path.parts:
                text = path.read_text(encoding="utf-8", errors="replace")
                found += complaints(path.relative_to(root), text)
    return found


def self_check():
    head = "/* if (a) {\n */\nvoid f(int a,\n       int b) {\n"
    cases = [
        ("int a;\n" * FILE_LIMIT, 0),
        ("int a;\n" * (FILE_LIMIT + 1), 1),
        ("    {1, 0x2, -3.5e-1},\n" * (FILE_LIMIT + 1), 0),
        (head + "  a += b;\n" * (FUNCTION_LIMIT - 2) + "}\n", 0),
        (head + "  if (a) {\n  }\n" * (FUNCTION_LIMIT // 2) + "}\n", 1),
    ]
    for number, (text, expected) in enumerate(cases):
        found = list(complaints(pathlib.PurePath("a.c"), text))
        assert len(found) == expected, (number, found)


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
