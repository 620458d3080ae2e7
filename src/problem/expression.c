#include "problem/expression.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/utf8.h"

struct gannet_expression {
  muParserHandle_t parser;
  int n;
  double *x; /* [n] the variables of the parser */
};

/* Error codes of muParser, which only its C++ header has. */
enum {
  UNEXPECTED_OPERATOR = 0,
  UNKNOWN_TOKEN = 1,
  ENDS_EARLY = 2,
  UNEXPECTED_SEPARATOR = 3,
  UNEXPECTED_ARGUMENT = 4,
  UNEXPECTED_VALUE = 5,
  UNEXPECTED_VARIABLE = 6,
  UNEXPECTED_BRACKET = 7,
  MISSING_BRACKET = 11,
  UNEXPECTED_FUNCTION = 12,
  TOO_MANY_ARGUMENTS = 14,
  TOO_FEW_ARGUMENTS = 15,
  MISSING_ELSE = 33,
  MISPLACED_COLON = 34
};

#define DECIMAL "a comma separates the arguments of functions only; use a decimal point in numbers"

static const char *const functions[] = {"sin",  "cos",  "tan",  "asin",  "acos",  "atan",  "atan2",
                                        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
                                        "log",  "ln",   "log2", "log10", "sqrt",  "abs",   "min",
                                        "max",  "sign", "rint", "sum",   "avg"};

enum {
  N_FUNCTIONS = sizeof functions / sizeof *functions,
  MOST_NAMES = 256,
  TOLD_LONGEST = 1000 /* bytes of an expression that muParser may quote: it copies what it says into
                         2000 bytes and does not look at the length */
};

static double natural_log(double x) {
  return log(x);
}

