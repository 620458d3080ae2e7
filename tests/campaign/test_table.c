/* test: serial labels unit */
#include "books.h"

#include <jansson.h>

#include "campaign/tables/table.h"

static char *table_of(const gannet_ledger *ledger, gannet_format format, bool course) {
  char *text = NULL;
  size_t size = 0;
  const gannet_table_spec spec = {.format = format, .course = course, .n = ledger->n};
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_ok(gannet_table_write(out, ledger, &spec));
  assert_int_equal(fclose(out), 0);
  return text;
}

/* The n-th line, ended by zero. */
static char *line_of(char *text, int n) {
  for (; n > 0; --n) text = strchr(text, '\n') + 1;
  *strchr(text, '\n') = '\0';
  return text;
}

static void csv_quotes_what_must_be(void **state) {
  (void)state;
  books b;
  open_books(&b, 8);
  keep_books(&b);
  char *text = table_of(&b.ledger, GANNET_FORMAT_CSV, false);
  assert_string_equal(line_of(text, 0),
                      "id,batch,x,n,steel,vent,objective,mass,stress,status,feasible,"
                      "drag,drag.sd,mass.sd,lift,reported.n");
  free(text);
  text = table_of(&b.ledger, GANNET_FORMAT_CSV, true);
  assert_string_equal(line_of(text, 2),
                      "1,0,-0.5,2,\"say \"\"hard\"\"\",true,1.3333333333333333,2.5,"
                      "3.0000000000000004,done,true,1,2023-11-14T22:13:20Z,,2023-11-14T22:13:20Z,,"
                      "0,0,2,node-7,4711,,,0.25,0.125,0.33333333333333331,,-7");
  free(text);
  text = table_of(&b.ledger, GANNET_FORMAT_CSV, true);
  assert_string_equal(
      line_of(text, 3),
      "2,0,-0.33333333333333331,3,caf\xc3\xa9,false,,,,failed,,2,2023-11-14T22:13:20Z,,"
      "2023-11-14T22:13:20Z,,-1,9,2,node-7,4711,signal,\"bad ?? bytes, \"\"quotes\"\", "
      "caf\xc3\xa9, a "
      "tab\t and \\\",,,,,");
  free(text);
  text = table_of(&b.ledger, GANNET_FORMAT_CSV, false);
  assert_string_equal(
      line_of(text, 6),
      "5,1,-0.16666666666666666,6,caf\xc3\xa9,true,5.333333333333333,-1.0000000000000"
      "001e+300,4.9406564584124654e-324,done,false,0.25,0.125,0.33333333333333331,,-7");
  free(text);
  close_books(&b);
}

/* A file of before the first result with another quantity gets its column with that result; a crash
 * may leave it without. */
static void columns_come_with_the_first_result_that_needs_them(void **state) {
  (void)state;
  books b;
  char *text = NULL;
  const int64_t third = 3;
  const double good[] = {2.5, 3};
  int64_t n = 0;
  open_books(&b, 8);
  keep_books(&b);
  const int known = b.ledger.n_columns;
  assert_ok(gannet_table_replace("more.csv", &b.ledger));
  gannet_result_record later = make_ended(third, GANNET_EVAL_DONE, good);
  const gannet_quantity cells = {.name = "cells", .value = 1e6};
  assert_ok(gannet_quantities_set(&later.reported, 4, &cells));
  assert_ok(gannet_ledger_results(&b.ledger, 1, &later));
  gannet_results_release(1, &later);
  assert_int_equal(b.ledger.n_columns, known + 1);
  assert_ok(gannet_table_check("more.csv", &b.ledger, true, &n));
  assert_int_equal(n, 3);
  assert_ok(gannet_ledger_tell(&b.ledger, 1, &third));
  assert_ok(gannet_table_append("more.csv", &b.ledger, 1, &third));
  assert_ok(gannet_table_check("more.csv", &b.ledger, true, &n));
  assert_int_equal(n, 4);
  assert_ok(gannet_file_read("more.csv", &text, NULL));
  assert_non_null(strstr(line_of(text, 0), ",reported.n,cells"));
  gannet_free(&text);
  assert_ok(gannet_file_read("more.csv", &text, NULL));
  assert_non_null(strstr(line_of(text, 4), ",,,,,,1000000"));
  gannet_free(&text);
  close_books(&b);
  open_books(&b, 8); /* of somebody who has looked at the journal before that result */
  keep_books(&b);
  assert_ok(gannet_table_check("more.csv", &b.ledger, true, &n));
  assert_int_equal(n, 3);
  close_books(&b);
}

