#include "evaluate/slurm/client.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/command/program.h"
#include "evaluate/slurm/answers.h"

extern char **environ;

enum { CHUNK = 100, TOOLS = 5, LONGEST_ANSWER = 256 << 20 };

typedef enum { SBATCH, SQUEUE, SCANCEL, SACCT, SCONTROL } tool;

struct gannet_slurm_client {
  gannet_launcher *launcher;
  char directory[PATH_MAX];
  char program[TOOLS][PATH_MAX];
  bool missing[TOOLS];
  double timeout;
  int64_t calls;
  gannet_text_list prefix; /* env -u NAME ... */
  char env[PATH_MAX];
  char said[GANNET_SLURM_SAID];
  bool was_mute;                /* the last call wrote nothing to stderr */
  bool has_ended;               /* what it wrote is in the files: else they are of one before */
  bool was_signalled;           /* a signal ended it */
  gannet_slurm_refusal refusal; /* what it wrote means, should it be a refusal of sbatch */
};

/* Whether a variable is withheld from SLURM's programs. Variables that describe the job of the
 * controller, filter the list of squeue, or make sbatch wait or repeat a job are not meant for the
 * jobs of evaluations. Variables that say which SLURM is asked are, and the token by which it knows
 * the user where it does not know the process. */
static bool is_dropped(const char *variable) {
  static const char *const start[] = {
      "SLURM_",           "SQUEUE_",           "SACCT_",       "SCANCEL_",
      "SBATCH_CLUSTERS=", "SBATCH_ARRAY_INX=", "SBATCH_WAIT=", "GANNET_LAUNCH="};
  static const char *const kept[] = {"SLURM_CONF=", "SLURM_CLUSTERS=", "SLURM_JWT="};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    if (strncmp(variable, kept[i], strlen(kept[i])) == 0) return false;
  for (size_t i = 0; i < sizeof start / sizeof *start; ++i)
    if (strncmp(variable, start[i], strlen(start[i])) == 0) return true;
  return false;
}

static gannet_err make_prefix(gannet_slurm_client *client) {
  char name[256];
  GANNET_TRY(gannet_text_list_add(&client->prefix, "env"));
  GANNET_TRY(gannet_text_list_add(&client->prefix, "-u"));
  GANNET_TRY(gannet_text_list_add(&client->prefix, "GANNET_LAUNCH")); /* added by the launcher */
  for (char *const *at = environ; *at; ++at) {
    const size_t size = strcspn(*at, "=");
    if (!is_dropped(*at) || size >= sizeof name) continue;
    (void)snprintf(name, sizeof name, "%.*s", (int)size, *at);
    GANNET_TRY(gannet_text_list_add(&client->prefix, "-u"));
    GANNET_TRY(gannet_text_list_add(&client->prefix, name));
  }
  errno = gannet_command_find("env", NULL, client->env);
  return errno ? gannet_raise_errno("run", "env") : GANNET_OK;
}

static gannet_err find_tool(gannet_slurm_client *client, tool which, const char *program,
                            const char *input_directory) {
  char path[PATH_MAX];
  const int failed = gannet_command_find(program, input_directory, path);
  client->missing[which] = failed != 0;
  if (!failed && !realpath(path, client->program[which])) return gannet_raise_errno("find", path);
  if (!failed || which == SACCT || which == SCONTROL) return GANNET_OK;
  return GANNET_RAISE(GANNET_ERR_MISSING, "cannot run '%s': %s", program, strerror(failed));
}

static gannet_err set_up_client(const gannet_slurm_commands *commands, const char *campaign,
                                const char *input_directory, gannet_slurm_client *client) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(campaign, "slurm", path, sizeof path));
  GANNET_TRY(gannet_make_lasting_directory(path));
  if (!realpath(path, client->directory)) return gannet_raise_errno("find", path);
  GANNET_TRY(find_tool(client, SBATCH, commands->sbatch, input_directory));
  GANNET_TRY(find_tool(client, SQUEUE, commands->squeue, input_directory));
  GANNET_TRY(find_tool(client, SCANCEL, commands->scancel, input_directory));
  GANNET_TRY(find_tool(client, SACCT, commands->sacct, input_directory));
  GANNET_TRY(find_tool(client, SCONTROL, commands->scontrol, input_directory));
  client->timeout = commands->timeout;
  return make_prefix(client);
}

