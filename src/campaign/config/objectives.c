/* The objectives of a campaign file that has several of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/objectives.h"
#include "campaign/config/section.h"
#include "problem/check.h"

enum { PATH_SIZE = 128 };

static void complain_at(const gannet_config_reader *reader, const gannet_tree *node,
                        const char *what) {
  char location[GANNET_LOCATION_SIZE];
  gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(reader->complaints, location, "%s", what);
}

/* Complain about what is said of a single objective beside several. */
static void check_beside(const gannet_config_reader *reader) {
  const gannet_general *general = &reader->input->general;
  const gannet_stop_keys *stop = &reader->input->stop;
  const gannet_tree *at_stop = gannet_tree_find(reader->root, "stop");
  const struct {
    bool is_wrong;
    const gannet_tree *section;
    const char *key, *what;
  } of_one[] = {
      {true, reader->root, "objective",
       "objective: objectives are given, too; leave out one of the two"},
      {true, reader->root, "goal",
       "goal: with several objectives each has its own, as in 'objectives: {range: {goal: "
       "maximize}}'"},
      {!isnan(general->noise), reader->root, "noise",
       "noise: with several objectives each has its own, as in 'objectives: {drag: {noise: 0.1}}'"},
      {!isnan(stop->target), at_stop, "target",
       "stop.target: a campaign with several objectives has no single value to reach; leave it "
       "out, or give one objective as a constraint, with the value as its bound"},
      {!isnan(stop->regret_within), at_stop, "regret",
       "stop.regret: it works for a single objective only; leave it out"},
      {true, reader->root, "physics",
       "physics: equations describe a single objective; leave them out"}};
  for (size_t i = 0; i < sizeof of_one / sizeof *of_one; ++i) {
    const gannet_tree *node = gannet_tree_find(of_one[i].section, of_one[i].key);
    const bool is_empty = !node || (node->kind == GANNET_TREE_TEXT && node->empty);
    if (of_one[i].is_wrong && !is_empty) complain_at(reader, node, of_one[i].what);
  }
}

static void check_name(const gannet_config_reader *reader, const gannet_tree *node) {
  char what[300];
  const char *owner =
      gannet_tree_find(gannet_tree_find(reader->root, "variables"), node->key)     ? "a variable"
      : gannet_tree_find(gannet_tree_find(reader->root, "constraints"), node->key) ? "a constraint"
      : strcmp(node->key, "fail") == 0
          ? "the line with which a simulation reports that it cannot work"
      : strcmp(node->key, "objective") == 0 ? "the only objective of other campaigns"
                                            : NULL;
  if (!owner) return;
  (void)snprintf(what, sizeof what, "objectives: the name '%.80s' is taken by %s; choose another",
                 node->key, owner);
  complain_at(reader, node, what);
}

static gannet_err read_one(const gannet_config_reader *reader, const gannet_tree *node,
                           gannet_objectives_keys *keys, gannet_objective *objective) {
  const int before = reader->complaints->count;
  char path[PATH_SIZE], location[GANNET_LOCATION_SIZE];
  (void)snprintf(path, sizeof path, "objectives.%.80s", node->key);
  /* "mass:" alone is minimised. */
  const bool is_bare = node->kind == GANNET_TREE_TEXT && node->empty;
  const gannet_section_source source = {
      .path = path, .node = is_bare ? NULL : node, .table = gannet_objectives_table};
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (reader->complaints->count > before) return GANNET_OK;
  *objective = (gannet_objective){
      .name = node->key,
      .goal = (gannet_goal)keys->goal,
      .threshold = keys->threshold,
      .noise_sd = keys->noise,
      .transform = keys->transform == GANNET_AUTO ? GANNET_OBJECTIVE_TRANSFORM_AUTO
                   : keys->transform == 0         ? GANNET_OBJECTIVE_TRANSFORM_NONE
                                                  : GANNET_OBJECTIVE_TRANSFORM_LOG,
      .keeps_penalties = !keys->penalties};
  gannet_tree_key_location(node, location, sizeof location);
  gannet_objective_check(objective, location, reader->complaints);
  check_name(reader, node);
  return GANNET_OK;
}

gannet_err gannet_config_read_objectives(const gannet_config_reader *reader,
                                         gannet_config_objectives *all) {
  const gannet_tree *section = gannet_tree_find(reader->root, "objectives");
  char what[300];
  if (!section) return GANNET_OK;
  if (section->kind == GANNET_TREE_LIST && section->n == 1 && section->child[0].text) {
    (void)snprintf(
        what, sizeof what,
        "objectives: there is only one; expected 'objective: %.80s', with goal and noise beside it",
        section->child[0].text);
    complain_at(reader, section, what);
    return GANNET_OK;
  }
  if (section->kind != GANNET_TREE_MAPPING) {
    complain_at(reader, section,
                "objectives: expected a name for each, as in 'objectives: {drag: {goal: minimize}, "
                "range: {goal: maximize}}'");
    return GANNET_OK;
  }
  if (section->n < 2 || section->n > GANNET_OBJECTIVES_MOST) {
    if (section->n == 0)
      (void)snprintf(
          what, sizeof what,
          "objectives: there are none, expected 2 to %d; for a single one write 'objective: NAME'",
          GANNET_OBJECTIVES_MOST);
    else if (section->n == 1)
      (void)snprintf(what, sizeof what,
                     "objectives: there is only one; expected 'objective: %.80s', with goal and "
                     "noise beside it",
                     section->child[0].key);
    else
      (void)snprintf(what, sizeof what,
                     "objectives: there are %d, expected 2 to %d; make constraints of those that "
                     "only need to be good enough",
                     section->n, GANNET_OBJECTIVES_MOST);
    complain_at(reader, section, what);
    return GANNET_OK;
  }
  check_beside(reader);
  const size_t n = (size_t)section->n;
  GANNET_TRY(gannet_alloc(n, sizeof *all->keys, &all->keys));
  GANNET_TRY(gannet_alloc(n, sizeof *all->item, &all->item));
  while (all->n < section->n) {
    const int m = all->n++;
    GANNET_TRY(read_one(reader, &section->child[m], &all->keys[m], &all->item[m]));
  }
  return GANNET_OK;
}

void gannet_config_release_objectives(gannet_config_objectives *all) {
  for (int m = 0; m < all->n; ++m)
    gannet_options_release(gannet_objectives_table, &all->keys[m], sizeof all->keys[m]);
  gannet_free(&all->keys);
  gannet_free(&all->item);
}
