/* Simulations of the user's in a shared object, called inside the job. */
#include <dlfcn.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/backends.h"
#include "evaluate/in_process/in_process.h"

static const gannet_option options[] = {
    {.key = "plugin",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_in_process_options, target),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "shared object that exports gannet_simulate; relative to the campaign file",
     .example = "./simulation.so"},
    GANNET_IN_PROCESS_OPTIONS,
    {0}};

typedef struct {
  void *library;
  gannet_simulate_function simulate;
  fenv_t arithmetic; /* of the plugin: traps, rounding and the like */
} target;

/* A path always has a slash, so that dlopen never searches the system's libraries for it. */
static gannet_err find_path(const char *given, const char *directory, char *path) {
  if (given[0] == '/') {
    GANNET_REQUIRE(snprintf(path, PATH_MAX, "%s", given) < PATH_MAX, GANNET_ERR_ARG,
                   "path too long: %s", given);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_join_path(directory ? directory : ".", given, path, PATH_MAX));
  return GANNET_OK;
}

static gannet_err open_library(const gannet_in_process_options *chosen,
                               const gannet_evaluator_setup *setup, target *made) {
  char path[PATH_MAX];
  fenv_t ours;
  GANNET_REQUIRE(chosen->target && chosen->target[0], GANNET_ERR_INPUT,
                 "no plugin named; expected a shared object, as in ./simulation.so");
  GANNET_TRY(find_path(chosen->target, setup->input_directory, path));
  /* Loading alone changes the floating-point environment where the plugin was compiled with
   * -ffast-math. */
  (void)fegetenv(&ours);
  made->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  (void)fegetenv(&made->arithmetic);
  (void)fesetenv(&ours);
  if (!made->library) {
    const char *why = dlerror();
    return GANNET_RAISE(
        GANNET_ERR_INPUT,
        "cannot load the plugin: %s (relative paths start from the campaign file, or "
        "from input_directory; docs/c.md, gannet/simulation.h, explains how to make one)",
        why ? why : path);
  }
  void *symbol = dlsym(made->library, "gannet_simulate");
  GANNET_REQUIRE(symbol, GANNET_ERR_INPUT,
                 "'%s' does not export gannet_simulate; see gannet/simulation.h", path);
  /* C has no conversion from object to function pointers; POSIX promises equal representations. */
  memcpy(&made->simulate, &symbol, sizeof symbol);
  return GANNET_OK;
}

static void release_target(void *pointer) {
  target *made = pointer;
  if (made->library) (void)dlclose(made->library);
  gannet_free(&made);
}

static gannet_err load_target(const gannet_in_process_options *chosen,
                              const gannet_evaluator_setup *setup, target **made) {
  GANNET_TRY(gannet_alloc(1, sizeof **made, made));
  return open_library(chosen, setup, *made);
}

static gannet_err check(const void *given, const gannet_evaluator_setup *setup,
                        gannet_complaints *complaints) {
  const gannet_in_process_options *chosen = given;
  target *made = NULL;
  gannet_in_process_check(chosen, setup, complaints);
  if (load_target(chosen, setup, &made) != GANNET_OK) {
    gannet_complain(complaints, "evaluate.plugin", "%s", gannet_error_detail());
    gannet_error_clear();
  }
  if (made) release_target(made);
  return GANNET_OK;
}

/* A plugin finds the locale and the arithmetic that it has set itself, and nobody else does. */
static int run_plugin(void *pointer, const gannet_simulation_input *input,
                      gannet_simulation_output *output) {
  target *made = pointer;
  fenv_t ours;
  const locale_t plain = uselocale(LC_GLOBAL_LOCALE);
  (void)fegetenv(&ours);
  (void)fesetenv(&made->arithmetic);
  const int code = made->simulate(input, output);
  (void)feclearexcept(FE_ALL_EXCEPT); /* or what is raised now would trap at the next call */
  (void)fegetenv(&made->arithmetic);
  (void)fesetenv(&ours);
  (void)uselocale(plain);
  return code;
}

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  const gannet_in_process_options *chosen = given;
  target *made = NULL;
  const gannet_err local = load_target(chosen, setup, &made);
  const gannet_in_process_call call = {
      .run = run_plugin, .release = release_target, .target = made};
  return gannet_in_process_create(chosen, setup, &call, local, state);
}

const gannet_evaluator_type gannet_evaluator_plugin = {
    .name = "plugin",
    .summary = "a shared object of your own, run in gannet's own processes on groups of ranks",
    .options = options,
    .options_size = sizeof(gannet_in_process_options),
    .check = check,
    .create = create,
    .destroy = gannet_in_process_destroy,
    .submit = gannet_in_process_submit,
    .poll = gannet_in_process_poll,
    .cancel = gannet_in_process_cancel,
    .withdraw = gannet_in_process_withdraw,
};
