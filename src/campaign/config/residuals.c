/* Plugins of equations that are not linear. */
#include <dlfcn.h>
#include <fenv.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "problem/physics.h"

/* A path always has a slash, so that dlopen never searches the system's libraries for it. */
static gannet_err find_path(const char *given, const char *directory, char *path) {
  if (given[0] != '/') return gannet_join_path(directory, given, path, PATH_MAX);
  GANNET_REQUIRE(snprintf(path, PATH_MAX, "%s", given) < PATH_MAX, GANNET_ERR_INPUT,
                 "the path of a plugin is too long, choose a shorter one: %s", given);
  return GANNET_OK;
}

static gannet_err load_one(gannet_campaign_input *input, int e, const char *given,
                           const char *directory) {
  char path[PATH_MAX];
  gannet_residual_function residual = NULL;
  fenv_t ours;
  GANNET_TRY(find_path(given, directory, path));
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
  const char *settled = input->general.input_directory;
  char directory[PATH_MAX];
  gannet_directory_of(file, directory, sizeof directory);
  if (settled && settled[0] == '/') (void)snprintf(directory, sizeof directory, "%s", settled);
  if (!spec) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)spec->n_equations, sizeof *input->library, &input->library));
  for (int e = 0; e < spec->n_equations; ++e)
    if (spec->equations[e].plugin)
      GANNET_TRY(load_one(input, e, spec->equations[e].plugin, directory));
  return GANNET_OK;
}

void gannet_residuals_release(gannet_campaign_input *input) {
  for (int i = 0; i < input->n_libraries; ++i) (void)dlclose(input->library[i]);
  gannet_free(&input->library);
  input->n_libraries = 0;
}
