/* What a campaign costs besides its simulations: time per evaluation, as the history grows, and the
 * time to look at it and to continue it.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "benchmark/bench.h"
#include "benchmark/watch.h"
#include "campaign/run/loop.h"
#include "campaign/tables/table.h"
#include "optimizer/methods.h"

typedef struct {
  int evaluations, slots, d, backend, mode;
  double seconds, interval;
  char *method, *directory;
} campaign_settings;

enum { COMMAND, LAPSE };
enum { LINES = 10 }; /* of the table: parts of the evaluations */

static const char *const backends[] = {"command", "lapse", NULL};
static const char *const modes[] = {"batch", "asynchronous", NULL};

static const gannet_option campaign_options[] = {
    {.key = "evaluations",
     .type = GANNET_INTEGER,
     .offset = offsetof(campaign_settings, evaluations),
     .fallback = "10000",
     .lower = LINES,
     .upper = 1e7,
     .help = "budget"},
    {.key = "slots",
     .type = GANNET_INTEGER,
     .offset = offsetof(campaign_settings, slots),
     .fallback = "16",
     .lower = 1,
     .upper = 1e5,
     .help = "simulations at the same time, and points per batch"},
    {.key = "d",
     .type = GANNET_INTEGER,
     .offset = offsetof(campaign_settings, d),
     .fallback = "6",
     .lower = 1,
     .upper = 1000,
     .help = "variables"},
    {.key = "mode",
     .type = GANNET_CHOICE,
     .offset = offsetof(campaign_settings, mode),
     .fallback = "asynchronous",
     .choices = modes,
     .help = "as evaluate.mode"},
    {.key = "backend",
     .type = GANNET_CHOICE,
     .offset = offsetof(campaign_settings, backend),
     .fallback = "command",
     .choices = backends,
     .help = "command: a shell script that takes about a millisecond; lapse: simulations that seem "
             "to take long, by a clock that leaves out the time in which nothing happens"},
    {.key = "seconds",
     .type = GANNET_DURATION,
     .offset = offsetof(campaign_settings, seconds),
     .fallback = "60s",
     .lower = 1e-3,
     .upper = 1e6,
     .help = "of a simulation on average, for backend lapse"},
    {.key = "interval",
     .type = GANNET_DURATION,
     .offset = offsetof(campaign_settings, interval),
     .fallback = "30s",
     .lower = 1e-3,
     .upper = 1e6,
     .help = "as save.interval"},
    {.key = "method",
     .type = GANNET_TEXT,
     .offset = offsetof(campaign_settings, method),
     .fallback = "sobol",
     .help = "sobol shows the cost of the campaign alone"},
    {.key = "directory",
     .type = GANNET_TEXT,
     .offset = offsetof(campaign_settings, directory),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "new directory for the campaign; kept",
     .example = "/tmp/bench"},
    {0},
};

static const char script[] = "#!/bin/sh\necho \"objective 1\" > \"$GANNET_RESULTS\"\n";

/* Rank 0 only. */
static gannet_err write_files(const campaign_settings *s) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  GANNET_REQUIRE(access(s->directory, F_OK) != 0, GANNET_ERR_EXISTS,
                 "'%s' exists already; remove it, or choose another", s->directory);
  GANNET_TRY(gannet_make_directory(s->directory));
  GANNET_TRY(gannet_join_path(s->directory, "simulate.sh", path, sizeof path));
  GANNET_TRY(gannet_file_put(path, script, sizeof script - 1));
  FILE *out = open_memstream(&text, &size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "a campaign file");
  (void)fprintf(out, "name: bench\nseed: 1\nmethod: %s\nbatch: %d\nvariables:\n", s->method,
                s->slots);
  for (int k = 0; k < s->d; ++k) (void)fprintf(out, "  x%d: {lower: 0, upper: 1}\n", k + 1);
  (void)fprintf(out,
                "budget: {evaluations: %d}\nevaluate: {backend: command, command: [/bin/sh, "
                "\"{input_directory}/simulate.sh\"], parallel: %d, mode: %s}\n"
                "save: {interval: %gs}\n",
                s->evaluations, s->slots, modes[s->mode], s->interval);
  GANNET_REQUIRE(fclose(out) == 0, GANNET_ERR_MEMORY, "a campaign file");
  gannet_err err = gannet_join_path(s->directory, "bench.yaml", path, sizeof path);
  if (err == GANNET_OK) err = gannet_file_put(path, text, size);
  free(text);
  return err;
}

