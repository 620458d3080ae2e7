/* The equations of the objective: the physics section of a campaign file, and the plugins of
 * equations that are not linear.
 */
#include <dlfcn.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "optimizer/models/pde_constraint.h"
#include "problem/physics.h"

typedef struct {
  int n_terms;
  gannet_equation_keys keys;
  gannet_term_keys *term_keys; /* own the texts of the terms */
  gannet_physics_term *terms;
  char location[GANNET_LOCATION_SIZE];
} equation;

/* All that is read, and what owns it. */
typedef struct {
  int n;
  equation *equation;
  gannet_physics_equation *stated;
  const char **location;
} equations;

static void release_equations(equations *all) {
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
  gannet_free(&all->location);
}

static void complain_shape(const gannet_tree *node, const char *path, const char *example,
                           gannet_complaints *complaints) {
  char location[GANNET_LOCATION_SIZE];
  gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(complaints, location, "%s: expected a list, as in '%s'", path, example);
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
  gannet_tree_location(node, one->location, sizeof one->location);
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

static gannet_err read_equations(const gannet_tree *list, equations *all,
                                 gannet_complaints *complaints) {
  const size_t n = (size_t)list->n;
  GANNET_TRY(gannet_alloc(n, sizeof *all->equation, &all->equation));
  GANNET_TRY(gannet_alloc(n, sizeof *all->stated, &all->stated));
  GANNET_TRY(gannet_alloc(n, sizeof *all->location, &all->location));
  for (int e = 0; e < list->n; ++e) {
    equation *one = &all->equation[all->n++];
    GANNET_TRY(read_equation(&list->child[e], one, complaints));
    all->location[e] = one->location;
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

/* The section into a problem, when nothing is wrong. */
static gannet_err read_physics(const gannet_tree *node, gannet_problem *problem,
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
  gannet_err err = read_equations(list, &all, complaints);
  const gannet_physics_spec spec = {.n_equations = all.n,
                                    .equations = all.stated,
                                    .points = keys.points == GANNET_AUTO ? 0 : keys.points,
                                    .seed = keys.seed,
                                    .lambda2 = keys.lambda2};
  if (err == GANNET_OK && complaints->count == 0)
    err = gannet_problem_state_physics(problem, &spec, all.location, complaints);
  release_equations(&all);
  return err;
}

gannet_err gannet_config_read_physics(const gannet_config_reader *reader) {
  const gannet_tree *node = gannet_tree_find(reader->root, "physics");
  if (!node || !reader->input->problem || (node->kind == GANNET_TREE_TEXT && node->empty))
    return GANNET_OK;
  return read_physics(node, reader->input->problem, reader->complaints);
}

gannet_err gannet_physics_parse(const char *text, gannet_problem *problem) {
  gannet_tree root = {.kind = GANNET_TREE_MAPPING};
  gannet_tree *section = NULL, *list = NULL;
  gannet_complaints complaints = {0};
  gannet_err err = gannet_tree_read_value(text, strlen(text), "physics", &root, &complaints);
  gannet_tree outer = {.kind = GANNET_TREE_MAPPING, .source = "physics"};
  section = &root;
  if (err == GANNET_OK && root.kind == GANNET_TREE_LIST) {
    err = gannet_tree_add(&outer, &list);
    if (err == GANNET_OK) {
      *list = root;
      list->key = NULL;
      err = gannet_copy_text("equations", &list->key);
      root = (gannet_tree){.kind = GANNET_TREE_TEXT};
    }
    section = &outer;
  }
  if (err == GANNET_OK && complaints.count == 0) err = read_physics(section, problem, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_tree_clear(&outer);
  gannet_tree_clear(&root);
  gannet_complaints_release(&complaints);
  return err;
}

/* Plugins. */

static gannet_err load_plugin(gannet_campaign_input *input, int e, const char *given,
                              const char *directory) {
  char path[PATH_MAX];
  gannet_residual_function residual = NULL;
  fenv_t ours;
  /* A path always has a slash, so that dlopen never searches the system's libraries for it. */
  if (given[0] != '/')
    GANNET_TRY(gannet_join_path(directory, given, path, PATH_MAX));
  else
    GANNET_REQUIRE(snprintf(path, PATH_MAX, "%s", given) < PATH_MAX, GANNET_ERR_INPUT,
                   "the path of a plugin is too long, choose a shorter one: %s", given);
  (void)fegetenv(&ours);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  (void)fesetenv(&ours); /* which -ffast-math changes in a plugin that is loaded */
  if (!library) {
    const char *why = dlerror();
    return GANNET_RAISE(GANNET_ERR_INPUT, "physics: cannot load the plugin: %s", why ? why : path);
  }
  input->library[input->n_libraries++] = library;
  void *symbol = dlsym(library, "gannet_residual");
  GANNET_REQUIRE(symbol, GANNET_ERR_INPUT,
                 "physics: '%s' does not export gannet_residual; see gannet/physics.h", path);
  /* C has no conversion from object to function pointers; POSIX promises equal representations. */
  memcpy(&residual, &symbol, sizeof residual);
  return gannet_problem_set_residual(input->problem, e, residual);
}

gannet_err gannet_residuals_load(gannet_campaign_input *input, const char *file) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(input->problem);
  const char *base = input->general.input_directory;
  char directory[PATH_MAX];
  gannet_directory_of(file, directory, sizeof directory);
  if (base && base[0] == '/') (void)snprintf(directory, sizeof directory, "%s", base);
  if (!spec) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)spec->n_equations, sizeof *input->library, &input->library));
  for (int e = 0; e < spec->n_equations; ++e)
    if (spec->equations[e].plugin)
      GANNET_TRY(load_plugin(input, e, spec->equations[e].plugin, directory));
  return GANNET_OK;
}

void gannet_residuals_release(gannet_campaign_input *input) {
  for (int i = 0; i < input->n_libraries; ++i) (void)dlclose(input->library[i]);
  gannet_free(&input->library);
  input->n_libraries = 0;
}
