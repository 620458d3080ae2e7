#include "problem/variable_expression.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "problem/expression.h"
#include "problem/variable.h"

struct gannet_variable_expression {
  gannet_expression *expression;
  bool *used; /* [n_variables] */
};

typedef enum { NAME, QUOTED, COMPARISON, ORDER, OTHER, NUMBER } token_kind;

/* A piece of an expression. COMPARISON is == and !=; ORDER is < <= > >=. A QUOTED token lies
 * between its quotes, and the other tokens are what they are. */
typedef struct {
  token_kind kind;
  const char *text;
  size_t length;
} token;

typedef struct {
  const char *text;
  int n_variables;
  const gannet_variable *variables;
  int n;
  token *token;
  bool *used; /* [n_variables] */
} scan;

static gannet_err read_token(const char *text, const char *at, token *next) {
  *next = (token){OTHER, at, 1};
  double value;
  if (isdigit((unsigned char)*at) || *at == '.') {
    const size_t size = gannet_number_read(at, GANNET_NUMBER_BEFORE_UNIT, &value);
    *next = (token){NUMBER, at, size > 0 ? size : 1};
  } else if (isalpha((unsigned char)*at) || *at == '_') {
    next->kind = NAME;
    while (isalnum((unsigned char)at[next->length]) || at[next->length] == '_') ++next->length;
  } else if (*at == '\'' || *at == '"') {
    const char *end = strchr(at + 1, *at);
    GANNET_REQUIRE(end, GANNET_ERR_INPUT, "expression '%.200s': %s is not closed; add another",
                   text, *at == '"' ? "a \"" : "a '");
    *next = (token){QUOTED, at + 1, (size_t)(end - at - 1)};
  } else if ((*at == '=' || *at == '!') && at[1] == '=') {
    *next = (token){COMPARISON, at, 2};
  } else if (*at == '<' || *at == '>') {
    *next = (token){ORDER, at, at[1] == '=' ? 2 : 1};
  }
  return GANNET_OK;
}

static bool is_text(const token *t, const char *text) {
  return strlen(text) == t->length && strncmp(t->text, text, t->length) == 0;
}

static bool is_comparison(const token *t) {
  return t->kind == COMPARISON || t->kind == ORDER;
}

/* muParser takes a < b < c as (a < b) < c. */
static gannet_err check_chains(const scan *s) {
  int depth = 0;
  for (int i = 0; i < s->n; ++i) {
    if (!is_comparison(&s->token[i])) continue;
    depth = 0;
    for (int j = i + 1; j < s->n && depth >= 0; ++j) {
      const token *t = &s->token[j];
      if (is_text(t, "(")) ++depth;
      if (is_text(t, ")")) --depth;
      if (depth == 0 && t->kind == OTHER && strchr("&|?:,", *t->text)) break;
      GANNET_REQUIRE(depth != 0 || !is_comparison(t), GANNET_ERR_INPUT,
                     "expression '%.200s': two comparisons in a row; write them apart, as in "
                     "(a < b) && (b < c)",
                     s->text);
    }
  }
  return GANNET_OK;
}

/* The labels of a variable; their number is 0 when it has numbers for values. */
static int labels_of(const gannet_variable *v, const char *const **labels) {
  static const char *const truths[] = {"false", "true"};
  *labels = v->type == GANNET_VARIABLE_BOOLEAN ? truths : v->values;
  return v->type == GANNET_VARIABLE_BOOLEAN ? 2 : gannet_variable_has_words(v) ? v->n_values : 0;
}

/* The position of a label among those of a variable, or -1. */
static int find_label(const gannet_variable *v, const token *t) {
  const char *const *labels;
  const int n = labels_of(v, &labels);
  for (int i = 0; i < n; ++i)
    if (is_text(t, labels[i])) return i;
  return -1;
}

