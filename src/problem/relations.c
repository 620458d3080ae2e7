#include "problem/relations.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/variable.h"

enum { MOST_PARTS = 64, LONGEST = 4000, DEEPEST = 32 };

/* Operators that join two sides, or two parts, of a text. */
typedef enum {
  NO_OPERATOR,
  AT_MOST,
  BELOW,
  AT_LEAST,
  ABOVE,
  EQUAL,
  UNEQUAL,
  AND,
  OR,
  CHOICE
} operator_type;

static const char *const operator_texts[] = {"", "<=", "<", ">=", ">", "==", "!=", "&&", "||", "?"};

/* The operator at a place, and its length in bytes. */
static operator_type operator_at(const char *text, size_t *length) {
  static const struct {
    const char *text;
    operator_type type;
  } known[] = {{"<=", AT_MOST}, {">=", AT_LEAST}, {"==", EQUAL}, {"!=", UNEQUAL},
               {"&&", AND},     {"||", OR},       {"<", BELOW},  {">", ABOVE},
               {"=", EQUAL},    {"?", CHOICE},    {":", CHOICE}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    *length = strlen(known[i].text);
    if (strncmp(text, known[i].text, *length) == 0) return known[i].type;
  }
  *length = 1;
  return NO_OPERATOR;
}

/* A text that grows, up to LONGEST bytes. */
typedef struct {
  char text[LONGEST + 1];
  size_t size;
} growing_text;

static gannet_err append(growing_text *to, const char *from, size_t size) {
  GANNET_REQUIRE(to->size + size <= LONGEST, GANNET_ERR_INPUT,
                 "it is longer than %d characters; cut it into several", LONGEST);
  memcpy(to->text + to->size, from, size);
  to->size += size;
  to->text[to->size] = '\0';
  return GANNET_OK;
}

/* A part of a text, and the operator behind it. */
typedef struct {
  const char *at;
  size_t length;
  operator_type next;
} text_part;

/* Cut a text at its operators outside of brackets and quotes: those that join sides, or those that
 * join parts. */
static gannet_err cut_text(const char *text, size_t size, bool of_sides, int *n,
                           text_part parts[MOST_PARTS]) {
  int depth = 0;
  char quote = '\0';
  size_t start = 0, length;
  *n = 0;
  for (size_t at = 0; at < size; at += length) {
    const operator_type found = operator_at(text + at, &length);
    const bool is_quote = text[at] == '\'' || text[at] == '"';
    if (is_quote && (!quote || quote == text[at])) quote = quote ? '\0' : text[at];
    if (!quote) depth += (text[at] == '(') - (text[at] == ')');
    if (quote || depth != 0 || found == NO_OPERATOR || (found <= UNEQUAL) != of_sides) continue;
    GANNET_REQUIRE(*n + 1 < MOST_PARTS, GANNET_ERR_INPUT,
                   "it has more than %d relations; cut it into several", MOST_PARTS - 2);
    parts[(*n)++] = (text_part){text + start, at - start, found};
    start = at + length;
  }
  parts[(*n)++] = (text_part){text + start, size - start, NO_OPERATOR};
  return GANNET_OK;
}

/* Write the words "and" and "or" as && and ||, and = as ==. */
static gannet_err write_operators(int n, const gannet_variable *variables, const char *text,
                                  growing_text *to) {
  static const char *const misspelt[] = {"=<", "=>", "<>"}, *const meant[] = {"<=", ">=", "!="};
  char quote = '\0';
  for (size_t length; *text; text += length) {
    const char *written = text;
    length = 1;
    if (*text == '\'' || *text == '"') quote = !quote ? *text : quote == *text ? '\0' : quote;
    while (!quote && (isalnum((unsigned char)text[length - 1]) || text[length - 1] == '_') &&
           (isalnum((unsigned char)text[length]) || text[length] == '_'))
      ++length;
    bool is_variable = false;
    for (int v = 0; v < n; ++v)
      is_variable = is_variable || (strlen(variables[v].name) == length &&
                                    memcmp(variables[v].name, text, length) == 0);
    if (!is_variable && !quote && length == 3 && memcmp(text, "and", 3) == 0) written = "&& ";
    if (!is_variable && !quote && length == 2 && memcmp(text, "or", 2) == 0) written = "||";
    for (int i = 0; i < 3 && !quote; ++i)
      GANNET_REQUIRE(strncmp(text, misspelt[i], 2) != 0, GANNET_ERR_INPUT,
                     "'%s' is no operator; did you mean '%s'?", misspelt[i], meant[i]);
    GANNET_TRY(append(to, written, length));
    const bool is_joined = to->size > 1 && strchr("<>!=", to->text[to->size - 2]);
    if (!quote && *text == '=' && text[1] != '=' && !is_joined) GANNET_TRY(append(to, "=", 1));
  }
  return GANNET_OK;
}

