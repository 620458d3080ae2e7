#include "campaign/config/carry_over.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "campaign/config/yaml_text.h"
#include "problem/problem.h"

/* A variable of the file, and what it was before. */
typedef struct {
  gannet_tree_file *file;
  gannet_complaints *complaints;
  const gannet_problem *before;
  int v;                    /* position in before */
  const char *name;         /* in the file */
  const gannet_tree *node;  /* a mapping; to be looked up anew when keys were added */
  const char *fixed, *type; /* texts in the file, "" = not given */
} carried;

static const char *text_of(const gannet_tree *node, const char *key) {
  const gannet_tree *child = gannet_tree_find(node, key);
  return child && child->kind == GANNET_TREE_TEXT ? child->text : "";
}

/* Give the variable a key, with a value in YAML. */
static gannet_err set_key(const carried *c, const char *key, const char *value) {
  char *setting = NULL;
  const size_t size = strlen(c->name) + strlen(key) + strlen(value) + 16;
  GANNET_TRY(gannet_alloc(size, 1, &setting));
  (void)snprintf(setting, size, "variables.%s.%s=%s", c->name, key, value);
  const gannet_err err = gannet_tree_override(c->file, setting, c->complaints);
  gannet_free(&setting);
  return err;
}

static gannet_err set_number(const carried *c, const char *key, double value) {
  char text[40];
  gannet_format_number(value, text, sizeof text);
  return set_key(c, key, text);
}

static gannet_err set_list(const carried *c, const char *key, int n, const char *const *words) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "a list of words");
  (void)fputc('[', out);
  for (int i = 0; i < n; ++i) {
    if (i > 0) (void)fputs(", ", out);
    gannet_yaml_text(out, words[i]);
  }
  (void)fputc(']', out);
  const bool is_torn = fclose(out) != 0;
  const gannet_err err =
      is_torn ? GANNET_RAISE(GANNET_ERR_MEMORY, "a list of words") : set_key(c, key, text);
  free(text);
  return err;
}

static int find_word(int n, const char *const *words, const char *word) {
  for (int i = 0; i < n; ++i)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

/* The words that were, among those of the file: ordered ones behind the word that was before them,
 * others at the end.
 *
 * words  inout  [n + as many as there were]
 *
 * Returns how many words there are.
 */
static int merge_words(const gannet_variable *was, bool is_ordered, int n, const char **words) {
  int at = 0; /* where an ordered word goes */
  for (int i = 0; i < was->n_values; ++i) {
    const int found = find_word(n, words, was->values[i]);
    const int place = is_ordered ? at : n;
    at = found >= 0 ? found + 1 : place + 1;
    if (found >= 0) continue;
    memmove(&words[place + 1], &words[place], (size_t)(n - place) * sizeof *words);
    words[place] = was->values[i];
    n += 1;
  }
  return n;
}

/* Keep words that the file does not have any more in the list, as retired ones. */
static gannet_err carry_words(const carried *c) {
  const gannet_variable *was = &c->before->spec.variables[c->v];
  const gannet_tree *values = gannet_tree_find(c->node, "values");
  const gannet_tree *own = gannet_tree_find(c->node, "retired");
  const int n_given = values && values->kind == GANNET_TREE_LIST ? values->n : 0;
  const int n_own = own && own->kind == GANNET_TREE_LIST ? own->n : 0;
  const char **words = NULL, **retired = NULL;
  const bool is_new = *c->fixed && find_word(was->n_values, was->values, c->fixed) < 0;
  double number;
  int n = 0, n_retired = 0, n_numbers = 0;
  for (int i = 0; i < n_given; ++i) {
    if (values->child[i].kind != GANNET_TREE_TEXT) return GANNET_OK; /* a mistake */
    n_numbers += gannet_parse_number(values->child[i].text, &number) == 0;
  }
  if (n_given > 0 && n_numbers == n_given && strcmp(c->type, "categorical") != 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)(n_given + was->n_values + 1), sizeof *words, &words));
  gannet_err err = gannet_alloc((size_t)(n_own + was->n_values), sizeof *retired, &retired);
  for (; err == GANNET_OK && n < n_given; ++n) words[n] = values->child[n].text;
  for (int i = 0; err == GANNET_OK && i < n_own; ++i)
    if (own->child[i].kind == GANNET_TREE_TEXT) retired[n_retired++] = own->child[i].text;
  for (int i = 0; err == GANNET_OK && i < was->n_values; ++i) {
    const bool is_gone = n_given > 0 ? find_word(n_given, words, was->values[i]) < 0
                                     : gannet_problem_is_retired(c->before, c->v, i);
    if (is_gone && strcmp(was->values[i], c->fixed) != 0 &&
        find_word(n_retired, retired, was->values[i]) < 0)
      retired[n_retired++] = was->values[i];
  }
  if (err == GANNET_OK) {
    const bool is_ordered =
        strcmp(c->type, "ordinal") == 0 || (!*c->type && was->type == GANNET_VARIABLE_ORDINAL);
    n = merge_words(was, is_ordered, n, words);
    if (n_given == 0 && is_new && !is_ordered) words[n++] = c->fixed;
    if (n > n_given) err = set_list(c, "values", n, words);
  }
  if (err == GANNET_OK && n_retired > n_own) err = set_list(c, "retired", n_retired, retired);
  gannet_free(&words);
  gannet_free(&retired);
  return err;
}

