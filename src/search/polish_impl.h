/* A polish, known to its files: polish.c (who does which start), polish_start.c (one start),
 * polish_answer.c (what searches ask for, of one rank or of a node). */
#ifndef GANNET_SEARCH_POLISH_IMPL_H
#define GANNET_SEARCH_POLISH_IMPL_H

#include "base/queue.h"
#include "minimize/lockstep.h"
#include "search/polish.h"

typedef enum { ASKS_FUNCTION, ASKS_CONDITIONS, QUESTIONS } polish_question;

/* Who polishes one start after the other. */
typedef struct {
  const gannet_polish_spec *spec;
  gannet_lockstep *lockstep;
  int place;
  int n_free;
  int *coordinate;     /* [n_free] continuous coordinates */
  double *free;        /* [3][n_free] start, lower, upper */
  double *x;           /* [d] */
  double value;        /* at x */
  double *gradient;    /* [d] */
  double *conditions;  /* [n] values, then [n][d] gradients */
  double *multipliers; /* [n] */
  double mu;           /* weight of the squared conditions */
  int list;
  polish_question asks;
  int calls;
  bool hopeless;               /* the start has no value and gradient to work with */
  gannet_minimizer *minimizer; /* NULL while nothing is free */
} polish_worker;

/* All of a rank. */
struct gannet_polisher {
  const gannet_polish_spec *spec;
  gannet_queue queue;
  gannet_lockstep *lockstep;
  const gannet_problem *problem; /* that workers are for, as the two below */
  int n_conditions;
  gannet_minimize_options options;
  int n; /* workers that are set up */
  polish_worker worker[GANNET_LOCKSTEP_MOST];
  double *x, *values, *gradients; /* what several ask for, and answers */
  double *results;                /* [units][d + 1], zero where another rank works */
  double *asked;                  /* [ranks of the node][gannet_polish_room(d)]; NULL = no board */
  int asking;                     /* searches of all ranks of the node that asked last */
  bool told;                      /* all of them know of an error */
};

static inline double polish_lower_of(const gannet_polish_spec *spec, int k) {
  return spec->lower ? spec->lower[k] : 0;
}

static inline double polish_upper_of(const gannet_polish_spec *spec, int k) {
  return spec->upper ? spec->upper[k] : 1;
}

/* What a zeroed worker needs for such polishes, and its end.
 *
 * Local.
 */
GANNET_CHECKED gannet_err polish_set_up(polish_worker *w, const gannet_polish_spec *spec);
void polish_release(polish_worker *w);

/* Polish one start.
 *
 * Local.
 *
 * x      out  [d]
 * value  out  INFINITY for a start without a finite value
 */
GANNET_CHECKED gannet_err polish_unit(polish_worker *w, int unit, double *x, double *value);

/* A gannet_lockstep_answer of a gannet_polisher, whose spec says who answers; and what a rank does
 * for the searches of others when it has none left, after which asking says how many there were.
 *
 * Local; with a board Collective over its node.
 */
GANNET_CHECKED gannet_err polish_answer(void *polisher, int n, const int *places);

#endif
