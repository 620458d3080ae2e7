/* Version of the library and sizes of its public structures. A test compares the list with the
 * headers. */
#include "gannet/gannet.h"

#include <string.h>

#define PUBLIC_STRUCTURES(X)  \
  X(gannet_best)              \
  X(gannet_constraint)        \
  X(gannet_counts)            \
  X(gannet_feasibility)       \
  X(gannet_method_setting)    \
  X(gannet_objective)         \
  X(gannet_physics_equation)  \
  X(gannet_physics_input)     \
  X(gannet_physics_output)    \
  X(gannet_physics_spec)      \
  X(gannet_physics_term)      \
  X(gannet_prediction)        \
  X(gannet_problem_spec)      \
  X(gannet_quantity)          \
  X(gannet_recommendation)    \
  X(gannet_result)            \
  X(gannet_simulation_input)  \
  X(gannet_simulation_output) \
  X(gannet_variable)          \
  X(gannet_variable_function)

typedef struct {
  const char *name;
  size_t size;
} named_size;

#define NAMED_SIZE(type) {#type, sizeof(type)},
static const named_size sizes[] = {PUBLIC_STRUCTURES(NAMED_SIZE)};

const char *gannet_version(void) {
  return GANNET_VERSION;
}

size_t gannet_struct_size(const char *name) {
  for (size_t i = 0; name && i < sizeof sizes / sizeof *sizes; ++i)
    if (strcmp(sizes[i].name, name) == 0) return sizes[i].size;
  return 0;
}
