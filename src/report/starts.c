/* What the campaign ran on, by the lines that every start leaves in its log. */
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "report/parts.h"

enum { STARTS = 200, LONGEST_LOG = 1 << 30 };

/* "TIME info machine: {...}"; NULL when it is another line. */
static json_t *start_of(const char *line, size_t length) {
  static const char mark[] = " machine: ";
  const size_t skip = sizeof mark - 1;
  for (size_t at = 0; at + skip < length && at < 64; ++at) {
    if (memcmp(line + at, mark, skip) != 0) continue;
    json_t *machine = json_loadb(line + at + skip, length - at - skip, 0, NULL);
    const char *blank = memchr(line, ' ', length);
    if (json_is_object(machine))
      (void)json_object_set_new(machine, "time", json_stringn(line, (size_t)(blank - line)));
    return machine;
  }
  return NULL;
}

json_t *report_starts(const gannet_campaign *campaign) {
  json_t *list = json_array();
  char path[PATH_MAX], *log = NULL;
  size_t size = 0;
  if (gannet_campaign_path(campaign, "campaign.log", path) != GANNET_OK ||
      gannet_file_read_within(path, LONGEST_LOG, GANNET_ERR_DAMAGED, &log, &size) != GANNET_OK) {
    gannet_error_clear(); /* a log may be thrown away */
    return list;
  }
  for (const char *line = log, *end = log + size; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    json_t *start = start_of(line, (size_t)(stop - line));
    if (start) (void)json_array_append_new(list, start);
    if (json_array_size(list) > STARTS) (void)json_array_remove(list, 0);
    line = stop + 1;
  }
  gannet_free(&log);
  return list;
}
