#include "evaluate/slurm/job_usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/command/tool.h"
#include "evaluate/slurm/slurm.h"

static const double patience = 5; /* seconds */

/* Cut the next field off a line. */
static const char *next_field(char **at) {
  char *field = *at;
  const size_t size = strcspn(field, "|");
  *at = field[size] ? field + size + 1 : field + size;
  field[size] = '\0';
  return field;
}

/* The memory in "billing=2,cpu=2,mem=4000M,node=1", in bytes; NAN when there is none. */
static double read_memory(const char *list) {
  static const char units[] = "KMGTP";
  char *end = NULL;
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
    if (strncmp(at, "mem=", 4) != 0) continue;
    double bytes = strtod(at + 4, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; ++u) bytes *= 1024;
    return end > at + 4 ? bytes : NAN;
  }
  return NAN;
}

/* A whole number of units; NAN for words such as Partition_Limit. */
static double read_number(const char *text, double unit) {
  char *end = NULL;
  const long number = strtol(text, &end, 10);
  if (strcmp(text, "UNLIMITED") == 0) return INFINITY;
  return end > text ? (double)number * unit : NAN;
}

static double share_of(const gannet_job_peak *peak) {
  return peak->requested > 0 ? peak->used / peak->requested : NAN;
}

/* Keep the job that came nearer to what it asked for; a share counts more than none. */
static void keep_peak(const gannet_job_peak *one, gannet_job_peak *peak) {
  if (isnan(one->used)) return;
  const double mine = share_of(one), most = share_of(peak);
  const bool is_more = isnan(mine) != isnan(most) ? isnan(most)
                       : isnan(mine)              ? one->used > peak->used
                                                  : mine > most;
  if (!peak->job[0] || is_more) *peak = *one;
}

void gannet_job_usage_parse(char *text, gannet_job_usage *usage) {
  gannet_job_peak memory = {.used = NAN, .requested = NAN};
  *usage = (gannet_job_usage){.memory = memory, .time = memory};
  for (char *line = text, *end = text; end && *line; line = end + 1) {
    end = strchr(line, '\n');
    if (end) *end = '\0';
    const char *job = next_field(&line), *requested = next_field(&line), *used = next_field(&line);
    const char *limit = next_field(&line), *elapsed = next_field(&line);
    const size_t size = strcspn(job, ".");
    const bool is_step = job[size] != '\0';
    if (!job[0] || size >= sizeof memory.job) continue;
    if (!is_step) { /* the lines of its steps follow */
      gannet_job_peak time = {.used = read_number(elapsed, 1), .requested = read_number(limit, 60)};
      keep_peak(&memory, &usage->memory);
      memory = (gannet_job_peak){.used = NAN, .requested = read_memory(requested)};
      memcpy(memory.job, job, size + 1);
      memcpy(time.job, job, size + 1);
      keep_peak(&time, &usage->time);
      usage->n_jobs += 1;
    }
    memory.used = fmax(memory.used, read_memory(used)); /* of NAN and a number the number */
  }
  keep_peak(&memory, &usage->memory);
}

gannet_err gannet_job_usage_ask(const void *options, gannet_launcher *launcher,
                                const char *input_directory, const gannet_text_list *jobs,
                                gannet_job_usage *usage) {
  const gannet_slurm_options *given = options;
  char *answer = NULL, *list = NULL, nothing[] = "";
  bool works = false;
  gannet_job_usage_parse(nothing, usage);
  const int n = jobs->n < GANNET_USAGE_MOST ? jobs->n : GANNET_USAGE_MOST;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n * (GANNET_USAGE_JOB + 1) + 8, 1, &list));
  (void)strcpy(list, "--jobs=");
  for (int i = 0; i < n; ++i) {
    if (i > 0) (void)strcat(list, ",");
    (void)strncat(list, jobs->item[i], GANNET_USAGE_JOB);
  }
  const char *const words[] = {given->commands.sacct,
                               "--noheader",
                               "--parsable2",
                               "--format=JobID,ReqTRES,TRESUsageInTot,TimelimitRaw,ElapsedRaw",
                               list,
                               NULL};
  if (gannet_tool_ask(launcher, words, input_directory, patience, &works, &answer) && works &&
      answer)
    gannet_job_usage_parse(answer, usage);
  gannet_free(&answer);
  gannet_free(&list);
  return GANNET_OK;
}
