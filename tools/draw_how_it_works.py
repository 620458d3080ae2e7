#!/usr/bin/env python3
"""Draw docs/images/how-it-works.svg: one turn of the loop, and what the ranks share.

  draw_how_it_works.py > docs/images/how-it-works.svg
"""
from html import escape

WIDTH, HEIGHT = 1060, 420
INK, SOFT, PAPER, LINE = "#1d2733", "#5b6b7b", "#ffffff", "#9aa7b4"
RANKS = ["#2f6fa8", "#e08a2c", "#4c9a6a", "#b04a5a"]
BOX, GAP, TOP, TALL = 188, 20, 78, 270


def text(x, y, words, size=13, colour=INK, weight="normal", anchor="start"):
    return (f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')


def box(x, y, width, height, fill, stroke="none", radius=3):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" '
            f'fill="{fill}" stroke="{stroke}"/>')


def path(points, colour=LINE, width=2, end=""):
    return f'<path d="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{end}/>'


ARROW = ' marker-end="url(#arrow)"'


def left_of(step):
    return 20 + step * (BOX + GAP)


def panel(step, title, lines):
    x = left_of(step)
    yield box(x, TOP, BOX, TALL, PAPER, LINE, 8)
    yield text(x + 14, TOP + 28, f"{step + 1}  {title}", 16, INK, "bold")
    for i, line in enumerate(lines):
        yield text(x + 14, TOP + 54 + 19 * i, line, 12.5, SOFT)


def observations(x, y):
    for cx, cy in ((52, 14), (104, 26)):
        yield f'<circle cx="{x + cx}" cy="{y + cy}" r="4.5" fill="{INK}"/>'


def band(x, y):
    """What is known of a function between its observations."""
    yield (f'<path transform="translate({x} {y})" fill="#d5dee8" d="M 1 -10 Q 26 -14 52 14 '
           f'Q 78 -18 104 26 Q 132 -10 160 -8 V 42 Q 132 58 104 26 Q 78 54 52 14 Q 26 56 1 48 Z"/>')
    yield from observations(x, y)


def curves(x, y):
    """Draws of functions through the observations."""
    bends = ["Q 30 -40 52 14 T 104 26 T 160 -6", "Q 22 52 52 14 T 104 26 T 160 30",
             "Q 26 8 52 14 T 104 26 T 160 12"]
    starts = [-6, 30, 44]
    for bend, start, colour in zip(bends, starts, RANKS):
        moved = f'<g transform="translate({x} {y})">'
        yield moved + path(f"M 0 {start} " + bend, colour, 2.2) + "</g>"
    yield from observations(x, y)


def tiles(x, y):
    for i in range(32):
        column, row = i % 8, i // 8
        yield box(x + 20 * column, y + 20 * row, 17, 17, RANKS[i % 4], radius=2)


def groups(x, y):
    for i, colours in enumerate((RANKS[:2], RANKS[2:])):
        at = y + 50 * i
        yield box(x, at, 160, 40, "#eef2f6", LINE, 5)
        for j, colour in enumerate(colours):
            yield box(x + 10 + 24 * j, at + 11, 18, 18, colour, radius=9)
        yield text(x + 68, at + 25, f"simulation {i + 1}", 12.5)


def files(x, y):
    names = [("journal", "fsync"), ("state.h5", "2 generations"), ("history.csv", "")]
    for i, (name, promise) in enumerate(names):
        at = y + 34 * i
        yield box(x, at, 160, 28, "#eef2f6", LINE, 4)
        yield text(x + 8, at + 18, name, 12, INK, "bold")
        yield text(x + 152, at + 18, promise, 11, SOFT, anchor="end")


def legend():
    for i, colour in enumerate(RANKS):
        yield box(left_of(3) + 12 + 92 * i, 24, 16, 16, colour, radius=8)
        yield text(left_of(3) + 34 + 92 * i, 37, f"rank {i}")


def picture():
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans, Helvetica, sans-serif">')
    yield (f'<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
           f'markerHeight="7" orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" fill="{SOFT}"/>'
           f'</marker></defs>')
    yield box(0, 0, WIDTH, HEIGHT, "#f7f9fb", radius=0)
    yield text(20, 38, "One batch of a campaign", 19, INK, "bold")
    yield from legend()
    yield from panel(0, "Learn", ["tangent kernel of a", "network, conditioned on", "all results"])
    yield from panel(1, "Draw", ["q functions from the", "posterior: one for each", "point of the batch"])
    yield from panel(2, "Search", ["numbered candidates, tile", "by tile over the ranks;", "exact top k; polish"])
    yield from panel(3, "Simulate", ["on groups of ranks, or as", "programs of their own,", "through files"])
    yield from panel(4, "Record", ["a result counts when it", "is on disk: kill -9 loses", "nothing"])
    middle = TOP + 178
    x = left_of(0) + 14
    yield path(f"M {x} {middle - 30} V {middle + 66} H {x + 160}", LINE, 1.5)
    yield from band(x, middle)
    x = left_of(1) + 14
    yield path(f"M {x} {middle - 30} V {middle + 66} H {x + 160}", LINE, 1.5)
    yield from curves(x, middle)
    yield from tiles(left_of(2) + 14, middle - 20)
    yield from groups(left_of(3) + 14, middle - 26)
    yield from files(left_of(4) + 14, middle - 28)
    for step in range(4):
        x = left_of(step) + BOX
        yield path(f"M {x + 2} {TOP + 22} H {x + GAP - 2}", SOFT, 2, ARROW)
    bottom = TOP + TALL
    first, last = left_of(0) + BOX // 2, left_of(4) + BOX // 2
    yield path(f"M {last} {bottom + 2} V {bottom + 24} H {first} V {bottom + 4}", SOFT, 2, ARROW)
    yield text((first + last) // 2, bottom + 46,
               "again until the budget is spent; the batches are the same, bit for bit, "
               "on any number of ranks", 13, SOFT, anchor="middle")
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(picture()))
