/* Lists in the variables that SLURM sets for a job. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/contract/contract.h"
#include "evaluate/places/inventory.h"

enum { MOST_HOSTS = 65536 };

#define NO_HOSTS "'%.80s' is no list of nodes; expected one such as n[01-03,7],login"
#define NO_COUNTS "'%.80s' is no list of numbers; expected one such as 4(x2),2"

/* Add the names that a word stands for: that with its first bracket replaced by each of the
 * numbers in it, until no bracket is left. */
static gannet_err add_hosts(const char *word, gannet_text_list *hosts) {
  const char *open = strchr(word, '['), *close = open ? strchr(open, ']') : NULL;
  GANNET_REQUIRE(!open == !close && hosts->n < MOST_HOSTS, GANNET_ERR_INPUT, NO_HOSTS, word);
  if (!open) return gannet_text_list_add(hosts, word);
  for (const char *at = open + 1; at < close; at += *at == ',') {
    char *end = NULL, name[1024];
    GANNET_REQUIRE(isdigit((unsigned char)*at), GANNET_ERR_INPUT, NO_HOSTS, word);
    const long first = strtol(at, &end, 10);
    const int digits = (int)(end - at); /* n[01-03] is n01, n02, n03 */
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    GANNET_REQUIRE(last >= first && last - first < MOST_HOSTS && (*end == ',' || *end == ']'),
                   GANNET_ERR_INPUT, NO_HOSTS, word);
    for (long i = first; i <= last; ++i) {
      (void)snprintf(name, sizeof name, "%.*s%0*ld%s", (int)(open - word), word, digits, i,
                     close + 1);
      GANNET_TRY(add_hosts(name, hosts));
    }
    at = end;
  }
  return GANNET_OK;
}

gannet_err gannet_hosts_expand(const char *list, gannet_text_list *hosts) {
  char word[1024];
  int depth = 0;
  size_t n = 0;
  for (const char *at = list;; ++at) {
    depth += (*at == '[') - (*at == ']');
    if (*at && !(*at == ',' && depth == 0)) {
      GANNET_REQUIRE(n + 1 < sizeof word, GANNET_ERR_INPUT, NO_HOSTS, list);
      word[n++] = *at;
      continue;
    }
    word[n] = '\0';
    GANNET_REQUIRE(depth == 0, GANNET_ERR_INPUT, NO_HOSTS, list);
    if (n > 0) GANNET_TRY(add_hosts(word, hosts));
    n = 0;
    if (!*at) return GANNET_OK;
  }
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
