"""What a proposal costs on P ranks: constants from rows of `gannet-bench scaling`, laws from docs/scaling.md."""
import csv
import math
import statistics

COLUMNS = ("ranks", "method", "d", "q", "candidates", "memory", "model", "measured", "size", "seconds", "work", "calls", "bytes")
NUMBERS = tuple(name for name in COLUMNS if name not in ("method", "measured"))
COUNTS = ("ranks", "d", "q", "candidates", "size")
OPTIONAL = ("work", "calls", "bytes")  # empty in rows for which they are not measured
KEY = ("ranks", "q", "candidates", "measured", "size")  # rows that agree in these repeat one measurement
TILE = 512  # candidates that a rank scores at a time
STARTS = 4  # that are polished per point of the batch
GROUP = 64  # polished points whose scores a rank makes at a time
BLOCKS = 7  # of 64 observations, in the matrices of a fit of hyperparameters to at most 400
PARTS = ("fit", "draws", "scan", "polish", "choose")
LINEAR = ("choose",)  # what every rank repeats walks once through the lists, whatever their scoring takes
PIECEWORK = ("scan", "polish")  # nothing in them is done by every rank
# Growth with points per batch unless it is measured; with observations, for a single size.
BY_BATCH = {"fit": 0.0, "draws": 1.0, "scan": 0.0, "polish": 1.0, "choose": 2.0, "learn": 0.0, "model": 0.0, "bytes": 1.0}
BY_HISTORY = {"fit": 2.0, "draws": 1.0, "scan": 1.0, "polish": 1.0, "choose": 1.0, "learn": 0.0, "model": 1.0, "bytes": 0.0}


class BadInput(Exception):
    """What is wrong with a file or a number, and what was expected."""


def read_rows(path, column):
    """The rows of a file that gannet-bench scaling has written, one of each key; `cost` is the column for the parts of
    a proposal."""
    rows = read_lines(path)
    for name in ("method", "d"):
        found = sorted({row[name] for _, row in rows})
        if len(found) > 1:
            raise BadInput(f"{path} has rows of {name} = {', '.join(found)}, expected a single one: "
                           "measure each into a file of its own")
    for line, row in rows:
        row.update({name: read_number(f"{path}, line {line}", name, row[name]) for name in NUMBERS})
        check_cost(f"{path}, line {line}", row, column)
    rows = medians([row for _, row in rows])
    for row in rows:
        row["cost"], row["network"] = row[column], row["seconds"]
    return rows


def read_lines(path):
    """[(number, {column: text})]"""
    expected = f"expected a table of gannet-bench scaling, with columns {', '.join(COLUMNS)}"
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or ()
            rows = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is no table of text ({error}): {expected}") from error
    if not names:
        raise BadInput(f"{path} is empty: {expected}")
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise BadInput(f"{path} is no table of gannet-bench scaling, as it has no {', '.join(missing)}: {expected}")
    if not rows:
        raise BadInput(f"{path} has no rows: measure with gannet-bench scaling --csv")
    for line, row in rows:
        if None in row or None in row.values():
            raise BadInput(f"{path}, line {line}: expected {len(names)} cells, as in the first line")
    return rows


def read_number(where, name, text):
    if not text and name in OPTIONAL:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if name in COUNTS and not (1 <= value < math.inf and value.is_integer()):
        raise BadInput(f"{where}: {name} is '{text}', expected a whole number of at least 1")
    if not 0 <= value < math.inf:
        raise BadInput(f"{where}: {name} is '{text}', expected a finite number of at least 0")
    return value


def check_cost(where, row, column):
    """What rows about a proposal cannot lack."""
    kind = row["measured"].partition(".")[0]
    needed = [column] if kind in ("ask",) + PARTS else []
    needed += ["calls", "bytes"] if row["measured"] == "ask" else []
    for name in needed:
        if math.isnan(row[name]):
            raise BadInput(f"{where}: {name} of '{row['measured']}' is empty, expected a number")
    if kind == "ask" and not row[column] > 0:
        raise BadInput(f"{where}: {column} of '{row['measured']}' is 0, expected more: measure again")


