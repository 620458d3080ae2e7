/* test: serial labels unit */
#include "books.h"

#include "campaign/config/candidates.h"

static gannet_err count(void *user, const double *x, char *const *texts) {
  (void)x, (void)texts;
  *(int *)user += 1;
  return GANNET_OK;
}

static gannet_err read_list(const char *bytes, size_t size, int *rows) {
  gannet_problem *problem = make_problem(8);
  const gannet_candidates_csv about = {
      .path = in_folder("list.csv"), .problem = problem, .user = rows, .row = count};
  *rows = 0;
  put_bytes(about.path, bytes, size);
  const gannet_err err = gannet_candidates_csv_read(&about);
  gannet_problem_destroy(&problem);
  return err;
}

#define HEAD "n,x,vent,steel\n"

static void rows_are_read_whatever_the_order_of_columns(void **state) {
  static const char list[] = HEAD "1,0.25,true,\"soft, cheap\"\n2,-1,false,\"say \"\"hard\"\"\"\n";
  int rows = 0;
  (void)state;
  assert_ok(read_list(list, sizeof list - 1, &rows));
  assert_int_equal(rows, 2);
}

/* What is left of 0.25 when a crash has torn it is another number. */
static void zero_bytes_end_no_number(void **state) {
  static const char number[] = HEAD "1,0.2\0\0,true,\"soft, cheap\"\n";
  static const char name[] = "n,x\0y,vent,steel\n1,0.25,true,\"soft, cheap\"\n";
  static const char utf16[] =
      "\xff\xfen\0,\0x\0\n\0"
      "1\0,\0"
      "0\0\n\0";
  int rows = 0;
  (void)state;
  assert_fails(GANNET_ERR_INPUT, "list.csv: row 1 holds zero bytes, expected text",
               read_list(number, sizeof number - 1, &rows));
  assert_int_equal(rows, 0);
  assert_fails(GANNET_ERR_INPUT, "row 0 holds zero bytes", read_list(name, sizeof name - 1, &rows));
  assert_fails(GANNET_ERR_INPUT, "expected CSV, and this is text in UTF-16; save it as UTF-8",
               read_list(utf16, sizeof utf16 - 1, &rows));
}

static void a_first_line_of_other_names_is_told_with_what_it_has(void **state) {
  static const struct {
    const char *text, *hint;
  } lists[] = {
      {"n;x;vent;steel\n1;0.25;true;soft\n", "separated by commas, not by semicolons"},
      {"n\tx\tvent\tsteel\n", "not by tabs"},
      {"n,x,Vent,steel\n",
       "no column 'vent'; the first line must name every variable; is it 'Vent'?"},
      {"n\n1\n", "no column 'x'; the first line must name every variable"},
      {"n,x,grain,steel\n", "no column 'vent'; the first line must name every variable"},
  };
  int rows = 0;
  (void)state;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    assert_fails(GANNET_ERR_INPUT, lists[i].hint,
                 read_list(lists[i].text, strlen(lists[i].text), &rows));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_read_whatever_the_order_of_columns),
      cmocka_unit_test(a_first_line_of_other_names_is_told_with_what_it_has),
      cmocka_unit_test(zero_bytes_end_no_number),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
