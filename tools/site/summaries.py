"""Give the search of a site the text of its pages in a script: a browser that reads the site from a disk lets no
page read another, and results would come without the words around what was found.

  summaries.py SITE
"""
import html
import json
import pathlib
import re
import sys

MAIN = re.compile(r'<article role="main">(.*?)</article>', re.DOTALL)
NOT_TEXT = re.compile(r'<a class="headerlink".*?</a>|<script.*?</script>|<[^>]*>', re.DOTALL)
SCRIPT = '<script src="_static/searchtools.js"></script>'


def main():
    site = pathlib.Path(sys.argv[1])
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    names = json.loads(re.search(r'"?docnames"?: ?(\[.*?\])', index)[1])
    pages = {}
    for name in names:
        found = MAIN.search((site / f"{name}.html").read_text(encoding="utf-8"))
        text = html.unescape(NOT_TEXT.sub(" ", found[1])) if found else ""
        pages[f"{name}.html"] = re.sub(r"\s+", " ", text).replace(" .", ".").strip()
    script = f"const SITE_PAGES = {json.dumps(pages, ensure_ascii=False)};\n"
    (site / "_static/pages.js").write_text(script, encoding="utf-8")
    search = site / "search.html"
    text = search.read_text(encoding="utf-8")
    if SCRIPT not in text:
        sys.exit(f"{search} does not load searchtools.js as expected")
    search.write_text(text.replace(SCRIPT, '<script src="_static/pages.js"></script>\n    ' + SCRIPT), encoding="utf-8")


if __name__ == "__main__":
    main()
