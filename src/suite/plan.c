#include "suite/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "problem/problem.h"
#include "simulations/registry.h"
#include "suite/plan_parts.h"

enum { WHERE = 512 };

int64_t suite_plan_count(const suite_plan *plan) {
  return (int64_t)plan->n_problems * plan->n_methods * plan->keys.runs;
}

suite_cell suite_plan_cell(const suite_plan *plan, int64_t number) {
  const int64_t pair = number / plan->keys.runs;
  return (suite_cell){.problem = (int)(pair / plan->n_methods),
                      .method = (int)(pair % plan->n_methods),
                      .seed = plan->keys.first_seed + number % plan->keys.runs};
}

const gannet_campaign_input *suite_plan_input(const suite_plan *plan, suite_cell cell) {
  return plan->input[cell.problem * plan->n_methods + cell.method];
}

uint64_t suite_plan_key(const suite_plan *plan, suite_cell cell) {
  return plan->key[cell.problem * plan->n_methods + cell.method];
}

void suite_plan_release(suite_plan *plan) {
  for (int i = 0; plan->input && i < plan->n_problems * plan->n_methods; ++i)
    gannet_campaign_destroy(&plan->input[i]);
  for (int p = 0; p < plan->n_problems; ++p) {
    suite_problem *problem = &plan->problem[p];
    gannet_options_release(suite_problem_table, &problem->keys, sizeof problem->keys);
    gannet_free(&problem->label);
    gannet_free(&problem->constraint_sd);
    gannet_free(&problem->skipped);
  }
  for (int k = 0; k < plan->n_methods; ++k) gannet_free(&plan->method[k].label);
  for (int t = 0; t < plan->n_tables; ++t) gannet_free(&plan->table_label[t]);
  gannet_free(&plan->input);
  gannet_free(&plan->key);
  gannet_free(&plan->problem);
  gannet_free(&plan->method);
  gannet_free(&plan->table_label);
  gannet_free(&plan->file);
  gannet_options_release(suite_table, &plan->keys, sizeof plan->keys);
}

/* The fingerprint: the effective campaign, which has every setting of the method, and the noise. */
static gannet_err find_key(const suite_plan *plan, int p, int k, uint64_t *key) {
  const suite_problem *problem = &plan->problem[p];
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_format(plan->input[p * plan->n_methods + k], &text, &size));
  const struct {
    uint64_t campaign;
    double noise, constraint_noise;
  } all = {gannet_hash(text, size), problem->keys.noise, problem->keys.constraint_noise};
  gannet_free(&text);
  *key = gannet_hash(&all, sizeof all);
  return GANNET_OK;
}

static gannet_err compose_all(suite_plan *plan, const suite_nodes *nodes,
                              gannet_complaints *complaints) {
  const size_t pairs = (size_t)plan->n_problems * (size_t)plan->n_methods;
  GANNET_TRY(gannet_alloc(pairs, sizeof(gannet_campaign_input *), &plan->input));
  GANNET_TRY(gannet_alloc(pairs, sizeof *plan->key, &plan->key));
  for (int p = 0; p < plan->n_problems; ++p) {
    GANNET_TRY(suite_plan_complete(plan, nodes, p, complaints));
    for (int k = 0; k < plan->n_methods; ++k) {
      const size_t at = (size_t)p * (size_t)plan->n_methods + (size_t)k;
      GANNET_TRY(suite_plan_compose(plan, nodes, p, k, &plan->input[at], complaints));
      if (!plan->input[at]) continue;
      GANNET_TRY(find_key(plan, p, k, &plan->key[at]));
      GANNET_TRY(
          gannet_campaign_add_candidates(MPI_COMM_SELF, plan->file, plan->input[at], complaints));
    }
  }
  return GANNET_OK;
}

static gannet_err read_plan(const gannet_campaign_source *source, suite_plan *plan,
                            gannet_complaints *complaints) {
  gannet_tree_file tree = {0};
  suite_nodes nodes = {0};
  gannet_err err = gannet_tree_parse(source->file, source->text, source->size, &tree, complaints);
  for (int i = 0; err == GANNET_OK && tree.usable && i < source->n_sets; ++i)
    err = gannet_tree_override(&tree, source->sets[i], complaints);
  if (err == GANNET_OK && tree.usable) {
    err = suite_plan_read(source->file, &tree.root, plan, &nodes, complaints);
    if (err == GANNET_OK && complaints->count == 0) err = compose_all(plan, &nodes, complaints);
  }
  if (err == GANNET_OK) err = gannet_complaints_raise(complaints);
  gannet_free(&nodes.problem);
  gannet_free(&nodes.method);
  gannet_tree_release(&tree);
  return err;
}

/* Rank 0 finds the levels of the noise, so that all ranks have the same bits. */
static gannet_err share_noise(MPI_Comm comm, suite_plan *plan, int p) {
  suite_problem *problem = &plan->problem[p];
  const int n = plan->input[p * plan->n_methods]->problem->spec.n_constraints;
  int rank = 0;
  if (problem->keys.noise == 0 && problem->keys.constraint_noise == 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_err err = rank == 0 ? suite_plan_find_noise(plan, p) : GANNET_OK;
  if (rank > 0 && problem->keys.constraint_noise > 0)
    err = gannet_alloc((size_t)n, sizeof *problem->constraint_sd, &problem->constraint_sd);
  GANNET_TRY(gannet_agree(comm, err));
  GANNET_TRY_MPI(MPI_Bcast(&problem->noise_sd, 1, MPI_DOUBLE, 0, comm));
  if (problem->constraint_sd)
    GANNET_TRY_MPI(MPI_Bcast(problem->constraint_sd, n, MPI_DOUBLE, 0, comm));
  return GANNET_OK;
}

gannet_err suite_plan_load(MPI_Comm comm, const char *path, int n_sets, const char *const *sets,
                           suite_plan *plan, gannet_complaints *complaints) {
  gannet_campaign_source source = {.file = path, .n_sets = n_sets, .sets = sets};
  char *text = NULL;
  memset(plan, 0, sizeof *plan);
  /* Relative paths of a suite file start where it lies. */
  gannet_directory_of(path, plan->input_directory, sizeof plan->input_directory);
  gannet_err err = gannet_campaign_file_share(comm, path, &text, &source.size);
  if (err == GANNET_OK) {
    source.text = text;
    err = gannet_copy_text(path, &plan->file);
    if (err == GANNET_OK) err = read_plan(&source, plan, complaints);
    err = gannet_agree(comm, err);
  }
  gannet_free(&text);
  for (int p = 0; p < plan->n_problems && err == GANNET_OK; ++p) err = share_noise(comm, plan, p);
  GANNET_TRY(err);
  return GANNET_OK;
}
