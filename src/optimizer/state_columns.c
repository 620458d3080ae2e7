#include "optimizer/state_columns.h"

#include <string.h>

#include "base/memory.h"
#include "store/fields.h"

/* Numbers from the front of the lists, texts from their back. */
static gannet_err write_lists(gannet_store *store, const gannet_state *state, const char **names,
                              const char **types, double *values, const char **words) {
  int64_t n = 0;
  int texts = state->n;
  for (int i = 0; i < state->n; ++i) {
    const gannet_state_value *value = &state->value[i];
    if (value->kind == GANNET_STATE_TEXT) {
      names[--texts] = value->name;
      words[texts] = value->text;
      continue;
    }
    names[n] = value->name;
    types[n] = value->kind == GANNET_STATE_WHOLE ? "whole" : "real";
    values[n++] = value->number;
  }
  GANNET_TRY(gannet_store_write_texts(store, "optimizer/names", (int)n, names));
  GANNET_TRY(gannet_store_annotate(store, "optimizer/names", NULL, "of optimizer/values"));
  GANNET_TRY(gannet_store_write_doubles(store, "optimizer/values", 1, &n, values));
  GANNET_TRY(gannet_store_annotate(
      store, "optimizer/values", NULL,
      "state of the optimiser after the last proposal; values that are not here "
      "have not changed since the beginning"));
  GANNET_TRY(gannet_store_write_texts(store, "optimizer/types", (int)n, types));
  GANNET_TRY(
      gannet_store_write_texts(store, "optimizer/text_names", state->n - texts, names + texts));
  GANNET_TRY(gannet_store_write_texts(store, "optimizer/texts", state->n - texts, words + texts));
  return gannet_store_annotate(
      store, "optimizer/texts", NULL,
      "the method; the type of each member's models, and what their numbers mean");
}

gannet_err gannet_state_write(gannet_store *store, const gannet_state *state) {
  const size_t n = (size_t)state->n + 1;
  const char **texts = NULL;
  double *values = NULL;
  GANNET_TRY(gannet_alloc(3 * n, sizeof *texts, &texts));
  gannet_err err = gannet_alloc(n, sizeof *values, &values);
  if (err == GANNET_OK) err = write_lists(store, state, texts, texts + n, values, texts + 2 * n);
  gannet_free(&texts);
  gannet_free(&values);
  return err;
}

gannet_err gannet_state_read(const gannet_store *store, gannet_state *state) {
  char **names = NULL, **types = NULL, **text_names = NULL, **texts = NULL;
  double *values = NULL;
  int n = 0, n_types = 0, n_names = 0, n_texts = 0;
  gannet_err err = gannet_store_read_texts(store, "optimizer/names", &n, &names);
  if (err == GANNET_OK) err = gannet_store_read_texts(store, "optimizer/types", &n_types, &types);
  if (err == GANNET_OK)
    err = gannet_store_read_texts(store, "optimizer/text_names", &n_names, &text_names);
  if (err == GANNET_OK) err = gannet_store_read_texts(store, "optimizer/texts", &n_texts, &texts);
  if (err == GANNET_OK && (n != n_types || n_names != n_texts))
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "optimizer/names has %d rows, its types %d", n, n_types);
  for (int i = 0; i < n_texts && err == GANNET_OK; ++i)
    err = gannet_state_put_text(state, "", text_names[i], texts[i]);
  const int64_t length = n;
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *values, &values);
  if (err == GANNET_OK)
    err = gannet_store_read_doubles(store, "optimizer/values", 1, &length, values);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    const bool is_whole = strcmp(types[i], "whole") == 0;
    err = gannet_state_put(state, "", names[i], is_whole ? GANNET_STATE_WHOLE : GANNET_STATE_REAL,
                           values[i]);
  }
  gannet_free(&values);
  gannet_free(&names);
  gannet_free(&types);
  gannet_free(&text_names);
  gannet_free(&texts);
  return err;
}
