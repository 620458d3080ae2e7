#include "base/group.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The folder of a group; room for the name of a file in it. */
typedef struct {
  char path[PATH_MAX];
  size_t length;
} place;

static FILE *open_file(place *p, const char *name) {
  const int n = snprintf(p->path + p->length, sizeof p->path - p->length, "/%s", name);
  const bool fits = n > 0 && (size_t)n < sizeof p->path - p->length;
  FILE *file = fits ? fopen(p->path, "re") : NULL;
  p->path[p->length] = '\0';
  return file;
}

/* The first numbers of a file; how many there are. "max" is none. */
static int read_numbers(place *p, const char *name, double *first, double *second) {
  FILE *file = open_file(p, name);
  if (!file) return 0;
  const int n = fscanf(file, "%lf %lf", first, second);
  (void)fclose(file);
  return n;
}

static double read_number(place *p, const char *name, double otherwise) {
  double value = otherwise, rest = 0;
  return read_numbers(p, name, &value, &rest) > 0 ? value : otherwise;
}

/* The number after a key of memory.stat; 0 = not there. */
static double read_statistic(place *p, const char *key) {
  char line[256], name[64];
  double value = 0, found = 0;
  FILE *file = open_file(p, "memory.stat");
  if (!file) return 0;
  while (found == 0 && fgets(line, sizeof line, file))
    if (sscanf(line, "%63s %lf", name, &value) == 2 && strcmp(name, key) == 0) found = value;
  (void)fclose(file);
  return found;
}

/* Files that nobody has read lately make way for what is needed. */
static void add_memory(double limit, double used, double unread, gannet_group *group) {
  if (!isfinite(limit) || limit < 0) return;
  group->bytes = fmin(group->bytes, limit);
  group->bytes_left = fmin(group->bytes_left, fmax(0, limit - fmax(0, used - unread)));
}

static void add_processors(double quota, double period, gannet_group *group) {
  if (quota > 0 && period > 0) group->processors = fmin(group->processors, quota / period);
}

static void read_memory_1(place *p, gannet_group *group) {
  add_memory(read_number(p, "memory.limit_in_bytes", INFINITY),
             read_number(p, "memory.usage_in_bytes", 0), read_statistic(p, "total_inactive_file"),
             group);
}

static void read_processors_1(place *p, gannet_group *group) {
  add_processors(read_number(p, "cpu.cfs_quota_us", -1), read_number(p, "cpu.cfs_period_us", 0),
                 group);
}

static void read_both_2(place *p, gannet_group *group) {
  double quota = 0, period = 0;
  add_memory(read_number(p, "memory.max", INFINITY), read_number(p, "memory.current", 0),
             read_statistic(p, "inactive_file"), group);
  if (read_numbers(p, "cpu.max", &quota, &period) == 2) add_processors(quota, period, group);
}

/* From the process's own group upwards. In a container the names may be those outside, of which
 * only the uppermost group is seen inside. */
static void walk(const char *root, const char *tree, const char *own,
                 void (*read)(place *, gannet_group *), gannet_group *group) {
  place p;
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
static bool has(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) return true;
  return false;
}

/* "4:memory:/job/step" of version 1, "0::/job/step" of version 2, which is mounted beside the
 * others or alone. */
static void read_line(const char *root, char *line, gannet_group *group) {
  line[strcspn(line, "\n")] = '\0';
  char *controllers = strchr(line, ':'), *own = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!own) return;
  *own++ = '\0';
  ++controllers;
  if (has(controllers, "memory")) walk(root, "/memory", own, read_memory_1, group);
  if (has(controllers, "cpu")) walk(root, "/cpu", own, read_processors_1, group);
  if (*controllers) return;
  walk(root, "", own, read_both_2, group);
  walk(root, "/unified", own, read_both_2, group);
}

void gannet_group_read(const char *root, gannet_group *group) {
  char line[PATH_MAX];
  *group = (gannet_group){INFINITY, INFINITY, INFINITY};
  const int n = snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
  FILE *file = n > 0 && (size_t)n < sizeof line ? fopen(line, "re") : NULL;
  if (!file) return;
  while (fgets(line, sizeof line, file)) read_line(root, line, group);
  (void)fclose(file);
}
