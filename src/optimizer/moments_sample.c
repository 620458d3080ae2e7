/* The candidates by which margins are measured: their exact moments, of which ranks make some each,
 * since one rank takes longer for them than for all estimates of the sample. */
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "optimizer/moments_screen_impl.h"
#include "optimizer/sample.h"

enum {
  SAMPLE = GANNET_SAMPLE,
  FEW = 27, /* which fill no block, register or half of them */
  MEANS = 0,
  SDS = SAMPLE,
  TURNED = 2 * SAMPLE, /* the same from behind */
  EXACT = 2 * TURNED
};

static size_t exact_size(const gannet_moments_screen *s) {
  return (size_t)gannet_models_count(s->score->member->models) * EXACT + 1;
}

static double *exact_of(const gannet_moments_screen *s, int model) {
  return s->exact + (ptrdiff_t)model * EXACT;
}

moments_exact moments_screen_exact_of(const gannet_moments_screen *s, int model) {
  return (moments_exact){exact_of(s, model) + MEANS, exact_of(s, model) + SDS};
}

gannet_err moments_screen_take_sample(gannet_moments_screen *s,
                                      const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  s->candidates = candidates;
  if (s->sample) return GANNET_OK;
  GANNET_TRY(gannet_alloc(exact_size(s), sizeof *s->exact, &s->exact));
  GANNET_TRY(gannet_alloc(SAMPLE * d, sizeof *s->sample, &s->sample));
  gannet_sample_take(candidates, s->sample);
  return GANNET_OK;
}

/* Some consecutive points of the sample as it is, or from behind. */
typedef struct {
  bool turned;
  int first, n;
} piece;

static gannet_err predict_piece(const gannet_moments_screen *s, int i, piece p) {
  const gannet_surrogate *model = moments_screen_model(s, i);
  const int d = gannet_surrogate_dimension(model);
  double *to = exact_of(s, i) + (p.turned ? TURNED : 0) + p.first;
  if (p.turned) gannet_sample_turn(d, s->sample);
  const gannet_err err =
      gannet_surrogate_predict(model, p.n, s->sample + p.first * d, to + MEANS, to + SDS);
  if (p.turned) gannet_sample_turn(d, s->sample);
  return err;
}

/* The pieces of this rank, of two ranks as many points each; the other numbers are 0. The last one
 * tells that estimates are of no use. */
static gannet_err predict_own(const gannet_moments_screen *s) {
  const gannet_context *context = s->score->member->context;
  const int cut = context->np > 1 ? SAMPLE - FEW : SAMPLE;
  const piece pieces[] = {
      {false, 0, cut}, {true, 0, FEW}, {false, cut, SAMPLE - cut}, {true, FEW, SAMPLE - FEW}};
  const size_t size = exact_size(s);
  memset(s->exact, 0, size * sizeof *s->exact);
  s->exact[size - 1] = !s->estimates;
  for (int i = 0; s->estimates && i < gannet_models_count(s->score->member->models); ++i)
    for (int k = context->rank; k < 4; k += context->np) GANNET_TRY(predict_piece(s, i, pieces[k]));
  return GANNET_OK;
}

static bool is_same_turned(const gannet_moments_screen *s, int i) {
  const double *exact = exact_of(s, i), *again = exact + TURNED;
  for (int p = 0; p < SAMPLE; ++p)
    for (int k = MEANS; k <= SDS; k += SDS)
      if (again[k + p] != exact[k + SAMPLE - 1 - p]) return false;
  return true;
}

gannet_err moments_screen_exact(gannet_moments_screen *s) {
  const gannet_context *context = s->score->member->context;
  const size_t size = exact_size(s);
  if (!s->exact) return GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, predict_own(s)));
  if (context->np > 1) GANNET_TRY(gannet_parts_gather(context->comm, size, s->exact));
  s->estimates = !(s->exact[size - 1] > 0);
  for (int i = 0; s->estimates && i < gannet_models_count(s->score->member->models); ++i)
    s->estimates = is_same_turned(s, i);
  return GANNET_OK;
}