/* Add left and right, or left alone, as one relation. */
static gannet_err add_relation(const gannet_problem_spec *spec, gannet_relation_type type,
                               const growing_text *left, const growing_text *right, int *n,
                               gannet_relation **relations) {
  GANNET_TRY(gannet_resize((size_t)*n, (size_t)*n + 1, sizeof **relations, relations));
  gannet_relation *added = &(*relations)[(*n)++];
  added->type = type;
  GANNET_TRY(gannet_variable_expression_create(left->text, spec->n_variables, spec->variables,
                                               &added->left));
  if (!right) return GANNET_OK;
  return gannet_variable_expression_create(right->text, spec->n_variables, spec->variables,
                                           &added->right);
}

/* Append "(a < b)" for each pair of a chain, joined by &&; a part without a relation as it is. */
static gannet_err append_chain(const char *text, size_t size, growing_text *to) {
  text_part side[MOST_PARTS];
  int n;
  GANNET_TRY(cut_text(text, size, true, &n, side));
  for (int i = 0; i < n && n > 1; ++i)
    GANNET_REQUIRE(strspn(side[i].at, " \t") < side[i].length, GANNET_ERR_INPUT,
                   "nothing stands on one side of '%s'; expected two sides",
                   operator_texts[side[i > 0 ? i - 1 : 0].next]);
  if (n <= 2) return append(to, text, size);
  for (int i = 0; i + 1 < n; ++i) {
    const char *joined = operator_texts[side[i].next];
    GANNET_TRY(append(to, i > 0 ? "&&(" : "(", i > 0 ? 3 : 1));
    GANNET_TRY(append(to, side[i].at, side[i].length));
    GANNET_TRY(append(to, joined, strlen(joined)));
    GANNET_TRY(append(to, side[i + 1].at, side[i + 1].length));
    GANNET_TRY(append(to, ")", 1));
  }
  return GANNET_OK;
}

/* Parts and the operators between them as one condition. */
static gannet_err add_condition(const gannet_problem_spec *spec, int n_parts,
                                const text_part *parts, int *n, gannet_relation **relations) {
  growing_text condition = {.size = 0};
  for (int i = 0; i < n_parts; ++i) {
    const text_part *part = &parts[i];
    GANNET_TRY(append_chain(part->at, part->length, &condition));
    if (i + 1 < n_parts)
      GANNET_TRY(append(&condition, part->at + part->length, part->next == CHOICE ? 1 : 2));
  }
  return add_relation(spec, GANNET_RELATION_CONDITION, &condition, NULL, n, relations);
}

/* Whether a text is the word true or false, or names a variable whose values are words. */
static bool names_words(const gannet_problem_spec *spec, const text_part *part) {
  const char *word = part->at + strspn(part->at, " \t(");
  if (strncmp(word, "true", 4) == 0 || strncmp(word, "false", 5) == 0) return true;
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *one = &spec->variables[v];
    const size_t length = strlen(one->name);
    if (!gannet_variable_has_words(one)) continue;
    for (size_t at = 0; at + length <= part->length; ++at) {
      const char before = at > 0 ? part->at[at - 1] : ' ';
      const char behind = at + length < part->length ? part->at[at + length] : ' ';
      const bool is_word = isalnum((unsigned char)before) || before == '_' ||
                           isalnum((unsigned char)behind) || behind == '_';
      if (!is_word && memcmp(part->at + at, one->name, length) == 0) return true;
    }
  }
  return false;
}