static void json_is_json(void **state) {
  (void)state;
  books b;
  json_error_t error;
  open_books(&b, 8);
  keep_books(&b);
  for (int course = 0; course < 2; ++course) {
    char *text = table_of(&b.ledger, GANNET_FORMAT_JSON, course);
    json_t *rows = json_loads(text, 0, &error);
    if (!rows) fail_msg("%s in line %d of\n%s", error.text, error.line, text);
    assert_int_equal(json_array_size(rows), 8);
    const json_t *row = json_array_get(rows, 5);
    assert_true(json_real_value(json_object_get(row, "objective")) == 1.0 / 3 + 5);
    assert_true(json_real_value(json_object_get(row, "stress")) == 5e-324);
    assert_true(json_is_false(json_object_get(row, "feasible")));
    assert_true(json_is_true(json_object_get(row, "vent")));
    assert_string_equal(json_string_value(json_object_get(row, "steel")), "caf\xc3\xa9");
    assert_int_equal(json_integer_value(json_object_get(row, "n")), 6);
    row = json_array_get(rows, 7);
    assert_string_equal(json_string_value(json_object_get(row, "status")), "pending");
    assert_true(json_is_null(json_object_get(row, "objective")));
    assert_int_equal(json_object_get(row, "reason") != NULL, course);
    json_decref(rows);
    free(text);
  }
  close_books(&b);
}

static void an_empty_table_is_still_one(void **state) {
  (void)state;
  books b;
  open_books(&b, 8);
  char *text = table_of(&b.ledger, GANNET_FORMAT_JSON, true);
  json_t *rows = json_loads(text, 0, NULL);
  assert_int_equal(json_array_size(rows), 0);
  assert_true(json_is_array(rows));
  json_decref(rows);
  free(text);
  for (int format = GANNET_FORMAT_TABLE; format <= GANNET_FORMAT_CSV; ++format) {
    text = table_of(&b.ledger, (gannet_format)format, false);
    assert_string_equal(strchr(text, '\n'), "\n");
    free(text);
  }
  close_books(&b);
}

/* Characters, not bytes: columns stay in line where names have accents. */
static size_t width_of(const char *line) {
  size_t width = 0;
  for (; *line; ++line) width += ((unsigned char)*line & 0xc0) != 0x80;
  return width;
}

static void lines_for_people_are_equally_wide(void **state) {
  (void)state;
  books b;
  open_books(&b, 8);
  keep_books(&b);
  char *text = table_of(&b.ledger, GANNET_FORMAT_TABLE, false), *rest = text;
  const size_t width = width_of(strtok_r(text, "\n", &rest));
  for (const char *line; (line = strtok_r(NULL, "\n", &rest));)
    assert_int_equal(width_of(line), width);
  free(text);
  close_books(&b);
}

static const char *only_name(const void *user, int column) {
  (void)user;
  (void)column;
  return "f";
}

static gannet_cell one_of(const void *user, int64_t row, int column, char *text) {
  (void)column;
  return gannet_cell_real(((const double *)user)[row], text);
}

static void check_column(const double *values, const char *expected) {
  char *text = NULL;
  size_t size = 0;
  const gannet_grid grid = {
      .n_columns = 1, .n_rows = 2, .user = values, .name = only_name, .cell = one_of};
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_ok(gannet_grid_write(out, &grid, GANNET_FORMAT_TABLE));
  assert_int_equal(fclose(out), 0);
  assert_string_equal(text, expected);
  free(text);
}

