#include "problem/penalty.h"

#include <math.h>
#include <string.h>

enum { LEAST = 3 }; /* equal results */

gannet_penalty gannet_penalty_none(void) {
  return (gannet_penalty){.best = INFINITY};
}

void gannet_penalty_note(gannet_penalty *p, double value) {
  int at = 0;
  p->best = fmin(p->best, value);
  while (at < p->n && p->worst[at].value > value) ++at;
  if (at == GANNET_PENALTY_VALUES) return;
  if (at == p->n || p->worst[at].value < value) {
    if (p->n < GANNET_PENALTY_VALUES) p->n += 1;
    const size_t behind = (size_t)(p->n - at - 1);
    memmove(&p->worst[at + 1], &p->worst[at], behind * sizeof p->worst[at]);
    p->worst[at].value = value;
    p->worst[at].count = 0;
  }
  p->worst[at].count += 1;
}

/* Halves, because differences of huge values overflow. */
static bool is_apart(const gannet_penalty *p, int i) {
  if (p->n == 1) return true;
  if (i + 1 == p->n) return false;
  const double value = p->worst[i].value, next = p->worst[i + 1].value;
  return 0.5 * value - 0.5 * next > 0.5 * next - 0.5 * p->best;
}

double gannet_penalty_least(const gannet_penalty *p, int64_t *count) {
  double least = INFINITY;
  int64_t passed = 0;
  *count = 0;
  for (int i = 0; i < p->n; ++i) {
    passed += p->worst[i].count;
    if (p->worst[i].count < LEAST || !is_apart(p, i)) continue;
    least = p->worst[i].value;
    *count = passed;
  }
  return least;
}