static bool is_name(const char *word, int n, const char *const *names) {
  for (int i = 0; i < n; ++i)
    if (strcmp(names[i], word) == 0) return true;
  return false;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* muParser has constants _pi and _e of its own, which are legal names of variables. */
static gannet_err define_names(gannet_expression *e, const char *const *names) {
  mupClearConst(e->parser);
  for (int i = 0; i < e->n; ++i) {
    mupDefineVar(e->parser, names[i], &e->x[i]);
    GANNET_REQUIRE(!mupError(e->parser), GANNET_ERR_INPUT,
                   "variable '%s' cannot be used in expressions: %s; rename it", names[i],
                   mupGetErrorMsg(e->parser));
  }
  if (!is_name("pi", e->n, names)) mupDefineConst(e->parser, "pi", acos(-1));
  if (!is_name("e", e->n, names)) mupDefineConst(e->parser, "e", exp(1));
  mupDefineFun1(e->parser, "log", natural_log, 1);
  return GANNET_OK;
}

/* Number of the character at a byte, counted from 1, at most as many as there are. */
static int character_at(const char *text, size_t byte) {
  const size_t size = strlen(text);
  int count = 0;
  for (size_t at = 0; at < size && at <= byte; ++count) {
    const size_t length = gannet_utf8_next(text + at, size - at, NULL);
    at += length ? length : 1;
  }
  return count > 0 ? count : 1;
}

static gannet_err raise_at(const char *text, size_t byte, const char *why) {
  return GANNET_RAISE(GANNET_ERR_INPUT, "expression '%.200s', character %d: %s", text,
                      character_at(text, byte), why);
}

/* Write that a name is unknown, with the nearest name and a list of all. */
static void explain_unknown_name(const gannet_expression *e, const char *word,
                                 const char *const *names, char *why, size_t size) {
  const char *words[MOST_NAMES + 2 + N_FUNCTIONS + 1] = {NULL};
  char known[400] = "";
  size_t used = 0;
  int n = 0;
  for (int i = 0; i < e->n && used + 70 < sizeof known; ++i)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s ", names[i]);
  if (used + 70 >= sizeof known) (void)snprintf(known + used, sizeof known - used, "... ");
  for (int i = 0; i < e->n && i < MOST_NAMES; ++i) words[n++] = names[i];
  words[n++] = "pi";
  words[n++] = "e";
  for (int i = 0; i < N_FUNCTIONS; ++i) words[n++] = functions[i];
  const char *near = gannet_nearest(word, words);
  (void)snprintf(why, size,
                 "unknown name '%s'%s%s%s; known names: %spi e, and functions such as sin exp sqrt",
                 word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* Write why muParser does not know a token: a number that is too large, a word, or a character. */
static void explain_token(const gannet_expression *e, const char *text, size_t byte,
                          const char *token, const char *const *names, char *why, size_t size) {
  char *end = NULL;
  const size_t length = strlen(token), first = length ? gannet_utf8_next(token, length, NULL) : 0;
  const bool number = isdigit((unsigned char)*token) || *token == '.';
  if (number && isinf(strtod(token, &end)) && !*end)
    (void)snprintf(why, size, "the number '%s' is too large, expected at most 1.7e308", token);
  else if (number)
    (void)snprintf(why, size, "'%s' is not a number, expected one as in 1.5e-3", token);
  else if (!is_word(*token))
    (void)snprintf(why, size, "unexpected '%.*s', expected names, numbers and operators",
                   (int)(first ? first : 1), token);
  else if (byte > 0 && byte < strlen(text) && isdigit((unsigned char)text[byte - 1]))
    (void)snprintf(why, size, "'%s' follows a number, expected an operator between, as in 2*x",
                   token);
  else if (is_name(token, N_FUNCTIONS, functions))
    (void)snprintf(why, size, "the function '%s' needs its arguments right after it, as in %s(...)",
                   token, token);
  else
    explain_unknown_name(e, token, names, why, size);
}

static void explain_syntax(int code, const char *token, const char *message, char *why,
                           size_t size) {
  static const struct {
    int code;
    const char *before, *after; /* of the token */
  } told[] = {
      {UNEXPECTED_OPERATOR, "unexpected operator '", "', expected a value before it"},
      {ENDS_EARLY, "it ends too early, expected a value after this", NULL},
      {UNEXPECTED_SEPARATOR, DECIMAL, NULL},
      {UNEXPECTED_ARGUMENT, DECIMAL, NULL},
      {UNEXPECTED_VALUE, "unexpected '", "', expected an operator before it, as in 2*x"},
      {UNEXPECTED_VARIABLE, "unexpected '", "', expected an operator before it, as in 2*x"},
      {UNEXPECTED_FUNCTION, "unexpected '", "', expected an operator before it, as in 2*sin(x)"},
      {UNEXPECTED_BRACKET, "unexpected '", "', expected brackets as in 2*(x + 1)"},
      {MISSING_BRACKET, "a bracket is not closed; add '", "'"},
      {TOO_MANY_ARGUMENTS, "too many arguments of '", "'; in numbers, use a decimal point"},
      {TOO_FEW_ARGUMENTS, "too few arguments of '", "'; add what is missing"},
      {MISSING_ELSE, "'?' without ':', expected both as in x > 1 ? 2 : 3", NULL},
      {MISPLACED_COLON, "':' without '?', expected both as in x > 1 ? 2 : 3", NULL},
  };
  (void)snprintf(why, size, "%s", message);
  for (size_t i = 0; i < sizeof told / sizeof *told; ++i)
    if (told[i].code == code && strcmp(token, "*") == 0)
      (void)snprintf(why, size, "%s%s%s; a power is x^2", told[i].before, token, told[i].after);
    else if (told[i].code == code)
      (void)snprintf(why, size, "%s%s%s", told[i].before, told[i].after ? token : "",
                     told[i].after ? told[i].after : "");
}

static gannet_err raise_syntax(const gannet_expression *e, const char *text,
                               const char *const *names) {
  char why[700], token[64];
  const int code = mupGetErrorCode(e->parser), position = mupGetErrorPos(e->parser);
  const size_t length = strlen(text), byte = position < 0 ? length : (size_t)position;
  const bool fits = length <= TOLD_LONGEST;
  const char *there = text + (byte < length ? byte : length);
  size_t word = 0;
  while (is_word(there[word]) && word + 1 < sizeof token) ++word;
  if (fits)
    (void)snprintf(token, sizeof token, "%s", mupGetErrorToken(e->parser));
  else
    (void)snprintf(token, sizeof token, "%.*s", word > 0 ? (int)word : 1, there);
  if (code == UNKNOWN_TOKEN)
    explain_token(e, text, byte, token, names, why, sizeof why);
  else
    explain_syntax(code, token, fits ? mupGetErrorMsg(e->parser) : "it is not an expression", why,
                   sizeof why);
  return raise_at(text, byte, why);
}

/* Whether a comma stands between the arguments of a function. */
static bool is_separator(const char *text, size_t at) {
  for (int depth = 0; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && depth-- == 0) return at > 0 && is_word(text[at - 1]);
  }
  return false;
}

/* Write Fortran's 1.0D+05 as muParser reads it, 1.0e+05. The length stays, and so do positions in
 * error messages. A D without a point and a sign is left alone, and every D where a name begins
 * with it. */
static void write_exponents(const gannet_expression *e, char *text, const char *const *names) {
  static const char digits[] = "0123456789";
  for (int i = 0; i < e->n; ++i)
    if (tolower((unsigned char)names[i][0]) == 'd') return;
  for (char *at = text; *at;) {
    if (is_word(*at) && !isdigit((unsigned char)*at)) {
      while (is_word(*at)) ++at;
      continue;
    }
    const size_t size = strspn(at, "0123456789.");
    char *letter = at + size, *behind = letter + 1;
    if (size > 0 && (*letter == 'd' || *letter == 'D')) {
      const bool has_sign = *behind == '+' || *behind == '-';
      const bool has_point = memchr(at, '.', size) != NULL;
      if ((has_sign || has_point) && strspn(behind + has_sign, digits) > 0) *letter = 'e';
    }
    at += size > 0 ? size : 1;
  }
}

/* Refuse what muParser accepts silently: lists, of which it computes the last value, and
 * assignments. */
static gannet_err check_marks(const char *text) {
  for (size_t at = 0; text[at]; ++at) {
    if (text[at] == ',' && !is_separator(text, at)) return raise_at(text, at, DECIMAL);
    if (strchr("=<>!", text[at]) && text[at + 1] == '=')
      ++at;
    else if (text[at] == '=')
      return raise_at(text, at, "'=' would assign a value; use == to compare");
  }
  return GANNET_OK;
}

static gannet_err compile_text(gannet_expression *e, const char *text, const char *const *names) {
  int n_values = 0;
  GANNET_TRY(gannet_alloc((size_t)e->n, sizeof *e->x, &e->x));
  e->parser = mupCreate(muBASETYPE_FLOAT);
  GANNET_REQUIRE(e->parser, GANNET_ERR_MEMORY, "expression '%s'", text);
  GANNET_TRY(define_names(e, names));
  GANNET_REQUIRE(text[strspn(text, " \t\r\n")], GANNET_ERR_INPUT,
                 "expression '%s' is empty; expected one as in 2*x + 1", text);
  GANNET_TRY(check_marks(text));
  char *usual = NULL;
  GANNET_TRY(gannet_copy_text(text, &usual));
  write_exponents(e, usual, names);
  mupSetExpr(e->parser, usual);
  gannet_free(&usual);
  for (int i = 0; i < e->n; ++i) e->x[i] = 0.5;
  (void)mupEvalMulti(e->parser, &n_values); /* parses at the first evaluation */
  if (mupError(e->parser)) return raise_syntax(e, text, names);
  if (n_values != 1) return raise_at(text, 0, DECIMAL);
  return GANNET_OK;
}

gannet_err gannet_expression_create(const char *text, int n, const char *const *names,
                                    gannet_expression **expression) {
  GANNET_TRY(gannet_alloc(1, sizeof **expression, expression));
  (*expression)->n = n;
  const gannet_err code = compile_text(*expression, text, names);
  if (code != GANNET_OK) gannet_expression_destroy(expression);
  GANNET_TRY(code);
  return GANNET_OK;
}

void gannet_expression_destroy(gannet_expression **expression) {
  if (!*expression) return;
  if ((*expression)->parser) mupRelease((*expression)->parser);
  gannet_free(&(*expression)->x);
  gannet_free(expression);
}

static gannet_err add_name(const char *word, size_t length, int *n, char ***names) {
  char *name = NULL;
  GANNET_TRY(gannet_alloc(length + 1, 1, &name));
  memcpy(name, word, length);
  gannet_err err = GANNET_OK;
  if (is_name(name, *n, (const char *const *)*names) || strcmp(name, "pi") == 0 ||
      strcmp(name, "e") == 0)
    gannet_free(&name);
  else
    err = gannet_resize((size_t)*n, (size_t)*n + 1, sizeof **names, names);
  if (err != GANNET_OK) gannet_free(&name);
  if (name) (*names)[(*n)++] = name;
  return err;
}

gannet_err gannet_expression_list_names(const char *text, int *n, char ***names) {
  *n = 0;
  GANNET_TRY(gannet_alloc(0, sizeof **names, names));
  while (*text) {
    size_t length = 0;
    if (isdigit((unsigned char)*text) || *text == '.') {
      double value;
      const size_t size = gannet_number_read(text, GANNET_NUMBER_BEFORE_UNIT, &value);
      text += size > 0 ? size : 1;
      continue;
    }
    while (is_word(text[length])) ++length;
    const char *behind = text + length + strspn(text + length, " \t");
    if (length > 0 && *behind != '(') GANNET_TRY(add_name(text, length, n, names));
    text += length > 0 ? length : 1;
  }
  return GANNET_OK;
}

double gannet_expression_value(gannet_expression *e, const double *x) {
  if (e->n > 0) memcpy(e->x, x, (size_t)e->n * sizeof *x);
  const double value = mupEval(e->parser);
  return mupError(e->parser) ? NAN : value;
}

const char *gannet_expression_squeeze(const char *text, char *tokens) {
  static const char marks[] = "+-*/^()<>=!&|,?:'\""; /* between which blanks mean nothing */
  size_t used = 0;
  char quote = '\0';
  for (const char *at = text; *at; ++at) {
    const char *next = at;
    if (used + 2 >= GANNET_EXPRESSION_TOKENS) return text;
    if (!quote && (*at == '\'' || *at == '"'))
      quote = *at;
    else if (*at == quote)
      quote = '\0';
    if (!quote) next += strspn(at, " \t\r\n");
    if (next == at) {
      tokens[used++] = *at;
      continue;
    }
    const bool between = used > 0 && tokens[used - 1] && *next &&
                         !strchr(marks, tokens[used - 1]) && !strchr(marks, *next);
    if (between) tokens[used++] = ' ';
    at = next - 1;
  }
  tokens[used] = '\0';
  return tokens;
}

bool gannet_expression_is_same(const char *a, const char *b) {
  char tokens_a[GANNET_EXPRESSION_TOKENS], tokens_b[GANNET_EXPRESSION_TOKENS];
  return strcmp(gannet_expression_squeeze(a, tokens_a), gannet_expression_squeeze(b, tokens_b)) ==
         0;
}