/* A table of the best designs would show the same value for all of them. */
static void small_differences_are_shown(void **state) {
  (void)state;
  check_column((const double[]){1.0000000006033161, 1.0000000007009398},
               "               f\n1.00000000060332\n1.00000000070094\n");
  check_column((const double[]){1, 1 + 0x1p-52},
               "                 f\n"
               "                 1\n1.0000000000000002\n");
  check_column((const double[]){1.0 / 3, 1e6 / 3}, "        f\n0.3333333\n 333333.3\n");
  check_column((const double[]){1.0 / 3, 1.0 / 3}, "        f\n0.3333333\n0.3333333\n");
  check_column((const double[]){-1e308, 1e308 / 3},
               "            f\n      -1e+308\n3.333333e+307\n");
  check_column((const double[]){5e-324, 1e-323}, "            f\n4.940656e-324\n9.881313e-324\n");
  check_column((const double[]){NAN, 0.1}, "  f\n   \n0.1\n");
}

static void files_get_whole_lines_only(void **state) {
  (void)state;
  books b;
  char *whole = NULL, *grown = NULL;
  const int64_t held[] = {5};
  open_books(&b, 8);
  keep_books(&b);
  assert_ok(gannet_table_replace(in_folder("history.csv"), &b.ledger));
  assert_ok(gannet_file_read(in_folder("history.csv"), &whole, NULL));
  int lines = 0;
  for (const char *at = whole; (at = strchr(at, '\n')); ++at) ++lines;
  assert_int_equal(lines, 4); /* the header and three that were told */
  assert_ok(gannet_table_append(in_folder("history.csv"), &b.ledger, 1, held));
  assert_ok(gannet_file_read(in_folder("history.csv"), &grown, NULL));
  assert_memory_equal(grown, whole, strlen(whole));
  assert_int_equal(strncmp(grown + strlen(whole), "5,1,", 4), 0);
  assert_int_equal(grown[strlen(grown) - 1], '\n');
  gannet_free(&whole);
  gannet_free(&grown);
  close_books(&b);
}

static gannet_journal *journal_of(gannet_journal_mode mode) {
  gannet_journal *journal = NULL;
  assert_ok(gannet_journal_open(in_folder("journal"), GANNET_JOURNAL_SCHEMA, mode, NULL, &journal));
  return journal;
}

static void who_lost_the_campaign_adds_no_lines(void **state) {
  (void)state;
  books b;
  char *before = NULL, *after = NULL;
  const int64_t held[] = {5};
  open_books(&b, 8);
  keep_books(&b);
  assert_ok(gannet_table_replace(in_folder("history.csv"), &b.ledger));
  assert_ok(gannet_file_read(in_folder("history.csv"), &before, NULL));
  b.ledger.journal = journal_of(GANNET_JOURNAL_CREATE);
  assert_int_equal(unlink(in_folder("journal.lock")), 0);
  gannet_journal *other = journal_of(GANNET_JOURNAL_APPEND);
  assert_fails(GANNET_ERR_BUSY, "no longer has the campaign",
               gannet_table_append(in_folder("history.csv"), &b.ledger, 1, held));
  assert_ok(gannet_file_read(in_folder("history.csv"), &after, NULL));
  assert_string_equal(after, before);
  gannet_journal_destroy(&other);
  gannet_free(&before);
  gannet_free(&after);
  close_books(&b);
}

static void a_full_disk_is_an_error(void **state) {
  (void)state;
  books b;
  open_books(&b, 8);
  keep_books(&b);
  FILE *out = fopen("/dev/full", "w");
  const gannet_table_spec spec = {.format = GANNET_FORMAT_CSV, .n = b.ledger.n};
  assert_non_null(out);
  assert_fails(GANNET_ERR_NO_SPACE, "table", gannet_table_write(out, &b.ledger, &spec));
  (void)fclose(out);
  close_books(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(csv_quotes_what_must_be),
      cmocka_unit_test(columns_come_with_the_first_result_that_needs_them),
      cmocka_unit_test(json_is_json),
      cmocka_unit_test(an_empty_table_is_still_one),
      cmocka_unit_test(lines_for_people_are_equally_wide),
      cmocka_unit_test(small_differences_are_shown),
      cmocka_unit_test(files_get_whole_lines_only),
      cmocka_unit_test(who_lost_the_campaign_adds_no_lines),
      cmocka_unit_test(a_full_disk_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
