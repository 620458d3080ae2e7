/* Surrogates as users get them: from the texts of settings. */
#ifndef GANNET_TESTS_SURROGATE_CREATED_H
#define GANNET_TESTS_SURROGATE_CREATED_H

#include "support/harness.h"

#include "base/memory.h"
#include "surrogate/surrogate.h"

/* Collective over the context. d variables; n settings, the others have their defaults. */
static inline gannet_surrogate *surrogate_with(const gannet_context *context,
                                               const gannet_surrogate_type *type, int d, int n,
                                               const gannet_setting *settings) {
  gannet_complaints complaints = {0};
  gannet_surrogate *s = NULL;
  char *options = NULL;
  assert_ok(gannet_alloc(type->options_size, 1, &options));
  assert_ok(gannet_options_apply(type->options, NULL, n, settings, options, &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  assert_ok(gannet_surrogate_create(context, type, options, d, 0, &s));
  gannet_free(&options);
  return s;
}

/* The same by the name of the type. */
static inline gannet_surrogate *surrogate_named(const gannet_context *context, const char *name,
                                                int d, int n, const gannet_setting *settings) {
  const gannet_surrogate_type *type = NULL;
  assert_ok(gannet_surrogate_find(name, &type));
  return surrogate_with(context, type, d, n, settings);
}

#endif
