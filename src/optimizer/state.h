/* The saved state of an optimiser: values by name.
 *
 * Names are those of the field tables of the parts of an optimiser, after the part that they are
 * of: "batch", "gp-ei/trials", "gp-ei/objective.log_noise". A value that has its fallback is left
 * out, and what is absent when a state is taken has its fallback, or is learnt. So a later version
 * may add values, and one method finds what another one left of the same meaning.
 *
 * Two texts per member tell what its numbers mean: "gp-ei/surrogate", the type of its models, and
 * "gp-ei/meaning", a digest of the settings on which the meaning of hyperparameters depends.
 */
#ifndef GANNET_OPTIMIZER_STATE_H
#define GANNET_OPTIMIZER_STATE_H

#include "base/struct_field.h"

enum { GANNET_STATE_NAME = 96, GANNET_STATE_TEXT_SIZE = 32 };

typedef enum {
  GANNET_STATE_REAL,
  GANNET_STATE_WHOLE, /* at most 53 bits */
  GANNET_STATE_TEXT,
  GANNET_STATE_ABSENT /* in a list of changes: the value is gone */
} gannet_state_kind;

typedef struct {
  char name[GANNET_STATE_NAME];
  gannet_state_kind kind;
  double number;                     /* NAN for texts */
  char text[GANNET_STATE_TEXT_SIZE]; /* "" for numbers */
} gannet_state_value;

/* Zeroed = empty. */
typedef struct {
  int n, capacity;
  gannet_state_value *value; /* [n] in the order in which they were put */
  int next;             /* where the next search begins: mostly values are looked for in order */
  bool keeps_fallbacks; /* values are put even where they have their fallback */
} gannet_state;

/* Free what a state holds; it is empty then.
 *
 * Local.
 */
void gannet_state_release(gannet_state *state);

/* Forget all values.
 *
 * Local.
 */
void gannet_state_clear(gannet_state *state);

/* Make a state equal to another one.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_state_copy(const gannet_state *from, gannet_state *to);

/* Add a value; each name is put once. Names that are too long are cut.
 *
 * Local.
 *
 * part  in  what comes before the name: "" = the optimiser itself, "gp-ei/", "gp-ei/objective."
 */
GANNET_CHECKED gannet_err gannet_state_put(gannet_state *state, const char *part, const char *name,
                                           gannet_state_kind kind, double number);
GANNET_CHECKED gannet_err gannet_state_put_text(gannet_state *state, const char *part,
                                                const char *name, const char *text);

/* Position of the value of a name, -1 when there is none.
 *
 * Local.
 *
 * first  in  where the search begins
 */
int gannet_state_position(const gannet_state *state, const char *name, int first);

/* Whether there is a number of that name.
 *
 * Local.
 *
 * number  out  unchanged when there is none
 */
bool gannet_state_find(gannet_state *state, const char *part, const char *name, double *number);

/* The text of that name, "" when there is none.
 *
 * Local.
 */
const char *gannet_state_find_text(gannet_state *state, const char *part, const char *name);

/* Put the fields of a struct that have not their fallbacks; and take them, where fields that are
 * absent get their fallbacks.
 *
 * Local.
 *
 * Errors of take: GANNET_ERR_DAMAGED naming a value that is out of range.
 */
GANNET_CHECKED gannet_err gannet_state_put_fields(gannet_state *state, const char *part,
                                                  const gannet_struct_field *table,
                                                  const void *record);
GANNET_CHECKED gannet_err gannet_state_take_fields(gannet_state *state, const char *part,
                                                   const gannet_struct_field *table, void *record);

/* List what became of a state: values that are new or not the same, and those that are gone.
 *
 * Local.
 *
 * changes  out
 */
GANNET_CHECKED gannet_err gannet_state_compare(gannet_state *before, gannet_state *now,
                                               gannet_state *changes);

/* Make such changes.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_state_change(const gannet_state *changes, gannet_state *state);

#endif
