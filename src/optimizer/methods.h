/* The table of methods: every method is a row = surrogate x acquisition x region x defaults.
 *
 * A row only sets options that a user could set one by one, so every part of a method can be
 * changed alone, and adding a method is adding a row.
 */
#ifndef GANNET_OPTIMIZER_METHODS_H
#define GANNET_OPTIMIZER_METHODS_H

#include "base/option.h"

enum { GANNET_METHOD_DEFAULTS = 20, GANNET_MEMBERS_MOST = 8 };

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  const char *use; /* when to choose it, from what docs/benchmarks measured; a phrase */
  /* Method that joins the row's portfolio when the problem states equations; NULL = none. */
  const char *with_equations;
  /* Method that takes the place of the row's portfolio when the problem has several objectives;
   * NULL = none. */
  const char *with_objectives;
  /* Settings that the row stands for; a user's own settings win. Ends with key == NULL. */
  gannet_setting defaults[GANNET_METHOD_DEFAULTS];
} gannet_method;

/* Every method, NULL-terminated. */
extern const gannet_method *const gannet_methods[];

/* Find a method by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_method_find(const char *name, const gannet_method **method);

/* The text that a row sets a key to, or NULL.
 *
 * Local.
 */
const char *gannet_method_default(const gannet_method *method, const char *key);

/* The portfolio that a row stands for, or NULL when it is a single method.
 *
 * Local.
 */
const char *gannet_method_portfolio(const gannet_method *method);

#endif
