#include "base/plain_locale.h"

gannet_plain_locale gannet_plain_locale_begin(void) {
  gannet_plain_locale made = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (made.plain) made.before = uselocale(made.plain);
  return made;
}

void gannet_plain_locale_end(const gannet_plain_locale *locale) {
  if (!locale->plain) return;
  (void)uselocale(locale->before);
  freelocale(locale->plain);
}