gannet_err gannet_slurm_client_create(const gannet_slurm_commands *commands,
                                      gannet_launcher *launcher, const char *campaign,
                                      const char *input_directory, gannet_slurm_client **client) {
  GANNET_TRY(gannet_alloc(1, sizeof **client, client));
  (*client)->launcher = launcher;
  const gannet_err err = set_up_client(commands, campaign, input_directory, *client);
  if (err != GANNET_OK) gannet_slurm_client_destroy(client);
  return err;
}

void gannet_slurm_client_destroy(gannet_slurm_client **client) {
  if (!*client) return;
  gannet_text_list_release(&(*client)->prefix);
  gannet_free(client);
}

const char *gannet_slurm_client_said(const gannet_slurm_client *client) {
  return client->said;
}

/* Read a file of the last call as text; "" when it cannot be read. */
static gannet_err read_output(const gannet_slurm_client *client, const char *name, char **text) {
  char path[PATH_MAX];
  size_t size = 0;
  GANNET_TRY(gannet_join_path(client->directory, name, path, sizeof path));
  if (gannet_file_read_within(path, LONGEST_ANSWER, GANNET_ERR_INPUT, text, &size) == GANNET_OK)
    return GANNET_OK;
  gannet_error_clear();
  return gannet_copy_text("", text);
}

gannet_slurm_refusal gannet_slurm_client_refusal(const gannet_slurm_client *client) {
  return client->refusal;
}

/* Keep the last lines of a text that fit, as programs end with what counts most. When the very last
 * line is too long, its begin is kept. */
static void keep_end(const char *text, char *said, size_t size) {
  const char *at = text;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  while (length - (size_t)(at - text) >= size) {
    const char *next = memchr(at, '\n', length - (size_t)(at - text));
    if (!next) break;
    at = next + 1;
  }
  (void)snprintf(said, size, "%.*s", (int)(length - (size_t)(at - text)), at);
  for (char *c = said; *c; ++c)
    if (iscntrl((unsigned char)*c)) *c = *c == '\n' ? '|' : ' ';
}

static gannet_err read_said(gannet_slurm_client *client, const gannet_launch_event *event) {
  char *text = NULL;
  if (client->has_ended)
    GANNET_TRY(read_output(client, "stderr.log", &text));
  else
    GANNET_TRY(gannet_copy_text("", &text));
  keep_end(text, client->said, sizeof client->said);
  client->was_mute = client->said[0] == '\0';
  client->was_signalled = client->has_ended && event->signal != 0;
  if (event->type == GANNET_LAUNCH_REFUSED)
    (void)snprintf(client->said, sizeof client->said, "cannot start (%s): %s", event->stage,
                   strerror(event->error));
  else if (client->was_mute && event->cancelled)
    (void)snprintf(client->said, sizeof client->said, "broken off by a signal to gannet");
  else if (client->was_mute && event->limit)
    (void)snprintf(client->said, sizeof client->said, "no answer within %g s", client->timeout);
  else if (client->was_mute && event->signal)
    (void)snprintf(client->said, sizeof client->said, "ended by signal %d (%s)", event->signal,
                   strsignal(event->signal));
  else if (client->was_mute)
    (void)snprintf(client->said, sizeof client->said, "exit code %d, and no word of why",
                   event->exit_code);
  client->refusal = gannet_slurm_refusal_find(
      event->type == GANNET_LAUNCH_REFUSED || client->was_mute ? client->said : text);
  gannet_free(&text);
  return GANNET_OK;
}

/* Wait for the end of the call; a signal to this process ends it early, because somebody wants
 * gannet to stop. */
static gannet_err wait_for_end(gannet_slurm_client *client, int64_t tag,
                               gannet_launch_event *event) {
  const double until = gannet_clock_seconds() + client->timeout + 3;
  bool got = false, hurried = false;
  for (double left = client->timeout + 3; left > 0; left = until - gannet_clock_seconds()) {
    GANNET_TRY(gannet_launcher_wait(client->launcher, left, event, &got));
    if (got && event->tag == tag && event->type != GANNET_LAUNCH_STARTED) return GANNET_OK;
    if (got || hurried || gannet_clock_seconds() >= until) continue;
    hurried = true;
    GANNET_TRY(gannet_launcher_kill(client->launcher, tag, 1));
  }
  memset(event, 0, sizeof *event); /* stuck in the kernel: its end will be ignored */
  event->type = GANNET_LAUNCH_ENDED;
  event->limit = !hurried;
  event->cancelled = hurried;
  return GANNET_OK;
}

