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
  int alone;  /* variable that is all of it; -1 = there is more */
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

/* The variable of words that a token names, NULL = none. */
static const gannet_variable *find_words(const scan *s, const token *t) {
  for (int v = 0; v < s->n_variables; ++v)
    if (t->kind == NAME && is_text(t, s->variables[v].name) &&
        gannet_variable_has_words(&s->variables[v]))
      return &s->variables[v];
  return NULL;
}

static bool have_same_words(const gannet_variable *a, const gannet_variable *b) {
  bool same = a->n_values == b->n_values;
  for (int i = 0; i < a->n_values && same; ++i) same = strcmp(a->values[i], b->values[i]) == 0;
  return same;
}

/* Two variables of words can be compared; their order only where it is one and the same. */
static gannet_err check_comparable(const scan *s, const token *between, const gannet_variable *v,
                                   const gannet_variable *other) {
  const bool ordered = v->type == GANNET_VARIABLE_ORDINAL &&
                       other->type == GANNET_VARIABLE_ORDINAL && have_same_words(v, other);
  GANNET_REQUIRE(between->kind == COMPARISON || ordered, GANNET_ERR_INPUT,
                 "expression '%.200s': the values of %s and %s have no common order; use == or !=",
                 s->text, v->name, other->name);
  return GANNET_OK;
}

/* Find the label that token i, the name of variable v, is compared with.
 *
 * label  out  its token; -1 = it is compared with none, and needs none
 * value  out  position among the labels of v
 * other  out  variable of words with which it is compared instead, when that stands before it; else
 *             NULL
 */
static gannet_err find_compared(const scan *s, int i, const gannet_variable *v, int *label,
                                int *value, const gannet_variable **other) {
  const bool has_numbers = !gannet_variable_has_words(v);
  const int sides[] = {1, -1};
  bool is_compared = false;
  *label = -1;
  *other = NULL;
  for (int k = 0; k < 2 && *label < 0; ++k) {
    const int at = i + 2 * sides[k], between = i + sides[k];
    if (at < 0 || at >= s->n || !is_comparison(&s->token[between])) continue;
    const bool is_call = at + 1 < s->n && is_text(&s->token[at + 1], "(");
    if (s->token[at].kind != QUOTED && (s->token[at].kind != NAME || is_call)) continue;
    *value = find_label(v, &s->token[at]);
    if (*value < 0 && has_numbers && s->token[at].kind != QUOTED) continue;
    const gannet_variable *words = *value < 0 ? find_words(s, &s->token[at]) : NULL;
    if (words) {
      GANNET_TRY(check_comparable(s, &s->token[between], v, words));
      is_compared = true;
      if (at < i) *other = words;
      continue;
    }
    if (*value < 0) return raise_unknown_label(s, v, &s->token[at]);
    GANNET_REQUIRE(s->token[between].kind == COMPARISON || v->type == GANNET_VARIABLE_ORDINAL,
                   GANNET_ERR_INPUT,
                   "expression '%.200s': the values of %s have no order; use == or !=", s->text,
                   v->name);
    *label = at;
  }
  GANNET_REQUIRE(*label >= 0 || has_numbers || is_compared, GANNET_ERR_INPUT,
                 "expression '%.200s': the values of %s are words; compare it with one, as in "
                 "%s == '%s'",
                 s->text, v->name, v->name, v->values[0]);
  return GANNET_OK;
}

