#include "base/plain_environment.h"

gannet_plain_environment gannet_plain_environment_begin(void) {
  gannet_plain_environment made = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (made.plain) made.before = uselocale(made.plain);
  (void)fegetenv(&made.arithmetic);
  (void)fesetenv(FE_DFL_ENV);
  return made;
}

void gannet_plain_environment_end(const gannet_plain_environment *environment) {
  (void)fesetenv(&environment->arithmetic);
  if (!environment->plain) return;
  (void)uselocale(environment->before);
  freelocale(environment->plain);
}