/* The numbers that a variable could have, and the one that it is fixed at. */
static gannet_err carry_numbers(const carried *c) {
  const gannet_variable *was = &c->before->spec.variables[c->v];
  double fixed, lower = was->lower, upper = was->upper;
  const bool is_listed = gannet_variable_has_numbers(was);
  if (gannet_parse_number(c->fixed, &fixed) != 0)
    return GANNET_OK; /* it will be complained about */
  if (is_listed) {
    GANNET_TRY(set_list(c, "values", was->n_values, was->values));
  } else {
    if (lower == 0 && upper == 0) lower = upper = was->fixed; /* it was fixed without bounds */
    const bool is_wider = !(was->step > 0); /* steps are counted from the lower bound */
    GANNET_TRY(set_number(c, "lower", is_wider ? fmin(lower, fixed) : lower));
    GANNET_TRY(set_number(c, "upper", is_wider ? fmax(upper, fixed) : upper));
    if (was->step > 0) GANNET_TRY(set_number(c, "step", was->step));
    if (!*c->type)
      GANNET_TRY(set_key(c, "type", was->type == GANNET_VARIABLE_INTEGER ? "integer" : "real"));
  }
  if (was->scale == GANNET_SCALE_LOG && !gannet_tree_find(c->node, "scale"))
    return set_key(c, "scale", "log");
  return GANNET_OK;
}

/* Whether the file gives a fixed variable another value than all evaluations had. */
static bool was_otherwise(const carried *c) {
  const gannet_variable *was = &c->before->spec.variables[c->v];
  double value;
  if (!*c->fixed || was->role == GANNET_ROLE_DERIVED) return false;
  if (was->role == GANNET_ROLE_FREE) return true;
  if (gannet_problem_parse(c->before, c->v, c->fixed, &value) == GANNET_OK)
    return value != was->fixed;
  gannet_error_clear();
  return true;
}

static gannet_err carry_variable(carried *c) {
  const gannet_variable *was = &c->before->spec.variables[c->v];
  const char *type = gannet_variable_type_name(was->type);
  const bool is_defined = gannet_tree_find(c->node, "values") ||
                          gannet_tree_find(c->node, "lower") || gannet_tree_find(c->node, "upper");
  const bool is_varied = was_otherwise(c) && !gannet_tree_find(c->node, "varied");
  const bool has_words = gannet_variable_has_words(was);
  if (gannet_tree_find(c->node, "expression")) return GANNET_OK;
  if (has_words && (gannet_tree_find(c->node, "values") || is_varied)) GANNET_TRY(carry_words(c));
  if (!is_varied) return GANNET_OK;
  if (!is_defined && gannet_variable_is_number(was)) GANNET_TRY(carry_numbers(c));
  if (!*c->type && (has_words || (!is_defined && was->type == GANNET_VARIABLE_BOOLEAN)))
    GANNET_TRY(set_key(c, "type", type));
  return set_key(c, "varied", "yes");
}

gannet_err gannet_config_carry_over(const gannet_problem *before, gannet_tree_file *file,
                                    gannet_complaints *complaints) {
  const gannet_tree *variables = gannet_tree_find(&file->root, "variables");
  if (!variables || variables->kind != GANNET_TREE_MAPPING) return GANNET_OK;
  for (int i = 0; i < variables->n; ++i) {
    const gannet_tree *node = &variables->child[i];
    const int found = gannet_problem_find_variable(before, node->key);
    const char *old = text_of(node, "renamed_from");
    carried c = {.file = file,
                 .complaints = complaints,
                 .before = before,
                 .v = found < 0 && *old ? gannet_problem_find_variable(before, old) : found,
                 .name = node->key,
                 .node = node,
                 .fixed = text_of(node, "fixed"),
                 .type = text_of(node, "type")};
    if (found >= 0 && *old && gannet_problem_find_variable(before, old) >= 0 &&
        !gannet_tree_find(variables, old)) {
      char location[GANNET_LOCATION_SIZE];
      gannet_tree_location(gannet_tree_find(node, "renamed_from"), location, sizeof location);
      gannet_complain(complaints, location,
                      "variables.%.80s.renamed_from: the campaign already has a variable '%.80s' "
                      "with its own values; choose another name for '%.80s'",
                      node->key, node->key, old);
    }
    if (c.v >= 0 && node->kind == GANNET_TREE_MAPPING) GANNET_TRY(carry_variable(&c));
  }
  return GANNET_OK;
}
