/* What searches ask for: by the rank that asks, or by all ranks of a node. */
#include <string.h>

#include "search/polish_impl.h"

/* What is asked for at once, at the leading rows of x. */
typedef struct {
  int n;
  int lists[GANNET_LOCKSTEP_MOST];
  polish_worker *asker[GANNET_LOCKSTEP_MOST]; /* NULL = of another rank */
} questions;

static gannet_err answer_one(polish_worker *w) {
  const gannet_polish_spec *spec = w->spec;
  if (w->asks == ASKS_FUNCTION)
    return spec->function(spec->user, w->list, w->x, &w->value, w->gradient);
  return spec->conditions(spec->user, w->list, w->x, w->conditions,
                          w->conditions + spec->n_conditions);
}

static gannet_err answer_several(gannet_polisher *p, polish_question asked, const questions *q) {
  const gannet_polish_spec *spec = p->spec;
  const size_t d = (size_t)spec->problem->d;
  const size_t width = asked == ASKS_FUNCTION ? 1 : (size_t)spec->n_conditions;
  GANNET_TRY((asked == ASKS_FUNCTION ? spec->functions : spec->conditions_of_several)(
      spec->user, q->n, q->lists, p->x, p->values, p->gradients));
  for (int i = 0; i < q->n; ++i) {
    polish_worker *w = q->asker[i];
    if (!w) continue;
    double *value = asked == ASKS_FUNCTION ? &w->value : w->conditions;
    double *gradient = asked == ASKS_FUNCTION ? w->gradient : w->conditions + width;
    memcpy(value, p->values + (size_t)i * width, width * sizeof *value);
    memcpy(gradient, p->gradients + (size_t)i * width * d, width * d * sizeof *gradient);
  }
  return GANNET_OK;
}

static void add_question(const gannet_polisher *p, questions *q, int list, const double *x,
                         polish_worker *asker) {
  const size_t d = (size_t)p->problem->d;
  memcpy(p->x + (size_t)q->n * d, x, d * sizeof *x);
  q->lists[q->n] = list;
  q->asker[q->n++] = asker;
}

/* Each by itself, of a rank that answers alone. */
static gannet_err answer_alone(gannet_polisher *p, int n, const int *places) {
  if (n == 1) return answer_one(&p->worker[places[0]]);
  for (polish_question asked = 0; asked < QUESTIONS; ++asked) {
    questions q = {0};
    for (int i = 0; i < n; ++i) {
      polish_worker *w = &p->worker[places[i]];
      if (w->asks == asked) add_question(p, &q, w->list, w->x, w);
    }
    if (q.n == 1) GANNET_TRY(answer_one(q.asker[0]));
    if (q.n > 1) GANNET_TRY(answer_several(p, asked, &q));
  }
  return GANNET_OK;
}

/* A rank shows how many of its searches ask, and of each what, of which list and where. */
enum { KIND, LIST, POINT };

size_t gannet_polish_room(int d) {
  return 1 + GANNET_LOCKSTEP_MOST * (POINT + (size_t)d);
}

/* What a rank asked; kept, as those who answer may use the board, too. */
static double *asked_by(const gannet_polisher *p, int place) {
  return p->asked + (size_t)place * gannet_polish_room(p->problem->d);
}

/* Ranks learn what all of them ask. */
static gannet_err exchange(gannet_polisher *p, int n, const int *places) {
  const size_t d = (size_t)p->problem->d;
  gannet_board *board = p->spec->board;
  double *own = gannet_board_own(board);
  own[0] = n;
  for (int i = 0; i < n; ++i) {
    const polish_worker *w = &p->worker[places[i]];
    double *at = own + 1 + (size_t)i * (POINT + d);
    at[KIND] = w->asks;
    at[LIST] = w->list;
    memcpy(at + POINT, w->x, d * sizeof *at);
  }
  const gannet_err err = gannet_board_show(board, GANNET_OK);
  p->told = err != GANNET_OK;
  p->asking = 0;
  for (int r = 0; err == GANNET_OK && r < gannet_board_node(board)->n; ++r) {
    const double *shown = gannet_board_of(board, r);
    memcpy(asked_by(p, r), shown, (1 + (size_t)shown[0] * (POINT + d)) * sizeof *shown);
    p->asking += (int)shown[0];
  }
  return err;
}

/* What one rank asks for is added to what others do, and answered whenever there is no place for
 * more. */
static gannet_err take_questions(gannet_polisher *p, polish_question asked, int place,
                                 const int *places, questions *q) {
  const double *all = asked_by(p, place);
  const bool own = place == gannet_board_node(p->spec->board)->place;
  for (int i = 0; i < (int)all[0]; ++i) {
    const double *at = all + 1 + (size_t)i * (POINT + (size_t)p->problem->d);
    if ((polish_question)at[KIND] != asked) continue;
    add_question(p, q, (int)at[LIST], at + POINT, own ? &p->worker[places[i]] : NULL);
    if (q->n < GANNET_LOCKSTEP_MOST) continue;
    GANNET_TRY(answer_several(p, asked, q));
    q->n = 0;
  }
  return GANNET_OK;
}

/* What all ranks of the node ask for, by all of them. */
static gannet_err answer_together(gannet_polisher *p, int n, const int *places) {
  const int ranks = gannet_board_node(p->spec->board)->n;
  GANNET_TRY(exchange(p, n, places));
  for (polish_question asked = 0; asked < QUESTIONS; ++asked) {
    questions q = {0};
    for (int r = 0; r < ranks; ++r) GANNET_TRY(take_questions(p, asked, r, places, &q));
    if (q.n > 0) GANNET_TRY(answer_several(p, asked, &q));
  }
  return GANNET_OK;
}

/* A gannet_lockstep_answer. */
gannet_err polish_answer(void *user, int n, const int *places) {
  gannet_polisher *p = user;
  return p->spec->board ? answer_together(p, n, places) : answer_alone(p, n, places);
}
