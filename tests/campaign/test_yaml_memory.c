/* test: serial labels unit */
/* libfyaml has no memory for some allocation: where it lives on, the reader says so, and never that
 * the text is wrong. The program ends before libfyaml can die of it (tests/cli/test_memory.py). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "campaign/config/tree.h"
#include "support/harness.h"

#ifdef __SANITIZE_ADDRESS__ /* it has an allocator of its own, which is not to be replaced */
int main(void) {
  return 0;
}
#else

/* What glibc calls its functions itself. */
void *__libc_malloc(size_t size);               /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t count, size_t size); /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *old, size_t size);   /* NOLINT(bugprone-reserved-identifier) */

#define EXPORTED __attribute__((visibility("default")))

static size_t refused = SIZE_MAX; /* bytes from which allocations fail */
static long until_failure;        /* allocations until one fails; 0 = none does */
static long n_allocated;

static bool fails(size_t size) {
  ++n_allocated;
  return size >= refused || (until_failure > 0 && --until_failure == 0);
}

EXPORTED void *malloc(size_t size) {
  return fails(size) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size) {
  return fails(count * size) ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *old, size_t size) {
  return size > 0 && fails(size) ? NULL : __libc_realloc(old, size);
}

static const char text[] =
    "name: heater\nvariables:\n  x: {lower: 0, upper: &top \"1\"}\n  y: {lower: -1, upper: *top}\n"
    "constraints: [drag, 'lift']\nempty:\n# end\n";

static void remember(gannet_text *all, const char *path, const char *value) {
  assert_ok(gannet_text_add(all, path, strlen(path)));
  assert_ok(gannet_text_add(all, "=", 1));
  assert_ok(gannet_text_add(all, value, strlen(value)));
}

static gannet_err visit(void *user, const char *path, const char *value, const gannet_tree *node) {
  (void)node;
  remember(user, path, value);
  return GANNET_OK;
}

static gannet_err read_text(gannet_complaints *complaints, char **all) {
  gannet_tree_file file = {0};
  gannet_text found = {0};
  const gannet_err err = gannet_tree_parse("c.yaml", text, sizeof text - 1, &file, complaints);
  until_failure = 0;
  if (err == GANNET_OK && complaints->count == 0)
    assert_ok(gannet_tree_flatten(&file.root, "", visit, &found));
  *all = found.text;
  gannet_tree_release(&file);
  return err;
}

/* In a process of its own, for libfyaml may die of it. Returns whether a sound text was called
 * wrong, or read as another one. */
static bool misleads(long place, const char *expected) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    gannet_complaints complaints = {0};
    char *all = NULL;
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the tests here */
    (void)signal(SIGABRT, SIG_DFL);
    until_failure = place;
    const gannet_err err = read_text(&complaints, &all);
    const bool is_whole = err == GANNET_OK && all && strcmp(all, expected) == 0;
    _exit(complaints.count > 0 || (err != GANNET_ERR_MEMORY && !is_whole));
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) != 0;
}

static void one_allocation_fails(void **state) {
  (void)state;
  gannet_complaints complaints = {0};
  char *expected = NULL;
  n_allocated = 0;
  assert_ok(read_text(&complaints, &expected));
  const long n = n_allocated;
  assert_int_equal(complaints.count, 0);
  assert_true(n > 100);
  for (long place = 1; place <= n; ++place)
    if (misleads(place, expected)) fail_msg("allocation %ld of %ld", place, n);
  gannet_free(&expected);
}

static void no_room_at_all(void **state) {
  (void)state;
  gannet_complaints complaints = {0};
  char *all = NULL;
  refused = (size_t)1 << 20;
  const gannet_err err = read_text(&complaints, &all);
  refused = SIZE_MAX;
  assert_int_equal(err, GANNET_ERR_MEMORY);
  assert_int_equal(complaints.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_allocation_fails),
      cmocka_unit_test(no_room_at_all),
  };
  return run_serial(tests);
}
#endif
