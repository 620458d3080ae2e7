#include "campaign/config/change_list.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

enum { MOST_TOLD = 6, END_SIZE = sizeof ", and 2147483647 more" };

gannet_err gannet_change_list_add(gannet_change_list *list, const char *key, const char *before,
                                  const char *now) {
  if (list->n == list->capacity) {
    const int larger = 2 * list->capacity + 4;
    GANNET_TRY(
        gannet_resize((size_t)list->capacity, (size_t)larger, sizeof *list->item, &list->item));
    list->capacity = larger;
  }
  gannet_change_item *item = &list->item[list->n++];
  *item = (gannet_change_item){NULL, NULL, NULL};
  GANNET_TRY(gannet_copy_text(key, &item->key));
  if (before) GANNET_TRY(gannet_copy_text(before, &item->before));
  if (now) GANNET_TRY(gannet_copy_text(now, &item->now));
  /* Long texts may have been cut within a character. */
  gannet_utf8_mend(item->key);
  if (now) gannet_utf8_mend(item->now);
  if (before) gannet_utf8_mend(item->before);
  return GANNET_OK;
}

void gannet_change_collect(gannet_change_collector *changes, const char *key, const char *before,
                           const char *now) {
  if (changes->err == GANNET_OK)
    changes->err = gannet_change_list_add(changes->list, key, before, now);
}

void gannet_change_list_release(gannet_change_list *list) {
  for (int i = 0; i < list->n; ++i) {
    gannet_free(&list->item[i].key);
    gannet_free(&list->item[i].before);
    gannet_free(&list->item[i].now);
  }
  gannet_free(&list->item);
  *list = (gannet_change_list){0};
}

bool gannet_change_list_has(const gannet_change_list *list, const gannet_change_item *item) {
  const char *const wanted[] = {item->key, item->before, item->now};
  for (int i = 0; i < list->n; ++i) {
    const char *const has[] = {list->item[i].key, list->item[i].before, list->item[i].now};
    int same = 0;
    while (same < 3 && (has[same] && wanted[same] ? strcmp(has[same], wanted[same]) == 0
                                                  : has[same] == wanted[same]))
      ++same;
    if (same == 3) return true;
  }
  return false;
}

size_t gannet_change_format(const gannet_change_item *item, char *text, size_t size) {
  int length = snprintf(text, size, "%s: %s -> %s", item->key,
                        item->before ? item->before : "(none)", item->now ? item->now : "(none)");
  if (length < 0 || (size_t)length >= size) length = snprintf(text, size, "%s", item->key);
  if (length > 0 && (size_t)length < size) return (size_t)length;
  text[0] = '\0';
  return 0;
}

void gannet_change_list_format(const gannet_change_list *list, char *text) {
  size_t used = 0;
  int n_told = 0;
  text[0] = '\0';
  for (int i = 0; i < list->n && i < MOST_TOLD; ++i) {
    const size_t comma = used ? 2 : 0, room = GANNET_CHANGES_TEXT - END_SIZE - used;
    if (room <= comma) break;
    const size_t length = gannet_change_format(&list->item[i], text + used + comma, room - comma);
    if (length == 0) {
      text[used] = '\0';
      continue;
    }
    if (comma) memcpy(text + used, ", ", comma);
    used += comma + length;
    n_told += 1;
  }
  if (list->n > n_told)
    (void)snprintf(text + used, GANNET_CHANGES_TEXT - used, "%s%d more", used ? ", and " : "",
                   list->n - n_told);
}
