"""Fronts and hypervolumes of minimised objectives f [n, m], exact, by sweeps."""
import bisect

import numpy as np


class Staircase:
    """Points of the plane of which none dominates another, ordered by the first coordinate."""

    def __init__(self, reference=(0.0, 0.0)):
        self.a, self.b, self.reference, self.area = [], [], reference, 0.0

    def dominates(self, a, b):
        at = bisect.bisect_right(self.a, a)
        return at > 0 and self.b[at - 1] <= b

    def insert(self, a, b):
        """A point that is not dominated; updates the area between the staircase and the reference."""
        first = last = bisect.bisect_left(self.a, a)
        height = self.b[first - 1] if first > 0 else self.reference[1]
        left = a
        while last < len(self.a) and self.b[last] >= b:
            self.area += (self.a[last] - left) * (height - b)
            left, height = self.a[last], self.b[last]
            last += 1
        right = self.a[last] if last < len(self.a) else self.reference[0]
        self.area += (right - left) * (height - b)
        self.a[first:last], self.b[first:last] = [a], [b]


def find_front(f):
    """Indices of the points that no other point dominates, one of those that are equal."""
    order = np.lexsort(f.T[::-1])
    f = f[order]
    if f.shape[1] == 1:
        return order[:1]
    if f.shape[1] == 2:
        best = np.minimum.accumulate(f[:, 1])
        return order[np.concatenate([[True], f[1:, 1] < best[:-1]])]
    keep = []
    if f.shape[1] == 3:
        stairs = Staircase()
        for i, (_, a, b) in enumerate(f.tolist()):
            if not stairs.dominates(a, b):
                stairs.insert(a, b)
                keep.append(i)
        return order[keep]
    front = np.empty_like(f)
    for i, point in enumerate(f):
        if not np.any(np.all(front[: len(keep)] <= point, axis=1)):
            front[len(keep)] = point
            keep.append(i)
    return order[keep]


def hypervolume(f, reference):
    f = f[np.all(f < reference, axis=1)]
    if len(f) == 0:
        return 0.0
    if f.shape[1] == 1:
        return reference[0] - f.min()
    f = f[find_front(f)]
    if f.shape[1] == 2:
        heights = np.concatenate([[reference[1]], f[:-1, 1]]) - f[:, 1]
        return float(np.sum((reference[0] - f[:, 0]) * heights))
    f = f[np.argsort(f[:, -1], kind="stable")]
    steps = np.diff(np.append(f[:, -1], reference[-1]))
    volume = 0.0
    if f.shape[1] == 3:
        stairs = Staircase(reference[:2])
        for (a, b, _), step in zip(f.tolist(), steps):
            if not stairs.dominates(a, b):
                stairs.insert(a, b)
            volume += stairs.area * step
        return volume
    below = np.empty((0, f.shape[1] - 1))
    for point, step in zip(f, steps):
        below = below[~np.all(point[:-1] <= below, axis=1)]
        if not np.any(np.all(below <= point[:-1], axis=1)):
            below = np.vstack([below, point[:-1]])
        if step > 0:
            volume += step * hypervolume(below, reference[:-1])
    return volume
