"""Sphinx reads this; tools/make-site calls it. Everything that a page needs is copied into the site."""
import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(gannet VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

project = "gannet"
author = "the gannet developers"
release = version = VERSION
language = "en"

extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
copybutton_prompt_text = "$ "
highlight_language = "text"

html_theme = "furo"
html_title = f"gannet {version}"
html_static_path = ["static", "/usr/share/javascript/katex"]
html_css_files = ["katex.min.css", "site.css"]
html_js_files = ["katex.min.js", "site.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
pygments_style = "tango"
pygments_dark_style = "monokai"


def start_of(node):
    tag, inline = ("span", True) if node.tagname == "math" else ("div", False)
    return f'<{tag} class="math notranslate nohighlight" data-display="{"no" if inline else "yes"}">', tag


def visit_math(translator, node):
    """The equation as text; static/site.js hands it to KaTeX."""
    start, tag = start_of(node)
    translator.body.append(f"{start}{html.escape(node.astext())}</{tag}>")
    raise __import__("docutils.nodes").nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math, None))


html_math_renderer = "katex"
