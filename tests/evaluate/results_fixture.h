/* Results of an evaluation in a directory of its own, and what is read of them. */
#ifndef RESULTS_FIXTURE_H
#define RESULTS_FIXTURE_H

#include "support/harness.h"

#include "conform_evaluator.h"
#include "evaluate/contract/contract.h"
#include "evaluate/result_record.h"
#include "processes.h"

#include <sys/resource.h>

typedef struct {
  gannet_problem *problem;
  char directory[256];
  double constraint;
  gannet_search_limits limits;
  bool has_no_descriptors;
} fixture;

static inline int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet-results-XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  f->problem = conform_problem();
  f->limits.patience = 60;
  *state = f;
  return 0;
}

static inline int tear_down(void **state) {
  fixture *f = *state;
  assert_int_equal(remove_tree(f->directory), 0);
  gannet_problem_destroy(&f->problem);
  free(f);
  return 0;
}

static inline void read_without_descriptors(const fixture *f, const gannet_outcome_rules *rules,
                                            gannet_result_record *result) {
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  gannet_contract_read_results(f->problem, rules, f->directory, result);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Read results.out, and the output by a pattern.
 *
 * pattern  in  NULL = none
 * results  in  what results.out holds; NULL = there is no such file
 */
static inline gannet_result_record read_with(fixture *f, const char *pattern, const char *results) {
  gannet_complaints complaints = {0};
  gannet_patterns patterns = {0};
  gannet_text_list texts = {0};
  gannet_result_record result = {.constraints = &f->constraint};
  char path[400];
  if (pattern) assert_ok(gannet_text_list_add(&texts, pattern));
  assert_ok(gannet_patterns_create(&texts, f->problem, &complaints, &patterns));
  assert_int_equal(complaints.count, 0);
  gannet_result_clear(1, &result);
  (void)snprintf(path, sizeof path, "%s/results.out", f->directory);
  (void)unlink(path);
  if (results) write_file(f->directory, "results.out", results, 0644);
  const gannet_outcome_rules rules = {.patterns = &patterns, .limits = f->limits};
  if (f->has_no_descriptors)
    read_without_descriptors(f, &rules, &result);
  else
    gannet_contract_read_results(f->problem, &rules, f->directory, &result);
  gannet_patterns_release(&patterns);
  gannet_text_list_release(&texts);
  return result;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
