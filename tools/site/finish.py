"""Make what sphinx wrote work from a disk, without a server and a network.

  finish.py SITE
"""
import html
import json
import pathlib
import re
import sys

MAIN = re.compile(r'<article role="main">(.*?)</article>', re.DOTALL)
NOT_TEXT = re.compile(r'<a class="headerlink".*?</a>|<script.*?</script>|</?(?:span|code|em|strong|a)\b[^>]*>', re.DOTALL)
SEARCH = '<script src="_static/searchtools.js"></script>'
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
DARK = re.compile(r'@media not print \{\s*body\[data-theme="dark"\] (\{.*?\})', re.DOTALL)


def read(path):
    return path.read_text(encoding="utf-8")


def write(path, text):
    path.write_text(text, encoding="utf-8")


def make_style(styles):
    """Debian's theme expects a server with a style sheet at /javascript, and has lost the rule that follows the dark
    mode of the reader's system."""
    write(styles / "normalize.css", read(NORMALIZE))
    text = re.sub(r"@import url\([^)]*/normalize.css\)", "@import url(normalize.css)", read(styles / "furo.css"))
    if "prefers-color-scheme" not in text:
        colors = DARK.search(text)[1]
        text += f'\n@media screen and (prefers-color-scheme: dark) {{\n  body[data-theme="auto"] {colors}\n}}\n'
    write(styles / "furo.css", text)


def make_script(scripts):
    """Its script is made of modules, which browsers do not load from a disk: one plain script of them."""
    text = re.sub(r"^import Gumshoe.*\n", "", read(scripts / "furo.js"), flags=re.MULTILINE)
    write(scripts / "furo.js", read(scripts / "gumshoe-patched.js") + text)


def make_search(site):
    """Give the search the text of the pages in a script: from a disk no page may read another, and results would come
    without the words around what was found."""
    names = json.loads(re.search(r'"?docnames"?: ?(\[.*?\])', read(site / "searchindex.js"))[1])
    pages = {}
    for name in names:
        found = MAIN.search(read(site / f"{name}.html"))
        text = re.sub(r"<[^>]*>", " ", NOT_TEXT.sub("", found[1])) if found else ""
        pages[f"{name}.html"] = re.sub(r"\s+", " ", html.unescape(text)).strip()
    write(site / "_static/pages.js", f"const SITE_PAGES = {json.dumps(pages, ensure_ascii=False)};\n")
    text = read(site / "search.html")
    if SEARCH not in text:
        sys.exit("search.html does not load searchtools.js as expected")
    write(site / "search.html", text.replace(SEARCH, '<script src="_static/pages.js"></script>\n    ' + SEARCH))


def main():
    site = pathlib.Path(sys.argv[1])
    make_style(site / "_static/styles")
    make_script(site / "_static/scripts")
    make_search(site)


if __name__ == "__main__":
    main()
