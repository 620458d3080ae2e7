/* Where keys are in the file, for what back-ends find wrong after it was read. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"

enum { LONGEST = 512, MOST = 128 /* keys of a section */ };

static gannet_err add(gannet_text_list *list, const char *text) {
  const size_t n = (size_t)list->n;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *list->item, &list->item));
  GANNET_TRY(gannet_copy_text(text, &list->item[n]));
  list->n += 1;
  return GANNET_OK;
}

typedef void (*place_of)(const gannet_tree *node, char *text, size_t size);

static gannet_err note(gannet_campaign_input *input, const char *section, const gannet_tree *node,
                       place_of place) {
  char key[LONGEST], where[LONGEST];
  if (!node || node->kind == GANNET_TREE_TEXT) return GANNET_OK;
  for (int i = 0; i < node->n && i < MOST; ++i) {
    if (node->kind == GANNET_TREE_LIST)
      (void)snprintf(key, sizeof key, "%s%d", section, i + 1);
    else
      (void)snprintf(key, sizeof key, "%s%.200s", section, node->child[i].key);
    place(&node->child[i], where, sizeof where);
    GANNET_TRY(add(&input->place_key, key));
    GANNET_TRY(add(&input->place, where));
  }
  return GANNET_OK;
}

gannet_err gannet_input_places(const gannet_input_reader *reader) {
  GANNET_TRY(add(&reader->input->place_key, ""));
  GANNET_TRY(add(&reader->input->place, reader->file));
  const gannet_tree *constraints = gannet_tree_find(reader->root, "constraints");
  const gannet_tree *variables = gannet_tree_find(reader->root, "variables");
  const gannet_tree *evaluate = gannet_tree_find(reader->root, "evaluate");
  const gannet_tree *physics = gannet_tree_find(reader->root, "physics");
  GANNET_TRY(note(reader->input, "", reader->root, gannet_tree_where));
  GANNET_TRY(note(reader->input, "variables.", variables, gannet_tree_where_key));
  GANNET_TRY(note(reader->input, "constraints.", constraints, gannet_tree_where_key));
  GANNET_TRY(note(reader->input, "physics.equations.", gannet_tree_find(physics, "equations"),
                  gannet_tree_where));
  return note(reader->input, "evaluate.", evaluate, gannet_tree_where);
}

static void release(gannet_text_list *list) {
  for (int i = 0; i < list->n; ++i) gannet_free(&list->item[i]);
  gannet_free(&list->item);
  list->n = 0;
}

void gannet_input_places_release(gannet_campaign_input *input) {
  release(&input->place_key);
  release(&input->place);
}

const char *gannet_campaign_place(const gannet_campaign_input *input, const char *key) {
  char path[LONGEST];
  (void)snprintf(path, sizeof path, "%s", key);
  for (;;) {
    for (int i = 1; i < input->place_key.n; ++i)
      if (strcmp(input->place_key.item[i], path) == 0) return input->place.item[i];
    char *dot = strrchr(path, '.');
    if (!dot) return input->place.n > 0 ? input->place.item[0] : NULL;
    *dot = '\0';
  }
}

void gannet_campaign_complain(const gannet_campaign_input *input, const gannet_complaints *from,
                              gannet_complaints *complaints) {
  for (const char *line = from->text; line && *line;) {
    const int length = (int)strcspn(line, "\n");
    const int colon = (int)strcspn(line, ": \n");
    char key[LONGEST];
    (void)snprintf(key, sizeof key, "%.*s", colon < LONGEST ? colon : 0, line);
    gannet_complain(complaints, gannet_campaign_place(input, key), "%.*s", length, line);
    line += length + (line[length] == '\n');
  }
}