/* The same command without gannet: seconds per run with as many at a time. Rank 0 only. */
static gannet_err time_bare(const campaign_settings *s, double *seconds) {
  char path[PATH_MAX], results[PATH_MAX + 32];
  char sh[] = "sh";
  char *const arguments[] = {sh, path, NULL}, *const environment[] = {results, NULL};
  enum { RUNS = 500 };
  GANNET_TRY(gannet_join_path(s->directory, "simulate.sh", path, sizeof path));
  const double start = gannet_clock_seconds();
  for (int i = 0, running = 0; i < RUNS || running > 0;) {
    if (i < RUNS && running < s->slots) {
      pid_t pid = 0;
      (void)snprintf(results, sizeof results, "GANNET_RESULTS=%s/bare-%d", s->directory, i++);
      GANNET_REQUIRE(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environment) == 0,
                     GANNET_ERR_IO, "cannot start /bin/sh");
      running += 1;
    } else {
      if (wait(NULL) > 0) running -= 1;
    }
  }
  *seconds = (gannet_clock_seconds() - start) / RUNS;
  return GANNET_OK;
}

typedef struct {
  const bench_world *world;
  const campaign_settings *settings;
  gannet_campaign_start_options start;
  char file[PATH_MAX], directory[PATH_MAX];
  bench_marks marks;
  bench_refills refills;
  gannet_run_outcome outcome;
} study;

/* Put the watching back-end in front of the campaign's for one run. */
static gannet_err run_watched(study *s, gannet_campaign *campaign) {
  gannet_campaign_input *input = campaign->input;
  const gannet_evaluator_type *type = input->evaluator;
  void *options = input->evaluator_options;
  const bench_lapse_options lapse = {s->settings->seconds, &s->refills};
  bench_watch_options watch = {type, options, s->settings->evaluations / LINES, &s->marks};
  if (s->settings->backend == LAPSE) {
    watch.inner = &bench_lapse;
    watch.inner_options = &lapse;
  }
  const gannet_run_options run = {.input_directory = s->settings->directory,
                                  .time_limit = INFINITY};
  input->evaluator = &bench_watch;
  input->evaluator_options = &watch;
  const gannet_err err = gannet_campaign_run(campaign, &run, &s->outcome);
  input->evaluator = type;
  input->evaluator_options = options;
  GANNET_TRY(err);
  GANNET_REQUIRE(s->outcome.end == GANNET_RUN_FINISHED, GANNET_ERR_STATE,
                 "the campaign ended early: %s", s->outcome.why);
  return GANNET_OK;
}

static gannet_err begin(study *s, bool resume, gannet_campaign *campaign) {
  gannet_complaints complaints = {0};
  s->start.resume = resume;
  const gannet_err err = gannet_campaign_start(s->world->comm, &s->start, &complaints, campaign);
  gannet_complaints_release(&complaints);
  return err;
}

static void print_growth(const study *s, double bare) {
  const int every = s->settings->evaluations / LINES;
  (void)printf("%s, %d variables, %s, %d slots, %s, %d rank(s)\n\n", s->settings->method,
               s->settings->d, modes[s->settings->mode], s->settings->slots,
               backends[s->settings->backend], s->world->np);
  (void)printf(
      "| evaluations | ms per evaluation | besides the simulation, ms | resident, MB |\n"
      "|---|---|---|---|\n");
  for (int i = 1; i < s->marks.n; ++i) {
    const bench_mark *a = &s->marks.mark[i - 1], *b = &s->marks.mark[i];
    const double each = (b->seconds - a->seconds) / every;
    (void)printf("| %d | %.3f | %.3f | %.1f |\n", i * every, 1e3 * each, 1e3 * (each - bare),
                 b->resident / 1e6);
  }
  (void)putchar('\n');
}

static void print_refills(const study *s) {
  const bench_refills *r = &s->refills;
  if (r->refills == 0) return;
  const double mean = r->idle / (double)r->refills;
  (void)printf(
      "Refilling a slot: %.4f s on average, %.4f s at most; %.4f %% and %.4f %% of a "
      "simulation of %g s.\nSlots are busy %.3f of the time.\n",
      mean, r->longest, 100 * mean / s->settings->seconds, 100 * r->longest / s->settings->seconds,
      s->settings->seconds, s->settings->seconds / (s->settings->seconds + mean));
}

/* The time in which nothing happens is not in it for backend lapse: this is more than the share of
 * a campaign that waits. */
