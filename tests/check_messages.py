#!/usr/bin/env python3
"""Every message about a mistake of the user says what was expected or what to do next.

  check_messages.py SOURCE_FOLDER
  check_messages.py --self-check    check that poor messages are found

Looks at the texts of gannet_complain, and of GANNET_RAISE and GANNET_REQUIRE with a code that a user can bring
about. A text made of placeholders only passes a message on.
"""
import re

import rule

CALL = re.compile(r"\b(gannet_complain|complain_at_key|complain_at|GANNET_RAISE|GANNET_REQUIRE)\(")
CODES = {"INPUT", "NAME", "MISSING", "EXISTS", "BUSY", "NO_SPACE", "VERSION"}
ADVICE = re.compile(
    r"expected|did you mean|known\b|as in|such as|is not one of|is not a (whole )?number|is not a duration|\bmust\b|needs?\b"
    r"|\bat (least|most)\b|\bmost\b|\bonly\b|see gannet|usage:|is outside|is not below|is above|has none|starts? from"
    r"|\b(give|choose|leave|rename|close|correct|make|remove|use|wait|free|start|continue|lower|raise|put|keep|add|ask|write"
    r"|take|set|run|call|draws|load|install|name|replace|move|try|allow|widen|change|cut)\b")
INNER = {"state_read.c", "state_write.c"}  # names in a file that gannet wrote; the callers tell what to do
LEAST_CALLS = 400
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def calls(text):
    """(line, name, arguments) of every call."""
    for found in CALL.finditer(text):
        at, depth, quoted = found.end(), 1, False
        while depth and at < len(text):
            c = text[at]
            if quoted:
                at += c == "\\"
                quoted = c != '"'
            elif c == '"':
                quoted = True
            else:
                depth += (c == "(") - (c == ")")
            at += 1
        yield text.count("\n", 0, found.start()) + 1, found.group(1), text[found.end():at - 1]


def passes_on(message):
    """Context, and a message that was told elsewhere: "problems.%s.function: %s"."""
    context, colon, rest = message.rpartition(": ")
    plain = re.fullmatch(r"%(\.\*)?s%?s?( (at|none)%?s?)*", rest if colon else message)
    return bool(plain) and not re.search(r"cannot|not |bad", context)


def poor(text):
    """(line, message) of every message without advice."""
    for line, name, arguments in calls(text):
        code = re.search(r"\bGANNET_ERR_(\w+)", arguments)
        if name.startswith("GANNET") and (not code or code.group(1) not in CODES):
            continue
        message = " ".join(STRING.findall(re.sub(r'"\s+"', "", arguments)))
        message = re.sub(r"^(evaluate\.\w+|--\w+|[ \\trn]+) ", "", message)  # the place, and characters
        if message and not passes_on(message) and not ADVICE.search(message):
            yield line, message


def check(root):
    n = 0
    for path in sorted((root / "src").rglob("*.c")) + sorted((root / "tools").rglob("*.c")):
        if path.name in INNER:
            continue
        text = path.read_text(encoding="utf-8")
        n += sum(1 for _ in calls(text))
        for line, message in poor(text):
            yield f"{path.relative_to(root)}:{line}: says not what to do: {message}"
    if n < LEAST_CALLS:
        yield f"only {n} calls: are they written in another way now?"


def self_check():
    bad = 'GANNET_RAISE(GANNET_ERR_INPUT, "the file %s is bad", path); gannet_complain(c, where, "no (%s"\n " here", x);'
    good = 'GANNET_RAISE(GANNET_ERR_INPUT, "%s: %s", a, b); GANNET_RAISE(GANNET_ERR_IO, "the disk %s is bad", path);' \
           'gannet_complain(c, where, "\'%s\' is wrong (a \\" b); expected a number", x);'
    assert [m for _, m in poor(bad)] == ["the file %s is bad", "no (%s here"], list(poor(bad))
    assert not list(poor(good)), list(poor(good))


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
