/* The physics section of a campaign file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "optimizer/governing.h"
#include "problem/physics.h"

enum { WHERE = 512 };

typedef struct {
  int n_terms;
  gannet_equation_keys keys;
  gannet_term_keys *term_keys; /* own the texts of the terms */
  gannet_physics_term *terms;
  char where[WHERE];
} equation;

/* All that is read, and what owns it. */
typedef struct {
  int n;
  equation *equation;
  gannet_physics_equation *stated;
  const char **where;
} equations;

static void release(equations *all) {
  for (int e = 0; e < all->n; ++e) {
    equation *one = &all->equation[e];
    for (int t = 0; t < one->n_terms; ++t)
      gannet_options_release(gannet_term_table, &one->term_keys[t], sizeof one->term_keys[t]);
    gannet_options_release(gannet_equation_table, &one->keys, sizeof one->keys);
    gannet_free(&one->term_keys);
    gannet_free(&one->terms);
  }
  gannet_free(&all->equation);
  gannet_free(&all->stated);
  gannet_free(&all->where);
}

static void complain_shape(const gannet_tree *node, const char *path, const char *example,
                           gannet_complaints *complaints) {
  char where[WHERE];
  gannet_tree_where_key(node, where, sizeof where);
  gannet_complain(complaints, where, "%s: expected a list, as in '%s'", path, example);
}

static gannet_err read_term(const gannet_tree *node, equation *one, gannet_complaints *complaints) {
  const int t = one->n_terms;
  const gannet_section_source source = {
      .path = "physics.equations.terms", .node = node, .table = gannet_term_table};
  one->n_terms += 1;
  GANNET_TRY(gannet_section_read(&source, &one->term_keys[t], complaints));
  one->terms[t] =
      (gannet_physics_term){.coefficient = one->term_keys[t].coefficient,
                            .order = one->term_keys[t].derivative.n,
                            .derivative = (const char *const *)one->term_keys[t].derivative.item};
  return GANNET_OK;
}

static gannet_err read_equation(const gannet_tree *node, equation *one,
                                gannet_complaints *complaints) {
  static const char *const lists[] = {"terms", NULL};
  const gannet_section_source source = {
      .path = "physics.equations", .node = node, .table = gannet_equation_table, .sections = lists};
  const gannet_tree *terms = gannet_tree_find(node, "terms");
  gannet_tree_where(node, one->where, sizeof one->where);
  GANNET_TRY(gannet_section_read(&source, &one->keys, complaints));
  if (!terms || terms->kind != GANNET_TREE_LIST || terms->n == 0) {
    complain_shape(terms ? terms : node, "physics.equations.terms",
                   "terms: [{coefficient: \"1\", derivative: [x, x]}]", complaints);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc((size_t)terms->n, sizeof *one->term_keys, &one->term_keys));
  GANNET_TRY(gannet_alloc((size_t)terms->n, sizeof *one->terms, &one->terms));
  for (int t = 0; t < terms->n; ++t) GANNET_TRY(read_term(&terms->child[t], one, complaints));
  return GANNET_OK;
}

static gannet_err read_list(const gannet_tree *list, equations *all,
                            gannet_complaints *complaints) {
  const size_t n = (size_t)list->n;
  GANNET_TRY(gannet_alloc(n, sizeof *all->equation, &all->equation));
  GANNET_TRY(gannet_alloc(n, sizeof *all->stated, &all->stated));
  GANNET_TRY(gannet_alloc(n, sizeof *all->where, &all->where));
  for (int e = 0; e < list->n; ++e) {
    equation *one = &all->equation[all->n++];
    GANNET_TRY(read_equation(&list->child[e], one, complaints));
    all->where[e] = one->where;
    all->stated[e] =
        (gannet_physics_equation){.name = one->keys.name,
                                  .n_terms = one->n_terms,
                                  .terms = one->terms,
                                  .rhs = one->keys.rhs,
                                  .plugin = one->keys.plugin,
                                  .n_settings = one->keys.settings.n,
                                  .settings = (const char *const *)one->keys.settings.item};
  }
  return GANNET_OK;
}

