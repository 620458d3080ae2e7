#include "problem/expression.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

struct gannet_expression {
  muParserHandle_t parser;
  int n;
  double *x; /* [n] the variables of the parser */
};

static double natural_log(double x) {
  return log(x);
}

static bool is_name(const char *word, int n, const char *const *names) {
  for (int i = 0; i < n; ++i)
    if (strcmp(names[i], word) == 0) return true;
  return false;
}

static void define_names(gannet_expression *e, const char *const *names) {
  for (int i = 0; i < e->n; ++i) mupDefineVar(e->parser, names[i], &e->x[i]);
  if (!is_name("pi", e->n, names)) mupDefineConst(e->parser, "pi", acos(-1));
  if (!is_name("e", e->n, names)) mupDefineConst(e->parser, "e", exp(1));
  mupDefineFun1(e->parser, "log", natural_log, 1);
}

/* muParser tells "Unexpected token "yy" found at position 4.", counted from 0. */
static gannet_err raise_syntax(const gannet_expression *e, const char *text,
                               const char *const *names) {
  char message[200] = "", token[64] = "", known[400] = "";
  const char *words[258] = {NULL};
  const int position = mupGetErrorPos(e->parser);
  size_t used = 0;
  (void)snprintf(token, sizeof token, "%s", mupGetErrorToken(e->parser));
  (void)snprintf(message, sizeof message, "%s", mupGetErrorMsg(e->parser));
  for (int i = 0; i < e->n && used + 70 < sizeof known; ++i)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s ", names[i]);
  if (used + 70 >= sizeof known) (void)snprintf(known + used, sizeof known - used, "... ");
  for (int i = 0; i < e->n && i < 256; ++i) words[i] = names[i];
  const char *near = isalpha((unsigned char)*token) ? gannet_nearest(token, words) : NULL;
  return GANNET_RAISE(
      GANNET_ERR_INPUT,
      "expression '%.200s': %s (character %d)%s%s%s; known names: %spi e, and functions such as "
      "sin exp sqrt",
      text, message, position < 0 ? 1 : position + 1, near ? "; did you mean '" : "",
      near ? near : "", near ? "'?" : "", known);
}

static gannet_err compile(gannet_expression *e, const char *text, const char *const *names) {
  GANNET_TRY(gannet_alloc((size_t)e->n, sizeof *e->x, &e->x));
  e->parser = mupCreate(muBASETYPE_FLOAT);
  GANNET_REQUIRE(e->parser, GANNET_ERR_MEMORY, "expression '%s'", text);
  define_names(e, names);
  GANNET_REQUIRE(text[strspn(text, " \t\r\n")], GANNET_ERR_INPUT,
                 "empty expression '%s'; expected one as in 2*x + 1", text);
  mupSetExpr(e->parser, text);
  for (int i = 0; i < e->n; ++i) e->x[i] = 0.5;
  (void)mupEval(e->parser); /* parses at the first evaluation */
  if (mupError(e->parser)) return raise_syntax(e, text, names);
  return GANNET_OK;
}

gannet_err gannet_expression_create(const char *text, int n, const char *const *names,
                                    gannet_expression **expression) {
  GANNET_TRY(gannet_alloc(1, sizeof **expression, expression));
  (*expression)->n = n;
  const gannet_err code = compile(*expression, text, names);
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

double gannet_expression_value(gannet_expression *e, const double *x) {
  if (e->n > 0) memcpy(e->x, x, (size_t)e->n * sizeof *x);
  const double value = mupEval(e->parser);
  return mupError(e->parser) ? NAN : value;
}
