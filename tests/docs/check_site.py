#!/usr/bin/env python3
"""The site of the documentation: built without warnings, complete, and usable in a real browser without a network.

  check_site.py ROOT PROGRAM      exit code 77: what it needs is not installed
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser

MODULES = ("sphinx", "myst_parser", "furo", "sphinx_copybutton")
# What somebody looks for, and the page that must be among the first five found.
SEARCHES = {"matheron": "docs/methods/neural-bo", "wall time": "docs/resume", "SIGUSR1": "docs/running",
            "libEnsemble": "docs/coming-from", "restart": "docs/resume", "checkpoint": "docs/resume", "retry": "docs/corrections",
            "import": "docs/old-data", "sensitivity": "docs/report", "hyperparameter": "docs/gallery",
            "Pareto": "docs/several-objectives", "Bayesian": "index", "warm start": "docs/old-data"}


def is_complete():
    missing = [name for name in MODULES if subprocess.run(["/usr/bin/python3", "-c", f"import {name}"], check=False,
                                                          capture_output=True).returncode != 0]
    missing += [name for name in ("chromium", "groff") if not shutil.which(name)]
    missing += [] if pathlib.Path("/usr/share/javascript/katex").exists() else ["libjs-katex"]
    print("missing:", *missing) if missing else None
    return not missing


def make(root, program, folder):
    ran = subprocess.run([root / "tools/make-site", folder], capture_output=True, text=True, check=False,
                         env={**os.environ, "GANNET": program, "ASAN_OPTIONS": "detect_leaks=0"})
    if ran.returncode != 0 or re.search("warning", ran.stderr, re.IGNORECASE):
        sys.exit(f"make-site: {ran.stdout}{ran.stderr}")


def check_pages(root, site):
    """Every document is a page, and no page loads anything from elsewhere."""
    for path in sorted((root / "docs").rglob("*.md")):
        page = path.relative_to(root).with_suffix(".html")
        assert (site / page).exists() or path.name == "README.md", path
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loads = re.findall(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["'](https?:[^"']*)""", text)
        assert not loads, (page, loads)


def check_links(site):
    """Links between the pages lead to pages and places that exist."""
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    for page, text in texts.items():
        for target in re.findall(r'<a [^>]*href="([^"]+)"', text):
            name, _, place = target.partition("#")
            if re.match(r"[a-z]+:", target) or not (name or place):
                continue
            file = (page.parent / name).resolve() if name else page
            assert file.exists(), (page.name, target)
            assert not place or file.suffix != ".html" or place in places[file], (page.name, target)


def check_search(browser, site):
    for words, page in SEARCHES.items():
        browser.open(f"file://{site}/index.html")
        browser.ask("document.querySelector('.sidebar-search').focus()")
        browser.type(words)
        browser.wait_for("location.pathname.endsWith('/search.html')")
        browser.wait_for(f"[...document.querySelectorAll('#search-results li a')].slice(0, 5).some(a => a.href.includes('/{page}.html'))")
        shown = browser.wait_for("document.querySelector('#search-results li p.context')?.textContent")
        assert len(shown) > 20, shown


def check_reading(browser, site):
    browser.open(f"file://{site}/docs/methods/neural-bo.html")
    assert browser.ask("document.querySelectorAll('.math').length") > 3
    browser.wait_for("[...document.querySelectorAll('.math')].every(one => one.querySelector('.katex'))")
    assert not browser.ask("document.querySelectorAll('.katex-error').length")
    for scheme, is_dark in (("dark", "true"), ("light", "false")):  # as the reader's system is
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.wait_for(f"(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 128) === {is_dark}")
    browser.ask("document.querySelector('.theme-toggle').click()")
    first = browser.wait_for("document.body.dataset.theme !== 'auto' && document.body.dataset.theme")
    browser.ask("document.querySelector('.theme-toggle').click()")
    assert browser.wait_for(f"document.body.dataset.theme !== '{first}' && document.body.dataset.theme")
    for name in ("docs/tutorial.html", "docs/input-reference.html", "docs/c.html", "inputs/heater.yaml.html"):
        browser.open(f"file://{site}/{name}")
        for width, mobile in ((390, True), (1340, False), (1500, False)):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=mobile)
            assert browser.ask("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"
        browser.call("Emulation.clearDeviceMetricsOverride")


def main():
    root, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if not is_complete():
        return 77
    # Processes of the browser may write into its profile a moment longer.
    with tempfile.TemporaryDirectory(prefix="gannet-site-", ignore_cleanup_errors=True) as folder:
        site = pathlib.Path(folder) / "site"
        make(root, program, site)
        check_pages(root, site)
        check_links(site)
        with Browser(folder) as browser:
            check_search(browser, site)
            check_reading(browser, site)
            assert not browser.complaints, browser.complaints
    return 0


if __name__ == "__main__":
    sys.exit(main())
