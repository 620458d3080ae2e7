/* test: serial labels unit */
#include "evaluate/contract/output_files.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "processes.h"

typedef struct {
  char directory[64];
  char why[400];
  const gannet_stopping *stopping;
  gannet_table_end end;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet-tables-XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  assert_int_equal(remove_tree(f->directory), 0);
  free(f);
  return 0;
}

static char *at(const char *text) {
  static char copies[2][100];
  static int next;
  next = !next;
  (void)snprintf(copies[next], sizeof copies[next], "%s", text);
  return copies[next];
}

/* A number from the file "t" with this text; NAN when there is none. */
static double take(fixture *f, const char *text, const char *column, gannet_rows rows,
                   gannet_take how) {
  char path[100];
  double value = NAN;
  const gannet_output output = {.name = at("q"), .column = at(column), .rows = rows, .take = how};
  if (text) write_file(f->directory, "t", text, 0644);
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  f->end = gannet_output_file_take(path, "t", &output, f->stopping, &value, f->why, sizeof f->why);
  if (f->end != GANNET_TABLE_TAKEN) assert_true(f->why[0] || f->end == GANNET_TABLE_STOPPED);
  return value;
}

static const gannet_rows last = {GANNET_ROWS_LAST, 1}, all = {GANNET_ROWS_ALL, 0};

static void columns_are_found_by_name_in_every_kind_of_header(void **state) {
  fixture *f = *state;
  static const char *const same[] = {
      "# Force coefficients\n# dragDir : (1 0 0)\n# Time \tCd \tCd(f) \tCl\n0 1 2 3\n1 \t42\t 5 "
      "6\n",
      "#Time Cd Cl\n1 42 3", /* the last line may lack its end */
      "time,Cd,Cl\n0,1,2\n1,42,6\n",
      "time , \"Cd\" , Cl\r\n0,1,2\r\n1, 42 ,6\r\n",
      "\xef\xbb\xbf\"Cd\";time\n1;2\n42;0\n",
      "Time Cd Cl\n[s] [-] [-]\n0 1 2\n\n1 42 3\n\n",
      "% Time Cd\n0 1\n% Time Cd\n1 4.2D+01\n",
      "# Cd, x\n# no names here\n42 1\n",
      "# Time Cd Cl\n0 1 2\n# Time Cl Cd\n1 2 42\n", /* a restart that writes another order */
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
    const double value = take(f, same[i], "Cd", last, GANNET_TAKE_LAST);
    if (value != 42) fail_msg("%zu: %g %s", i, value, f->why);
  }
  assert_true(take(f, "Time\tCd mean\tCd\n1\t2\t42\n", "Cd", last, GANNET_TAKE_LAST) == 42);
  assert_true(take(f, "Time\tA\tCd\tCl\n1\t\t42\t99\n", "Cd", last, GANNET_TAKE_LAST) == 42);
  assert_true(take(f, "Time Cd Cl\n1\t\t42\t9\n", "Cd", last, GANNET_TAKE_LAST) == 42);
  assert_true(take(f, "a,Cd,\n1,42,\n", "Cd", last, GANNET_TAKE_LAST) == 42);
  assert_true(take(f, "Cd x\n1 2\nCd x\n42 3\n", "Cd", last, GANNET_TAKE_LAST) == 42);
  assert_true(take(f, "t,\"pressure, total\"\n1,7\n", "pressure, total", last, GANNET_TAKE_LAST) ==
              7);
  assert_true(take(f, "\"time step\" Cd\n1 8\n", "Cd", last, GANNET_TAKE_LAST) == 8);
  assert_true(take(f, "Time (s)\tForce (N)\n1\t9\n", "Force (N)", last, GANNET_TAKE_LAST) == 9);
  assert_true(take(f, "time Drag Lift\n0.1 1,5 3\n0.2 2 4\n", "Lift", all, GANNET_TAKE_SUM) == 7);
  assert_true(take(f, "# t (s)\tF (N)\n1\t9\n", "t (s)", last, GANNET_TAKE_LAST) == 1);
}

