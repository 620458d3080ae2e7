#include "evaluate/slurm/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/slurm/states.h"

void gannet_slurm_list_release(gannet_slurm_list *list) {
  gannet_free(&list->text);
  gannet_free(&list->row);
  list->n = list->capacity = 0;
}

static gannet_err add(gannet_slurm_list *list, const gannet_slurm_row *row) {
  if (list->n == list->capacity) {
    const int larger = 2 * list->capacity + 16;
    GANNET_TRY(
        gannet_resize((size_t)list->capacity, (size_t)larger, sizeof *list->row, &list->row));
    list->capacity = larger;
  }
  list->row[list->n++] = *row;
  return GANNET_OK;
}

/* The next part of a text up to a separator; *at moves behind it, NULL when that was the last. */
static char *next_part(char **at, char separator) {
  char *part = *at, *end = part ? strchr(part, separator) : NULL;
  if (end) *end++ = '\0';
  *at = end;
  return part;
}

static void copy(char *to, size_t size, const char *from, size_t length) {
  (void)snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

int gannet_slurm_parse_job(const char *text, char *job) {
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    const size_t size = strspn(line, "0123456789");
    if (size == 0 || size >= GANNET_SLURM_ID) continue;
    if (!strchr(";\n", line[size])) continue; /* also finds the final zero byte */
    copy(job, GANNET_SLURM_ID, line, size);
    return 0;
  }
  return -1;
}

/* The parts of a job that asks for several kinds of nodes are told as 12+0, 12+1: one job to
 * sbatch, scancel and gannet. */
static void copy_job(gannet_slurm_row *row, const char *job) {
  copy(row->job, sizeof row->job, job, strcspn(job, "+"));
}

/* -1 when the line is not of the form. */
static int read_squeue(char *line, gannet_slurm_row *row) {
  char *at = line;
  const char *job = next_part(&at, '|'), *state = next_part(&at, '|'), *nodes = next_part(&at, '|'),
             *name = next_part(&at, '|');
  *row = (gannet_slurm_row){.exit_code = -1, .signal = -1};
  if (!at || !isdigit((unsigned char)job[0])) return -1;
  char *why = strrchr(at, '|'); /* the last one: a directory may have some in its name */
  if (why) {
    *why++ = '\0';
    copy(row->why, sizeof row->why, why, strlen(why));
  }
  copy_job(row, job);
  copy(row->state, sizeof row->state, state, strlen(state));
  copy(row->nodes, sizeof row->nodes, nodes, strlen(nodes));
  copy(row->name, sizeof row->name, name, strlen(name));
  row->directory = at;
  return 0;
}

/* By job and name, of the same job the one that has not ended first. */
static int compare(const void *a, const void *b) {
  const gannet_slurm_row *one = a, *other = b;
  int order = strcmp(one->job, other->job);
  if (order == 0) order = strcmp(one->name, other->name);
  if (order) return order;
  return gannet_slurm_has_ended(gannet_slurm_state_find(one->state)) -
         gannet_slurm_has_ended(gannet_slurm_state_find(other->state));
}

static int compare_job(const void *key, const void *row) {
  return strcmp(((const gannet_slurm_job_key *)key)->job, ((const gannet_slurm_row *)row)->job);
}

static int compare_named(const void *key, const void *row) {
  const int order = compare_job(key, row);
  if (order) return order;
  return strcmp(((const gannet_slurm_job_key *)key)->name, ((const gannet_slurm_row *)row)->name);
}

const gannet_slurm_row *gannet_slurm_list_find(const gannet_slurm_list *list,
                                               const gannet_slurm_job_key *job) {
  const gannet_slurm_job_key nameless = {job->job, ""};
  if (list->n == 0) return NULL;
  const gannet_slurm_row *row =
      bsearch(job, list->row, (size_t)list->n, sizeof *list->row, compare_named);
  if (row) return row;
  return bsearch(&nameless, list->row, (size_t)list->n, sizeof *list->row, compare_named);
}

