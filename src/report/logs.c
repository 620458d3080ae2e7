/* The folders of evaluations, and how the logs in them end. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "report/parts.h"

enum { ROOM = 1500, LINES = 12, LOGS = 80 };

/* The last lines of a log, NULL where there is none or it is empty. */
static json_t *read_end(const char *directory, const char *name) {
  char path[PATH_MAX], text[ROOM];
  size_t size = 0, start;
  if (gannet_join_path(directory, name, path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof text, text, &size) != GANNET_OK) {
    gannet_error_clear(); /* it was tidied away, or there never was one */
    return NULL;
  }
  for (size_t i = 0; i < size; ++i)
    if (text[i] == '\0') text[i] = ' ';
  gannet_utf8_lines(text);
  size = strlen(text);
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ')) --size;
  start = size;
  for (int lines = 0; start > 0; --start)
    if (text[start - 1] == '\n' && ++lines == LINES) break;
  if (start == 0 && size + 8 > sizeof text) /* it begins within a line */
    while (start < size && text[start] != '\n' && text[start] != ' ') ++start;
  return size > start ? json_stringn(text + start, size - start) : NULL;
}

static void put_logs(const gannet_campaign *c, int64_t id, json_t *logs) {
  char name[48], key[24], directory[PATH_MAX];
  static const char *const files[] = {"stderr.log", "stdout.log"};
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)id);
  (void)snprintf(key, sizeof key, "%lld", (long long)id);
  if (json_object_size(logs) >= LOGS || json_object_get(logs, key) ||
      gannet_campaign_path(c, name, directory) != GANNET_OK)
    return;
  json_t *made = json_object();
  for (int k = 0; k < 2; ++k) {
    json_t *text = read_end(directory, files[k]);
    if (text) (void)json_object_set_new(made, files[k], text);
  }
  if (json_object_size(made) > 0)
    (void)json_object_set_new(logs, key, made);
  else
    json_decref(made);
}

json_t *report_logs(const gannet_campaign *campaign, const json_t *best, const json_t *failures) {
  char directory[PATH_MAX], whole[PATH_MAX];
  struct stat about;
  const char *reason;
  json_t *group;
  if (gannet_campaign_path(campaign, "evals", directory) != GANNET_OK ||
      stat(directory, &about) != 0 || !realpath(campaign->directory, whole))
    return json_null();
  json_t *logs = json_object();
  for (size_t i = 0; i < json_array_size(best) && i < LOGS / 4; ++i)
    put_logs(campaign, json_integer_value(json_object_get(json_array_get(best, i), "id")), logs);
  for (size_t i = 0; i < 10; ++i) /* the first of every reason, then the second ones */
    json_object_foreach((json_t *)failures, reason, group) {
      const json_t *ids = json_object_get(group, "ids");
      if (i < json_array_size(ids))
        put_logs(campaign, json_integer_value(json_array_get(ids, i)), logs);
    }
  gannet_utf8_show(whole);
  return json_pack("{s:s, s:o}", "directory", whole, "ends", logs);
}
