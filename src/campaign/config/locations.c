/* Where the keys of a campaign file stand, kept for complaints that come after the tree is gone. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"

static gannet_err add_location(gannet_campaign_input *input, const char *key, const char *text) {
  const size_t n = (size_t)input->n_locations;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->location, &input->location));
  input->n_locations += 1;
  GANNET_TRY(gannet_copy_text(key, &input->location[n].key));
  return gannet_copy_text(text, &input->location[n].text);
}

typedef void (*location_of)(const gannet_tree *node, char *text, size_t size);

/* The keys of a mapping, or the items of a list by their numbers from 1. */
static gannet_err add_locations(gannet_campaign_input *input, const char *prefix,
                                const gannet_tree *node, location_of locate) {
  enum { MOST_KEYS = 128 };
  char key[GANNET_LOCATION_SIZE], location[GANNET_LOCATION_SIZE];
  if (!node || node->kind == GANNET_TREE_TEXT) return GANNET_OK;
  for (int i = 0; i < node->n && i < MOST_KEYS; ++i) {
    if (node->kind == GANNET_TREE_LIST)
      (void)snprintf(key, sizeof key, "%s%d", prefix, i + 1);
    else
      (void)snprintf(key, sizeof key, "%s%.200s", prefix, node->child[i].key);
    locate(&node->child[i], location, sizeof location);
    GANNET_TRY(add_location(input, key, location));
  }
  return GANNET_OK;
}

gannet_err gannet_config_note_locations(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  const gannet_tree *constraints = gannet_tree_find(reader->root, "constraints");
  const gannet_tree *variables = gannet_tree_find(reader->root, "variables");
  const gannet_tree *evaluate = gannet_tree_find(reader->root, "evaluate");
  const gannet_tree *outputs = gannet_tree_find(reader->root, "outputs");
  const gannet_tree *equations =
      gannet_tree_find(gannet_tree_find(reader->root, "physics"), "equations");
  GANNET_TRY(add_location(input, "", reader->file));
  GANNET_TRY(add_locations(input, "", reader->root, gannet_tree_location));
  GANNET_TRY(add_locations(input, "variables.", variables, gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "constraints.", constraints, gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "objective.", gannet_tree_find(reader->root, "objective"),
                           gannet_tree_location));
  GANNET_TRY(add_locations(input, "objectives.", gannet_tree_find(reader->root, "objectives"),
                           gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "outputs.", outputs, gannet_tree_key_location));
  for (int i = 0; outputs && outputs->kind == GANNET_TREE_MAPPING && i < outputs->n; ++i) {
    char prefix[GANNET_LOCATION_SIZE];
    (void)snprintf(prefix, sizeof prefix, "outputs.%.200s.", outputs->child[i].key);
    GANNET_TRY(add_locations(input, prefix, &outputs->child[i], gannet_tree_location));
  }
  GANNET_TRY(
      add_locations(input, "cost.", gannet_tree_find(reader->root, "cost"), gannet_tree_location));
  GANNET_TRY(add_locations(input, "physics.equations.", equations, gannet_tree_location));
  for (int i = 0; evaluate && evaluate->kind == GANNET_TREE_MAPPING && i < evaluate->n; ++i) {
    char prefix[GANNET_LOCATION_SIZE];
    (void)snprintf(prefix, sizeof prefix, "evaluate.%.200s.", evaluate->child[i].key);
    GANNET_TRY(add_locations(input, prefix, &evaluate->child[i], gannet_tree_location));
  }
  return add_locations(input, "evaluate.", evaluate, gannet_tree_location);
}

const char *gannet_campaign_location(const gannet_campaign_input *input, const char *key) {
  char path[GANNET_LOCATION_SIZE];
  (void)snprintf(path, sizeof path, "%s", key);
  for (;;) {
    for (int i = 1; i < input->n_locations; ++i)
      if (strcmp(input->location[i].key, path) == 0) return input->location[i].text;
    char *dot = strrchr(path, '.');
    if (!dot) return input->n_locations > 0 ? input->location[0].text : NULL;
    *dot = '\0';
  }
}

bool gannet_campaign_locate(const void *input, const char *key, const char **location) {
  *location = gannet_campaign_location(input, key);
  return true;
}

void gannet_campaign_complain(const gannet_campaign_input *input, const gannet_complaints *from,
                              gannet_complaints *complaints) {
  gannet_complaints_pass(from, gannet_campaign_locate, input, complaints);
}
