"""Lay out the sources of the documentation site: the documents at their places in the repository, so that
their links stay, and a page for every file of the repository that a document links to.

  assemble.py ROOT STAGE PAGES     PAGES: folder of manual pages, made by tools/make-pages; may be empty
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^([ ]*)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s#]+)(#[^)\s]*)?\)")
LEXERS = {".c": "c", ".h": "c", ".py": "python", ".sh": "bash", ".yaml": "yaml", ".f90": "fortran", ".csv": "text",
          ".txt": "text", ".inp": "text", ".in": "c"}
# Pages of the repository's files are for following links, not for searching.
FILE_PAGE = "---\norphan: true\nnosearch: true\n---\n# {name}\n\n{fence}{lexer}\n{text}{fence}\n"


def documents(root):
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    return top + sorted((root / "docs").rglob("*.md"))


def lexer(path, text):
    if path.suffix in LEXERS:
        return LEXERS[path.suffix]
    return "bash" if re.match(r"#!.*sh\b", text) else "python" if re.match(r"#!.*python", text) else "text"


def file_page(path):
    text = path.read_text(encoding="utf-8")
    fence = "`" * max([2, *map(len, re.findall(r"`+", text))]) + "`"
    return FILE_PAGE.format(name=path.name, fence=fence, lexer=lexer(path, text), text=text.rstrip("\n") + "\n")


def notebook_page(path):
    """A notebook as a page: its texts, its cells, and what these print and draw."""
    made = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        made.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            picture, printed = data.get("image/png"), "".join(output.get("text", data.get("text/plain", [])))
            made.append(f'<img alt="figure" src="data:image/png;base64,{picture}">' if picture else f"```text\n{printed.rstrip()}\n```")
    return "---\norphan: true\n---\n" + "\n\n".join(made) + "\n"


def folder_page(root, path):
    names = subprocess.run(["git", "-C", root, "ls-files", "--", path], capture_output=True, text=True, check=False)
    found = names.stdout.split() or [str(p.relative_to(root)) for p in sorted(path.rglob("*")) if p.is_file()]
    rows = "".join(f"* [{name}](/{name})\n" for name in found)
    return f"---\norphan: true\nnosearch: true\n---\n# {path.relative_to(root)}\n\n{rows}"


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder, self.made = root, folder, set()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def page_of(self, file):
        """Makes the page of a file of the repository, once; its place below the stage."""
        name = file.relative_to(self.root)
        page = name / "index.md" if file.is_dir() else name.with_name(name.name + ".md")
        if page not in self.made:
            self.made.add(page)
            if file.is_dir():
                self.write(page, self.links(folder_page(self.root, file), self.root))
            elif file.suffix == ".ipynb":
                self.write(page, self.links(notebook_page(file), file.parent))
            else:
                self.write(page, file_page(file))
        return page

    def link(self, match, folder):
        before, target, anchor = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:", target) or target.endswith(".md") or before.startswith("!["):
            return match[0]
        file = (self.root / target.lstrip("/") if target.startswith("/") else folder / target).resolve()
        if not file.exists():
            sys.exit(f"{folder}: link to {target}, which is not there")
        if file.suffix in (".svg", ".png"):
            return match[0]
        return f"{before}/{self.page_of(file)}{anchor})"

    def links(self, text, folder):
        """The text with links to files of the repository turned to their pages; code is left alone."""
        parts, at = [], 0
        for fence in [*FENCE.finditer(text), None]:
            end = fence.start() if fence else len(text)
            parts.append(LINK.sub(lambda match: self.link(match, folder), text[at:end]))
            if fence:
                parts.append(equation(fence[0]))
                at = fence.end()
        return "".join(parts)

    def document(self, path):
        text = self.links(path.read_text(encoding="utf-8"), path.parent)
        name = path.relative_to(self.root)
        if str(name) == "README.md":
            contents = pathlib.Path(__file__).with_name("contents.md").read_text(encoding="utf-8")
            self.write("index.md", text + "\n" + contents)
        else:
            self.write(name, text)

    def images(self):
        docs = self.root / "docs"
        for path in [*(docs / "images").rglob("*.*"), *docs.glob("benchmarks/*/pictures/*")]:
            target = self.folder / path.relative_to(self.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def equation(block):
    """```math, as GitHub wants it, in the words of MyST."""
    found = re.match(r"( *)```math\n(.*?)^ *```$", block, re.MULTILINE | re.DOTALL)
    return f"{found[1]}$$\n{found[2]}{found[1]}$$" if found else block


def manual_pages(stage, pages):
    """One page with all commands, as `man` shows them."""
    text = ["# Manual pages\n", "What `man gannet`, `gannet manual` and `gannet COMMAND --help` tell.\n"]
    order = sorted(pages.glob("man1/*.1"), key=lambda path: path.stem)
    if not order:
        text.append("This site was made without a program that could print them.\n")
    for path in [*order, *sorted(pages.glob("man5/*.5"))]:
        body = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", "-rLL=88n", path], capture_output=True, text=True,
                              check=True).stdout.strip("\n").split("\n")
        title = f"{path.stem}({path.suffix[1:]})"
        text.append(f"## {title}\n\n```text\n" + "\n".join(body[1:-1]).strip("\n") + "\n```\n")
    stage.write("docs/manual-pages.md", "\n".join(text))


def main():
    root, folder = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    stage = Stage(root, folder)
    for path in documents(root):
        stage.document(path)
    stage.images()
    manual_pages(stage, pathlib.Path(sys.argv[3]))


if __name__ == "__main__":
    main()