static void print_saves(const study *s) {
  const gannet_run_outcome *o = &s->outcome;
  (void)printf(
      "Snapshots, that at the end included: %d, %.3f s beside a loop of %.1f s, %.2f %%.\n",
      o->saves, o->save_seconds, o->seconds, 100 * o->save_seconds / o->seconds);
}

/* What a user's look at a campaign costs. */
static gannet_err time_query(const study *s, gannet_format format, double *read, double *write) {
  gannet_campaign campaign;
  FILE *null = fopen("/dev/null", "w");
  GANNET_REQUIRE(null, GANNET_ERR_IO, "cannot open /dev/null");
  const double start = gannet_clock_seconds();
  gannet_err err = gannet_campaign_query(s->directory, false, &campaign);
  *read = gannet_clock_seconds() - start;
  const gannet_table_spec spec = {.format = format, .course = true, .n = campaign.ledger.n};
  if (err == GANNET_OK) err = gannet_table_write(null, &campaign.ledger, &spec);
  *write = gannet_clock_seconds() - start - *read;
  gannet_campaign_close(&campaign);
  (void)fclose(null);
  return err;
}

static gannet_err print_queries(const study *s) {
  double read = 0, csv = 0, json = 0;
  GANNET_TRY(time_query(s, GANNET_FORMAT_CSV, &read, &csv));
  GANNET_TRY(time_query(s, GANNET_FORMAT_JSON, &read, &json));
  (void)printf(
      "| of %d evaluations | seconds |\n|---|---|\n| reading, for `status` | %.3f |\n| "
      "reading and `export`, CSV | %.3f |\n| reading and `export`, JSON | %.3f |\n",
      s->settings->evaluations, read, read + csv, read + json);
  return GANNET_OK;
}

static gannet_err time_resume(study *s) {
  gannet_campaign campaign;
  const double start = gannet_clock_seconds();
  gannet_err err = begin(s, true, &campaign);
  const double seconds = gannet_clock_seconds() - start;
  gannet_campaign_close(&campaign);
  if (err == GANNET_OK && s->world->rank == 0) (void)printf("| resuming | %.3f |\n", seconds);
  return err;
}

static gannet_err measure(study *s, double bare) {
  gannet_campaign campaign;
  gannet_err err = begin(s, false, &campaign);
  if (err == GANNET_OK) err = run_watched(s, &campaign);
  gannet_campaign_close(&campaign);
  GANNET_TRY(err);
  if (s->world->rank == 0) {
    print_growth(s, s->settings->backend == COMMAND ? bare : 0);
    if (s->settings->backend == LAPSE) print_refills(s);
    if (s->settings->backend == COMMAND)
      (void)printf("The same command without gannet, %d at a time: %.3f ms per run.\n",
                   s->settings->slots, 1e3 * bare);
    print_saves(s);
    (void)putchar('\n');
    err = print_queries(s);
  }
  GANNET_TRY(gannet_agree(s->world->comm, err));
  return time_resume(s);
}

static gannet_err prepare(study *s, double *bare) {
  const campaign_settings *settings = s->settings;
  s->marks.capacity = LINES + 1;
  GANNET_TRY(gannet_alloc(LINES + 1, sizeof *s->marks.mark, &s->marks.mark));
  GANNET_TRY(gannet_join_path(settings->directory, "bench.yaml", s->file, sizeof s->file));
  GANNET_TRY(
      gannet_join_path(settings->directory, "bench.campaign", s->directory, sizeof s->directory));
  s->start = (gannet_campaign_start_options){.file = s->file, .directory = s->directory};
  if (s->world->rank != 0) return GANNET_OK;
  GANNET_TRY(write_files(settings));
  return settings->backend == COMMAND ? time_bare(settings, bare) : GANNET_OK;
}

static gannet_err run_campaign(const bench_world *world, const void *settings) {
  study s = {.world = world, .settings = settings};
  double bare = 0;
  const gannet_method *method = NULL;
  /* Here, since the directory that is made below could not be given again. */
  gannet_err err = gannet_method_find(s.settings->method, &method);
  if (err == GANNET_OK) err = gannet_agree(world->comm, prepare(&s, &bare));
  if (err == GANNET_OK) err = measure(&s, bare);
  gannet_free(&s.marks.mark);
  GANNET_TRY(err);
  return GANNET_OK;
}

const bench_type bench_campaign = {
    .name = "campaign",
    .summary = "time and memory of a campaign besides its simulations, as its history grows",
    .options = campaign_options,
    .options_size = sizeof(campaign_settings),
    .run = run_campaign,
};
