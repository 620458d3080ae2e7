"""The notebooks of the documentation: their cells run in order, and print what is in them but for numbers and folders.

  test_notebooks.py            as a test; GANNET_SOURCE names the sources
  test_notebooks.py --write    run them, and put what the cells print and draw into them
"""
import ast
import base64
import contextlib
import io
import json
import logging
import os
import pathlib
import re
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(os.environ["GANNET_SOURCE"]) / "docs/notebooks"
HANDLER = logging.StreamHandler(sys.stdout)


def missing():
    for name in "pandas", "matplotlib":
        try:
            __import__(name)
        except ImportError:
            return f"python3-{name}"
    return None


def stream(text):
    return {"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}


def drawn():
    """What was drawn since the last cell."""
    import matplotlib.pyplot
    for number in matplotlib.pyplot.get_fignums():
        file = io.BytesIO()
        matplotlib.pyplot.figure(number).savefig(file, format="png", dpi=60, metadata={"Software": None})
        matplotlib.pyplot.close(number)
        yield {"output_type": "display_data", "metadata": {}, "data": {"image/png": base64.b64encode(file.getvalue()).decode(),
                                                                      "text/plain": ["<Figure>"]}}


def shown(value, number):
    """The value of the last line of a cell; Axes and Figures are drawn."""
    if value is None or type(value).__module__.startswith("matplotlib"):
        return []
    data = {"text/plain": repr(value).splitlines(True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(True)
    return [{"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data}]


def run_cell(text, names, number):
    """What a notebook shows below the cell."""
    body = ast.parse(text).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    HANDLER.setStream(printed)
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {number}", "exec"), names)
        value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names) if last else None
    return [*([stream(printed.getvalue())] if printed.getvalue() else []), *shown(value, number), *drawn()]


def run(path):
    """The notebook with what its cells show now."""
    book, names, number = json.loads(path.read_text(encoding="utf-8")), {"__name__": "__main__"}, 0
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="gannet-notebook-") as folder:
        os.chdir(folder)
        try:
            for cell in book["cells"]:
                if cell["cell_type"] == "code":
                    number += 1
                    cell["outputs"], cell["execution_count"] = run_cell("".join(cell["source"]), names, number), number
        finally:
            os.chdir(here)
    return book


def masked(outputs):
    """Kinds and texts without what differs between machines: numbers, folders, and how often a line is repeated."""
    def plain(text):
        text = re.sub(r"/\S*/", "/", text)
        text = re.sub(r"-?\d[\d.]*(e[-+]?\d+)?|\b(NaN|True|False)\b", "#", text)
        lines = [" ".join(line.split()) for line in text.splitlines()]
        return [line for line, before in zip(lines, [None, *lines]) if line != before]
    return [(one["output_type"], plain("".join(one.get("text", []) or one["data"].get("text/plain", [])))) for one in outputs]


class Notebooks(unittest.TestCase):
    def check(self, name):
        path = FOLDER / name
        stored, made = json.loads(path.read_text(encoding="utf-8")), run(path)
        for before, now in zip(stored["cells"], made["cells"]):
            if now["cell_type"] == "code":
                self.assertEqual(masked(before["outputs"]), masked(now["outputs"]), "".join(now["source"]))

    def test_a_first_optimisation(self):
        self.check("first-optimisation.ipynb")

    def test_a_campaign_directory(self):
        self.check("campaign-directory.ipynb")

    def test_all_notebooks_are_tested(self):
        self.assertEqual(sorted(path.name for path in FOLDER.glob("*.ipynb")), ["campaign-directory.ipynb", "first-optimisation.ipynb"])

    def test_another_output_is_found(self):
        self.assertNotEqual(masked(run_cell("print('a')", {}, 1)), masked(run_cell("print('b')", {}, 1)))
        self.assertNotEqual(masked(run_cell("3", {}, 1)), masked(run_cell("print(3)", {}, 1)))
        self.assertEqual(masked(run_cell("x = 2\nprint(x)", {}, 1)), masked([stream("17.5\n")]))
        with self.assertRaises(SyntaxError):
            run_cell("%matplotlib inline", {}, 1)


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()} is not installed")
        sys.exit(77)
    import matplotlib
    matplotlib.use("Agg")
    logging.getLogger("gannet").addHandler(HANDLER)
    os.environ["PATH"] = f"{pathlib.Path(os.environ['GANNET_PROGRAM']).parent}:{os.environ['PATH']}"
    if sys.argv[1:] == ["--write"]:
        for notebook in sorted(FOLDER.glob("*.ipynb")):
            made_book = json.dumps(run(notebook), indent=1, ensure_ascii=False)
            notebook.write_text(made_book + "\n", encoding="utf-8")
    else:
        unittest.main()