/* The relation of two neighbours in a chain. */
static gannet_err add_pair(const gannet_problem_spec *spec, const text_part *a, const text_part *b,
                           int *n, gannet_relation **relations) {
  growing_text left = {.size = 0}, right = {.size = 0};
  const operator_type joined = a->next;
  const bool is_strict = joined == BELOW || joined == ABOVE;
  const bool is_turned = joined == ABOVE || joined == AT_LEAST;
  gannet_relation_type type = is_strict ? GANNET_RELATION_BELOW : GANNET_RELATION_AT_MOST;
  GANNET_TRY(append(&left, a->at, a->length));
  GANNET_TRY(append(&right, b->at, b->length));
  GANNET_REQUIRE(left.text[strspn(left.text, " \t")] && right.text[strspn(right.text, " \t")],
                 GANNET_ERR_INPUT, "nothing stands on one side of '%s'; expected two sides",
                 operator_texts[joined]);
  if (joined == UNEQUAL || names_words(spec, a) || names_words(spec, b)) {
    const text_part pair = {a->at, (size_t)(b->at - a->at) + b->length, NO_OPERATOR};
    return add_condition(spec, 1, &pair, n, relations);
  }
  if (joined == EQUAL) type = GANNET_RELATION_EQUAL;
  return add_relation(spec, type, is_turned ? &right : &left, is_turned ? &left : &right, n,
                      relations);
}

static bool has_comparison(const text_part *part) {
  size_t length;
  for (size_t at = 0; at < part->length; ++at) {
    const operator_type found = operator_at(part->at + at, &length);
    if (found != NO_OPERATOR && found <= UNEQUAL) return true;
  }
  return false;
}

static gannet_err add_text(const gannet_problem_spec *spec, const char *text, int *n,
                           gannet_relation **relations) {
  growing_text plain = {.size = 0};
  text_part part[MOST_PARTS], side[MOST_PARTS];
  int n_parts, n_sides;
  bool is_condition = false;
  GANNET_TRY(write_operators(spec->n_variables, spec->variables, text, &plain));
  GANNET_TRY(cut_text(plain.text, plain.size, false, &n_parts, part));
  for (int i = 0; i < n_parts; ++i)
    is_condition = is_condition || part[i].next == OR || part[i].next == CHOICE;
  for (int i = 0; i < n_parts; ++i)
    GANNET_REQUIRE(is_condition || has_comparison(&part[i]), GANNET_ERR_INPUT,
                   "it compares nothing; expected sides joined by <=, <, >=, > or =, as in "
                   "x1 + x2 <= 10");
  if (is_condition) return add_condition(spec, n_parts, part, n, relations);
  for (int i = 0; i < n_parts; ++i) {
    GANNET_TRY(cut_text(part[i].at, part[i].length, true, &n_sides, side));
    if (n_sides == 1) GANNET_TRY(add_condition(spec, 1, &part[i], n, relations));
    for (int s = 0; s + 1 < n_sides; ++s)
      GANNET_TRY(add_pair(spec, &side[s], &side[s + 1], n, relations));
  }
  return GANNET_OK;
}

/* A variable constraint speaks of variables. */
static gannet_err check_uses(const gannet_problem_spec *spec, int n,
                             const gannet_relation *relations) {
  for (int i = 0; i < n; ++i) {
    bool found = false;
    for (int v = 0; v < spec->n_variables; ++v)
      found = found || gannet_variable_expression_uses(relations[i].left, v) ||
              (relations[i].right && gannet_variable_expression_uses(relations[i].right, v));
    GANNET_REQUIRE(found, GANNET_ERR_INPUT,
                   "it names no variable; expected a relation between variables");
  }
  return GANNET_OK;
}

