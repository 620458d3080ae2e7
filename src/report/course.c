/* The course of a campaign in time: how its slots were used, and what passed between batches. */
#include <math.h>

#include "base/memory.h"
#include "report/parts.h"
#include "report/report.h"

enum { BINS = 300, ROWS = 60, PAUSES = 1000, RETRIED = 5000 };

/* Seconds in which slots were busy, by time and, of very long campaigns, by rows of slots too. */
typedef struct {
  double first, width;            /* begin of the first bin and width of a bin, seconds */
  int rows, each;                 /* rows of slots, slots of a row */
  double *busy, *lost;            /* [rows][BINS] slots on average; lost: of failures */
  double all[BINS], failed[BINS]; /* busy and lost of all slots together */
} occupancy;

gannet_usage report_usage(const gannet_campaign *campaign) {
  gannet_usage u = gannet_usage_measure(campaign);
  for (int i = 0; i < campaign->ledger.n_attempts; ++i)
    gannet_usage_add(&u, &campaign->ledger.attempts[i].run);
  return u;
}

static void add_run(occupancy *o, const gannet_run_record *run, bool failed) {
  const double from = run->started - o->first, to = run->ended - o->first;
  if (!isfinite(from) || !isfinite(to) || !(to > from) || from < 0) return;
  const int row = run->slot > 0 ? run->slot / o->each : 0;
  for (int bin = (int)(from / o->width); bin < BINS && bin * o->width < to; ++bin) {
    const double part = (fmin(to, (bin + 1) * o->width) - fmax(from, bin * o->width)) / o->width;
    if (!(part > 0)) continue;
    o->all[bin] += part;
    o->failed[bin] += failed ? part : 0;
    if (row >= o->rows) continue;
    o->busy[row * BINS + bin] += part / o->each;
    o->lost[row * BINS + bin] += failed ? part / o->each : 0;
  }
}

static json_t *json_of_bins(const double *values) {
  json_t *list = json_array();
  for (int i = 0; i < BINS; ++i) (void)json_array_append_new(list, report_number(values[i]));
  return list;
}

static void put_rows(const occupancy *o, json_t *made) {
  json_t *busy = json_array(), *lost = json_array();
  for (ptrdiff_t row = 0; row < o->rows; ++row) {
    (void)json_array_append_new(busy, json_of_bins(o->busy + row * BINS));
    (void)json_array_append_new(lost, json_of_bins(o->lost + row * BINS));
  }
  (void)json_object_set_new(
      made, "rows", json_pack("{s:i, s:o, s:o}", "each", o->each, "busy", busy, "lost", lost));
}

/* Attempts after which another one was wanted: [id, started, ended, slot, place]. */
static json_t *retried(const gannet_ledger *ledger, double start, json_t *places) {
  json_t *list = json_array();
  for (int i = 0; i < ledger->n_attempts && i < RETRIED; ++i) {
    const gannet_attempt *one = &ledger->attempts[i];
    if (!isfinite(one->run.started) || !isfinite(one->run.ended)) continue;
    (void)json_array_append_new(
        list,
        json_pack("[I, f, f, i, o]", (json_int_t)one->id, one->run.started - start,
                  one->run.ended - start, one->run.slot, report_position(places, one->run.place)));
  }
  return list;
}

/* Whether a row for each place tells more than a row for each slot: every simulation had a place,
 * and there are not many different ones, as when needs depend on the design. */
static bool shows_places(const json_t *places, int slots) {
  const size_t n = json_array_size(places);
  for (size_t i = 0; i < n; ++i)
    if (!*json_string_value(json_array_get(places, i))) return false;
  return n > 0 && n <= ROWS && n <= 2 * (size_t)slots;
}

json_t *report_course(const gannet_campaign *campaign, const gannet_usage *usage, json_t *columns) {
  json_t *places = json_object_get(columns, "places");
  occupancy o = {.first = usage->first, .width = (usage->last - usage->first) / BINS};
  json_t *made = json_object();
  if (!isfinite(o.width) || !(o.width > 0)) return made;
  o.each = (usage->slots + ROWS - 1) / ROWS;
  if (o.each < 1) o.each = 1;
  o.rows = campaign->ledger.n > REPORT_MOST_EVALUATIONS ? (usage->slots + o.each - 1) / o.each : 0;
  if (gannet_alloc((size_t)o.rows * BINS + 1, sizeof *o.busy, &o.busy) == GANNET_OK &&
      gannet_alloc((size_t)o.rows * BINS + 1, sizeof *o.lost, &o.lost) == GANNET_OK) {
    const gannet_ledger *ledger = &campaign->ledger;
    for (int64_t id = 0; id < ledger->n; ++id) {
      const gannet_ticket *t = &ledger->ticket[id];
      add_run(&o, &t->result.run, t->has_result && t->result.status == GANNET_EVAL_FAILED);
    }
    for (int i = 0; i < ledger->n_attempts; ++i) add_run(&o, &ledger->attempts[i].run, true);
    (void)json_object_set_new(made, "width", report_number(o.width));
    (void)json_object_set_new(made, "busy", json_of_bins(o.all));
    (void)json_object_set_new(made, "lost", json_of_bins(o.failed));
    (void)json_object_set_new(made, "retried", retried(&campaign->ledger, usage->first, places));
    if (o.rows > 0)
      put_rows(&o, made);
    else if (shows_places(places, usage->slots))
      (void)json_object_set(made, "places", places);
  }
  gannet_free(&o.busy);
  gannet_free(&o.lost);
  return made;
}

typedef struct {
  int64_t batch;          /* the first of the group */
  int count, timed;       /* batches of it with a pause, and with a known time of proposing */
  double pause, proposal; /* seconds, summed */
} pause_group;

static void put_group(const pause_group *g, json_t *list) {
  if (g->count + g->timed == 0) return;
  json_t *one = json_array();
  (void)json_array_append_new(one, json_integer((json_int_t)g->batch));
  (void)json_array_append_new(one, report_number(g->count ? g->pause / g->count : NAN));
  (void)json_array_append_new(one, report_number(g->timed ? g->proposal / g->timed : NAN));
  (void)json_array_append_new(list, one);
}

json_t *report_pauses(const gannet_campaign *c) {
  json_t *list = json_array();
  const int64_t n = c->ledger.n;
  const int64_t batches = n ? gannet_history_get(c->history, n - 1)->batch + 1 : 0;
  const int64_t stride = (batches + PAUSES - 1) / PAUSES;
  double ended = NAN;
  pause_group group = {.batch = 0};
  for (int64_t id = 0; id < n;) {
    const int64_t batch = gannet_history_get(c->history, id)->batch;
    const gannet_ticket *first = &c->ledger.ticket[id];
    if (batch >= group.batch + stride) {
      put_group(&group, list);
      group = (pause_group){.batch = batch / stride * stride};
    }
    const double pause = first->result.run.submitted - ended;
    if (isfinite(pause) && pause >= 0) group.count += 1, group.pause += pause;
    if (isfinite(first->proposal)) group.timed += 1, group.proposal += first->proposal;
    for (ended = NAN; id < n && gannet_history_get(c->history, id)->batch == batch; ++id)
      ended = fmax(ended, c->ledger.ticket[id].result.run.ended);
  }
  put_group(&group, list);
  return list;
}
