#include "optimizer/race.h"

#include <math.h>

#include "problem/objectives.h"

/* Evaluations per variable. */
enum {
  WATCHED = 10,  /* from which rates are measured */
  BEGINS = 20,   /* from which the evolution strategy may be tried */
  STRETCH = 5,   /* stretch of the leader */
  TRIAL = 2,     /* stretch of the other side */
  LEARNING = 15, /* that the evolution strategy gets, to learn the shape of a valley */
  LONGEST = 50   /* lead without a trial */
};
/* Trials that double the time to the next one; batches that a stretch has at least. */
enum { DOUBLINGS = 10, BATCHES = 2 };
/* Shares of the leader's highest rate since the last trial at which it slows down, and at which it
 * has stopped. */
static const double slow = 1.0 / 8, stopped = 1e-3;
/* The evolution strategy takes the lead from others that still gain if its rate is so many times
 * theirs. The other side is tried when the leader's rate times this is below its last rate. */
static const double clearly = 2;

#define RACE(member, kind) GANNET_STRUCT_AT(gannet_race, member, kind)

const gannet_struct_field gannet_race_fields[] = {
    {.name = "race.leader", RACE(leader, INT), .upper = GANNET_RACE_SIDES - 1},
    {.name = "race.trial", RACE(trial, TRUTH)},
    {.name = "race.from", RACE(from, LARGE)},
    {.name = "race.best", RACE(best, REAL)},
    {.name = "race.rate_others", RACE(rate[GANNET_RACE_OTHERS], REAL)},
    {.name = "race.rate_evolution", RACE(rate[GANNET_RACE_EVOLUTION], REAL)},
    {.name = "race.stopped", RACE(stopped, TRUTH)},
    {.name = "race.reference", RACE(reference, REAL)},
    {.name = "race.failed", RACE(failed, INT)},
    {.name = "race.led", RACE(led, LARGE)},
    {0}};

/* The trial is over: who leads from now on. */
static void decide(gannet_race *r) {
  const bool evolves = r->leader == GANNET_RACE_OTHERS; /* the side that was tried */
  const double before = r->rate[r->leader], rate = r->rate[!r->leader];
  const bool stop = before <= stopped * r->reference;
  const bool wins = rate > (evolves ? clearly * before : before) || (evolves && stop);
  if (wins) {
    r->leader = !r->leader;
    r->stopped = evolves && stop;
  }
  r->failed = wins ? 0 : r->failed + 1;
  r->reference = fmax(rate, before);
  r->led = 0;
  r->trial = false;
}

/* Whether the other side is to be tried after a stretch of the leader. */
static bool wants_trial(const gannet_race *r, int d) {
  const bool evolves = r->leader == GANNET_RACE_EVOLUTION;
  const double rate = r->rate[r->leader], other = r->rate[!r->leader];
  const int64_t least = evolves ? LEARNING : STRETCH;
  const int doublings = r->failed < DOUBLINGS ? r->failed : DOUBLINGS;
  int64_t put_off = r->failed > 0 ? least * d << doublings : 0;
  if (r->failed == 0 && r->stopped) put_off = least * d;
  if (r->led >= LONGEST * d || (rate <= slow * r->reference && r->led >= put_off)) return true;
  if (evolves) return r->failed == 0 && !r->stopped && clearly * rate < other;
  return rate <= stopped * r->reference || clearly * rate < other;
}

gannet_race_side gannet_race_update(gannet_race *r, int d, int64_t told, double best, int q) {
  const int64_t n = told - r->from;
  const int side = r->trial ? !r->leader : r->leader;
  if (told < WATCHED * d || !(best < 1e308)) return GANNET_RACE_OTHERS;
  if (r->from == 0) {
    r->from = told;
    r->best = best;
    return GANNET_RACE_OTHERS;
  }
  if (n < (r->trial ? TRIAL : STRETCH) * d || n < BATCHES * q) return (gannet_race_side)side;
  r->rate[side] = fmax(0, gannet_problem_excess(r->best, best)) / (double)n;
  r->from = told;
  r->best = best;
  if (r->trial) {
    decide(r);
  } else {
    r->led += n;
    r->trial = wants_trial(r, d) && told >= BEGINS * d;
    r->reference = fmax(r->reference, r->rate[side]);
  }
  return (gannet_race_side)(r->trial ? !r->leader : r->leader);
}
