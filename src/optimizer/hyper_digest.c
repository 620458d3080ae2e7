#include "optimizer/hyper_digest.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "optimizer/rank_digest.h"
#include "problem/objectives.h"

enum { LONGEST_TEXT = 4096 };

static void mix_bytes(uint64_t *digest, const void *bytes, size_t size) {
  const uint64_t pair[2] = {*digest, gannet_hash(bytes, size)};
  *digest = gannet_hash(pair, sizeof pair);
}

static void mix_text(uint64_t *digest, const char *text) {
  mix_bytes(digest, text, strlen(text));
}

/* Options of a table, as they would be written, where they are not the defaults and concern more
 * than a prior. */
static gannet_err mix_options(uint64_t *digest, const gannet_option *table, size_t size,
                              const void *target) {
  gannet_complaints complaints = {0};
  void *defaults = NULL;
  char own[LONGEST_TEXT], usual[LONGEST_TEXT];
  GANNET_TRY(gannet_alloc(1, size, &defaults));
  const gannet_err err = gannet_options_apply(table, NULL, 0, NULL, defaults, &complaints);
  for (const gannet_option *option = table; err == GANNET_OK && option->key; ++option) {
    (void)gannet_option_format(option, target, own, sizeof own);
    (void)gannet_option_format(option, defaults, usual, sizeof usual);
    if (strcmp(own, usual) == 0 || option->flags & GANNET_OPTION_PRIOR) continue;
    mix_text(digest, option->key);
    mix_text(digest, own);
  }
  gannet_complaints_release(&complaints);
  gannet_options_release(table, defaults, size);
  gannet_free(&defaults);
  return err;
}

gannet_err gannet_hyper_digest(const gannet_problem *problem,
                               const gannet_optimizer_options *options, int member,
                               char text[GANNET_STATE_TEXT_SIZE]) {
  const gannet_member_options *own = &options->member[member];
  const gannet_surrogate_type *type = own->surrogate_type;
  text[0] = '\0';
  if (own->proposer != GANNET_PROPOSE_MODEL || !type) return GANNET_OK;
  uint64_t digest = 0;
  mix_text(&digest, type->name);
  GANNET_TRY(mix_options(&digest, type->options, type->options_size, own->surrogate_options));
  /* Constraints are standardised apart from their bounds for probabilities only. */
  const int choices[] = {own->method.transform, options->method.penalties,
                         own->acquisition.rule == GANNET_RULE_PROBABILITY};
  mix_bytes(&digest, choices, sizeof choices);
  const double numbers[] = {own->acquisition.exploration, problem->spec.noise_sd};
  for (int i = 0; i < 2; ++i) {
    char number[32];
    (void)snprintf(number, sizeof number, "%.17g", numbers[i] == numbers[i] ? numbers[i] : -1);
    mix_text(&digest, number);
  }
  for (int m = 1; m < gannet_problem_n_objectives(problem); ++m) {
    char number[32];
    const double noise = gannet_problem_objective_noise(problem, m);
    (void)snprintf(number, sizeof number, "%.17g", noise == noise ? noise : -1);
    mix_text(&digest, number);
  }
  for (int m = 0; m < problem->spec.n_objectives; ++m) {
    const gannet_objective *objective = &problem->spec.objectives[m];
    const int own_choices[] = {m, (int)objective->transform, objective->keeps_penalties};
    /* With the defaults the digest is that of earlier versions. */
    if (own_choices[1] || own_choices[2]) mix_bytes(&digest, own_choices, sizeof own_choices);
  }
  if (type->set_pde_constraint) {
    const uint64_t equations = gannet_rank_digest_equations(problem);
    mix_bytes(&digest, &equations, sizeof equations);
  }
  (void)snprintf(text, GANNET_STATE_TEXT_SIZE, "%016llx", (unsigned long long)digest);
  return GANNET_OK;
}

void gannet_member_state_prefix(const gannet_optimizer_options *options, int member,
                                char part[GANNET_STATE_NAME]) {
  const char *name = options->member[member].method.method;
  int number = 1;
  for (int i = 0; i < member; ++i) number += strcmp(options->member[i].method.method, name) == 0;
  if (number == 1)
    (void)snprintf(part, GANNET_STATE_NAME, "%.60s/", name);
  else
    (void)snprintf(part, GANNET_STATE_NAME, "%.60s#%d/", name, number);
}