static void columns_are_found_by_number(void **state) {
  fixture *f = *state;
  assert_true(take(f, "0.1 ((1 2 3) (4 5 6))\n", "5", last, GANNET_TAKE_LAST) == 4);
  assert_true(take(f, "# a b\n1 2\n", "2", last, GANNET_TAKE_LAST) == 2);
  assert_true(take(f, "a,b\n1,2\n", "1", last, GANNET_TAKE_LAST) == 1);
  assert_true(take(f, "  17.5\n", "1", last, GANNET_TAKE_LAST) == 17.5);
  assert_true(take(f, "wing 3 4\n", "3", last, GANNET_TAKE_LAST) == 4);
  assert_true(take(f, "1, 2, 3\n", "2", last, GANNET_TAKE_LAST) == 2);
  assert_true(take(f, "1 ,2 ,3\n", "2", last, GANNET_TAKE_LAST) == 2);
}

/* Cells of several numbers between blanks are no decimal commas. */
static void commas_separate_lists(void **state) {
  fixture *f = *state;
  assert_true(take(f, "point,pressure\n0.1 0.2 0.3,5.5\n", "2", last, GANNET_TAKE_LAST) == 5.5);
  assert_true(take(f, "time,probes,drag\n0.2,1.0 2.0 3.0 4.0,6.5\n", "3", last, GANNET_TAKE_LAST) ==
              6.5);
  assert_true(take(f, "20260101 120000,3.5,4.5\n", "2", last, GANNET_TAKE_LAST) == 3.5);
  assert_true(take(f, "point,n\n1 2,5\n", "2", last, GANNET_TAKE_LAST) == 5);
}

