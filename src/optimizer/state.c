#include "optimizer/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void gannet_state_release(gannet_state *state) {
  gannet_free(&state->value);
  *state = (gannet_state){0};
}

void gannet_state_clear(gannet_state *state) {
  state->n = state->next = 0;
}

static gannet_err reserve_values(gannet_state *state, int n) {
  if (n <= state->capacity) return GANNET_OK;
  const int larger = 2 * n + 16;
  GANNET_TRY(
      gannet_resize((size_t)state->capacity, (size_t)larger, sizeof *state->value, &state->value));
  state->capacity = larger;
  return GANNET_OK;
}

gannet_err gannet_state_copy(const gannet_state *from, gannet_state *to) {
  GANNET_TRY(reserve_values(to, from->n));
  if (from->n > 0) memcpy(to->value, from->value, (size_t)from->n * sizeof *to->value);
  to->n = from->n;
  to->next = 0;
  return GANNET_OK;
}

int gannet_state_position(const gannet_state *state, const char *name, int first) {
  for (int k = 0; k < state->n; ++k) {
    const int i = (first + k) % state->n;
    if (strcmp(state->value[i].name, name) == 0) return i;
  }
  return -1;
}

static int look_up(gannet_state *state, const char *name) {
  const int at = gannet_state_position(state, name, state->next);
  if (at >= 0) state->next = at + 1;
  return at;
}

static void join_name(const char *part, const char *name, char *whole) {
  (void)snprintf(whole, GANNET_STATE_NAME, "%s%s", part, name);
}

/* Each name is put once. */
static gannet_err append_value(gannet_state *state, const char *part, const char *name,
                               gannet_state_value **value) {
  GANNET_TRY(reserve_values(state, state->n + 1));
  *value = &state->value[state->n++];
  memset(*value, 0, sizeof **value);
  join_name(part, name, (*value)->name);
  return GANNET_OK;
}

gannet_err gannet_state_put(gannet_state *state, const char *part, const char *name,
                            gannet_state_kind kind, double number) {
  gannet_state_value *value = NULL;
  GANNET_TRY(append_value(state, part, name, &value));
  value->kind = kind;
  value->number = number;
  return GANNET_OK;
}

gannet_err gannet_state_put_text(gannet_state *state, const char *part, const char *name,
                                 const char *text) {
  gannet_state_value *value = NULL;
  GANNET_TRY(append_value(state, part, name, &value));
  value->kind = GANNET_STATE_TEXT;
  value->number = NAN;
  (void)snprintf(value->text, sizeof value->text, "%s", text);
  return GANNET_OK;
}

static const gannet_state_value *find_value(gannet_state *state, const char *part,
                                            const char *name) {
  char whole[GANNET_STATE_NAME];
  join_name(part, name, whole);
  const int at = look_up(state, whole);
  return at < 0 ? NULL : &state->value[at];
}

bool gannet_state_find(gannet_state *state, const char *part, const char *name, double *number) {
  const gannet_state_value *value = find_value(state, part, name);
  if (!value || value->kind == GANNET_STATE_TEXT) return false;
  *number = value->number;
  return true;
}

const char *gannet_state_find_text(gannet_state *state, const char *part, const char *name) {
  const gannet_state_value *value = find_value(state, part, name);
  return value && value->kind == GANNET_STATE_TEXT ? value->text : "";
}

/* Whether two numbers have the same bits: the zeros of either sign differ. */
static bool is_same_number(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

gannet_err gannet_state_put_fields(gannet_state *state, const char *part,
                                   const gannet_struct_field *table, const void *record) {
  for (const gannet_struct_field *field = table; field->name; ++field) {
    const double value = gannet_struct_field_get_real(field, record);
    if (is_same_number(value, field->fallback) && !state->keeps_fallbacks) continue;
    GANNET_TRY(gannet_state_put(
        state, part, field->name,
        gannet_struct_field_is_real(field) ? GANNET_STATE_REAL : GANNET_STATE_WHOLE, value));
  }
  return GANNET_OK;
}

gannet_err gannet_state_take_fields(gannet_state *state, const char *part,
                                    const gannet_struct_field *table, void *record) {
  gannet_struct_reset(table, record);
  for (const gannet_struct_field *field = table; field->name; ++field) {
    double value = field->fallback;
    if (gannet_state_find(state, part, field->name, &value))
      GANNET_TRY(gannet_struct_field_set_real(field, value, record));
  }
  return GANNET_OK;
}

gannet_err gannet_state_compare(gannet_state *before, gannet_state *now, gannet_state *changes) {
  gannet_state_clear(changes);
  for (int i = 0; i < now->n; ++i) {
    const int at = look_up(before, now->value[i].name);
    const gannet_state_value *old = at >= 0 ? &before->value[at] : NULL, *new = &now->value[i];
    if (old && old->kind == new->kind &&strcmp(old->text, new->text) == 0 &&
        (new->kind == GANNET_STATE_TEXT || is_same_number(old->number, new->number)))
      continue;
    GANNET_TRY(reserve_values(changes, changes->n + 1));
    changes->value[changes->n++] = now->value[i];
  }
  for (int i = 0; i < before->n; ++i) {
    if (look_up(now, before->value[i].name) >= 0) continue;
    GANNET_TRY(gannet_state_put(changes, "", before->value[i].name, GANNET_STATE_ABSENT, NAN));
  }
  return GANNET_OK;
}

gannet_err gannet_state_change(const gannet_state *changes, gannet_state *state) {
  for (int i = 0; i < changes->n; ++i) {
    const gannet_state_value *value = &changes->value[i];
    int at = look_up(state, value->name);
    if (value->kind == GANNET_STATE_ABSENT) {
      if (at < 0) continue;
      state->n -= 1;
      state->next = at;
      memmove(state->value + at, state->value + at + 1,
              (size_t)(state->n - at) * sizeof *state->value);
      continue;
    }
    if (at < 0) {
      GANNET_TRY(reserve_values(state, state->n + 1));
      at = state->n++;
    }
    state->value[at] = *value;
  }
  return GANNET_OK;
}
