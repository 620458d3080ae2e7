/* The expressions that pick results out of the output of a simulation. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/quantities.h"

int gannet_quantity_find(const gannet_problem *problem, const char *name) {
  if (strcmp(name, "objective") == 0) return 0;
  const int constraint = gannet_problem_find_constraint(problem, name);
  return constraint < 0 ? -1 : constraint + 1;
}

void gannet_quantity_list(const gannet_problem *problem, char *list, size_t size) {
  size_t used = 0;
  list[0] = '\0';
  for (int j = 0; j < problem->spec.n_constraints; ++j) {
    const int more = snprintf(list + used, size - used, " %s", problem->spec.constraints[j].name);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

#define EXAMPLE "'objective=^drag: *" GANNET_NUMBER_GROUP "'"

/* Whether the last pattern looks for what an earlier one does. */
static bool is_taken(const gannet_patterns *patterns) {
  const int last = patterns->n - 1;
  for (int i = 0; i < last; ++i)
    if (patterns->quantity[i] == patterns->quantity[last]) return true;
  return false;
}

static void compile(const char *text, const gannet_problem *problem, gannet_complaints *complaints,
                    gannet_patterns *patterns) {
  char name[128], reason[200];
  const char *equals = strchr(text, '=');
  regex_t *regex = &patterns->regex[patterns->n];
  if (!equals || equals == text || (size_t)(equals - text) >= sizeof name) {
    gannet_complain(complaints, "evaluate.pattern",
                    "'%s' is not of the form name=regular-expression, as in " EXAMPLE, text);
    return;
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  if (problem && gannet_quantity_find(problem, name) < 0) {
    char list[400];
    gannet_quantity_list(problem, list, sizeof list);
    gannet_complain(
        complaints, "evaluate.pattern",
        "'%s' is neither objective nor a constraint of this campaign; known: objective%s", name,
        list);
    return;
  }
  const int failed = regcomp(regex, equals + 1, REG_EXTENDED);
  if (failed) {
    (void)regerror(failed, regex, reason, sizeof reason);
    gannet_complain(complaints, "evaluate.pattern", "'%s': %s; expected as in " EXAMPLE, equals + 1,
                    reason);
    return;
  }
  patterns->by_columns[patterns->n] = strchr(equals, '{') != NULL;
  patterns->has_comma[patterns->n] = strchr(equals, ',') != NULL;
  patterns->quantity[patterns->n++] = problem ? gannet_quantity_find(problem, name) : 0;
  if (problem && is_taken(patterns))
    gannet_complain(complaints, "evaluate.pattern", "'%s' has two patterns; leave one out", name);
}

gannet_err gannet_patterns_create(const gannet_text_list *texts, const gannet_problem *problem,
                                  gannet_complaints *complaints, gannet_patterns *patterns) {
  const size_t n = (size_t)texts->n;
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->quantity, &patterns->quantity));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->by_columns, &patterns->by_columns));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->has_comma, &patterns->has_comma));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->regex, &patterns->regex));
  for (int i = 0; i < texts->n; ++i) compile(texts->item[i], problem, complaints, patterns);
  return GANNET_OK;
}

void gannet_patterns_release(gannet_patterns *patterns) {
  for (int i = 0; i < patterns->n; ++i) regfree(&patterns->regex[i]);
  gannet_free(&patterns->quantity);
  gannet_free(&patterns->by_columns);
  gannet_free(&patterns->has_comma);
  gannet_free(&patterns->regex);
  patterns->n = 0;
}