gannet_err gannet_relations_add(const gannet_problem_spec *spec, const char *text, int *n,
                                gannet_relation **relations) {
  const int before = *n;
  gannet_err err = add_text(spec, text, n, relations);
  if (err == GANNET_OK) err = check_uses(spec, *n - before, *relations + before);
  if (err == GANNET_ERR_INPUT) {
    char why[GANNET_ERROR_DETAIL];
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_RAISE(GANNET_ERR_INPUT, "variable constraint '%.200s': %s", text, why);
  }
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

void gannet_relations_free(int *n, gannet_relation **relations) {
  for (int i = 0; i < *n; ++i) {
    gannet_variable_expression_destroy(&(*relations)[i].left);
    gannet_variable_expression_destroy(&(*relations)[i].right);
  }
  gannet_free(relations);
  *n = 0;
}

/* Conditions. */

typedef enum { COMPARE, NEGATE, BOTH, EITHER } step_kind;

/* A step of the evaluation with a stack of truths: COMPARE pushes one, NEGATE replaces the
 * uppermost, BOTH and EITHER replace the two uppermost by one. */
typedef struct {
  step_kind kind;
  gannet_variable_expression *comparison; /* of COMPARE, else NULL */
} condition_step;

struct gannet_condition {
  int n_variables;
  int n;
  condition_step *step; /* [n] */
};

/* What a condition is read from: its text with plain operators, and the variables. */
typedef struct {
  int n_variables;
  const gannet_variable *variables;
  gannet_condition *condition;
  int depth; /* of the part that is read, in brackets and behind "not" */
} condition_reader;

static gannet_err add_step(gannet_condition *c, step_kind kind) {
  GANNET_TRY(gannet_resize((size_t)c->n, (size_t)c->n + 1, sizeof *c->step, &c->step));
  c->step[c->n++].kind = kind;
  return GANNET_OK;
}

/* The variable whose name a text is; -1 = none. */
static int find_named(const condition_reader *r, const char *text, size_t size) {
  for (int v = 0; v < r->n_variables; ++v)
    if (strlen(r->variables[v].name) == size && memcmp(r->variables[v].name, text, size) == 0)
      return v;
  return -1;
}

/* Whether the bracket that a text begins with is closed by its last character. */
static bool is_bracketed(const char *text, size_t size) {
  int depth = 0;
  char quote = '\0';
  for (size_t at = 0; at < size; ++at) {
    const bool is_quote = text[at] == '\'' || text[at] == '"';
    if (is_quote && (!quote || quote == text[at])) quote = quote ? '\0' : text[at];
    if (!quote) depth += (text[at] == '(') - (text[at] == ')');
    if (depth == 0) return text[0] == '(' && at + 1 == size;
  }
  return false;
}

/* A comparison, or the name of a boolean variable. */
static gannet_err read_comparison(condition_reader *r, const char *text, size_t size) {
  const text_part whole = {text, size, NO_OPERATOR};
  const int v = find_named(r, text, size);
  growing_text written = {.size = 0};
  bool found = false;
  GANNET_REQUIRE(
      size > 0, GANNET_ERR_INPUT,
      "it is empty, or nothing stands beside 'and', 'or' or 'not'; expected a comparison "
      "as in solver == 'gmres'");
  GANNET_REQUIRE(
      has_comparison(&whole) || (v >= 0 && r->variables[v].type == GANNET_VARIABLE_BOOLEAN),
      GANNET_ERR_INPUT,
      "'%.*s' compares nothing; expected a comparison as in solver == 'gmres' or cells > "
      "16, or the name of a boolean variable",
      size < 200 ? (int)size : 200, text);
  GANNET_TRY(append_chain(text, size, &written));
  GANNET_TRY(add_step(r->condition, COMPARE));
  gannet_variable_expression **comparison = &r->condition->step[r->condition->n - 1].comparison;
  GANNET_TRY(
      gannet_variable_expression_create(written.text, r->n_variables, r->variables, comparison));
  for (int u = 0; u < r->n_variables; ++u)
    found = found || gannet_variable_expression_uses(*comparison, u);
  GANNET_REQUIRE(found, GANNET_ERR_INPUT,
                 "'%.*s' names no variable; expected a comparison as in solver == 'gmres'",
                 size < 200 ? (int)size : 200, text);
  return GANNET_OK;
}

/* Read a part of a condition: what "or" joins, of it what "and" joins, then "not" and brackets. */
static gannet_err read_condition(condition_reader *r, const char *text, size_t size) {
  text_part part[MOST_PARTS];
  int n;
  while (size > 0 && isspace((unsigned char)*text)) ++text, --size;
  while (size > 0 && isspace((unsigned char)text[size - 1])) --size;
  GANNET_TRY(cut_text(text, size, false, &n, part));
  GANNET_REQUIRE(++r->depth <= DEEPEST, GANNET_ERR_INPUT,
                 "it has more than %d brackets inside of each other; write it with fewer", DEEPEST);
  for (int i = 0; i < n; ++i)
    if (part[i].next == CHOICE) n = 0; /* a ? b : c is one expression */
  const operator_type joins[] = {OR, AND};
  for (int j = 0; j < 2; ++j) { /* "or", else "and", cuts the text */
    const char *begin = text;
    int n_read = 0;
    for (int i = 0; i < n; ++i) {
      const char *end = part[i].at + part[i].length;
      if (part[i].next != joins[j] && (i + 1 < n || n_read == 0)) continue;
      GANNET_TRY(read_condition(r, begin, (size_t)(end - begin)));
      if (n_read++ > 0) GANNET_TRY(add_step(r->condition, joins[j] == OR ? EITHER : BOTH));
      begin = end + 2;
    }
    r->depth -= n_read > 0;
    if (n_read > 0) return GANNET_OK;
  }
  const bool is_word = size > 3 && (isalnum((unsigned char)text[3]) || text[3] == '_');
  if (n == 1 && size >= 3 && !is_word && memcmp(text, "not", 3) == 0 &&
      find_named(r, "not", 3) < 0) {
    GANNET_TRY(read_condition(r, text + 3, size - 3));
    r->depth -= 1;
    return add_step(r->condition, NEGATE);
  }
  if (n == 1 && is_bracketed(text, size))
    GANNET_TRY(read_condition(r, text + 1, size - 2));
  else
    GANNET_TRY(read_comparison(r, text, size));
  r->depth -= 1;
  return GANNET_OK;
}

gannet_err gannet_condition_create(const char *text, int n, const gannet_variable *variables,
                                   gannet_condition **condition) {
  growing_text plain = {.size = 0};
  GANNET_TRY(write_operators(n, variables, text, &plain));
  GANNET_TRY(gannet_alloc(1, sizeof **condition, condition));
  (*condition)->n_variables = n;
  condition_reader r = {.n_variables = n, .variables = variables, .condition = *condition};
  const gannet_err err = read_condition(&r, plain.text, plain.size);
  if (err != GANNET_OK) gannet_condition_destroy(condition);
  return err;
}

void gannet_condition_destroy(gannet_condition **condition) {
  if (!*condition) return;
  for (int i = 0; i < (*condition)->n; ++i)
    gannet_variable_expression_destroy(&(*condition)->step[i].comparison);
  gannet_free(&(*condition)->step);
  gannet_free(condition);
}

static gannet_truth compare(const gannet_condition *c, gannet_variable_expression *comparison,
                            const double *x_user, const bool *active, const bool *open) {
  bool is_open = false, is_nan = false;
  for (int v = 0; v < c->n_variables; ++v) {
    if (!gannet_variable_expression_uses(comparison, v)) continue;
    if (!active[v]) return GANNET_TRUTH_NEITHER;
    is_nan = is_nan || isnan(x_user[v]);
    is_open = is_open || (open && open[v]);
  }
  if (is_open || (open && is_nan)) return GANNET_TRUTH_OPEN;
  const double truth = is_nan ? NAN : gannet_variable_expression_value(comparison, x_user);
  return isnan(truth) ? GANNET_TRUTH_NEITHER : truth != 0 ? GANNET_TRUTH_YES : GANNET_TRUTH_NO;
}

gannet_truth gannet_condition_find_truth(const gannet_condition *c, const double *x_user,
                                         const bool *active, const bool *open) {
  gannet_truth stack[DEEPEST + 2];
  int top = -1;
  for (int i = 0; i < c->n; ++i) {
    const step_kind kind = c->step[i].kind;
    if (kind == COMPARE) {
      stack[++top] = compare(c, c->step[i].comparison, x_user, active, open);
    } else if (kind == NEGATE) {
      if (stack[top] == GANNET_TRUTH_NO || stack[top] == GANNET_TRUTH_YES)
        stack[top] = stack[top] == GANNET_TRUTH_NO ? GANNET_TRUTH_YES : GANNET_TRUTH_NO;
    } else {
      const gannet_truth a = stack[top - 1], b = stack[top];
      stack[--top] = (kind == BOTH) == (a < b) ? a : b;
    }
  }
  return stack[0];
}

bool gannet_condition_uses(const gannet_condition *c, int v) {
  bool found = false;
  for (int i = 0; i < c->n && !found; ++i)
    found = c->step[i].comparison && gannet_variable_expression_uses(c->step[i].comparison, v);
  return found;
}

double gannet_relation_slack(const gannet_relation *relation, const double *x_user, double *size) {
  const gannet_variable_function *function = relation->function;
  if (function) {
    const double slack = function->slack(function->user, x_user);
    *size = fabs(slack);
    return slack;
  }
  const double left = gannet_variable_expression_value(relation->left, x_user);
  const double right = gannet_variable_expression_value(relation->right, x_user);
  *size = fmax(fabs(left), fabs(right));
  return right - left;
}