/* The section of a mapping, into a problem when nothing is wrong. */
static gannet_err read_section(const gannet_tree *node, gannet_problem *problem,
                               gannet_complaints *complaints) {
  static const char *const lists[] = {"equations", NULL};
  const gannet_section_source source = {
      .path = "physics", .node = node, .table = gannet_physics_table, .sections = lists};
  const gannet_tree *list = gannet_tree_find(node, "equations");
  gannet_physics_keys keys = {0};
  equations all = {0};
  GANNET_TRY(gannet_section_read(&source, &keys, complaints));
  if (node->kind != GANNET_TREE_MAPPING) return GANNET_OK;
  if (!list || list->kind != GANNET_TREE_LIST || list->n == 0) {
    complain_shape(list ? list : node, "physics.equations",
                   "equations: [{terms: [{derivative: [x, x]}], rhs: \"0\"}]", complaints);
    return GANNET_OK;
  }
  gannet_err code = read_list(list, &all, complaints);
  const gannet_physics_spec spec = {.n_equations = all.n,
                                    .equations = all.stated,
                                    .points = keys.points == GANNET_AUTO ? 0 : keys.points,
                                    .seed = keys.seed,
                                    .lambda2 = keys.lambda2};
  if (code == GANNET_OK && complaints->count == 0)
    code = gannet_problem_state_physics(problem, &spec, all.where, complaints);
  release(&all);
  return code;
}

/* Whether the method takes them; its settings are sound already. */
static gannet_err check_method(const gannet_input_reader *reader, const gannet_tree *node) {
  const gannet_campaign_input *input = reader->input;
  gannet_optimizer_options options = {0};
  gannet_setting *settings = NULL;
  char where[WHERE];
  gannet_tree_where_key(node, where, sizeof where);
  GANNET_TRY(gannet_alloc((size_t)input->n_method, sizeof *settings, &settings));
  for (int i = 0; i < input->n_method; ++i)
    settings[i] = (gannet_setting){.key = input->method[i].key, .text = input->method[i].text};
  gannet_err code =
      gannet_optimizer_options_parse(input->n_method, settings, &options, reader->complaints);
  if (code == GANNET_OK) code = gannet_governing_join(&options, input->problem, reader->complaints);
  if (code == GANNET_OK)
    gannet_governing_check(&options, input->problem, where, reader->complaints);
  gannet_optimizer_options_release(&options);
  gannet_free(&settings);
  return code;
}

gannet_err gannet_input_physics(const gannet_input_reader *reader) {
  const gannet_tree *node = gannet_tree_find(reader->root, "physics");
  if (!node || !reader->input->problem || (node->kind == GANNET_TREE_TEXT && node->empty))
    return GANNET_OK;
  GANNET_TRY(read_section(node, reader->input->problem, reader->complaints));
  return reader->complaints->count > 0 ? GANNET_OK : check_method(reader, node);
}

gannet_err gannet_physics_parse(const char *text, gannet_problem *problem) {
  gannet_tree root = {.kind = GANNET_TREE_MAPPING};
  gannet_tree *section = NULL, *list = NULL;
  gannet_complaints complaints = {0};
  gannet_err code = gannet_tree_read_value(text, strlen(text), "physics", &root, &complaints);
  gannet_tree outer = {.kind = GANNET_TREE_MAPPING, .source = "physics"};
  section = &root;
  if (code == GANNET_OK && root.kind == GANNET_TREE_LIST) {
    code = gannet_tree_add(&outer, &list);
    if (code == GANNET_OK) {
      *list = root;
      list->key = NULL;
      code = gannet_copy_text("equations", &list->key);
      root = (gannet_tree){.kind = GANNET_TREE_TEXT};
    }
    section = &outer;
  }
  if (code == GANNET_OK && complaints.count == 0)
    code = read_section(section, problem, &complaints);
  if (code == GANNET_OK) code = gannet_complaints_raise(&complaints);
  gannet_tree_clear(&outer);
  gannet_tree_clear(&root);
  gannet_complaints_release(&complaints);
  return code;
}