def medians(rows):
    """One row for all that repeat a measurement."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    return [{**group[0], **{name: median_of_known([row[name] for row in group]) for name in NUMBERS}}
            for group in groups.values()]


def median_of_known(values):
    known = [value for value in values if not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def steps(ranks):
    """Rounds of a collective operation in which every rank talks to one other."""
    return math.ceil(math.log2(ranks)) if ranks > 1 else 0


class Network:
    """Latency in seconds and bandwidth in bytes per second of one round."""

    def __init__(self, latency, bandwidth):
        self.latency, self.bandwidth = latency, bandwidth

    def seconds(self, ranks, calls, size):
        return steps(ranks) * (calls * self.latency + size / self.bandwidth)

    @classmethod
    def fitted(cls, rows):
        """Latency from messages of 8 bytes, bandwidth from those of 8 kB and more; medians, because other work on
        the machine delays some calls a hundredfold."""
        several = [row for row in rows if row["ranks"] > 1 and row["measured"] in ("allreduce", "broadcast")]
        short = [row["network"] / steps(row["ranks"]) for row in several if row["size"] <= 8]
        if not short:
            raise BadInput("no row of a collective operation on two ranks or more: measure with mpirun -n 2 too")
        latency = statistics.median(short)
        slopes = [(row["network"] / steps(row["ranks"]) - latency) / row["size"] for row in several if row["size"] >= 8192]
        slopes = [slope for slope in slopes if slope > 0]
        return cls(latency, 1 / statistics.median(slopes) if slopes else math.inf)


def slope(points, fallback):
    """Mean exponent between neighbours of (x, y)."""
    points = sorted(points)
    pairs = [(a, b) for a, b in zip(points, points[1:]) if a[0] < b[0] and a[1] > 0 and b[1] > 0]
    return statistics.mean(math.log(b[1] / a[1]) / math.log(b[0] / a[0]) for a, b in pairs) if pairs else fallback


class Law:
    """seconds = scale n^by_n q^by_q candidates^by_c, of one rank. Learning knows nothing of q: what it takes with
    another one is luck of the minimisation."""

    def __init__(self, name, points):
        """points: [(n, q, candidates, value)], at least one."""
        if not points:
            raise BadInput(f"no row of '{name}' on one rank: measure with mpirun -n 1")
        self.by_c = self._exponent(points, 2, (0, 1), 1.0) if name == "scan" else 0.0
        points = [(n, q, c, value / c**self.by_c) for n, q, c, value in points]
        self.by_n = self._exponent(points, 0, (1, 2), BY_HISTORY[name])
        self.by_q = 0.0 if name == "learn" else self._exponent(points, 1, (0, 2), BY_BATCH[name])
        logs = [math.log(max(value, 1e-12) / (n**self.by_n * q**self.by_q)) for n, q, _, value in points]
        self.scale = math.exp(statistics.mean(logs))

    @staticmethod
    def _exponent(points, moving, fixed, fallback):
        """Mean over groups of points that differ in one of their numbers alone."""
        groups = {}
        for point in points:
            groups.setdefault(tuple(point[i] for i in fixed), []).append((point[moving], point[3]))
        found = [slope(group, math.nan) for group in groups.values()]
        found = [value for value in found if not math.isnan(value)]
        return statistics.mean(found) if found else fallback

    def __call__(self, n, q, candidates):
        return self.scale * n**self.by_n * q**self.by_q * candidates**self.by_c


def unit_count(part, q, candidates):
    """Pieces that one rank does as a whole; what has one piece is done by every rank."""
    return {"scan": math.ceil(candidates / TILE), "polish": STARTS * q, "draws": q, "choose": math.ceil(STARTS * q / GROUP), "learn": BLOCKS}.get(part, 1)


def busiest(units, ranks):
    """Share of the pieces that the busiest rank has."""
    return math.ceil(units / ranks) / units


def pairs_of(part, one, many):
    """[(share of the busiest rank, seconds on many ranks over those on one)] where the part is cut at all.

    one: {(n, q, candidates): seconds}; many: [(ranks, key, seconds)]
    """
    found = [(busiest(unit_count(part, key[1], key[2]), ranks), seconds / one[key])
             for ranks, key, seconds in many if one.get(key, 0) > 0]
    return [pair for pair in found if pair[0] < 1]


def serial_share(part, one, many):
    """Share s of a part that every rank repeats: many = one (s + (1 - s) busiest). The median over rows."""
    if part in PIECEWORK:
        return 0.0
    shares = [min(1, max(0, (ratio - cut) / (1 - cut))) for cut, ratio in pairs_of(part, one, many)]
    return statistics.median(shares) if shares else float(unit_count(part, 2, 2 * TILE) == 1)


def unevenness(part, one, many):
    """What pieces of unequal size cost: many = one busiest u. The median over rows; at least 1."""
    if part not in PIECEWORK:
        return 1.0
    return max(1, statistics.median([ratio / cut for cut, ratio in pairs_of(part, one, many)] or [1]))


class Model:
    """Time, traffic and memory of a proposal."""

    def __init__(self, rows, network=None):
        self.network = network or Network.fitted(rows)
        parts = {part: self._measured(rows, part) for part in PARTS}
        parts["learn"] = self._learning(rows)
        self.law, self.serial, self.uneven = {}, {}, {}
        for part, found in parts.items():
            one = {key: seconds for ranks, key, seconds in found if ranks == 1}
            self.law[part] = Law(part, [key + (seconds,) for key, seconds in one.items()])
            many = [entry for entry in found if entry[0] > 1]
            self.serial[part] = serial_share(part, one, many)
            self.uneven[part] = unevenness(part, one, many)
        several = [row for row in rows if row["ranks"] > 1]
        cut = [row["q"] for row in several if unit_count("choose", row["q"], row["candidates"]) > 1]
        self.batch = statistics.median(cut or [row["q"] for row in several] or [1])
        self._learn_traffic(rows)
        self._learn_memory(rows)
        self.journal = self._storage(rows, "journal", lambda row: row["size"])
        self.checkpoint = self._storage(rows, "checkpoint", lambda row: row["size"])

    @staticmethod
    def _key(row):
        return row["size"], row["q"], row["candidates"]

    def _measured(self, rows, part):
        return [(row["ranks"], self._key(row), row["cost"]) for row in rows if row["measured"] == part]

    def _learning(self, rows):
        """Learning is what a fit takes more when it learns."""
        kept = {(ranks, key): cost for ranks, key, cost in self._measured(rows, "fit")}
        return [(ranks, key, cost - kept[ranks, key]) for ranks, key, cost in self._measured(rows, "fit.learnt")
                if cost > kept.get((ranks, key), math.inf)]

    def _learn_traffic(self, rows):
        several = [row for row in rows if row["ranks"] > 1 and row["measured"] == "ask"]
        self.calls = statistics.median(row["calls"] for row in several) if several else 0
        found = {self._key(row): row["bytes"] for row in several}
        self.bytes = Law("bytes", [key + (size,) for key, size in found.items()] or [(1, 1, 1, 1e-12)])

    def _learn_memory(self, rows):
        one = [row for row in rows if row["measured"] == "checkpoint" and row["ranks"] == 1]
        if not one:
            raise BadInput("no row of 'checkpoint' on one rank: measure with mpirun -n 1")
        self.model_bytes = Law("model", [(row["size"], 1, 1, row["model"]) for row in one])
        self.base_bytes = statistics.median(row["memory"] - row["model"] for row in one)

    @staticmethod
    def _storage(rows, name, size):
        """Seconds per piece, the median."""
        found = [row["seconds"] / size(row) for row in rows if row["measured"] == name]
        if not found:
            raise BadInput(f"no row of '{name}'")
        return statistics.median(found)

    def part(self, name, ranks, n, q, candidates):
        one, share = self.law[name](n, q, candidates), self.serial[name]
        if name in LINEAR and q > self.batch:
            share *= (q / self.batch) ** (1 - self.law[name].by_q)
        uneven = self.uneven[name] if ranks > 1 else 1
        return one * (share + (1 - share) * uneven * busiest(unit_count(name, q, candidates), ranks))

    def proposal(self, ranks, n, q, candidates):
        """Seconds of each part of one proposal; learning is spread over the proposals of a tenth of the history."""
        parts = {name: self.part(name, ranks, n, q, candidates) for name in PARTS}
        parts["learn"] = min(1, q / max(1, 0.1 * n)) * self.part("learn", ranks, n, q, candidates)
        parts["exchange"] = self.network.seconds(ranks, self.calls, self.bytes(n, q, candidates))
        return parts

    def memory(self, n):
        """Bytes of one rank."""
        return self.base_bytes + self.model_bytes(n, 1, 1)