static gannet_err raise_unknown_label(const scan *s, const gannet_variable *v, const token *t) {
  const char *const *labels, *known[257] = {NULL};
  const int n = labels_of(v, &labels);
  char word[64], list[200] = "";
  size_t used = 0;
  (void)snprintf(word, sizeof word, "%.*s", t->length < 63 ? (int)t->length : 63, t->text);
  for (int i = 0; i < n && i < 256; ++i) {
    known[i] = labels[i];
    const int more = snprintf(list + used, sizeof list - used, " %s", labels[i]);
    if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
  }
  list[used] = '\0';
  const char *near = gannet_nearest(word, known);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "expression '%.200s': '%s' is not one of the values of %s,%s%s%s%s", s->text,
                      word, v->name, list, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

/* Find the label that token i, the name of variable v, is compared with.
 *
 * label  out  its token; -1 = it is compared with none, and needs none
 * value  out  position among the labels of v
 */
static gannet_err find_compared(const scan *s, int i, const gannet_variable *v, int *label,
                                int *value) {
  const bool has_numbers = !gannet_variable_has_words(v);
  const int sides[] = {1, -1};
  *label = -1;
  for (int k = 0; k < 2 && *label < 0; ++k) {
    const int at = i + 2 * sides[k], between = i + sides[k];
    if (at < 0 || at >= s->n || !is_comparison(&s->token[between])) continue;
    const bool is_call = at + 1 < s->n && is_text(&s->token[at + 1], "(");
    if (s->token[at].kind != QUOTED && (s->token[at].kind != NAME || is_call)) continue;
    *value = find_label(v, &s->token[at]);
    if (*value < 0 && has_numbers && s->token[at].kind != QUOTED) continue;
    if (*value < 0) return raise_unknown_label(s, v, &s->token[at]);
    GANNET_REQUIRE(s->token[between].kind == COMPARISON || v->type == GANNET_VARIABLE_ORDINAL,
                   GANNET_ERR_INPUT,
                   "expression '%.200s': the values of %s have no order; use == or !=", s->text,
                   v->name);
    *label = at;
  }
  GANNET_REQUIRE(*label >= 0 || has_numbers, GANNET_ERR_INPUT,
                 "expression '%.200s': the values of %s are words; compare it with one, as in "
                 "%s == '%s'",
                 s->text, v->name, v->name, v->values[0]);
  return GANNET_OK;
}

/* Write the expression with numbers in the place of labels, and note which variables it uses.
 *
 * plain  out  has room for 12 bytes more per token than the text
 */
static gannet_err replace_labels(const scan *s, char *plain) {
  enum { LONGEST = 12 };
  int *value, label, position;
  GANNET_TRY(gannet_alloc((size_t)s->n, sizeof *value, &value));
  for (int i = 0; i < s->n; ++i) value[i] = -1;
  gannet_err err = check_chains(s);
  for (int i = 0; i < s->n && err == GANNET_OK; ++i) {
    int v = 0;
    while (v < s->n_variables && !is_text(&s->token[i], s->variables[v].name)) ++v;
    if (s->token[i].kind != NAME || value[i] >= 0 || v == s->n_variables) continue;
    const gannet_variable *variable = &s->variables[v];
    const char *const *labels;
    s->used[v] = true;
    if (labels_of(variable, &labels) == 0) continue;
    err = find_compared(s, i, variable, &label, &position);
    if (err == GANNET_OK && label >= 0) value[label] = position;
  }
  const char *copied = s->text;
  for (int i = 0; i < s->n && err == GANNET_OK; ++i) {
    const token *t = &s->token[i];
    const bool quoted = t->kind == QUOTED;
    if (value[i] < 0 && !quoted) continue;
    if (value[i] < 0) {
      err = GANNET_RAISE(GANNET_ERR_INPUT,
                         "expression '%.200s': '%.*s' is not compared with a variable that has it "
                         "as a value; use it as in solver == 'cg'",
                         s->text, (int)t->length, t->text);
      break;
    }
    const size_t ahead = (size_t)(t->text - quoted - copied);
    memcpy(plain, copied, ahead);
    /* Padded, so that characters behind it keep their numbers in messages. */
    plain += ahead + (size_t)snprintf(plain + ahead, LONGEST + t->length + 2, "%-*d",
                                      (int)t->length + 2 * quoted, value[i]);
    copied = t->text + t->length + quoted;
  }
  if (err == GANNET_OK) memcpy(plain, copied, strlen(copied) + 1);
  gannet_free(&value);
  return err;
}

gannet_err gannet_variable_expression_create(const char *text, int n,
                                             const gannet_variable *variables,
                                             gannet_variable_expression **expression) {
  scan s = {.text = text, .n_variables = n, .variables = variables};
  const char **names = NULL;
  char *plain = NULL;
  *expression = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof **expression, expression));
  gannet_err err = gannet_alloc((size_t)n, sizeof *s.used, &s.used);
  (*expression)->used = s.used;
  if (err == GANNET_OK) err = gannet_alloc(strlen(text), sizeof *s.token, &s.token);
  for (const char *at = text; err == GANNET_OK && *(at += strspn(at, " \t\r\n"));) {
    token *next = &s.token[s.n++];
    err = read_token(text, at, next);
    at = next->text + next->length + (next->kind == QUOTED);
  }
  if (err == GANNET_OK) err = gannet_alloc(13 * (strlen(text) + 1), 1, &plain);
  if (err == GANNET_OK) err = replace_labels(&s, plain);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *names, &names);
  for (int v = 0; v < n && err == GANNET_OK; ++v) names[v] = variables[v].name;
  if (err == GANNET_OK) err = gannet_expression_create(plain, n, names, &(*expression)->expression);
  gannet_free(&names);
  gannet_free(&plain);
  gannet_free(&s.token);
  if (err != GANNET_OK) gannet_variable_expression_destroy(expression);
  return err;
}

void gannet_variable_expression_destroy(gannet_variable_expression **expression) {
  if (!*expression) return;
  gannet_expression_destroy(&(*expression)->expression);
  gannet_free(&(*expression)->used);
  gannet_free(expression);
}

double gannet_variable_expression_value(gannet_variable_expression *expression,
                                        const double *x_user) {
  return gannet_expression_value(expression->expression, x_user);
}

bool gannet_variable_expression_uses(const gannet_variable_expression *expression, int v) {
  return expression->used[v];
}