static gannet_err run_tool(gannet_slurm_client *client, tool which, const char *const *arguments,
                           const char *const *environment, gannet_slurm_call *how) {
  static const char *const nothing[] = {NULL};
  gannet_text_list all = {0};
  gannet_launch_event event;
  gannet_err err = GANNET_OK;
  const int64_t tag = -(++client->calls);
  for (int i = 0; i < client->prefix.n && err == GANNET_OK; ++i)
    err = gannet_text_list_add(&all, client->prefix.item[i]);
  if (err == GANNET_OK) err = gannet_text_list_add(&all, client->program[which]);
  for (; *arguments && err == GANNET_OK; ++arguments) err = gannet_text_list_add(&all, *arguments);
  const gannet_launch launch = {.tag = tag,
                                .directory = client->directory,
                                .program = client->env,
                                .arguments = (const char *const *)all.item,
                                .environment = environment ? environment : nothing,
                                .time_limit = client->timeout,
                                .grace = 1};
  if (err == GANNET_OK) err = gannet_launcher_launch(client->launcher, &launch);
  if (err == GANNET_OK) err = wait_for_end(client, tag, &event);
  gannet_text_list_release(&all);
  GANNET_TRY(err);
  client->has_ended = event.type == GANNET_LAUNCH_ENDED && event.tag == tag;
  GANNET_TRY(read_said(client, &event));
  *how = GANNET_SLURM_CALL_REFUSED;
  if (event.type == GANNET_LAUNCH_ENDED && event.cancelled)
    *how = GANNET_SLURM_CALL_BROKEN_OFF;
  else if (event.type == GANNET_LAUNCH_ENDED && event.limit)
    *how = GANNET_SLURM_CALL_TIMED_OUT;
  else if (event.type == GANNET_LAUNCH_ENDED && event.exit_code == 0)
    *how = GANNET_SLURM_CALL_DONE;
  return GANNET_OK;
}

gannet_err gannet_slurm_client_submit(gannet_slurm_client *client, const char *const *arguments,
                                      const char *const *environment, char *job,
                                      gannet_slurm_call *how) {
  gannet_text_list all = {0};
  char *text = NULL;
  gannet_err err = gannet_text_list_add(&all, "--parsable");
  for (; *arguments && err == GANNET_OK; ++arguments) err = gannet_text_list_add(&all, *arguments);
  if (err == GANNET_OK)
    err = run_tool(client, SBATCH, (const char *const *)all.item, environment, how);
  gannet_text_list_release(&all);
  GANNET_TRY(err);
  if (!client->has_ended) return GANNET_OK;
  GANNET_TRY(read_output(client, "stdout.log", &text));
  const bool is_whole = *how == GANNET_SLURM_CALL_DONE || strchr(text, '\n');
  if (is_whole && gannet_slurm_parse_job(text, job) == 0)
    *how = GANNET_SLURM_CALL_DONE;
  else if (*how != GANNET_SLURM_CALL_BROKEN_OFF &&
           (*how == GANNET_SLURM_CALL_DONE || client->was_signalled))
    *how = GANNET_SLURM_CALL_TIMED_OUT;
  gannet_free(&text);
  return GANNET_OK;
}

gannet_err gannet_slurm_client_list(gannet_slurm_client *client, gannet_slurm_list *list,
                                    gannet_slurm_call *how) {
  char user[40];
  (void)snprintf(user, sizeof user, "--user=%ld", (long)getuid());
  const char *const arguments[] = {
      "--noheader", "--states=all", "--array", user, "--format=%i|%T|%N|%j|%Z|%r", NULL};
  GANNET_TRY(run_tool(client, SQUEUE, arguments, NULL, how));
  if (*how != GANNET_SLURM_CALL_DONE) return GANNET_OK;
  GANNET_TRY(read_output(client, "stdout.log", &list->text));
  return gannet_slurm_parse_squeue(list);
}

bool gannet_slurm_client_lacks_room(gannet_slurm_client *client) {
  if (gannet_directory_has_room(client->directory)) return false;
  (void)snprintf(client->said, sizeof client->said, "no room for its answer in '%.240s'",
                 client->directory);
  return true;
}

/* Write the option that names the cluster for sacct, which alone ignores SLURM_CLUSTERS; "" when
 * that is not set. */
static void name_cluster(char *option, size_t size) {
  const char *chosen = getenv("SLURM_CLUSTERS");
  option[0] = '\0';
  if (chosen && *chosen) (void)snprintf(option, size, "--clusters=%s", chosen);
}

