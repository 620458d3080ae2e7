/* The site: what gannet init can find out about this machine without asking the user. */
#define _GNU_SOURCE /* for the processors that this process may use */
#include <ctype.h>
#include <math.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/resources.h"
#include "cli/init/init.h"
#include "evaluate/command/command.h"
#include "machine/inspect.h"

typedef struct {
  gannet_launcher *launcher;
  char directory[PATH_MAX]; /* for what programs print */
  double patience;          /* seconds */
  int64_t calls;
  char said[INIT_TEXT]; /* why the last program gave no answer */
} inquiry;

static gannet_err read_output(const inquiry *asked, const char *name, char **text) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(asked->directory, name, path, sizeof path));
  return gannet_file_read(path, text, NULL);
}

static gannet_err await_end(const inquiry *asked, int64_t tag, gannet_launch_event *event) {
  const double until = gannet_clock_seconds() + asked->patience + 3;
  bool got = false;
  for (double left = asked->patience + 3; left > 0; left = until - gannet_clock_seconds()) {
    GANNET_TRY(gannet_launcher_wait(asked->launcher, left, event, &got));
    if (got && event->tag == tag && event->type != GANNET_LAUNCH_STARTED) return GANNET_OK;
  }
  memset(event, 0, sizeof *event);
  event->limit = true;
  return GANNET_OK;
}

/* Keep why a program did not answer. */
static gannet_err note_failure(inquiry *asked, const char *program,
                               const gannet_launch_event *event) {
  char *text = NULL;
  if (event->limit) {
    (void)snprintf(asked->said, sizeof asked->said, "%s: no answer within %g s", program,
                   asked->patience);
    return GANNET_OK;
  }
  GANNET_TRY(read_output(asked, "stderr.log", &text));
  (void)snprintf(asked->said, sizeof asked->said, "%.*s", (int)strcspn(text, "\n"), text);
  if (!*asked->said) (void)snprintf(asked->said, sizeof asked->said, "%s failed", program);
  gannet_free(&text);
  return GANNET_OK;
}

/* Run a program and get what it prints; NULL when it is not here, fails, or takes too long. */
static gannet_err ask_program(inquiry *asked, const char *const *arguments, char **answer) {
  static const char *const nothing[] = {NULL};
  char path[PATH_MAX];
  gannet_launch_event event;
  *answer = NULL;
  asked->said[0] = '\0';
  if (gannet_command_find(arguments[0], NULL, path)) return GANNET_OK;
  const gannet_launch launch = {.tag = ++asked->calls,
                                .directory = asked->directory,
                                .program = path,
                                .arguments = arguments,
                                .environment = nothing,
                                .time_limit = asked->patience,
                                .grace = 0.5};
  GANNET_TRY(gannet_launcher_launch(asked->launcher, &launch));
  GANNET_TRY(await_end(asked, launch.tag, &event));
  if (event.type == GANNET_LAUNCH_ENDED && !event.limit && event.exit_code == 0)
    return read_output(asked, "stdout.log", answer);
  return note_failure(asked, arguments[0], &event);
}

/* "infinite", "30:00", "4:00:00", "7-00:00:00" in seconds. */
static double read_limit(const char *text) {
  double seconds = 0;
  char *end = NULL;
  const char *dash = strchr(text, '-');
  const double days = dash ? strtod(text, NULL) : 0;
  if (!isdigit((unsigned char)*text)) return INFINITY;
  for (const char *at = dash ? dash + 1 : text;; at = end + 1) {
    const double part = strtod(at, &end);
    if (end == at) return INFINITY;
    seconds = 60 * seconds + part;
    if (*end != ':') break;
  }
  return 86400 * days + seconds;
}

/* The partition of a name, added when it is new. A partition whose nodes differ has several lines.
 */
