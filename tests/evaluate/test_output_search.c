/* test: serial labels unit */
#include "evaluate/contract/output_search.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "processes.h"

typedef struct {
  char directory[64];
  char found[1024];
  int count;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet-lines-XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[128];
  (void)snprintf(command, sizeof command, "rm -r '%s'", f->directory);
  assert_int_equal(system(command), 0);
  free(f);
  return 0;
}

static bool keep(void *user, int which, const char *line, const regmatch_t *match, bool torn) {
  (void)torn;
  fixture *f = user;
  (void)which;
  f->count += 1;
  (void)snprintf(f->found, sizeof f->found, "%.*s", (int)(match->rm_eo - match->rm_so),
                 line + match->rm_so);
  return false;
}

static bool end_search(void *user, int which, const char *line, const regmatch_t *match,
                       bool torn) {
  (void)torn;
  (void)which;
  (void)line;
  assert_null(match);
  ((fixture *)user)->count += 1;
  return true;
}

static gannet_search_report search_with(fixture *f, const char *expression, int flags,
                                        const gannet_search_limits *limits) {
  regex_t regex;
  assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | flags), 0);
  const gannet_search search = {.n = 1,
                                .regex = &regex,
                                .has_places = !(flags & REG_NOSUB),
                                .take = flags & REG_NOSUB ? end_search : keep,
                                .user = f};
  f->count = 0;
  f->found[0] = '\0';
  const gannet_search_report report = gannet_search_file(&search, f->directory, "log", limits);
  regfree(&regex);
  return report;
}

static const gannet_search_limits patient = {.patience = 60};

/* What regexec finds in the whole line is found in its pieces, wherever it lies. */
static void check_line(fixture *f, const char *expression, const char *line) {
  regex_t regex;
  regmatch_t match;
  char expected[1024] = "";
  assert_int_equal(regcomp(&regex, expression, REG_EXTENDED), 0);
  const bool any = regexec(&regex, line, 1, &match, 0) == 0;
  if (any)
    (void)snprintf(expected, sizeof expected, "%.*s", (int)(match.rm_eo - match.rm_so),
                   line + match.rm_so);
  regfree(&regex);
  assert_int_equal(search_with(f, expression, 0, &patient).end, GANNET_SEARCH_OVER);
  assert_int_equal(f->count, any);
  assert_string_equal(f->found, expected);
  (void)search_with(f, expression, REG_NOSUB, &patient);
  assert_int_equal(f->count, any);
}

static void pieces_find_what_the_whole_line_has(void **state) {
  fixture *f = *state;
  static const char *const expressions[] = {"drag ([0-9.]+)",     "^drag ([0-9.]+)",
                                            "drag ([0-9.]+)$",    "^-?-?drag",
                                            "([0-9.]+) N( end)?", "-$"};
  enum { LENGTH = 9500, STEP = 37 };
  static char line[LENGTH + 2];
  for (size_t at = 0; at + 40 < LENGTH; at += at > 3500 && at < 4200 ? 7 : STEP) {
    memset(line, '-', LENGTH);
    line[LENGTH] = '\0';
    memcpy(line + at, "drag 123.456 N end", 18);
    memcpy(line + LENGTH - 10, "drag 7 N", 8);
    write_file(f->directory, "log", line, 0644);
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i += 1 + at % 3)
      check_line(f, expressions[i], line);
  }
  (void)snprintf(line + LENGTH - 10, 12, "---drag 12");
  write_file(f->directory, "log", line, 0644);
  check_line(f, "drag ([0-9]+)$", line);
}

/* Lengths at which a line ends with its piece, or one character later. */
static void line_ends_are_where_they_are(void **state) {
  fixture *f = *state;
  static const char *const ends[] = {"\ndrag 2\n", "\r\ndrag 2", "\ndrag 2\r\n\n"};
  static char text[80000];
  for (int around = GANNET_LINE_PIECE; around <= 65536; around *= 16)
    for (int length = around - 10; length < around + 10; ++length)
      for (size_t i = 0; i < 3; ++i) {
        memset(text, '.', (size_t)length);
        (void)snprintf(text + length, 32, " drag 1%s", ends[i]);
        write_file(f->directory, "log", text, 0644);
        (void)search_with(f, "drag [0-9]$", 0, &patient);
        assert_int_equal(f->count, 2);
        assert_string_equal(f->found, "drag 2");
        (void)search_with(f, "^drag", 0, &patient);
        assert_int_equal(f->count, 1);
        (void)search_with(f, "^[. ]*drag", REG_NOSUB, &patient);
        assert_int_equal(f->count, 1);
      }
}

static void zero_bytes_are_blanks(void **state) {
  fixture *f = *state;
  char path[128];
  (void)snprintf(path, sizeof path, "%s/log", f->directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite("a\0drag\0 1\n^drag 2", 1, 17, file), 17);
  assert_int_equal(fclose(file), 0);
  (void)search_with(f, " drag  1$", 0, &patient);
  assert_int_equal(f->count, 1);
}

static void write_dots(const fixture *f, size_t size) {
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, '.', size);
  text[size] = '\0';
  write_file(f->directory, "log", text, 0644);
  free(text);
}

/* At every dot the expression takes all that follow: the square of the length. */
static void a_slow_search_ends(void **state) {
  fixture *f = *state;
  const gannet_search_limits impatient = {.patience = 0.2};
  write_dots(f, 8 << 20);
  const double begin = gannet_clock_processor();
  assert_int_equal(search_with(f, "([0-9.]+) *N$", 0, &impatient).end, GANNET_SEARCH_SLOW);
  assert_true(gannet_clock_processor() - begin < 15);
  assert_int_equal(search_with(f, "^([0-9.]+) *N$", 0, &impatient).end, GANNET_SEARCH_OVER);
}

static bool count_down(void *user) {
  int *left = user;
  return --*left < 0;
}

static void a_search_ends_when_asked_to(void **state) {
  fixture *f = *state;
  int left = 3;
  const gannet_stopping stopping = {.is_asked = count_down, .user = &left};
  const gannet_search_limits limits = {60, &stopping};
  write_dots(f, 8 << 20);
  assert_int_equal(search_with(f, "([0-9.]+) *N$", 0, &limits).end, GANNET_SEARCH_STOPPED);
  assert_int_equal(left, -1);
}

static void what_cannot_be_read_is_said(void **state) {
  fixture *f = *state;
  char path[128];
  assert_int_equal(search_with(f, "a", 0, &patient).end, GANNET_SEARCH_OVER); /* no file */
  (void)snprintf(path, sizeof path, "%s/log", f->directory);
  assert_int_equal(mkdir(path, 0700), 0);
  gannet_search_report report = search_with(f, "a", 0, &patient);
  assert_int_equal(report.end, GANNET_SEARCH_FAILED);
  assert_int_equal(report.error, EISDIR);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(symlink("log", path), 0);
  report = search_with(f, "a", 0, &patient);
  assert_int_equal(report.end, GANNET_SEARCH_FAILED);
  assert_int_equal(report.error, ELOOP);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(pieces_find_what_the_whole_line_has),
      TEST(line_ends_are_where_they_are),
      TEST(zero_bytes_are_blanks),
      TEST(a_slow_search_ends),
      TEST(a_search_ends_when_asked_to),
      TEST(what_cannot_be_read_is_said),
  };
  return run_serial(tests);
}
