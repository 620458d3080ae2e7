/* The job scripts of jobscripts/ for a site, and the example of a simulation. */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/embed.h"
#include "base/memory.h"
#include "cli/init.h"

#define SCRIPT(symbol, file, which)                                \
  GANNET_EMBED(init_##symbol, INIT_SCRIPTS "/" file ".sh");        \
  static const char *symbol##_text(size_t *size) {                 \
    *size = (size_t)(init_##symbol##_end - init_##symbol##_begin); \
    return init_##symbol##_begin;                                  \
  }                                                                \
  static const init_script symbol = {.name = file, .backend = which, .text = symbol##_text}

SCRIPT(one_job, "one-job-per-evaluation", "slurm");
SCRIPT(no_resident, "no-resident-process", "slurm");
SCRIPT(inside, "inside-an-allocation", "command");

const init_script *const init_scripts[] = {&one_job, &no_resident, &inside, NULL};

static bool begins(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

/* Words as sbatch reads them in a script. */
static void put_option(FILE *out, const char *name, const char *value) {
  if (value) (void)fprintf(out, "#SBATCH --%s=\"%s\"\n", name, value);
}

/* Simulations that run in the job, as steps or on ranks of it. */
static bool is_inside(const init_plan *plan) {
  return strcmp(plan->backend, "slurm") != 0;
}

static bool is_on_ranks(const init_plan *plan) {
  return strcmp(plan->backend, "function") == 0 || strcmp(plan->backend, "plugin") == 0;
}

static void put_head(const init_plan *plan, FILE *out) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  (void)fprintf(out, "#SBATCH --job-name=%s\n", plan->name);
  put_option(out, "chdir", plan->directory);
  put_option(out, "partition", plan->partition_name);
  put_option(out, "account", plan->account);
  if (is_inside(plan) && plan->site.counts_memory && used && used->memory > 0)
    (void)fprintf(out, "#SBATCH --mem-per-cpu=%ldM\n", used->memory / used->cpus);
  if (!plan->account && *plan->site.accounts)
    (void)fprintf(out, "# accounts of yours: %s%s%s%s\n", plan->site.accounts,
                  *plan->site.account ? " (default " : "", plan->site.account,
                  *plan->site.account ? ")" : "");
}

static void put_time(const init_plan *plan, const char *line, int size, FILE *out) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  const char *value = strchr(line, '=') + 1;
  char text[64];
  double asked = 0; /* seconds */
  (void)snprintf(text, sizeof text, "%.*s", size - (int)(value - line), value);
  if (gannet_parse_duration(text, &asked) || !used || asked <= used->limit)
    (void)fprintf(out, "%.*s\n", size, line);
  else
    (void)fprintf(out, "#SBATCH --time=%ld\n", (long)(used->limit / 60)); /* minutes */
}

static gannet_err put_campaign(const init_plan *plan, FILE *out) {
  char program[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size < 0) return gannet_raise_errno("read", "/proc/self/exe");
  program[size] = '\0';
  (void)fprintf(out, "campaign=${1:-%s}\n: \"${GANNET:=%s}\"\n", gannet_file_name_of(plan->file),
                program);
  return GANNET_OK;
}

/* The comment that names the script itself names this one. */
static void put_comment(const init_plan *plan, const char *line, int size, FILE *out) {
  char own[INIT_NAME + 8];
  (void)snprintf(own, sizeof own, "%s.sh", plan->script->name);
  const char *at = memmem(line, (size_t)size, own, strlen(own));
  if (!at) {
    (void)fprintf(out, "%.*s\n", size, line);
    return;
  }
  const char *rest = at + strlen(own);
  (void)fprintf(out, "%.*s%s-job.sh%.*s\n", (int)(at - line), line, plan->name,
                size - (int)(rest - line), rest);
}

static gannet_err put_line(const init_plan *plan, const char *line, int size, FILE *out) {
  if (begins(line, "#SBATCH --job-name=")) {
    put_head(plan, out);
  } else if (begins(line, "#SBATCH --ntasks=") && is_inside(plan)) {
    (void)fprintf(out, "#SBATCH --ntasks=%d\n", plan->parallel * plan->tasks);
  } else if (begins(line, "#SBATCH --time=")) {
    put_time(plan, line, size, out);
  } else if (begins(line, "campaign=")) {
    return put_campaign(plan, out);
  } else if (begins(line, "ranks=") && is_on_ranks(plan)) {
    (void)fprintf(out, "ranks=${RANKS:-%d}\n", plan->parallel);
  } else {
    put_comment(plan, line, size, out);
  }
  return GANNET_OK;
}

gannet_err init_put_script(const init_plan *plan, FILE *out) {
  size_t size = 0;
  const char *text = plan->script->text(&size);
  for (const char *at = text; at < text + size;) {
    const char *end = memchr(at, '\n', size - (size_t)(at - text));
    GANNET_TRY(put_line(plan, at, (int)(end - at), out));
    if (at == text)
      (void)fprintf(out, "# Written by gannet init for %s.yaml: sbatch %s-job.sh\n#\n", plan->name,
                    plan->name);
    at = end + 1;
  }
  return GANNET_OK;
}

/* A simulation that runs at once, with the reader's variables in it. */
void init_put_example(const init_plan *plan, FILE *out) {
  (void)fputs(
      "#!/bin/sh\n"
      "# An example of a simulation, written by gannet init so that the campaign runs at once:\n"
      "# put your own in its place. It is started in a folder of its own with params.in (lines\n"
      "# \"name value\") and leaves results.out (lines \"name value\": objective and "
      "constraints).\n"
      "# A line \"fail REASON\" instead says that this design cannot work.\n",
      out);
  if (plan->tasks > 1)
    (void)fputs(
        "# It is started on several processors, of which the first writes the results:\n"
        "[ \"${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}\" = 0 ] || exit 0\n",
        out);
  (void)fputs("awk '\n", out);
  for (int i = 0; i < plan->n_variables; ++i) {
    const gannet_variable *v = &plan->variable[i].is;
    if (v->type == GANNET_VARIABLE_BOOLEAN)
      (void)fprintf(out, "  $1 == \"%s\" && $2 == \"true\" { objective += 0.1 }\n", v->name);
    else if (v->type != GANNET_VARIABLE_CATEGORICAL)
      (void)fprintf(out, "  $1 == \"%s\" { objective += (($2 - %g) / %g - 0.3) ^ 2 }\n", v->name,
                    v->lower, v->upper - v->lower);
  }
  (void)fputs("  END {\n    printf \"objective %.17g\\n\", objective\n", out);
  for (int i = 0; i < plan->n_constraints; ++i) {
    const gannet_constraint *c = &plan->constraint[i];
    (void)fprintf(out, "    print \"%s\", %.17g\n", c->name,
                  isfinite(c->upper) ? c->upper : c->lower);
  }
  (void)fputs("  }' params.in > results.part && mv results.part results.out\n", out);
}
