#!/usr/bin/env python3
"""How the sources hang together: figures that may fall and do not rise.

  short helpers  static functions of at most 8 lines that are called from one place: half of what a reader meets
                 there is the call. One is right where its name explains a formula.
  one user       exported functions that exactly one other file uses, in percent: the two files may be one topic
  circles        groups of .c files that use each other in a circle: none of them can be read first

When a change lowers a figure, lower its limit here.

  check_structure.py ROOT          check the sources below ROOT/src
  check_structure.py --self-check  check that the figures are found
"""
import collections
import pathlib
import re
import sys

import rule

SHORT = 8
LIMITS = {"short helpers": 161, "one user": 45, "circles": 0}
DEFINITION = re.compile(r"^(?P<head>[A-Za-z_][\w *]*?[ *])(?P<name>\w+)\([^;{}]*?\)(?: [A-Z_]+)? \{$", re.M)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def bare(text):
    """Without comments and the insides of texts; line numbers are kept."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def definitions(text):
    """(name, whether it is static, lines) of each function, by the layout that clang-format gives."""
    for match in DEFINITION.finditer(text):
        end = text.find("\n}", match.start())
        yield match["name"], "static" in match["head"].split(), text.count("\n", match.start(), end + 2) + 1


def circles(uses):
    """Groups of files of which each uses the next and the last the first: Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in sorted(uses[file]):
            if other not in index:
                visit(other)
            if other in stack:
                low[file] = min(low[file], low[other])
        if low[file] == index[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for file in sorted(uses):
        if file not in index:
            visit(file)
    return sorted(found, key=len, reverse=True)


def measure(texts):
    """Figures of {file: text}, and what is counted in each."""
    texts = {file: bare(text) for file, text in texts.items()}
    words = {file: collections.Counter(WORD.findall(text)) for file, text in texts.items()}
    short, owner = [], {}
    for file, text in texts.items():
        for name, is_static, lines in definitions(text):
            if not is_static:
                owner[name] = file
            elif lines <= SHORT and words[file][name] == 2 and len(re.findall(rf"\b{name}\s*\(", text)) == 2:
                short.append(f"{file}: {name}")
    one = sorted(name for name, file in owner.items()
                 if sum(file != other and words[other][name] > 0 for other in texts) == 1)
    uses = {file: {owner[word] for word in words[file] if owner.get(word, file) != file} for file in texts}
    found = circles(uses)
    figures = {"short helpers": len(short), "one user": 100 * len(one) // max(1, len(owner)), "circles": len(found)}
    return figures, {"short helpers": short, "one user": one, "circles": [" <-> ".join(group) for group in found]}


def check(root):
    files = sorted((root / "src").rglob("*.c"))
    figures, found = measure({str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files})
    print(", ".join(f"{name} {value} (at most {LIMITS[name]})" for name, value in figures.items()))
    return [f"{name}: {value}, at most {LIMITS[name]}:\n  " + "\n  ".join(found[name])
            for name, value in figures.items() if value > LIMITS[name]]


def self_check():
    helper = "static int twice(int a) {\n  return 2 * a;\n}\n\n"
    one = helper + "int first(int a) {\n  return twice(a) + second(a);\n}\n"
    two = "/* first( */\nint second(int a) {\n  return a > 0 ? first(a - 1) : 0;\n}\n"
    long = "static int lines(void) {\n" + "  f();\n" * 7 + "}\n\nint third(void) {\n  return lines();\n}\n"
    figures, _ = measure({"a.c": one, "b.c": two, "c.c": long})
    expected = {"short helpers": 1, "one user": 66, "circles": 1}
    assert figures == expected, f"{figures}, expected {expected}"


sys.setrecursionlimit(10000)
rule.run(__doc__, check, self_check)