gannet_err gannet_slurm_client_account(gannet_slurm_client *client, int n,
                                       const gannet_slurm_job_key *jobs, gannet_slurm_list *list,
                                       gannet_slurm_call *how) {
  char ids[CHUNK * (GANNET_SLURM_ID + 1) + 8], cluster[256], *text = NULL;
  name_cluster(cluster, sizeof cluster);
  *how = GANNET_SLURM_CALL_DONE;
  for (int at = 0; at < n && !client->missing[SACCT]; at += CHUNK) {
    size_t used = 0; /* "12,13,14" */
    ids[0] = '\0';
    for (int i = at; i < n && i < at + CHUNK; ++i)
      used +=
          (size_t)snprintf(ids + used, sizeof ids - used, "%s%s", i > at ? "," : "", jobs[i].job);
    const char *const arguments[] = {"--noheader",
                                     "--parsable2",
                                     "--allocations",
                                     "--format=JobID,State,ExitCode,NodeList,JobName",
                                     "--jobs",
                                     ids,
                                     cluster[0] ? cluster : NULL,
                                     NULL};
    GANNET_TRY(run_tool(client, SACCT, arguments, NULL, how));
    if (strstr(client->said, "disabled")) client->missing[SACCT] = true;
    if (!gannet_slurm_call_is_answered(*how)) return GANNET_OK;
    if (*how != GANNET_SLURM_CALL_DONE) continue;
    GANNET_TRY(read_output(client, "stdout.log", &text));
    const gannet_err err = gannet_slurm_parse_sacct(text, list);
    gannet_free(&text);
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_client_account_name(gannet_slurm_client *client, const char *name,
                                            double since, gannet_slurm_list *list,
                                            gannet_slurm_call *how) {
  char option[GANNET_SLURM_NAME + 16], start[48], cluster[256], *text = NULL;
  const time_t seconds = (time_t)since;
  struct tm when;
  *how = GANNET_SLURM_CALL_DONE;
  if (client->missing[SACCT] || !localtime_r(&seconds, &when)) return GANNET_OK;
  name_cluster(cluster, sizeof cluster);
  (void)snprintf(option, sizeof option, "--name=%s", name);
  (void)strftime(start, sizeof start, "--starttime=%Y-%m-%dT%H:%M:%S", &when);
  const char *const arguments[] = {"--noheader",
                                   "--parsable2",
                                   "--allocations",
                                   "--format=JobID,State,ExitCode,NodeList,JobName",
                                   option,
                                   start,
                                   cluster[0] ? cluster : NULL,
                                   NULL};
  GANNET_TRY(run_tool(client, SACCT, arguments, NULL, how));
  if (strstr(client->said, "disabled")) client->missing[SACCT] = true;
  if (*how != GANNET_SLURM_CALL_DONE) return GANNET_OK;
  GANNET_TRY(read_output(client, "stdout.log", &text));
  const gannet_err err = gannet_slurm_parse_sacct(text, list);
  gannet_free(&text);
  return err;
}

gannet_err gannet_slurm_client_show(gannet_slurm_client *client, const char *job,
                                    gannet_slurm_list *list, gannet_slurm_call *how) {
  const char *const arguments[] = {"--oneliner", "show", "job", job, NULL};
  char *text = NULL;
  *how = GANNET_SLURM_CALL_DONE;
  if (client->missing[SCONTROL]) return GANNET_OK;
  GANNET_TRY(run_tool(client, SCONTROL, arguments, NULL, how));
  if (*how != GANNET_SLURM_CALL_DONE) return GANNET_OK;
  GANNET_TRY(read_output(client, "stdout.log", &text));
  const gannet_err err = gannet_slurm_parse_scontrol(text, job, list);
  gannet_free(&text);
  return err;
}

gannet_err gannet_slurm_client_array_size(gannet_slurm_client *client, int *size) {
  const char *const arguments[] = {"show", "config", NULL};
  gannet_slurm_call how = GANNET_SLURM_CALL_REFUSED;
  char *text = NULL;
  *size = 1001; /* slurm.conf(5) */
  if (client->missing[SCONTROL]) return GANNET_OK;
  GANNET_TRY(run_tool(client, SCONTROL, arguments, NULL, &how));
  if (how != GANNET_SLURM_CALL_DONE) return GANNET_OK;
  GANNET_TRY(read_output(client, "stdout.log", &text));
  const char *found = strstr(text, "MaxArraySize");
  int limit = 0;
  if (found && sscanf(found, "MaxArraySize = %d", &limit) == 1 && limit > 0) *size = limit;
  gannet_free(&text);
  return GANNET_OK;
}

/* Call scancel, up to three times. */
static gannet_err cancel_with(gannet_slurm_client *client, const char *const *arguments,
                              gannet_slurm_call *how) {
  for (int tries = 0; tries < 3; ++tries) {
    if (tries > 0) gannet_clock_sleep(0.2 * tries);
    GANNET_TRY(run_tool(client, SCANCEL, arguments, NULL, how));
    /* One that is asked for by name and has gone: scancel 22.05 ends with 1, and is quiet. */
    if (*how == GANNET_SLURM_CALL_REFUSED && client->was_mute) *how = GANNET_SLURM_CALL_DONE;
    if (*how == GANNET_SLURM_CALL_DONE) break;
  }
  return GANNET_OK;
}

static gannet_err cancel_by_name(gannet_slurm_client *client, const gannet_slurm_job_key *job,
                                 gannet_slurm_call *how) {
  char name[GANNET_SLURM_NAME + 16];
  (void)snprintf(name, sizeof name, "--name=%s", job->name);
  const char *const arguments[] = {"--quiet", name, job->job, NULL};
  return cancel_with(client, arguments, how);
}

/* Cancel each job with a call of its own, when there is no list of jobs. */
static gannet_err cancel_one_by_one(gannet_slurm_client *client, int n,
                                    const gannet_slurm_job_key *jobs, gannet_slurm_call *how) {
  *how = GANNET_SLURM_CALL_DONE;
  for (int i = 0; i < n && gannet_slurm_call_is_answered(*how); ++i) {
    gannet_slurm_call one = GANNET_SLURM_CALL_DONE;
    GANNET_TRY(cancel_by_name(client, &jobs[i], &one));
    if (one > *how) *how = one;
  }
  return GANNET_OK;
}

static gannet_err cancel_chunks(gannet_slurm_client *client, int n, const char *const *jobs,
                                gannet_slurm_call *how) {
  char said[GANNET_SLURM_SAID] = "";
  const char *arguments[CHUNK + 2] = {"--quiet"};
  *how = GANNET_SLURM_CALL_DONE;
  for (int at = 0; at < n; at += CHUNK) {
    gannet_slurm_call one = GANNET_SLURM_CALL_DONE;
    const int size = n - at < CHUNK ? n - at : CHUNK;
    memcpy(arguments + 1, jobs + at, (size_t)size * sizeof *jobs);
    arguments[size + 1] = NULL;
    GANNET_TRY(cancel_with(client, arguments, &one));
    if (one <= *how) continue;
    *how = one;
    (void)snprintf(said, sizeof said, "%s", client->said);
  }
  if (*how != GANNET_SLURM_CALL_DONE) (void)snprintf(client->said, sizeof client->said, "%s", said);
  return GANNET_OK;
}

/* Whether a list has the job itself, or an element of it. */
static bool is_listed(const gannet_slurm_list *list, const gannet_slurm_job_key *job) {
  const size_t size = strlen(job->job);
  for (int i = 0; i < list->n; ++i) {
    const char *id = list->row[i].job;
    if (strncmp(id, job->job, size) == 0 && (id[size] == '\0' || id[size] == '_') &&
        strcmp(list->row[i].name, job->name) == 0)
      return true;
  }
  return false;
}

static gannet_err cancel_listed(gannet_slurm_client *client, const gannet_slurm_list *list, int n,
                                const gannet_slurm_job_key *jobs, gannet_slurm_call *how) {
  const char **id = NULL;
  int there = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *id, &id));
  for (int i = 0; i < n; ++i)
    if (is_listed(list, &jobs[i])) id[there++] = jobs[i].job;
  /* A list that found no room lacks jobs that run on. */
  const gannet_err err = there < n && gannet_slurm_client_lacks_room(client)
                             ? cancel_one_by_one(client, n, jobs, how)
                             : cancel_chunks(client, there, id, how);
  gannet_free(&id);
  return err;
}

gannet_err gannet_slurm_client_cancel(gannet_slurm_client *client, int n,
                                      const gannet_slurm_job_key *jobs, gannet_slurm_call *how) {
  gannet_slurm_list list = {0};
  *how = GANNET_SLURM_CALL_DONE;
  if (n == 0) return GANNET_OK;
  if (n == 1) return cancel_by_name(client, jobs, how);
  gannet_err err = gannet_slurm_client_list(client, &list, how);
  if (err == GANNET_OK)
    err = *how == GANNET_SLURM_CALL_DONE ? cancel_listed(client, &list, n, jobs, how)
                                         : cancel_one_by_one(client, n, jobs, how);
  gannet_slurm_list_release(&list);
  return err;
}
