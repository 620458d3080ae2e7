/* Lists in the variables that SLURM sets for a job, and what scontrol says about its nodes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/places/inventory.h"

enum { MOST_HOSTS = 65536 };

#define NO_HOSTS "'%.80s' is not a list of nodes; expected one such as n[01-03,7],login"
#define NO_COUNTS "'%.80s' is not a list of numbers; expected one such as 4(x2),2"

/* Add the names that a word stands for: that with its first bracket replaced by each of the
 * numbers in it, until no bracket is left. */
static gannet_err add_hosts(const char *word, gannet_text_list *hosts) {
  const char *open = strchr(word, '['), *close = open ? strchr(open, ']') : NULL;
  const size_t size = strlen(word) + 24; /* of a name: brackets become a number */
  char *name = NULL;
  GANNET_REQUIRE(!open == !close && hosts->n < MOST_HOSTS, GANNET_ERR_INPUT, NO_HOSTS, word);
  if (!open) return gannet_text_list_add(hosts, word);
  GANNET_TRY(gannet_alloc(size, 1, &name));
  gannet_err err = GANNET_OK;
  for (const char *at = open + 1; at < close && err == GANNET_OK; at += *at == ',') {
    char *end = NULL;
    const long first = strtol(at, &end, 10);
    const int digits = (int)(end - at); /* n[01-03] is n01, n02, n03 */
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    if (!isdigit((unsigned char)*at) || last < first || last - first >= MOST_HOSTS ||
        (*end != ',' && *end != ']'))
      err = GANNET_RAISE(GANNET_ERR_INPUT, NO_HOSTS, word);
    for (long i = first; i <= last && err == GANNET_OK; ++i) {
      (void)snprintf(name, size, "%.*s%0*ld%s", (int)(open - word), word, digits, i, close + 1);
      err = add_hosts(name, hosts);
    }
    at = end;
  }
  gannet_free(&name);
  return err;
}

gannet_err gannet_hosts_expand(const char *list, gannet_text_list *hosts) {
  char *word = NULL; /* of an allocation in many pieces one word names hundreds of nodes */
  int depth = 0;
  size_t n = 0;
  GANNET_TRY(gannet_alloc(strlen(list) + 1, 1, &word));
  gannet_err err = GANNET_OK;
  for (const char *at = list; err == GANNET_OK; ++at) {
    depth += (*at == '[') - (*at == ']');
    if (*at && !(*at == ',' && depth == 0)) {
      word[n++] = *at;
      continue;
    }
    word[n] = '\0';
    if (depth != 0) err = GANNET_RAISE(GANNET_ERR_INPUT, NO_HOSTS, list);
    if (n > 0 && err == GANNET_OK) err = add_hosts(word, hosts);
    n = 0;
    if (!*at) break;
  }
  gannet_free(&word);
  return err;
}

gannet_err gannet_counts_expand(const char *list, int n, int *number) {
  int filled = 0;
  for (const char *at = list; *at;) {
    char *end = NULL;
    const long count = strtol(at, &end, 10);
    long times = 1;
    GANNET_REQUIRE(end > at && count >= 0 && count < 1000000, GANNET_ERR_INPUT, NO_COUNTS, list);
    if (strncmp(end, "(x", 2) == 0) {
      times = strtol(end + 2, &end, 10);
      GANNET_REQUIRE(*end++ == ')', GANNET_ERR_INPUT, NO_COUNTS, list);
    }
    GANNET_REQUIRE(*end == ',' || !*end, GANNET_ERR_INPUT, NO_COUNTS, list);
    for (long i = 0; i < times && filled < n; ++i) number[filled++] = (int)count;
    at = end + (*end == ',');
  }
  GANNET_REQUIRE(filled > 0, GANNET_ERR_INPUT, NO_COUNTS, list);
  for (; filled < n; ++filled) number[filled] = number[filled - 1];
  return GANNET_OK;
}

/* The value of a field in a line of scontrol, such as " NodeList=n[1-2] "; "" = none. */
static void read_field(const char *line, const char *field, char *value, size_t size) {
  const char *end = strchr(line, '\n'), *at = strstr(line, field);
  value[0] = '\0';
  if (!at || (end && at >= end)) return;
  at += strlen(field);
  (void)snprintf(value, size, "%.*s", (int)strcspn(at, " \n"), at);
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

gannet_err gannet_inventory_read_scontrol(const char *job, const char *nodes,
                                          gannet_inventory *inventory, bool *is_known) {
  static const char *const unavailable[] = {"*",      "DOWN",    "DRAIN", "FAIL", "NOT_RESPONDING",
                                            "REBOOT", "UNKNOWN", "ERROR", "INVAL"};
  char list[8192], name[GANNET_HOST_SIZE + 16], state[sizeof inventory->node->state];
  gannet_text_list hosts = {0};
  gannet_err err = GANNET_OK;
  for (; err == GANNET_OK && *job; job = next_line(job)) { /* a line per component of the job */
    read_field(job, " NodeList=", list, sizeof list);
    if (strlen(list) == sizeof list - 1) list[0] = '\0'; /* cut off */
    err = gannet_hosts_expand(strcmp(list, "(null)") == 0 ? "" : list, &hosts);
  }
  *is_known = err == GANNET_OK && hosts.n > 0;
  for (int pass = 0; pass < 2; ++pass) /* look whether all are there, then change them */
    for (int i = 0; i < inventory->n_nodes && *is_known; ++i) {
      gannet_node *node = &inventory->node[i];
      const char *line = nodes;
      bool is_of_job = false;
      (void)snprintf(name, sizeof name, "NodeName=%s ", node->host);
      while (*line && strncmp(line, name, strlen(name)) != 0) line = next_line(line);
      read_field(line, " State=", state, sizeof state);
      *is_known = state[0] != '\0';
      for (int h = 0; h < hosts.n; ++h)
        is_of_job = is_of_job || strcmp(hosts.item[h], node->host) == 0;
      if (pass == 0 || !*is_known) continue;
      node->availability = is_of_job ? GANNET_NODE_AVAILABLE : GANNET_NODE_REMOVED;
      for (size_t k = 0; k < sizeof unavailable / sizeof *unavailable; ++k)
        if (is_of_job && strstr(state, unavailable[k]))
          node->availability = GANNET_NODE_UNAVAILABLE;
      memcpy(node->state, state, sizeof state);
    }
  gannet_text_list_release(&hosts);
  if (err == GANNET_ERR_INPUT) gannet_error_clear();
  return err == GANNET_ERR_INPUT ? GANNET_OK : err;
}