static init_partition *add_partition(init_site *site, const char *name) {
  for (int i = 0; i < site->n_partitions; ++i)
    if (strcmp(site->partition[i].name, name) == 0) return &site->partition[i];
  if (site->n_partitions == INIT_PARTITIONS) return NULL;
  init_partition *partition = &site->partition[site->n_partitions++];
  *partition = (init_partition){.cpus = LONG_MAX, .memory = LONG_MAX, .limit = INFINITY};
  (void)snprintf(partition->name, sizeof partition->name, "%s", name);
  return partition;
}

static void read_partition(char *line, init_site *site) {
  char *field[6], *rest = line;
  for (int i = 0; i < 6; ++i) field[i] = strsep(&rest, "|");
  if (!field[5] || strcmp(field[1], "up") != 0) return;
  char *star = strchr(field[0], '*');
  if (star) *star = '\0';
  init_partition *partition = add_partition(site, field[0]);
  const long cpus = strtol(field[4], NULL, 10), memory = strtol(field[5], NULL, 10);
  if (!partition || cpus < 1) return;
  partition->is_default = star != NULL;
  partition->limit = read_limit(field[2]);
  partition->nodes += strtol(field[3], NULL, 10);
  if (cpus < partition->cpus) partition->cpus = cpus;
  if (memory < partition->memory) partition->memory = memory;
}

static gannet_err look_at_partitions(inquiry *asked, init_site *site) {
  static const char *const sinfo[] = {"sinfo", "--noheader", "--format=%P|%a|%l|%D|%c|%m", NULL};
  char path[PATH_MAX], *answer = NULL;
  if (gannet_command_find("sbatch", NULL, path)) return GANNET_OK;
  GANNET_TRY(ask_program(asked, sinfo, &answer));
  char *rest = answer;
  for (char *line; rest && (line = strsep(&rest, "\n"));) read_partition(line, site);
  if (!answer)
    (void)snprintf(site->said, sizeof site->said, "%s",
                   *asked->said ? asked->said : "sinfo is not in PATH");
  else if (site->n_partitions == 0)
    (void)snprintf(site->said, sizeof site->said, "sinfo shows no partition that is up");
  gannet_free(&answer);
  site->slurm = site->n_partitions > 0;
  return GANNET_OK;
}