/* Whether a quoted token that is no label is compared with a name that no variable has. */
static gannet_err check_neighbours(const scan *s, int i) {
  const char *known[257] = {NULL};
  for (int v = 0; v < s->n_variables && v < 256; ++v) known[v] = s->variables[v].name;
  for (int at = i - 2; at <= i + 2; at += 4) {
    if (at < 0 || at >= s->n || !is_comparison(&s->token[(i + at) / 2])) continue;
    const token *t = &s->token[at];
    int v = 0;
    while (v < s->n_variables && !is_text(t, s->variables[v].name)) ++v;
    if (t->kind != NAME || v < s->n_variables) continue;
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", t->length < 63 ? (int)t->length : 63, t->text);
    const char *near = gannet_nearest(word, known);
    return GANNET_RAISE(GANNET_ERR_INPUT, "expression '%.200s': there is no variable '%s'%s%s%s",
                        s->text, word, near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
  }
  return GANNET_OK;
}

/* Write the position of a variable's word among those of another one, which has -1 in the place of
 * words that it lacks. Returns the length. */
static size_t write_position(const gannet_variable *v, const gannet_variable *other, char *plain) {
  size_t length = 0;
  for (int i = 0; i < v->n_values; ++i) {
    int at = other->n_values - 1;
    while (at >= 0 && strcmp(other->values[at], v->values[i]) != 0) --at;
    length += (size_t)snprintf(plain + length, strlen(v->name) + 32, "(%s==%d?%d:", v->name, i, at);
  }
  length += (size_t)snprintf(plain + length, 3, "-1");
  for (int i = 0; i < v->n_values; ++i) plain[length++] = ')';
  plain[length] = '\0';
  return length;
}

/* Bytes that write_position may need for the variables of an expression. */
static size_t room_for_positions(const scan *s) {
  size_t room = 0;
  for (int i = 0; i < s->n; ++i) {
    const gannet_variable *v = find_words(s, &s->token[i]);
    if (v) room += (size_t)v->n_values * (strlen(v->name) + 32) + 8;
  }
  return room;
}

/* Write the expression with numbers in the place of labels, and note which variables it uses.
 *
 * plain  out  has room for 12 bytes more per token than the text, and for positions
 */
static gannet_err replace_labels(const scan *s, char *plain) {
  enum { LONGEST = 12 };
  int *value, label = -1, position = -1;
  const gannet_variable **other = NULL; /* [n] of tokens that are compared with one before them */
  GANNET_TRY(gannet_alloc((size_t)s->n, sizeof *value, &value));
  for (int i = 0; i < s->n; ++i) value[i] = -1;
  gannet_err err = gannet_alloc((size_t)s->n, sizeof *other, &other);
  if (err == GANNET_OK) err = check_chains(s);
  for (int i = 0; i < s->n && err == GANNET_OK; ++i) {
    int v = 0;
    while (v < s->n_variables && !is_text(&s->token[i], s->variables[v].name)) ++v;
    if (s->token[i].kind != NAME || value[i] >= 0 || v == s->n_variables) continue;
    const gannet_variable *variable = &s->variables[v];
    const char *const *labels;
    s->used[v] = true;
    if (labels_of(variable, &labels) == 0) continue;
    err = find_compared(s, i, variable, &label, &position, &other[i]);
    if (other[i] && have_same_words(other[i], variable)) other[i] = NULL;
    if (err == GANNET_OK && label >= 0) value[label] = position;
  }
  const char *copied = s->text;
  for (int i = 0; i < s->n && err == GANNET_OK; ++i) {
    const token *t = &s->token[i];
    const bool quoted = t->kind == QUOTED;
    if (other[i]) {
      const size_t before = (size_t)(t->text - copied);
      memcpy(plain, copied, before);
      plain += before + write_position(find_words(s, t), other[i], plain + before);
      copied = t->text + t->length;
      continue;
    }
    if (value[i] < 0 && !quoted) continue;
    if (value[i] < 0) err = check_neighbours(s, i);
    if (value[i] < 0 && err == GANNET_OK) {
      err = GANNET_RAISE(GANNET_ERR_INPUT,
                         "expression '%.200s': '%.*s' is not compared with a variable that has it "
                         "as a value; use it as in solver == 'cg'",
                         s->text, (int)t->length, t->text);
    }
    if (err != GANNET_OK) break;
    const size_t ahead = (size_t)(t->text - quoted - copied);
    memcpy(plain, copied, ahead);
    /* Padded, so that characters behind it keep their numbers in messages. */
    plain += ahead + (size_t)snprintf(plain + ahead, LONGEST + t->length + 2, "%-*d",
                                      (int)t->length + 2 * quoted, value[i]);
    copied = t->text + t->length + quoted;
  }
  if (err == GANNET_OK) memcpy(plain, copied, strlen(copied) + 1);
  gannet_free(&value);
  gannet_free(&other);
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
  if (err == GANNET_OK)
    err = gannet_alloc(13 * (strlen(text) + 1) + room_for_positions(&s), 1, &plain);
  if (err == GANNET_OK) err = replace_labels(&s, plain);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *names, &names);
  for (int v = 0; v < n && err == GANNET_OK; ++v) names[v] = variables[v].name;
  if (err == GANNET_OK) err = gannet_expression_create(plain, n, names, &(*expression)->expression);
  (*expression)->alone = -1;
  for (int v = 0; v < n && err == GANNET_OK && s.n == 1; ++v)
    if (is_text(&s.token[0], variables[v].name)) (*expression)->alone = v;
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
  if (expression->alone >= 0) return x_user[expression->alone];
  return gannet_expression_value(expression->expression, x_user);
}

bool gannet_variable_expression_uses(const gannet_variable_expression *expression, int v) {
  return expression->used[v];
}
