#include "base/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static int smaller(int a, int b) {
  return a < b ? a : b;
}

/* Damerau-Levenshtein distance (optimal string alignment), case-insensitive. */
int gannet_name_distance(const char *a, const char *b) {
  int row[3][LONGEST + 1];
  const int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST);
  for (int j = 0; j <= m; ++j) row[0][j] = j;
  for (int i = 1; i <= n; ++i) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; ++j) {
      const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      now[j] = smaller(before[j - 1] + (ca != cb), smaller(before[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
          cb == tolower((unsigned char)a[i - 2]))
        now[j] = smaller(now[j], earlier[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

static int starts_with(const char *word, const char *start) {
  return strlen(start) >= 3 && strncmp(word, start, strlen(start)) == 0;
}

const char *gannet_nearest(const char *word, const char *const *known) {
  const char *best = NULL;
  const int length = (int)strnlen(word, LONGEST);
  int least = smaller(length / 3 + 2, length); /* at that distance nothing is alike */
  for (; *known; ++known) {
    const int away = starts_with(*known, word) || starts_with(word, *known)
                         ? 1
                         : gannet_name_distance(word, *known);
    if (away < least) {
      least = away;
      best = *known;
    }
  }
  return best;
}

void gannet_list_nearest(const char *word, const char *const *known, char *list, size_t size) {
  enum { LISTED = 3 };
  int away[LISTED], n = 0;
  const char *near[LISTED];
  for (; *known; ++known) {
    const int distance = gannet_name_distance(word, *known);
    int at = n;
    while (at > 0 && distance < away[at - 1]) --at;
    if (at == LISTED) continue;
    if (n < LISTED) ++n;
    for (int i = n - 1; i > at; --i) {
      away[i] = away[i - 1];
      near[i] = near[i - 1];
    }
    away[at] = distance;
    near[at] = *known;
  }
  size_t used = 0;
  list[0] = '\0';
  for (int i = 0; i < n; ++i) {
    const int more = snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", near[i]);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

gannet_err gannet_name_find(const char *family, const char *name, const void *const *entries,
                            int *index) {
  enum { MOST = 256 };
  const char *known[MOST + 1] = {NULL};
  char list[800] = "";
  size_t used = 0;
  int n = 0;
  for (; n < MOST && entries[n]; ++n) {
    memcpy(&known[n], entries[n], sizeof known[n]);
    if (strcmp(known[n], name) == 0) {
      *index = n;
      return GANNET_OK;
    }
    const int more = snprintf(list + used, sizeof list - used, " %s", known[n]);
    if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
  }
  const char *near = gannet_nearest(name, known);
  if (near)
    return GANNET_RAISE(GANNET_ERR_NAME, "unknown %s '%s'; did you mean '%s'? known:%s", family,
                        name, near, list);
  return GANNET_RAISE(GANNET_ERR_NAME, "unknown %s '%s'; known:%s", family, name, list);
}
