/* test: ranks 1 2 3 labels unit */
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "base/error.h"

static int rank, np;

static gannet_err fail_at(int level) {
  GANNET_REQUIRE(level > 0, GANNET_ERR_SHAPE, "level = %d", level);
  GANNET_TRY(fail_at(level - 1));
  return GANNET_OK;
}

/* The part of a collective function before its first communication. */
static gannet_err only_on(int bad_rank, gannet_err code) {
  if (rank != bad_rank) return GANNET_OK;
  return GANNET_RAISE(code, "bad on %d", bad_rank);
}

static void every_code_has_a_text_and_an_exit_code(void **state) {
  (void)state;
  for (int code = 0; code < GANNET_ERR_COUNT; ++code) {
    const int end = (int)gannet_err_exit((gannet_err)code);
    assert_true(strlen(gannet_err_text((gannet_err)code)) > 4);
    assert_int_equal(end == 0, code == GANNET_OK);
    assert_true(0 <= end && end < 126);
  }
  assert_string_equal(gannet_err_text((gannet_err)9999), "unknown error code");
  assert_int_equal(gannet_err_exit(GANNET_ERR_DAMAGED), GANNET_EXIT_DAMAGED);
  assert_int_equal(gannet_err_exit(GANNET_ERR_INPUT), GANNET_EXIT_USAGE);
  assert_int_equal(gannet_err_exit(GANNET_ERR_NO_SPACE), GANNET_EXIT_RESOURCE);
}

static void errors_carry_message_and_trace(void **state) {
  (void)state;
  assert_int_equal(fail_at(2), GANNET_ERR_SHAPE);
  assert_string_equal(gannet_error_message(), "sizes do not fit together: level = 0");
  const char *trace = gannet_error_trace();
  int lines = 0;
  for (const char *at = trace; (at = strstr(at, "at fail_at")); ++at) ++lines;
  assert_int_equal(lines, 3);
  gannet_error_clear();
  assert_string_equal(gannet_error_message(), "");
  assert_string_equal(gannet_error_trace(), "");
}

static void a_message_may_quote_the_one_before(void **state) {
  (void)state;
  (void)GANNET_RAISE(GANNET_ERR_IO, "inner");
  (void)GANNET_RAISE(GANNET_ERR_DAMAGED, "outer (%s)", gannet_error_message());
  assert_string_equal(gannet_error_message(),
                      "damaged file: outer (input or output failed: inner)");
}

/* Terminals obey what a name in a file holds. */
static void control_characters_become_spaces(void **state) {
  (void)state;
  (void)GANNET_RAISE(GANNET_ERR_INPUT, "one '%s'\n\ttwo", "a\x1b[31m\r\xc3\xa9\xc2\x9b\x7f");
  assert_string_equal(gannet_error_detail(), "one 'a [31m \xc3\xa9   '\n\ttwo");
}

static void long_messages_and_deep_traces_stay_within_the_record(void **state) {
  (void)state;
  char *text = malloc(100001);
  assert_non_null(text);
  memset(text, 'm', 100000);
  text[100000] = '\0';
  (void)GANNET_RAISE(GANNET_ERR_IO, "%s", text);
  assert_true(strlen(gannet_error_message()) > 1000);
  assert_true(strlen(gannet_error_message()) < 2000);
  assert_non_null(strstr(gannet_error_message(), "mmm..."));
  free(text);
  assert_int_equal(fail_at(500), GANNET_ERR_SHAPE);
  assert_true(strlen(gannet_error_trace()) < 2000);
}

/* Complaints: simsopt #446, optimas #226, HiRep #2, OPM #3556, desispec #2209. */
static void one_bad_rank_fails_everywhere(void **state) {
  (void)state;
  for (int bad = 0; bad < np; ++bad) {
    char expected[200];
    gannet_error_clear();
    const gannet_err err = gannet_agree(MPI_COMM_WORLD, only_on(bad, GANNET_ERR_NO_SPACE));
    char who[40] = ""; /* of one rank there is nothing to tell */
    if (np > 1) (void)snprintf(who, sizeof who, " (reported by rank %d)", bad);
    (void)snprintf(expected, sizeof expected, "%s: bad on %d%s",
                   gannet_err_text(GANNET_ERR_NO_SPACE), bad, who);
    assert_int_equal(err, GANNET_ERR_NO_SPACE);
    assert_string_equal(gannet_error_message(), expected);
    assert_non_null(strstr(gannet_error_trace(), "only_on"));
  }
  assert_ok(gannet_agree(MPI_COMM_WORLD, GANNET_OK));
}

