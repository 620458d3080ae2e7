#include "optimizer/transform_choice.h"

#include "optimizer/settled.h"

/* Values by which a scale is learnt at least. */
enum { LEAST = 4 };

gannet_err gannet_transform_choose(const gannet_member_options *options,
                                   const gannet_history *history, const gannet_laws *laws,
                                   gannet_transform_choice *choice) {
  const gannet_transform wanted = (gannet_transform)options->method.transform;
  const bool noisy = gannet_history_problem(history)->spec.noise_sd > 0;
  *choice = (gannet_transform_choice){GANNET_TRANSFORM_NONE, -1};
  if (laws || wanted == GANNET_TRANSFORM_NONE || (wanted == GANNET_TRANSFORM_AUTO && noisy))
    return GANNET_OK;
  gannet_settled settled = {-1, false};
  if (wanted == GANNET_TRANSFORM_LOG_THEN_NONE) GANNET_TRY(gannet_settled_find(history, &settled));
  choice->place = settled.place;
  if (choice->place < 0) choice->kind = GANNET_TRANSFORM_LOG;
  return GANNET_OK;
}

static int keep(const double *place, int d, int n, const double *x, const double *y, double *kept) {
  int count = 0;
  bool met = false;
  for (int i = 0; i < n; ++i) {
    const bool there = gannet_settled_is_place(d, x + (ptrdiff_t)i * d, place);
    if (!there || !met) kept[count++] = y[i];
    met = met || there;
  }
  return count;
}

void gannet_transform_choice_learn(const gannet_transform_choice *choice,
                                   const gannet_history *history, int n, const double *x,
                                   const double *y, double *kept, double *work,
                                   gannet_transform_fit *fit) {
  const int d = gannet_history_problem(history)->d;
  int count = 0;
  if (choice->place >= 0)
    count = keep(gannet_history_x_unit(history, choice->place), d, n, x, y, kept);
  if (count >= LEAST)
    gannet_transform_learn(choice->kind, count, kept, work, fit);
  else
    gannet_transform_learn(choice->kind, n, y, work, fit);
}
