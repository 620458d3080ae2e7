"""Campaigns as events: simulations that end in slots, and one controller that proposes and writes down."""
import heapq
import random


class Outcome:
    """Shares of the slots' time: what they worked, and what they waited for by cause."""

    def __init__(self, workers):
        self.workers, self.elapsed, self.busy, self.waited, self.proposals = workers, 0.0, 0.0, {}, []

    def wait(self, cause, slot_seconds):
        self.waited[cause] = self.waited.get(cause, 0.0) + slot_seconds

    def utilisation(self):
        return self.busy / (self.workers * self.elapsed)

    def proposal(self):
        return sum(self.proposals) / len(self.proposals)

    def bottleneck(self):
        return max(self.waited, key=self.waited.get) if self.waited else "simulations"


def durations(seed, seconds, spread):
    """Running times, uniform within seconds (1 - spread) .. seconds (1 + spread)."""
    stream = random.Random(seed)
    while True:
        yield seconds * (1 + spread * (2 * stream.random() - 1))


def run_batch(workers, q, rounds, times, propose, record):
    """Batches of q on so many workers: the next one is proposed when all have ended. propose(q) gives the seconds of
    parts; record is the time to write one result down, one after the other."""
    outcome = Outcome(workers)
    for _ in range(rounds):
        parts = propose(q)
        outcome.proposals.append(sum(parts.values()))
        for cause, seconds in parts.items():
            outcome.wait(cause, workers * seconds)
        slots, written, ended = [0.0] * min(workers, q), 0.0, []
        for _ in range(q):
            took = next(times)
            outcome.busy += took
            end = heapq.heappop(slots) + took
            heapq.heappush(slots, end)
            ended.append(end)
        for end in sorted(ended):
            written = max(written, end) + record
        last = max(ended)
        outcome.wait("the slowest simulation", len(slots) * last - sum(slots))
        outcome.wait("too few points", (workers - len(slots)) * last)
        outcome.wait("journal", workers * (written - last))
        outcome.elapsed += sum(parts.values()) + written
    return outcome


def run_asynchronous(workers, evaluations, times, propose, record):
    """Slots that are refilled as soon as the controller comes to it: it takes all results that are there, writes them
    down, and proposes as many points as slots are free."""
    outcome, now, done = Outcome(workers), 0.0, 0
    running = [(next(times), i) for i in range(workers)]
    outcome.busy = sum(end for end, _ in running)
    heapq.heapify(running)
    while done < evaluations:
        now = max(now, running[0][0])
        free = []
        while running and running[0][0] <= now:
            free.append(heapq.heappop(running)[0])
        parts = propose(len(free))
        outcome.proposals.append(sum(parts.values()))
        causes = dict(parts, journal=record * len(free))
        start = now + sum(causes.values())
        idle = sum(start - end for end in free)
        for cause, seconds in causes.items():
            outcome.wait(cause, idle * seconds / (start - now) if start > now else 0.0)
        for i in range(len(free)):
            took = next(times)
            outcome.busy += took
            heapq.heappush(running, (start + took, done + i + workers))
        done += len(free)
        now = start
    outcome.elapsed = now
    outcome.busy -= sum(max(0.0, end - now) for end, _ in running)
    return outcome