const gannet_slurm_row *gannet_slurm_list_find_other(const gannet_slurm_list *list,
                                                     const gannet_slurm_job_key *job) {
  if (list->n == 0) return NULL;
  const gannet_slurm_row *row =
      bsearch(job, list->row, (size_t)list->n, sizeof *list->row, compare_job);
  return row && row->name[0] && strcmp(row->name, job->name) != 0 ? row : NULL;
}

/* Sorted, and every job once. */
static void put_in_order(gannet_slurm_list *list) {
  int n = 0;
  if (list->n == 0) return;
  qsort(list->row, (size_t)list->n, sizeof *list->row, compare);
  for (int i = 0; i < list->n; ++i)
    if (n == 0 || strcmp(list->row[n - 1].job, list->row[i].job) != 0 ||
        strcmp(list->row[n - 1].name, list->row[i].name) != 0)
      list->row[n++] = list->row[i];
  list->n = n;
}

gannet_err gannet_slurm_parse_squeue(gannet_slurm_list *list) {
  gannet_slurm_row row;
  for (char *at = list->text; at && *at;)
    if (!read_squeue(next_part(&at, '\n'), &row)) GANNET_TRY(add(list, &row));
  put_in_order(list);
  return GANNET_OK;
}

/* "1:0" is exit code and signal. */
static void read_exit(const char *text, gannet_slurm_row *row) {
  if (sscanf(text, "%d:%d", &row->exit_code, &row->signal) == 2) return;
  row->exit_code = row->signal = -1;
}

gannet_err gannet_slurm_parse_sacct(char *text, gannet_slurm_list *list) {
  for (char *at = text; at && *at;) {
    gannet_slurm_row row = {.exit_code = -1, .signal = -1};
    char *rest = next_part(&at, '\n');
    const char *job = next_part(&rest, '|'), *state = next_part(&rest, '|'),
               *ended = next_part(&rest, '|'), *nodes = next_part(&rest, '|');
    if (!ended || !isdigit((unsigned char)job[0])) continue;
    copy_job(&row, job);
    copy(row.state, sizeof row.state, state, strlen(state));
    copy(row.nodes, sizeof row.nodes, nodes ? nodes : "", nodes ? strlen(nodes) : 0);
    copy(row.name, sizeof row.name, rest ? rest : "", rest ? strlen(rest) : 0);
    read_exit(ended, &row);
    GANNET_TRY(add(list, &row));
  }
  put_in_order(list);
  return GANNET_OK;
}

/* The size of the value of "Key=value ", 0 when there is none. These keys come before anything that
 * a user can write but the name of the job: what that of another's says is not looked at. */
static size_t value_of(const char *text, const char *key, const char **value) {
  const char *found = strstr(text, key);
  if (!found) return 0;
  *value = found + strlen(key);
  return strcspn(*value, " \n");
}

gannet_err gannet_slurm_parse_scontrol(const char *text, const char *job, gannet_slurm_list *list) {
  gannet_slurm_row row = {.exit_code = -1, .signal = -1};
  const char *value = NULL;
  size_t size = value_of(text, "JobId=", &value);
  if (size == 0) return GANNET_OK;
  copy(row.job, sizeof row.job, job, strlen(job));
  size = value_of(text, " JobName=", &value);
  if (size > 0) copy(row.name, sizeof row.name, value, size);
  size = value_of(text, " JobState=", &value);
  if (size == 0) return GANNET_OK;
  copy(row.state, sizeof row.state, value, size);
  size = value_of(text, " NodeList=", &value);
  if (size > 0) copy(row.nodes, sizeof row.nodes, value, size);
  size = value_of(text, " ExitCode=", &value);
  if (size > 0) read_exit(value, &row);
  GANNET_TRY(add(list, &row));
  put_in_order(list);
  return GANNET_OK;
}
