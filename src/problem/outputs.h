/* What the numbers mean that a simulation reports, and where they come from.
 *
 * Terms
 *   quantity  a number that a simulation reports by its name
 *   formula   an expression in quantities; its value is the objective or a constraint
 *   output    a quantity that the campaign file announces, with its unit, or with the file or the
 *             text of the simulation that it is read from
 *
 * The objective is the quantity of the name that the campaign file gives it, or a formula. A
 * problem for which nothing of this was stated has no gannet_outputs: its objective is the quantity
 * "objective", and every other quantity is recorded.
 */
#ifndef GANNET_PROBLEM_OUTPUTS_H
#define GANNET_PROBLEM_OUTPUTS_H

#include "problem/expression.h"
#include "problem/result.h"

/* Which of the values of a column count as one number. */
typedef enum {
  GANNET_TAKE_LAST,
  GANNET_TAKE_MEAN,
  GANNET_TAKE_MIN,
  GANNET_TAKE_MAX,
  GANNET_TAKE_FIRST,
  GANNET_TAKE_SUM
} gannet_take;

typedef enum { GANNET_ROWS_LAST, GANNET_ROWS_FIRST, GANNET_ROWS_ALL } gannet_rows_part;

/* Which rows of a table count: the first or the last n, or all of them. */
typedef struct {
  gannet_rows_part part;
  int n; /* of GANNET_ROWS_ALL: 0 */
} gannet_rows;

/* One output. The texts are NULL where the campaign file does not have them. */
typedef struct {
  char *name;
  char *unit;
  char *file;    /* relative to the evaluation's directory; may be a pattern of the shell */
  char *pattern; /* POSIX extended regular expression; without a file: of what is printed */
  char *column;  /* its name, or its number counted from 1 */
  gannet_rows rows;
  gannet_take take;
} gannet_output;

/* What becomes of a quantity that nothing announces. */
typedef enum { GANNET_UNKNOWN_KEEP, GANNET_UNKNOWN_WARN, GANNET_UNKNOWN_FAIL } gannet_unknown;

typedef struct {
  char *text;    /* NULL = no formula: the quantity is reported itself */
  char *tokens;  /* the text without blanks, by which two formulas are compared */
  int n;         /* operands */
  char **names;  /* [n] of the operands */
  double *value; /* [n] scratch */
  gannet_expression *expression;
} gannet_formula;

typedef struct gannet_outputs {
  char *objective;         /* its name; "objective" when it was not given another */
  char *unit;              /* of the objective; NULL = none */
  int n_formulas;          /* 1 + n_constraints */
  gannet_formula *formula; /* [n_formulas] of the objective, and of constraint k at k + 1 */
  gannet_unknown unknown;
  int n;
  gannet_output *item; /* [n] in the order of the campaign file */
} gannet_outputs;

/* Give a problem outputs that state nothing yet; those that it has are freed.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_outputs_create(gannet_problem *problem);
void gannet_outputs_destroy(gannet_outputs **outputs);

/* Name the objective, state its unit (NULL = none).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_outputs_name_objective(gannet_outputs *outputs, const char *name,
                                                        const char *unit);

/* Make the objective (index 0) or constraint index - 1 a formula.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when the text is no expression.
 */
GANNET_CHECKED gannet_err gannet_outputs_set_formula(gannet_outputs *outputs, int index,
                                                     const char *text);

/* Append a copy of an output.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_outputs_add(gannet_outputs *outputs, const gannet_output *output);

/* The output of a name, or NULL.
 *
 * Local.
 */
const gannet_output *gannet_output_find(const gannet_problem *problem, const char *name);

/* The formula of the objective (index 0) or of constraint index - 1; NULL = none.
 *
 * Local.
 */
const gannet_formula *gannet_problem_formula(const gannet_problem *problem, int index);

/* The name of the objective (index 0) or of constraint index - 1.
 *
 * Local.
 */
const char *gannet_problem_quantity_name(const gannet_problem *problem, int index);

/* The name under which what is reported of a quantity besides its value is kept: that of a single
 * objective is "objective", whichever name the campaign file gives it.
 *
 * Local.
 */
const char *gannet_problem_reported_name(const gannet_problem *problem, int index);

/* Say where the number of an output comes from, as in "column Cd of forces.dat, mean of the last
 * 200 rows".
 *
 * Local.
 *
 * text  out  [size]
 */
void gannet_output_describe(const gannet_output *output, char *text, size_t size);

/* The unit of the objective, "" where none was stated.
 *
 * Local.
 */
const char *gannet_problem_objective_unit(const gannet_problem *problem);

/* The index of a quantity: 0 = the objective, by its own name or as "objective"; k + 1 = constraint
 * k; -1 = neither.
 *
 * Local.
 */
int gannet_problem_find_quantity(const gannet_problem *problem, const char *name);

/* Whether a result is incomplete without a quantity: it is the objective, a constraint, or in a
 * formula.
 *
 * Local.
 */
bool gannet_problem_needs_quantity(const gannet_problem *problem, const char *name);

/* Name quantity i of those that a simulation must report or that the campaign file announces: what
 * is computed is left out. A name may come twice.
 *
 * Local.
 *
 * Returns NULL behind the last.
 */
const char *gannet_problem_known_quantity(const gannet_problem *problem, int i);

/* The same as a list for messages, with a blank before each, as far as they fit.
 *
 * Local.
 *
 * list  out  [size]
 */
void gannet_problem_list_quantities(const gannet_problem *problem, char *list, size_t size);

/* What became of the formulas of a result. */
typedef enum {
  GANNET_COMPUTED_ALL,
  GANNET_COMPUTED_SOME, /* the others are NAN: quantities are missing */
  GANNET_COMPUTED_WRONG /* a quantity or a formula has no finite value */
} gannet_computed;

/* Compute the formulas of a result from the quantities that it has. Where these have standard
 * deviations, the formula gets one, too (result->reported).
 *
 * Local.
 *
 * why  out  [size] which quantity is missing or not finite; untouched when all were computed
 */
gannet_computed gannet_problem_compute(const gannet_problem *problem, gannet_result_record *result,
                                       char *why, size_t size);

/* The first quantity of a result that nothing announces, from number `from` on; -1 = none.
 *
 * Local.
 */
int gannet_problem_find_unknown(const gannet_problem *problem, const gannet_quantities *reported,
                                int from);

#endif
