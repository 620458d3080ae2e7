/* ADMMBO: the minimum of f over feasible points as two subproblems, tied by multipliers.
 *
 *   min f(x) + M 1[z infeasible]   subject to x = z,
 *
 * by the alternating direction method of multipliers (Ariafar et al. 2019, algorithm 1): in turn
 *
 *   x <- argmin f(x) + rho/2 |x - z + y/rho|^2                      objective_steps evaluations
 *   z <- argmin 1[z infeasible] + rho/(2 M) |x - z + y/rho|^2       feasibility_steps evaluations
 *   y <- y + rho (x - z),
 *
 * each subproblem by expected improvement: the first is that of a normal with a shifted mean; with
 * theta the probability of feasibility and g = (best value so far) - (the distance term), the
 * second is theta g for 0 < g <= 1 and g - (1 - theta) above (their eq. (14)). rho doubles when
 * |x - z| is more than ten times the step of rho z, and halves in the opposite case (Boyd et al.
 * 2011, eq. (3.13)).
 *
 * It starts with y = 0 and x = z = the evaluation of least mean among those whose constraints'
 * means are feasible, or among all of them. Of constraints theta has the spread that
 * gannet_models_spread tells.
 *
 * Deviations: the authors' program starts z in a corner of the box; a simulation returns all
 * constraints at once, so there is one z for all of them instead of one each; every evaluation
 * teaches all models, and both subproblems end at the best of all evaluations; expected
 * improvements as logarithms, polished by gradients.
 *
 * What is proposed is a function of the state below and of the history.
 */
#ifndef GANNET_OPTIMIZER_ADMM_H
#define GANNET_OPTIMIZER_ADMM_H

#include "optimizer/member.h"

typedef enum {
  GANNET_ADMM_NEW, /* nothing was proposed yet */
  GANNET_ADMM_OBJECTIVE,
  GANNET_ADMM_FEASIBILITY
} gannet_admm_phase;

/* What a member keeps of its split problem from one proposal to the next. */
struct gannet_admm {
  gannet_admm_phase phase;
  int left;   /* evaluations that are left in the phase */
  double rho; /* weight of the distance of x and z */
  double *x;  /* [d] minimiser of the objective's subproblem */
  double *z;  /* [d] minimiser of the feasibility's subproblem */
  double *y;  /* [d] multipliers */
};

/* The subproblem of one point: score by expected improvement over best of
 *   objective (or 1[infeasible]) + weight |x - anchor|^2. */
typedef struct {
  const gannet_member *member;
  gannet_admm_phase phase;
  double weight, best;
  double *anchor;                   /* [d] */
  double *mean, *sd, *log_feasible; /* [GANNET_TILE] */
  double *gradients;                /* [2][d] */
} gannet_admm_score;

/* A state of which nothing was proposed yet; destroy accepts NULL.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_admm_create(const gannet_problem *problem, gannet_admm **admm);
void gannet_admm_destroy(gannet_admm **admm);

/* Put the state, or take it: "admm.rho", "admm.x1", ... It begins anew where a value is absent or
 * cannot be.
 *
 * Local. set: logically collective.
 */
GANNET_CHECKED gannet_err gannet_admm_get_state(const gannet_member *member, const char *part,
                                                gannet_state *state);
void gannet_admm_set_state(gannet_member *member, const char *part, gannet_state *state);

/* Go on to the subproblem of the next point: end a phase without evaluations left, at the best of
 * all evaluations by the means of the models, and count one evaluation. Needs fitted models.
 *
 * Local; the same on all ranks.
 *
 * member  inout  its admm state
 */
GANNET_CHECKED gannet_err gannet_admm_advance(gannet_member *member);

/* Workspace; release accepts a zeroed struct. begin takes the subproblem of the state.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_admm_score_prepare(const gannet_member *member,
                                                    gannet_admm_score *score);
GANNET_CHECKED gannet_err gannet_admm_score_begin(gannet_admm_score *score);
void gannet_admm_score_release(gannet_admm_score *score);

/* Scores of m <= GANNET_TILE points, and minus the score with its gradient: a gannet_scorer of one
 * list and a gannet_polish_function.
 *
 * Local.
 *
 * user  in  a gannet_admm_score after _begin
 */
GANNET_CHECKED gannet_err gannet_admm_score_points(void *user, int m, const double *x_unit,
                                                   int64_t first, double *scores, int ld);
GANNET_CHECKED gannet_err gannet_admm_score_merit(void *user, int list, const double *x_unit,
                                                  double *value, double *gradient);

/* The subproblem that a state stands for: weight and anchor [d].
 *
 * Local.
 */
void gannet_admm_subproblem(const gannet_member *member, gannet_admm_phase phase, double *weight,
                            double *anchor);

/* The evaluation of least subproblem value, and that value; id -1 and INFINITY without any.
 *
 * Local.
 *
 * anchor  in  [d]
 */
GANNET_CHECKED gannet_err gannet_admm_best(const gannet_member *member, gannet_admm_phase phase,
                                           double weight, const double *anchor, int64_t *id,
                                           double *value);

#endif
