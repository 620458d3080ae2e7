/* test: ranks 1 2 labels unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/shared_folder.h"

#include "base/clock.h"
#include "campaign/run/loop.h"

enum { EVALUATIONS = 12 };

static const char file_text[] =
    "name: synced\nseed: 5\nbatch: 3\ninitial: 6\nmethod: random\n"
    "variables:\n  x: {lower: -1, upper: 2}\n"
    "budget: {evaluations: 12}\nevaluate:\n  parallel: 3\n  mode: %s\n"
    "  backend: function\n  simulation: line\n";

static int run_line(const void *options, const gannet_simulation_input *input,
                    gannet_simulation_output *output, gannet_quantity *quantities) {
  (void)options, (void)quantities;
  output->objective = input->x[0];
  return 0;
}

static const gannet_simulation_type line = {.name = "line", .run = run_line};
static const gannet_simulation_type *const simulations[] = {&line, NULL};

/* What has reached the disk, and what is shown. */
static off_t synced; /* bytes of the journal */
static int shown;    /* rows of history.csv that were added while the campaign ran */
static bool is_shown_early;
static int n_syncs; /* of the journal */

static bool is_named(int descriptor, const char *name) {
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || strncmp(path, folder, strlen(folder))) return false;
  path[length] = '\0';
  const char *slash = strrchr(path, '/');
  return slash && strcmp(slash + 1, name) == 0;
}

/* Records of a kind in the part of the journal that survives a power failure. */
static int count_records(const char *kind) {
  char mark[40], *bytes = NULL;
  int n = 0;
  (void)snprintf(mark, sizeof mark, "\"record\":\"%s\"", kind);
  assert_ok(gannet_file_read(in_folder("campaign/journal"), &bytes, NULL));
  for (const char *at = bytes; (at = strstr(at, mark)) && at - bytes < synced; ++at) ++n;
  gannet_free(&bytes);
  return n;
}

/* In place of the library's. */

int fdatasync(int descriptor) {
  const int failed = (int)syscall(SYS_fdatasync, descriptor);
  struct stat about;
  if (!failed && is_named(descriptor, "journal") && fstat(descriptor, &about) == 0)
    synced = about.st_size;
  n_syncs += is_named(descriptor, "journal");
  return failed;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (is_named(descriptor, "history.csv")) {
    for (size_t i = 0; i < size; ++i) shown += ((const char *)bytes)[i] == '\n';
    is_shown_early |= shown > count_records("result");
  }
  return syscall(SYS_write, descriptor, bytes, size);
}

static void run_campaign(const char *mode) {
  gannet_complaints complaints = {0};
  gannet_campaign campaign;
  gannet_run_outcome outcome;
  char text[400];
  (void)snprintf(text, sizeof text, file_text, mode);
  put_text("synced.yaml", text);
  const gannet_campaign_start_options start = {.file = in_folder("synced.yaml"),
                                               .directory = in_folder("campaign")};
  const gannet_run_options run = {
      .simulations = simulations, .input_directory = folder, .time_limit = INFINITY};
  assert_ok(gannet_campaign_start(MPI_COMM_WORLD, &start, &complaints, &campaign));
  gannet_complaints_release(&complaints);
  shown = 0;
  is_shown_early = false;
  n_syncs = 0;
  const double begun = gannet_clock_seconds();
  assert_ok(gannet_campaign_run(&campaign, &run, &outcome));
  gannet_campaign_close(&campaign);
  if (rank_of_this() != 0) return;
  assert_int_equal(shown, EVALUATIONS);
  assert_int_equal(count_records("result"), EVALUATIONS);
  assert_false(is_shown_early);
  /* One per refill, one for the last results, one for the reason of the end, and one per second. */
  const int refills = count_records("submit"), seconds = (int)(gannet_clock_seconds() - begun);
  assert_in_range(n_syncs, refills, refills + 2 + seconds);
  assert_int_equal(remove_tree(in_folder("campaign")), 0);
}

/* The promise of the documents: on disk first. */
static void results_are_on_disk_before_they_count(void **state) {
  (void)state;
  run_campaign("batch");
  MPI_Barrier(MPI_COMM_WORLD);
  run_campaign("asynchronous");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_on_disk_before_they_count)};
  MPI_Init(&argc, &argv);
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  MPI_Finalize();
  return failed;
}