static void rows_and_what_is_taken_from_them(void **state) {
  fixture *f = *state;
  static const char text[] = "x y\n1 4\n2 1\n3 8\n4 3\n";
  static const struct {
    gannet_rows rows;
    gannet_take take;
    double value;
  } cases[] = {
      {{GANNET_ROWS_LAST, 1}, GANNET_TAKE_LAST, 3},  {{GANNET_ROWS_FIRST, 1}, GANNET_TAKE_LAST, 4},
      {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_LAST, 3},   {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_FIRST, 4},
      {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_MEAN, 4},   {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_MIN, 1},
      {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_MAX, 8},    {{GANNET_ROWS_ALL, 0}, GANNET_TAKE_SUM, 16},
      {{GANNET_ROWS_LAST, 3}, GANNET_TAKE_MEAN, 4},  {{GANNET_ROWS_LAST, 3}, GANNET_TAKE_FIRST, 1},
      {{GANNET_ROWS_LAST, 2}, GANNET_TAKE_MAX, 8},   {{GANNET_ROWS_FIRST, 2}, GANNET_TAKE_MIN, 1},
      {{GANNET_ROWS_FIRST, 3}, GANNET_TAKE_SUM, 13}, {{GANNET_ROWS_LAST, 4}, GANNET_TAKE_SUM, 16},
      {{GANNET_ROWS_FIRST, 4}, GANNET_TAKE_LAST, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const double value = take(f, text, "y", cases[i].rows, cases[i].take);
    if (value != cases[i].value) fail_msg("%zu: %g, expected %g", i, value, cases[i].value);
  }
}

static void what_is_missing_is_told_with_what_was_there(void **state) {
  fixture *f = *state;
  static const gannet_rows ten = {GANNET_ROWS_LAST, 10}, two = {GANNET_ROWS_FIRST, 2};
  static const struct {
    const char *text, *column;
    const gannet_rows *rows;
    const char *told;
  } cases[] = {
      {"# Time Cd Cl\n1 2 3\n", "CD", &last,
       "no column 'CD'; did you mean 'Cd'? columns: Time Cd Cl"},
      {"# Time Cd Cl\n1 2 3\n", "mass", &last, "no column 'mass'; columns: Time Cd Cl"},
      {"# Time Cd Cl\n", "mass", &last, "no column 'mass'"},
      {"1 2 3\n", "Cd", &last, "no header with names of columns; give the column by its number"},
      {"", "Cd", &last, "no header"},
      {"", "1", &last, "t has 0 rows, expected at least 1"},
      {"# Time Cd\n", "Cd", &last, "t has 0 rows, expected at least 1"},
      {"# a\n1\n2\n", "a", &ten, "t has 2 rows, expected at least 10"},
      {"# a\n1\n", "a", &two, "t has 1 row, expected at least 2"},
      {"# a b\n1 2\n3\n", "b", &last, "t line 3 has 1 column, its header 2"},
      {"a,b\n1,2\n3,\n", "b", &last, "t line 3: column b is '', expected a number"},
      {"# a b\n1 2\n3 *****\n", "b", &last, "t line 3: column b is '*****', expected a number"},
      {"a;b\n1;2,5\n", "b", &last, "column b is '2,5', expected a number; write a decimal point"},
      {"# Time F Cd\n1 (1 2 3) 0.5\n", "Cd", &last,
       "t line 2 has 5 columns, its header 3; if that is right, give the column by its number"},
      {"# Time Cd\n1 1,234.5\n", "Cd", &last, "column Cd is '1,234.5', expected a number"},
      {"Cd\n0,5\n", "Cd", &last, "t line 2 has 2 columns, its header 1; if its commas"},
      {"Time,Cd\n1,0.5\n1.#QNAN,1.#QNAN\n", "Cd", &last, "column Cd is '1.#QNAN', expected"},
      {"residual\n1e-3\ndiverged\n", "residual", &last,
       "t line 3 is 'diverged', expected a row of numbers"},
      {"Time;Cd\n1;0.5\n2,5;0,7\n", "Cd", &last,
       "column Cd is '0,7', expected a number; write a decimal point"},
      {"# Time step  Force\n0 1.5\n", "Force", &last,
       "t line 2 has 2 columns, its header 3; if names of columns have blanks, give the column"},
      {"Time,Cd\r0,1.5\r1,1.75\r", "Cd", &last, "t line 1 has a carriage return inside"},
      {"1 2\n3 4x\n", "2", &all, "t line 2: column 2 is '4x', expected a number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    (void)take(f, cases[i].text, cases[i].column, *cases[i].rows, GANNET_TAKE_LAST);
    /* A header that does not have the column is the campaign file's fault; all else may be the end
     * of a simulation that came no further. */
    const bool is_wrong =
        strstr(f->why, "no column '") != NULL || strstr(f->why, "has two columns") != NULL;
    assert_int_equal(f->end, is_wrong ? GANNET_TABLE_NO_COLUMN : GANNET_TABLE_LACKING);
    if (!strstr(f->why, cases[i].told)) fail_msg("%zu: %s", i, f->why);
  }
  write_file(f->directory, "t", "1 0.5\n", 0644);
  char path[100];
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  FILE *out = fopen(path, "a");
  assert_non_null(out);
  assert_int_equal(fwrite("2 0\0 3\n", 1, 7, out), 7);
  assert_int_equal(fclose(out), 0);
  (void)take(f, NULL, "2", last, GANNET_TAKE_LAST);
  assert_non_null(strstr(f->why, "t line 2 has a zero byte"));
  assert_true(take(f, "# a b\n1\n3 4\n", "b", last, GANNET_TAKE_LAST) ==
              4); /* of rows that count */
}

/* What to write instead is told where the text shows it. */
static void what_is_wrong_is_told_with_what_to_write(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *column, *told;
  } cases[] = {
      {"time,Force\n0,5,1,25\n", "Force",
       "t line 2 has 4 columns, its header 2; if its commas are decimal signs, write points, else "
       "give the column by its number"},
      {"time Drag Lift\n0.1 1,5 3\n", "Drag",
       "t line 2: column Drag is '1,5', expected a number; write a decimal point"},
      {"time Drag Lift\n0.1 (1,5 2,5) 3\n", "time",
       "t has no row of numbers; line 2 is '0.1 (1,5 2,5) 3'; a comma separates columns here: "
       "write a decimal point, and nothing between thousands"},
      {"0.1s 2N\n", "1", "t has no row of numbers; line 1 is '0.1s 2N'"},
      {"Time (s)\tForce (N)\n1\t9\n", "Force",
       "t line 2 has 2 columns, its header 4; for the column 'Force (N)' give the whole name"},
      {"Time (s)\tForce (N)\n1\t9\n", "Forca (N)",
       "no column 'Forca (N)'; did you mean 'Force (N)'? columns: Time (s) Force (N)"},
      {"Zeit;Kr\xe4"
       "fte\n1;2\n",
       "Kr\xc3\xa4"
       "fte",
       "; the name of column 2 has the byte 0xe4, which is not UTF-8: save the table as UTF-8, or "
       "give the column by its number; columns: Zeit Kr"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    (void)take(f, cases[i].text, cases[i].column, last, GANNET_TAKE_LAST);
    if (!strstr(f->why, cases[i].told)) fail_msg("%zu: %s", i, f->why);
  }
}

/* A row whose cells all have decimal commas must not pass for a header. */
static void decimal_commas_are_refused_in_every_cell(void **state) {
  fixture *f = *state;
  static const gannet_rows first = {GANNET_ROWS_FIRST, 1};
  (void)take(f, "Zeit;Kraft\n0,0;1,5\n1;2\n", "Kraft", first, GANNET_TAKE_LAST);
  assert_non_null(strstr(f->why, "t line 2: column Kraft is '1,5', expected a number"));
  (void)take(f, "0,0 1,5\n1,0 1,75\n", "1", last, GANNET_TAKE_LAST);
  assert_non_null(strstr(f->why, "column 1 is '1,0', expected a number"));
  (void)take(f, "0 1,5\n1\t1,75\n", "2", last, GANNET_TAKE_LAST);
  assert_non_null(strstr(f->why, "column 2 is '1,75', expected a number"));
}

static void text_in_utf16_is_named(void **state) {
  fixture *f = *state;
  char path[100];
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite("\xff\xfe"
                          "C\0d\0\n\0"
                          "1\0\n\0",
                          1, 12, out),
                   12);
  assert_int_equal(fclose(out), 0);
  (void)take(f, NULL, "Cd", last, GANNET_TAKE_LAST);
  assert_non_null(strstr(f->why, "t is text in UTF-16, expected UTF-8"));
}

static void values_that_are_no_finite_number_are_given_back(void **state) {
  fixture *f = *state;
  assert_true(isnan(take(f, "# a\n1\nnan\n", "a", last, GANNET_TAKE_LAST)));
  assert_int_equal(f->end, GANNET_TABLE_TAKEN);
  assert_true(isinf(take(f, "# a\n1\n-inf\n", "a", all, GANNET_TAKE_MIN)));
  assert_true(isnan(take(f, "# a\n1\nNaN\n2\n", "a", all, GANNET_TAKE_MAX)));
  assert_true(isnan(take(f, "# a\n1\nNaN\n2\n", "a", all, GANNET_TAKE_MEAN)));
}

static void a_million_rows_are_read_quickly(void **state) {
  fixture *f = *state;
  char path[100];
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  (void)fputs("# Time Cd Cl\n", out);
  for (int i = 0; i < 1000000; ++i) (void)fprintf(out, "%d.5 %d 7\n", i, i % 10);
  assert_int_equal(fclose(out), 0);
  const double begun = gannet_clock_processor();
  assert_true(take(f, NULL, "Cd", last, GANNET_TAKE_LAST) == 9);
  assert_true(take(f, NULL, "Cd", (gannet_rows){GANNET_ROWS_LAST, 200}, GANNET_TAKE_MEAN) == 4.5);
  assert_true(take(f, NULL, "Cd", all, GANNET_TAKE_SUM) == 4500000);
  assert_true(take(f, NULL, "Cd", (gannet_rows){GANNET_ROWS_LAST, 1000000}, GANNET_TAKE_SUM) ==
              4500000);
  assert_true(gannet_clock_processor() - begun < 20); /* about 1.5 s */
}

static bool is_asked(void *user) {
  return ++*(int *)user > 2;
}

static void reading_ends_when_asked_to(void **state) {
  fixture *f = *state;
  int looks = 0;
  const gannet_stopping stopping = {.is_asked = is_asked, .user = &looks};
  char path[100];
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  for (int i = 0; i < 20000; ++i) (void)fputs("1\n", out);
  assert_int_equal(fclose(out), 0);
  f->stopping = &stopping;
  (void)take(f, NULL, "1", last, GANNET_TAKE_LAST);
  assert_int_equal(f->end, GANNET_TABLE_STOPPED);
  looks = 0;
  (void)take(f, NULL, "1", all, GANNET_TAKE_LAST);
  assert_int_equal(f->end, GANNET_TABLE_STOPPED);
}

static void what_is_no_table_is_refused(void **state) {
  fixture *f = *state;
  char path[100], *line = malloc((2 << 20) + 1);
  assert_non_null(line);
  memset(line, '1', 2 << 20);
  line[2 << 20] = '\0';
  (void)take(f, line, "1", last, GANNET_TAKE_LAST);
  assert_int_equal(f->end, GANNET_TABLE_LACKING);
  assert_non_null(strstr(f->why, "t line 1 has more than"));
  free(line);
  (void)snprintf(path, sizeof path, "%s/t", f->directory);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  (void)take(f, NULL, "1", last, GANNET_TAKE_LAST);
  assert_int_equal(f->end, GANNET_TABLE_UNREADABLE);
  assert_int_equal(errno, EISDIR);
}

static void make(const fixture *f, const char *name) {
  char command[300];
  (void)snprintf(command, sizeof command, "cd %s && mkdir -p $(dirname '%s') && echo 1 > '%s'",
                 f->directory, name, name);
  assert_int_equal(system(command), 0);
}

static void the_last_of_several_files_counts(void **state) {
  fixture *f = *state;
  char found[200];
  static const char *const names[] = {"post/forces/9/c.dat",  "post/forces/0.5/c.dat",
                                      "post/forces/10/c.dat", "post/forces/0.25/c.dat",
                                      "post/forces/10/d.dat", "a[b.txt",
                                      "attempt-1/c.dat",      "10/c.dat",
                                      "small/1e-05/c.dat",    "small/2.5e-05/c.dat",
                                      "small/0.0001/c.dat",   "small/5e-05/c.dat"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) make(f, names[i]);
  static const struct {
    const char *file, *found, *why;
  } cases[] = {
      {"post/forces/*/c.dat", "post/forces/10/c.dat", NULL},
      {"post/forces/0.*/c.dat", "post/forces/0.5/c.dat", NULL},
      {"small/*/c.dat", "small/0.0001/c.dat", NULL},
      {"small/*e*/c.dat", "small/5e-05/c.dat", NULL},
      {"post/*/9/?.dat", "post/forces/9/c.dat", NULL},
      {"post/forces/10/d.dat", "post/forces/10/d.dat", NULL},
      {"a\\[*", "a[b.txt", NULL},
      {"post/forces/*/e.dat", NULL, "'post/forces' holds: 0.25 0.5 9 10"},
      {"post/forces/10/e.dat", NULL, "'post/forces/10' holds: c.dat d.dat"},
      {"*/c.dat", "10/c.dat", NULL}, /* not that of an earlier attempt */
      {"attempt-*/c.dat", NULL, "the evaluation's directory holds: 10 a[b.txt post"},
      {"post/*", NULL, "'post' holds: forces"}, /* a folder is no file */
      {"post/forces", NULL, "no file 'post/forces'; 'post/forces' holds: 0.25 0.5 9 10"},
      {"post/forces/10/d.dat/x", NULL, "'post/forces/10' holds: c.dat d.dat"},
      {"no/such/file", NULL,
       "no file 'no/such/file'; the evaluation's directory holds: 10 a[b.txt post"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const bool is_there = gannet_output_file_find(f->directory, cases[i].file, found, sizeof found,
                                                  f->why, sizeof f->why);
    assert_int_equal(is_there, cases[i].found != NULL);
    if (is_there)
      assert_string_equal(found, cases[i].found);
    else if (!strstr(f->why, cases[i].why))
      fail_msg("%zu: %s", i, f->why);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(columns_are_found_by_name_in_every_kind_of_header),
      TEST(columns_are_found_by_number),
      TEST(rows_and_what_is_taken_from_them),
      TEST(what_is_missing_is_told_with_what_was_there),
      TEST(what_is_wrong_is_told_with_what_to_write),
      TEST(commas_separate_lists),
      TEST(decimal_commas_are_refused_in_every_cell),
      TEST(text_in_utf16_is_named),
      TEST(values_that_are_no_finite_number_are_given_back),
      TEST(a_million_rows_are_read_quickly),
      TEST(reading_ends_when_asked_to),
      TEST(what_is_no_table_is_refused),
      TEST(the_last_of_several_files_counts),
  };
  return run_serial(tests);
}
