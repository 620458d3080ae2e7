#include "campaign/tables/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  int64_t id;
  const gannet_run_record *run;
  const char *status; /* of the attempt */
} bar;

static const char *const names[] = {"slot",    "host",  "job",     "id",     "attempt", "submitted",
                                    "started", "ended", "seconds", "status", "failure", "place"};
enum { COLUMNS = sizeof names / sizeof *names };

static const char *name(const void *user, int column) {
  (void)user;
  return names[column];
}

static gannet_cell cell(const void *user, int64_t row, int column, char *text) {
  const bar *b = (const bar *)user + row;
  switch (column) {
    case 0:
      return gannet_cell_whole(b->run->slot, text);
    case 1:
      return gannet_cell_word(b->run->host, text);
    case 2:
      return gannet_cell_word(b->run->job, text);
    case 3:
      return gannet_cell_whole(b->id, text);
    case 4:
      return gannet_cell_whole(b->run->attempts, text);
    case 5:
      return gannet_cell_time(b->run->submitted, text);
    case 6:
      return gannet_cell_time(b->run->started, text);
    case 7:
      return gannet_cell_time(b->run->ended, text);
    case 8:
      return gannet_cell_real(b->run->ended - b->run->started, text);
    case 9:
      return gannet_cell_word(b->status, text);
    case 10:
      return gannet_cell_word(gannet_failure_text(b->run->failure), text);
    default:
      return gannet_cell_word(b->run->place, text);
  }
}

static double begin_of(const bar *b) {
  return isnan(b->run->started) ? -INFINITY : b->run->started;
}

static int by_slot(const void *one, const void *two) {
  const bar *a = one, *b = two;
  if (a->run->slot != b->run->slot) return a->run->slot < b->run->slot ? -1 : 1;
  if (begin_of(a) != begin_of(b)) return begin_of(a) < begin_of(b) ? -1 : 1;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  return a->run->attempts - b->run->attempts;
}

static int64_t collect_bars(const gannet_ledger *ledger, bar *bars) {
  int64_t n = 0;
  for (int i = 0; i < ledger->n_attempts; ++i)
    bars[n++] = (bar){ledger->attempts[i].id, &ledger->attempts[i].run,
                      gannet_eval_status_text(GANNET_EVAL_FAILED)};
  for (int64_t id = 0; id < ledger->n; ++id) {
    const gannet_ticket *t = &ledger->ticket[id];
    if (t->has_result)
      bars[n++] = (bar){id, &t->result.run, gannet_eval_status_text(t->result.status)};
  }
  qsort(bars, (size_t)n, sizeof *bars, by_slot);
  return n;
}

gannet_err gannet_timeline_write(FILE *out, const gannet_ledger *ledger, gannet_format format) {
  bar *bars = NULL;
  GANNET_TRY(gannet_alloc((size_t)(ledger->n + ledger->n_attempts), sizeof *bars, &bars));
  const gannet_grid grid = {.n_columns = COLUMNS,
                            .n_rows = collect_bars(ledger, bars),
                            .user = bars,
                            .name = name,
                            .cell = cell};
  const gannet_err err = gannet_grid_write(out, &grid, format);
  gannet_free(&bars);
  return err;
}