static void add_word(char *text, size_t size, const char *word) {
  const size_t used = strlen(text);
  char padded[INIT_TEXT + 2], look[INIT_NAME + 2];
  (void)snprintf(padded, sizeof padded, " %s ", text);
  (void)snprintf(look, sizeof look, " %.*s ", INIT_NAME - 1, word);
  if (!*word || strstr(padded, look)) return;
  (void)snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

/* The accounts of the user; none at sites without accounting. */
static gannet_err look_at_accounts(inquiry *asked, init_site *site) {
  char user[INIT_NAME + 8], *answer = NULL;
  const struct passwd *me = getpwuid(getuid());
  if (!me) return GANNET_OK;
  (void)snprintf(user, sizeof user, "user=%.60s", me->pw_name);
  const char *const all[] = {"sacctmgr",     "--noheader", "--parsable2",    "--readonly", "show",
                             "associations", user,         "format=Account", NULL};
  const char *const one[] = {"sacctmgr", "--noheader", "--parsable2", "--readonly",
                             "show",     "user",       me->pw_name,   "format=DefaultAccount",
                             NULL};
  GANNET_TRY(ask_program(asked, all, &answer));
  char *rest = answer;
  for (char *line; rest && (line = strsep(&rest, "\n"));)
    add_word(site->accounts, sizeof site->accounts, line);
  gannet_free(&answer);
  if (!*site->accounts) return GANNET_OK;
  GANNET_TRY(ask_program(asked, one, &answer));
  if (answer)
    (void)snprintf(site->account, sizeof site->account, "%.*s", (int)strcspn(answer, "\n"), answer);
  gannet_free(&answer);
  return GANNET_OK;
}

/* Whether SLURM shares memory out. A step then takes all memory of its job unless the job says how
 * much a processor has. */
static gannet_err look_at_memory(inquiry *asked, init_site *site) {
  static const char *const scontrol[] = {"scontrol", "show", "config", NULL};
  char *answer = NULL;
  GANNET_TRY(ask_program(asked, scontrol, &answer));
  const char *line = answer ? strstr(answer, "SelectTypeParameters") : NULL;
  char value[INIT_TEXT] = "";
  if (line) (void)snprintf(value, sizeof value, "%.*s", (int)strcspn(line, "\n"), line);
  site->counts_memory = strstr(value, "MEMORY") || strstr(value, "Memory");
  gannet_free(&answer);
  return GANNET_OK;
}

static void look_at_machine(init_site *site) {
  static const char *const launchers[] = {"mpirun", "mpiexec"};
  char path[PATH_MAX];
  cpu_set_t mine;
  CPU_ZERO(&mine);
  bool any[GANNET_PROCESSORS_MOST] = {false};
  const bool is_told = sched_getaffinity(0, sizeof mine, &mine) == 0;
  site->threads = is_told ? CPU_COUNT(&mine) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (site->threads < 1) site->threads = 1;
  for (int p = 0; is_told && p < CPU_SETSIZE && p < GANNET_PROCESSORS_MOST; ++p)
    any[p] = CPU_ISSET(p, &mine);
  site->cores = is_told ? machine_count_cores(any) : site->threads;
  if (site->cores < 1) site->cores = 1;
  for (size_t i = 0; i < 2 && !*site->launcher; ++i)
    if (!gannet_command_find(launchers[i], NULL, path))
      (void)snprintf(site->launcher, sizeof site->launcher, "%s", launchers[i]);
}

static void remove_answers(const char *directory) {
  static const char *const names[] = {"stdout.log", "stderr.log"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    (void)snprintf(path, sizeof path, "%.4000s/%s", directory, names[i]);
    (void)unlink(path);
  }
  (void)rmdir(directory);
}

gannet_err init_site_look(double patience, init_site *site) {
  inquiry asked = {.patience = patience};
  const char *temporary = getenv("TMPDIR");
  look_at_machine(site);
  (void)snprintf(asked.directory, sizeof asked.directory, "%.3000s/gannet-init-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp");
  if (!mkdtemp(asked.directory)) return gannet_raise_errno("create", asked.directory);
  gannet_err err = gannet_launcher_start(&asked.launcher);
  if (err == GANNET_OK) err = look_at_partitions(&asked, site);
  if (err == GANNET_OK && site->slurm) err = look_at_accounts(&asked, site);
  if (err == GANNET_OK && site->slurm) err = look_at_memory(&asked, site);
  gannet_launcher_stop(&asked.launcher);
  remove_answers(asked.directory);
  return err;
}

const init_partition *init_site_default(const init_site *site) {
  for (int i = 0; i < site->n_partitions; ++i)
    if (site->partition[i].is_default) return &site->partition[i];
  return site->n_partitions ? &site->partition[0] : NULL;
}

void init_site_tell(const init_site *site, FILE *out) {
  (void)fprintf(out, "found: %d core%s", site->cores, site->cores == 1 ? "" : "s");
  if (*site->launcher) (void)fprintf(out, ", %s", site->launcher);
  if (site->slurm) {
    (void)fputs(", SLURM with partitions", out);
    for (int i = 0; i < site->n_partitions; ++i) {
      const init_partition *partition = &site->partition[i];
      char limit[64] = "no limit";
      if (isfinite(partition->limit)) gannet_format_duration(partition->limit, limit, sizeof limit);
      (void)fprintf(out, " %s%s (%ld node%s of %ld, %s)", partition->name,
                    partition->is_default ? "*" : "", partition->nodes,
                    partition->nodes == 1 ? "" : "s", partition->cpus, limit);
    }
    if (*site->accounts) (void)fprintf(out, "; accounts %s", site->accounts);
    if (*site->account) (void)fprintf(out, " (default %s)", site->account);
  } else {
    (void)fputs(*site->said ? ", SLURM that cannot be used: " : ", no SLURM", out);
    (void)fputs(site->said, out);
  }
  (void)fputc('\n', out);
}
