#!/usr/bin/env python3
"""Fail when a text that users read has a word that is not in the British dictionary of aspell, the same word
twice in a row, or a phrase that a native speaker would not write. Words of our field and names are in tests/spelling.txt,
one a line, and the phrases in tests/phrases.txt, for GNU diction, which knows sentences.

Looks at the documents, at comments of the files in inputs/ and docs/examples/, and at the help of the program.
Code, links and equations are left out, and so are words with digits, underscores or capitals inside.

  check_spelling.py ROOT [PROGRAM]    exit code 77: aspell or its English dictionary is not installed
  check_spelling.py --self-check      check that violations are found
"""
import pathlib
import re
import shutil
import subprocess
import sys

import rule

# What is not prose, in the order in which it is blanked out; line ends stay.
SKIPPED = [re.compile(pattern, re.MULTILINE | re.DOTALL) for pattern in (
    r"^ *```.*?^ *```$", r"<!--.*?-->", r"``.*?``", r"`[^`]*`", r"\]\([^)]*\)", r"https?://\S+")]
COMMENT = re.compile(r"(?:^|\s)[#!](.*)$")
WORD = re.compile(r"(?<![\w.\-/@$\\{}'])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w./\\{}@=(\[])|(?<![\w.])[^\W\d_]+(?=\.(?:\s|$))")
TWICE = re.compile(r"\b([a-z]{2,})(?: +|\n)\1\b(?!-)")
MAY_REPEAT = {"had", "that"}


def blank(found):
    return re.sub(r"[^\n]", "¤", found.group())


def prose_of_document(text):
    for pattern in SKIPPED:
        text = pattern.sub(blank, text)
    return text


def prose_of_comments(text):
    return "\n".join(found.group(1) if (found := COMMENT.search(line)) else "" for line in text.splitlines())


def help_texts(program):
    def helped(*words):
        ran = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60, check=False)
        return ran.stdout
    general = helped()
    yield "gannet --help", general
    for command in re.findall(r"^  ([a-z]+) {2,}", general, re.MULTILINE):
        yield f"gannet {command} --help", re.sub(r"^( +(-\w, )?--[\w-]+( [A-Z|a-z=.,:]+)?)", "", helped(command), flags=re.MULTILINE)


def texts(root, program):
    """(name, prose) of everything that is checked."""
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    for path in [*top, *sorted((root / "docs").rglob("*.md"))]:
        yield path.relative_to(root), prose_of_document(path.read_text(encoding="utf-8"))
    for folder in ("inputs", "docs/examples"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".yaml", ".sh", ".py", ".f90"):
                yield path.relative_to(root), prose_of_comments(path.read_text(encoding="utf-8"))
    if program:
        yield from help_texts(program)


def words_of(prose):
    """(line, word) of the words that a dictionary can know."""
    for found in WORD.finditer(prose):
        word = found.group().replace("’", "'")
        if len(word) > 2 and word[1:].islower():
            yield prose.count("\n", 0, found.start()) + 1, word


def unknown_to_aspell(words):
    ran = subprocess.run(["aspell", "--lang=en_GB", "--encoding=utf-8", "list"], input="\n".join(sorted(words)), text=True,
                         capture_output=True, check=True)
    return set(ran.stdout.split())


def complaints(named, known):
    """A line for every word that neither aspell nor the list knows, and for every word that stands twice."""
    found = [(name, line, word) for name, prose in named for line, word in words_of(prose)]
    ours = {word for _, _, word in found if known & {word, word.lower(), word.removesuffix("'s")}}
    unknown = unknown_to_aspell({word for _, _, word in found} - ours)
    for name, line, word in found:
        if word in unknown:
            yield f"{name}:{line}: {word}: not in the dictionary; correct it, or add it to tests/spelling.txt"
    for name, prose in named:
        for twice in TWICE.finditer(prose) if str(name).endswith(".md") else ():
            if twice.group(1) not in MAY_REPEAT:
                yield f"{name}:{prose.count(chr(10), 0, twice.start()) + 1}: {twice.group(1)}: twice in a row"


def clumsy(named, phrases):
    """A line for every phrase of a file of GNU diction, which gives a better one for each."""
    for name, prose in named:
        ran = subprocess.run(["diction", "-d", "-n", "-s", "-f", phrases], input=prose, text=True, capture_output=True, check=True)
        for line, sentence in re.findall(r"^\(stdin\):(\d+): (.*?)\n(?=\n)", ran.stdout, re.MULTILINE | re.DOTALL):
            for phrase, better in re.findall(r"\[([^][]*?) -> ([^][]*?)\]", sentence):
                yield f"{name}:{line}: {' '.join(phrase.split())}: {better}"


def check(root, program=None):
    known = set((root / "tests/spelling.txt").read_text(encoding="utf-8").split())
    named = list(texts(root, program))
    yield from complaints(named, known)
    if shutil.which("diction"):
        yield from clumsy(named, root / "tests/phrases.txt")


def self_check():
    for text, expected in [("A good word.", 0), ("A goood word.", 1), ("`goood` [x](goood.md) goood_1", 0),
                           ("```sh\ngoood\n```\nand\n\nbadd\n", 1), ("of of\nthe the", 2), ("a kriging's value", 0)]:
        found = list(complaints([("t.md", prose_of_document(text))], {"kriging"}))
        assert len(found) == expected, (text, found)
    if shutil.which("diction"):
        phrases = pathlib.Path(__file__).with_name("phrases.txt")
        assert list(clumsy([("t.md", "Good.\n\nNothing allows to do it.")], phrases)) == [
            "t.md:3: allows to: allows somebody to, or makes possible"]
    assert list(complaints([("t", prose_of_comments("x: 1  # goood\ngoood: 2"))], set())) == [
        "t:1: goood: not in the dictionary; correct it, or add it to tests/spelling.txt"]


if __name__ == "__main__":
    if not shutil.which("aspell") or "en_GB" not in subprocess.run(["aspell", "dicts"], capture_output=True, text=True,
                                                                   check=False).stdout.split():
        print("aspell with an English dictionary is not installed")
        sys.exit(77)
    rule.run(__doc__, check, self_check)
