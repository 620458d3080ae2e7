/* test: serial labels unit */
#include "campaign/config/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/config/schema.h"
#include "support/harness.h"

#define PAGE "docs/input-reference.md"

/* What gannet_explain_schema prints of campaign files; to be freed. */
static char *explained(const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_ok(gannet_explain_schema(gannet_schema_get, path, out));
  assert_int_equal(fclose(out), 0);
  return text;
}

static void contains(const char *path, const char *part) {
  char *text = explained(path);
  if (!strstr(text, part)) fail_msg("explain %s: no '%s' in\n%s", path ? path : "", part, text);
  free(text);
}

static void a_key_is_explained_in_full(void **unused) {
  (void)unused;
  contains("budget.wall_time", "budget.wall_time\n  time after which");
  contains("budget.wall_time", "type:     duration (90s, 10m, 4h, 1:30:00), above 0, or auto\n");
  contains("budget.wall_time", "unit:     s\n");
  contains("budget.wall_time", "default:  auto\n");
  contains("budget.wall_time", "example:  budget: {wall_time: 4h}\n");
  contains("budget.failures.rate", "example:  budget: {failures: {rate: 0.5}}\n");
  contains("variables.speed.lower", "example:  variables: {NAME: {lower: 1e-6}}\n");
  contains("seed", "example:  seed: 1\n");
  contains("evaluate.backend", "default:  none\n");
  contains("evaluate.simulation", "when:     backend: function\n");
  contains("evaluate.backend", "choices:  function plugin ");
  contains("time_limit", "evaluate.time_limit\n");
}

static void sections_and_choices_list_their_keys(void **unused) {
  (void)unused;
  contains("budget", "  evaluations ");
  contains("budget", "budget.failures  (");
  contains("evaluate", "evaluate.backend: function  (");
  contains("surrogate.gp", "surrogate.type: gp  (");
  contains("variables", "variables.*  (");
  contains(NULL, "\nsections\n  variables ");
  contains(NULL, "evaluate.backend: manual");
  contains("", "goal");
}

static void unknown_keys_get_the_nearest_path(void **unused) {
  FILE *out = fopen("/dev/null", "w");
  (void)unused;
  assert_fails(GANNET_ERR_NAME, "did you mean 'budget.evaluations'?",
               gannet_explain_schema(gannet_schema_get, "budget.evalutions", out));
  assert_fails(GANNET_ERR_NAME, "did you mean 'evaluate.time_limit'?",
               gannet_explain_schema(gannet_schema_get, "evaluate.timelimit", out));
  assert_fails(GANNET_ERR_NAME, "key 'q'", gannet_explain_schema(gannet_schema_get, "q", out));
  assert_fails(GANNET_ERR_NAME, "key '...'", gannet_explain_schema(gannet_schema_get, "...", out));
  assert_fails(GANNET_ERR_NAME, "key '*'", gannet_explain_schema(gannet_schema_get, "*", out));
  assert_int_equal(fclose(out), 0);
}

static void keys_of_one_place_do_not_collide(void **unused) {
  gannet_section a, b;
  (void)unused;
  for (int i = 0; gannet_schema_get(i, &a); ++i)
    for (int j = 0; j < i && gannet_schema_get(j, &b); ++j) {
      const bool together = strcmp(a.path, b.path) == 0 && !(a.selector && b.selector);
      for (const gannet_option *o = a.table; together && o && o->key; ++o)
        if (b.table && gannet_option_find(b.table, o->key))
          fail_msg("key '%s' of '%s' is in two tables", o->key, a.path);
    }
}

static void children_of_sections_are_found(void **unused) {
  const char *keys[16];
  (void)unused;
  gannet_schema_children("budget", keys, 16);
  assert_string_equal(keys[0], "failures");
  assert_null(keys[1]);
  gannet_schema_children("variables", keys, 16);
  assert_null(keys[0]);
}

static char *reference(size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  assert_non_null(out);
  gannet_explain_markdown(out);
  assert_int_equal(fclose(out), 0);
  return text;
}

static void the_page_is_what_the_tables_say(void **unused) {
  size_t size = 0;
  char *page = NULL, *text = reference(&size);
  (void)unused;
  const char *here = strstr(__FILE__, "tests/campaign/");
  assert_non_null(here);
  char path[1024];
  (void)snprintf(path, sizeof path, "%.*s" PAGE, (int)(here - __FILE__), __FILE__);
  assert_ok(gannet_file_read(path, &page, NULL));
  if (strcmp(page, text) != 0)
    fail_msg(PAGE " is out of date; write it with: test-campaign-explain --write " PAGE);
  gannet_free(&page);
  free(text);
}

static int write_page(const char *path) {
  size_t size = 0;
  char *text = reference(&size);
  const gannet_err err = gannet_file_replace(path, text, size);
  free(text);
  if (err != GANNET_OK) (void)fprintf(stderr, "%s\n", gannet_error_message());
  return err != GANNET_OK;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_is_explained_in_full),
      cmocka_unit_test(sections_and_choices_list_their_keys),
      cmocka_unit_test(unknown_keys_get_the_nearest_path),
      cmocka_unit_test(keys_of_one_place_do_not_collide),
      cmocka_unit_test(children_of_sections_are_found),
      cmocka_unit_test(the_page_is_what_the_tables_say),
  };
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_page(argv[2]);
  return run_serial(tests);
}
