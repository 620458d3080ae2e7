#include "campaign/tables/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/config/candidates.h"
#include "campaign/tables/table.h"

typedef struct {
  const double *x; /* [d] in the user's units */
  int d;
  int64_t id; /* -1 = a row of the list */
} design;

typedef struct {
  gannet_labels *labels;
  const gannet_campaign *campaign;
  int64_t n;
  design *sorted; /* [n] by their values */
} search;

static int by_values(const void *a, const void *b) {
  const design *one = a, *two = b;
  for (int k = 0; k < one->d; ++k)
    if (one->x[k] != two->x[k]) return one->x[k] < two->x[k] ? -1 : 1;
  return 0;
}

static bool is_taken(const search *s, const char *name) {
  bool taken = gannet_table_has_column(&s->campaign->ledger, name);
  for (int c = 0; c < s->labels->n_columns && !taken; ++c)
    taken = strcmp(s->labels->name[c], name) == 0;
  return taken;
}

/* A column "id" becomes "candidates.id"; one without a name is called by its number. */
static gannet_err add_column(search *s, int column, const char *name) {
  gannet_labels *l = s->labels;
  const size_t length = strlen(name) + 64;
  char *own = NULL;
  GANNET_TRY(gannet_alloc(length, 1, &own));
  if (name[0])
    (void)snprintf(own, length, "%s", name);
  else
    (void)snprintf(own, length, "candidates.%d", column + 1);
  gannet_utf8_line(own);
  if (is_taken(s, own)) (void)snprintf(own, length, "candidates.%s", name);
  gannet_utf8_line(own);
  for (int next = 2; is_taken(s, own); ++next)
    (void)snprintf(own, length, "candidates.%s.%d", name, next);
  l->name[l->n_columns++] = own;
  return GANNET_OK;
}

static gannet_err take_names(void *user, int n, char *const *names, bool *enough) {
  search *s = user;
  gannet_labels *l = s->labels;
  *enough = n == 0;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *l->name, &l->name));
  for (int c = 0; c < n; ++c) GANNET_TRY(add_column(s, c, names[c]));
  l->n = s->campaign->ledger.n;
  return gannet_alloc((size_t)l->n * (size_t)n, sizeof *l->text, &l->text);
}

static gannet_err label_evaluation(gannet_labels *l, int64_t id, char *const *texts) {
  char **text = l->text + id * l->n_columns;
  if (text[0]) return GANNET_OK;
  for (int c = 0; c < l->n_columns; ++c) {
    GANNET_TRY(gannet_copy_text(texts[c], &text[c]));
    gannet_utf8_line(text[c]);
  }
  return GANNET_OK;
}

/* Somebody may have told a result of a listed design twice. */
static gannet_err take_row(void *user, const double *x, char *const *texts) {
  search *s = user;
  const design row = {x, s->campaign->input->problem->spec.n_variables, -1};
  const design *found = bsearch(&row, s->sorted, (size_t)s->n, sizeof *s->sorted, by_values);
  if (!found) return GANNET_OK;
  while (found > s->sorted && by_values(found - 1, &row) == 0) --found;
  for (; found < s->sorted + s->n && by_values(found, &row) == 0; ++found)
    GANNET_TRY(label_evaluation(s->labels, found->id, texts));
  return GANNET_OK;
}

gannet_err gannet_labels_read(const gannet_campaign *campaign, gannet_labels *labels) {
  const char *path = campaign->input->general.candidates;
  search s = {.labels = labels, .campaign = campaign, .n = campaign->ledger.n};
  *labels = (gannet_labels){0};
  if (strcmp(path, "none") == 0 || gannet_candidates_file_is_hdf5(path)) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)s.n, sizeof *s.sorted, &s.sorted));
  for (int64_t id = 0; id < s.n; ++id)
    s.sorted[id] = (design){gannet_history_x_user(campaign->history, id),
                            campaign->input->problem->spec.n_variables, id};
  qsort(s.sorted, (size_t)s.n, sizeof *s.sorted, by_values);
  const gannet_candidates_csv about = {.path = path,
                                       .problem = campaign->input->problem,
                                       .user = &s,
                                       .others = take_names,
                                       .row = take_row};
  const gannet_err err = gannet_candidates_csv_read(&about);
  gannet_free(&s.sorted);
  return err;
}

void gannet_labels_release(gannet_labels *labels) {
  for (int c = 0; labels->name && c < labels->n_columns; ++c) gannet_free(&labels->name[c]);
  for (int64_t i = 0; labels->text && i < labels->n * labels->n_columns; ++i)
    gannet_free(&labels->text[i]);
  gannet_free(&labels->name);
  gannet_free(&labels->text);
  *labels = (gannet_labels){0};
}
