#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/init/plan_parts.h"
#include "evaluate/contract/contract.h"

gannet_err init_keep_text(init_plan *plan, const char **kept, const char *format, ...) {
  char text[PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  GANNET_TRY(gannet_text_list_add(&plan->pool, text));
  *kept = plan->pool.item[plan->pool.n - 1];
  return GANNET_OK;
}

void init_complain_of_error(gannet_complaints *complaints, const char *where) {
  gannet_complain(complaints, where, "%s", gannet_error_detail());
  gannet_error_clear();
}
