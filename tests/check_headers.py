#!/usr/bin/env python3
"""Fail when a function in a header has no comment that says who must call it together.

Prototypes directly below each other share a comment; a blank line after a prototype ends it.

  check_headers.py ROOT          check ROOT/include/gannet/*.h, ROOT/src/**/*.h and ROOT/tools/**/*.h
  check_headers.py --self-check  check that violations are found
"""
import pathlib
import re
import tempfile

import rule

WORDS = re.compile(r"\bLocal[.;]|\bCollective\b|\bLogically collective\b|\bSplit collective\b")

# What a header is made of; comments, texts and directives are kept whole.
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)
                     | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
                     | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
                     | (?P<blank>\n[ \t]*(?=\n))
                     | (?P<other>.)""", re.VERBOSE | re.DOTALL | re.MULTILINE)

EXTERN_C = re.compile(r'\s*extern\s*"C"\s*$')


def function_name(statement):
    """The name when a statement declares a function, else None. Static functions are inline bodies
    and not contracts."""
    flat = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", statement)
    if "(" not in flat or re.match(r"\s*(typedef|static|_Static_assert|static_assert)\b", flat):
        return None
    head = flat.split("(", 1)[0]
    if "=" in head or re.match(r"\s*\*", flat.split("(", 1)[1]):
        return None
    words = re.findall(r"\w+", head)
    return words[-1] if len(words) >= 2 else None


def undocumented(text):
    """(line, function) of every function without a collectiveness word."""
    found, statement, comment, depth, used, start = [], "", "", 0, False, 0

    def end_statement():
        nonlocal statement, used
        name = function_name(statement)
        if name and not WORDS.search(comment):
            found.append((text.count("\n", 0, start) + 1, name))
        used = used or bool(name)
        statement = ""

    for token in TOKEN.finditer(text):
        kind, piece = token.lastgroup, token[0]
        if kind == "comment" and text[:token.start()].rpartition("\n")[2].strip():
            continue  # beside code: about that line only
        if kind == "comment" and depth == 0 and not statement.strip():
            comment, used = piece, False
        elif kind == "blank" and depth == 0 and used and not statement.strip():
            comment = ""
        elif kind == "text" or (kind == "other" and piece not in "{};"):
            if not statement.strip():
                start = token.start()
            if depth == 0:
                statement += piece
        elif piece == "{":
            if depth == 0 and EXTERN_C.match(statement):
                statement = ""
                continue
            depth += 1
        elif piece == "}":
            depth = max(depth - 1, 0)
            if depth == 0 and "(" in statement:
                statement = ""  # the body of a function
        elif piece == ";" and depth == 0:
            end_statement()
    return found


def check(root):
    problems = []
    for path in sorted(file for where in ("include/gannet/*.h", "src/**/*.h", "tools/**/*.h") for file in root.glob(where)):
        for line, name in undocumented(path.read_text(encoding="utf-8")):
            problems.append(f"{path.relative_to(root)}:{line}: {name} has no comment with Local., "
                            "Collective, Logically collective or Split collective")
    return problems


GOOD = """#define RAISE(code) \\
  raise_it(code)
#ifdef __cplusplus
extern "C" {
#endif
/* A type; no function. */
typedef gannet_err (*visit)(void *user, int n);
typedef struct {
  int n; /* how many */
  void (*call)(int n);
} thing;
extern const thing *const things[];

/* One.
 *
 * Local.
 */
CHECKED gannet_err one(int n /* of them */,
                       visit call);
gannet_err two(const char *format, ...) PRINTF(1, 2); /* [n] */
gannet_err two_more(void);

/* Three. Collective over comm. */
gannet_err three(void);

/* Four. */
static inline int four(int n) {
  return one(n, 0);
}
#ifdef __cplusplus
}
#endif
"""

BAD = ["/* Adds. */\nint add(int a, int b);\n", "int add(int a, int b);\n",
       "/* Local. */\nint a(void);\n\nint add(int b);\n",
       'extern "C" {\n/* Local. */\nint a(void);\n\n/* Adds. */\nint add(int b);\n}\n',
       "int add(int a); /* Local. */\n",
       "/* A local function. */\nCHECKED gannet_err *add(\n    int a);\n"]


def self_check():
    for text in [GOOD] + BAD:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "src/base/x.h")
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            found = check(pathlib.Path(folder))
            assert len(found) == (text != GOOD), (found, text)
            assert not found or " add has" in found[0], (found, text)


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
