"""What a power failure leaves of a directory: only what was synced is sure to be there.

The bytes of a file are sure once the file was synced, the names in a directory once the directory was. All that
happened after that may be there or not: a name can be the old one or the new one, new bytes can be missing, zeros,
or a part of what was written.
"""
import hashlib
import os
import shutil

DIRECTORY = None  # in place of the bytes of a file
IGNORED = set()  # calls that make nothing sure: for checks of the checks


def read_tree(place):
    """{path: bytes, or DIRECTORY} of what lies below a directory."""
    tree = {}
    for folder, folders, files in os.walk(place):
        for name in folders:
            tree[os.path.relpath(os.path.join(folder, name), place)] = DIRECTORY
        for name in files:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as stream:
                    tree[os.path.relpath(path, place)] = stream.read()
            except FileNotFoundError:
                pass
    return tree


def write_tree(tree, place):
    """Make a directory hold exactly this."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    for path in sorted(tree):
        if tree[path] is DIRECTORY:
            os.makedirs(os.path.join(place, path), exist_ok=True)
    for path, content in tree.items():
        if content is not DIRECTORY:
            os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
            with open(os.path.join(place, path), "wb") as stream:
                stream.write(content)
            if content.startswith(b"#!"):
                os.chmod(os.path.join(place, path), 0o755)


def digest(tree):
    return hashlib.sha256(repr(sorted(tree.items(), key=lambda item: item[0])).encode()).hexdigest()


class Node:
    """A file or directory under whatever names: what is in it now, and what of it is sure."""

    def __init__(self, is_directory):
        self.is_directory = is_directory
        self.now = self.sure = {} if is_directory else b""


class Disk:
    """Follows a directory; to be asked to look after every call that changed it. All that is there at first is sure."""

    def __init__(self, root):
        self.root, self.nodes = root, {}
        self.top = self.scan(root)
        for node in self.nodes.values():
            node.sure = dict(node.now) if node.is_directory else node.now

    def scan(self, root):
        """Read everything. A number of the file system that was given to a new file is a new node."""
        seen = {}

        def visit(path):
            about = os.lstat(path)
            is_directory = os.path.isdir(path)
            node = seen.get(about.st_ino) or self.nodes.get(about.st_ino)
            if node is None or node.is_directory != is_directory:
                node = Node(is_directory)
            seen[about.st_ino] = node
            if is_directory:
                node.now = {}
                for name in sorted(os.listdir(path)):
                    try:
                        node.now[name] = visit(os.path.join(path, name))
                    except FileNotFoundError:
                        pass  # of a simulation that goes on meanwhile
            else:
                with open(path, "rb") as stream:
                    node.now = stream.read()
            return node

        top = visit(root)
        self.nodes = seen
        return top

    def look(self, call):
        self.scan(self.root)
        if call.name in {"fsync", "fdatasync"} - IGNORED and os.path.lexists(call.paths[0]):
            node = self.nodes.get(os.lstat(call.paths[0]).st_ino)
            if node:
                node.sure = dict(node.now) if node.is_directory else node.now

    def failures(self):
        """(how, tree) for several things that a power failure now may leave."""
        for how, names, contents in ((
                ("only what is sure", sure_name, sure_bytes), ("new names, sure bytes", new_name, sure_bytes),
                ("new names, zeros", new_name, zeros), ("new names, half of the bytes", new_name, half),
                ("old names, new bytes", sure_name, new_bytes), ("names by chance, sure bytes", chance(1), sure_bytes),
                ("names by chance, half of the bytes", chance(2), half))):
            tree = {}
            build(self.top, "", names, contents, tree)
            yield how, tree


def sure_name(path, old, new):
    return old


def new_name(path, old, new):
    return new


def chance(seed):
    return lambda path, old, new: (old, new)[hashlib.sha256(f"{seed} {path}".encode()).digest()[0] % 2]


def sure_bytes(node):
    return node.sure


def new_bytes(node):
    return node.now


def appended(node):
    """How much of the new bytes was sure, and goes on."""
    return len(node.sure) if node.now.startswith(node.sure) else 0


def zeros(node):
    first = appended(node)
    return node.now[:first] + b"\0" * (len(node.now) - first)


def half(node):
    first = appended(node)
    return node.now[:(first + len(node.now) + 1) // 2]


def build(node, path, names, contents, tree):
    for name in {**node.sure, **node.now}:
        below = os.path.join(path, name)
        there = names(below, node.sure.get(name), node.now.get(name))
        if there is None:
            continue
        tree[below] = DIRECTORY if there.is_directory else contents(there)
        if there.is_directory:
            build(there, below, names, contents, tree)
