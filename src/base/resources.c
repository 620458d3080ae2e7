#define _GNU_SOURCE /* sched_getaffinity and its sets */
#include "base/resources.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Control groups. */

/* The folder of a control group, with room for the name of a file in it. */
typedef struct {
  char path[PATH_MAX];
  size_t length;
} group_folder;

static FILE *open_group_file(group_folder *p, const char *name) {
  const int n = snprintf(p->path + p->length, sizeof p->path - p->length, "/%s", name);
  const bool fits = n > 0 && (size_t)n < sizeof p->path - p->length;
  FILE *file = fits ? fopen(p->path, "re") : NULL;
  p->path[p->length] = '\0';
  return file;
}

/* Read the first numbers of a file. Returns how many there are; "max" is none. */
static int read_numbers(group_folder *p, const char *name, double *first, double *second) {
  FILE *file = open_group_file(p, name);
  if (!file) return 0;
  const int n = fscanf(file, "%lf %lf", first, second);
  (void)fclose(file);
  return n;
}

static double read_number_or(group_folder *p, const char *name, double otherwise) {
  double value = otherwise, rest = 0;
  return read_numbers(p, name, &value, &rest) > 0 ? value : otherwise;
}

/* Read the number after a key of memory.stat; 0 = not there. */
static double read_statistic(group_folder *p, const char *key) {
  char line[256], name[64];
  double value = 0, found = 0;
  FILE *file = open_group_file(p, "memory.stat");
  if (!file) return 0;
  while (found == 0 && fgets(line, sizeof line, file))
    if (sscanf(line, "%63s %lf", name, &value) == 2 && strcmp(name, key) == 0) found = value;
  (void)fclose(file);
  return found;
}

/* Lower the memory of a group to what one of its folders allows; all in bytes. Cached files that
 * nobody has read lately (unread) count as free. */
static void add_memory(double limit, double used, double unread, gannet_group *group) {
  if (!isfinite(limit) || limit < 0) return;
  group->bytes = fmin(group->bytes, limit);
  group->bytes_left = fmin(group->bytes_left, fmax(0, limit - fmax(0, used - unread)));
}

static void add_processors(double quota, double period, gannet_group *group) {
  if (quota > 0 && period > 0) group->processors = fmin(group->processors, quota / period);
}

static void read_memory_1(group_folder *p, gannet_group *group) {
  add_memory(read_number_or(p, "memory.limit_in_bytes", INFINITY),
             read_number_or(p, "memory.usage_in_bytes", 0),
             read_statistic(p, "total_inactive_file"), group);
}

static void read_processors_1(group_folder *p, gannet_group *group) {
  add_processors(read_number_or(p, "cpu.cfs_quota_us", -1),
                 read_number_or(p, "cpu.cfs_period_us", 0), group);
}

static void read_both_2(group_folder *p, gannet_group *group) {
  double quota = 0, period = 0;
  add_memory(read_number_or(p, "memory.max", INFINITY), read_number_or(p, "memory.current", 0),
             read_statistic(p, "inactive_file"), group);
  if (read_numbers(p, "cpu.max", &quota, &period) == 2) add_processors(quota, period, group);
}

/* Read the group of this process and all groups around it. In a container the names may be those
 * outside, of which only the uppermost group is seen inside. */
static void read_groups(const char *root, const char *tree, const char *own,
                        void (*read)(group_folder *, gannet_group *), gannet_group *group) {
  group_folder p;
  const int top = snprintf(p.path, sizeof p.path, "%s/sys/fs/cgroup%s", root, tree);
  if (top < 0 || (size_t)top >= sizeof p.path) return;
  const int n = snprintf(p.path + top, sizeof p.path - (size_t)top, "%s", own);
  if (n < 0 || (size_t)n >= sizeof p.path - (size_t)top) return;
  p.length = (size_t)(top + n);
  for (;;) {
    while (p.length > (size_t)top && p.path[p.length - 1] == '/') --p.length;
    p.path[p.length] = '\0';
    read(&p, group);
    if (p.length == (size_t)top) return;
    while (p.path[p.length - 1] != '/') --p.length;
  }
}

/* Whether a list "a,b,c" has a word. */
static bool list_has(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) return true;
  return false;
}

/* A line is "4:memory:/job/step" for version 1 of control groups, "0::/job/step" for version 2,
 * which is mounted beside version 1 or alone. */
static void read_cgroup_line(const char *root, char *line, gannet_group *group) {
  line[strcspn(line, "\n")] = '\0';
  char *controllers = strchr(line, ':'), *own = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!own) return;
  *own++ = '\0';
  ++controllers;
  if (list_has(controllers, "memory")) read_groups(root, "/memory", own, read_memory_1, group);
  if (list_has(controllers, "cpu")) read_groups(root, "/cpu", own, read_processors_1, group);
  if (*controllers) return;
  read_groups(root, "", own, read_both_2, group);
  read_groups(root, "/unified", own, read_both_2, group);
}

void gannet_group_read(const char *root, gannet_group *group) {
  char line[PATH_MAX];
  *group = (gannet_group){INFINITY, INFINITY, INFINITY};
  const int n = snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
  FILE *file = n > 0 && (size_t)n < sizeof line ? fopen(line, "re") : NULL;
  if (!file) return;
  while (fgets(line, sizeof line, file)) read_cgroup_line(root, line, group);
  (void)fclose(file);
}

/* Memory. */

static double read_meminfo(const char *key) {
  char line[256];
  double kilobytes = 0;
  FILE *file = fopen("/proc/meminfo", "re");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) {
      if (sscanf(line + strlen(key), "%lf", &kilobytes) != 1) kilobytes = 0;
      break;
    }
  (void)fclose(file);
  return 1024 * kilobytes;
}

void gannet_memory_of_machine(double *available, double *total) {
  gannet_group group;
  gannet_group_read("", &group);
  *total = read_meminfo("MemTotal:");
  *available = read_meminfo("MemAvailable:");
  if (*total <= 0) return;
  *total = fmin(*total, group.bytes);
  *available = fmin(*available, fmax(1, group.bytes_left));
}

double gannet_memory_left(void) {
  const double available = read_meminfo("MemAvailable:");
  gannet_group group;
  gannet_group_read("", &group);
  return fmin(available > 0 ? available + read_meminfo("SwapFree:") : INFINITY, group.bytes_left);
}

/* Processors. */

/* For every processor: ranks that may use it, and ranks that may use no other. */
typedef struct {
  int users[GANNET_PROCESSORS_MOST], bound[GANNET_PROCESSORS_MOST];
} processor_census;

gannet_err gannet_processors_find(MPI_Comm comm, gannet_processors *found) {
  processor_census all = {.users = {0}};
  cpu_set_t mine;
  *found = (gannet_processors){0};
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
    found->own = CPU_COUNT(&mine);
    for (int p = 0; p < GANNET_PROCESSORS_MOST && p < CPU_SETSIZE; ++p) {
      all.users[p] = CPU_ISSET(p, &mine);
      all.bound[p] = found->own == 1 && all.users[p];
    }
  }
  GANNET_TRY_MPI(MPI_Comm_size(comm, &found->ranks));
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, &all, 2 * GANNET_PROCESSORS_MOST, MPI_INT, MPI_SUM, comm));
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    found->any[p] = all.users[p] > 0;
    found->together += found->any[p];
    if (all.bound[p] > found->on_one) found->on_one = all.bound[p];
  }
  return GANNET_OK;
}

bool gannet_processors_are_shared(const gannet_processors *found) {
  return found->together < found->ranks || found->on_one > 1;
}