/* An old error of another rank must not show through when this rank is fine. */
static void all_well_is_agreed_in_spite_of_old_errors(void **state) {
  (void)state;
  if (rank == np - 1) (void)GANNET_RAISE(GANNET_ERR_IO, "handled");
  assert_ok(gannet_agree(MPI_COMM_WORLD, GANNET_OK));
}

static void the_worst_code_of_the_lowest_rank_wins(void **state) {
  (void)state;
  const gannet_err mine = rank == 0 && np > 1 ? GANNET_ERR_ARG : GANNET_ERR_IO;
  const gannet_err err = gannet_agree(MPI_COMM_WORLD, GANNET_RAISE(mine, "rank %d", rank));
  assert_int_equal(err, GANNET_ERR_IO);
  assert_non_null(
      strstr(gannet_error_message(), np > 1 ? "rank 1 (reported by rank 1)" : "rank 0"));
}

/* A code whose message was cleared or replaced must not be told with another error's message. */
static void a_code_is_never_told_with_the_message_of_another(void **state) {
  (void)state;
  (void)GANNET_RAISE(GANNET_ERR_IO, "another matter");
  const gannet_err err = gannet_agree(MPI_COMM_WORLD, GANNET_ERR_MEMORY);
  assert_int_equal(err, GANNET_ERR_MEMORY);
  assert_non_null(strstr(gannet_error_message(), gannet_err_text(GANNET_ERR_MEMORY)));
  assert_null(strstr(gannet_error_message(), "another matter"));
}

static void differing_bytes_are_found_on_all_ranks(void **state) {
  (void)state;
  double x[3] = {1, 2, 3};
  assert_ok(gannet_same(MPI_COMM_WORLD, x, sizeof x, "start point"));
  assert_ok(gannet_same(MPI_COMM_WORLD, NULL, 0, "nothing"));
  for (int odd = 0; odd < np && np > 1; ++odd) {
    double y[3] = {1, 2, rank == odd ? 3 + 4e-16 : 3};
    assert_fails(GANNET_ERR_RANKS, "start point",
                 gannet_same(MPI_COMM_WORLD, y, sizeof y, "start point"));
  }
}

static gannet_err call_mpi_wrongly(void) {
  int size = 0;
  MPI_Comm own;
  GANNET_TRY_MPI(MPI_Comm_dup(MPI_COMM_SELF, &own));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
  const int code = MPI_Send(&size, 1, MPI_INT, 77, 0, own);
  GANNET_TRY_MPI(MPI_Comm_free(&own));
  GANNET_TRY_MPI(code);
  return GANNET_OK;
}

static void failures_of_mpi_are_errors_with_its_text(void **state) {
  (void)state;
  assert_fails(GANNET_ERR_MPI, "MPI_ERR_RANK", call_mpi_wrongly());
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_code_has_a_text_and_an_exit_code),
      cmocka_unit_test(errors_carry_message_and_trace),
      cmocka_unit_test(a_message_may_quote_the_one_before),
      cmocka_unit_test(control_characters_become_spaces),
      cmocka_unit_test(long_messages_and_deep_traces_stay_within_the_record),
      cmocka_unit_test(one_bad_rank_fails_everywhere),
      cmocka_unit_test(all_well_is_agreed_in_spite_of_old_errors),
      cmocka_unit_test(the_worst_code_of_the_lowest_rank_wins),
      cmocka_unit_test(a_code_is_never_told_with_the_message_of_another),
      cmocka_unit_test(differing_bytes_are_found_on_all_ranks),
      cmocka_unit_test(failures_of_mpi_are_errors_with_its_text),
  };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
