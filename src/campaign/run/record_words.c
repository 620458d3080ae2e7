#include "campaign/run/record_words.h"

#include <stddef.h>

const char *const record_kinds[] = {"campaign", "propose", "submit",  "result", "tell",    "state",
                                    "stop",     "import",  "correct", "change", "related", NULL};
#define ORIGIN(name, word) word,
const char *const record_origins[] = {GANNET_ORIGIN_LIST(ORIGIN) NULL};
#undef ORIGIN
const char *const record_corrections[] = {"discard", "values", "retry", NULL};

#define RUN(member, kind) GANNET_STRUCT_AT(gannet_run_record, member, kind)
const gannet_struct_field record_run_fields[] = {
    {.name = "submitted", RUN(submitted, REAL)},
    {.name = "started", RUN(started, REAL)},
    {.name = "ended", RUN(ended, REAL)},
    {.name = "attempts", RUN(attempts, INT)},
    {.name = "exit", RUN(exit_code, INT)},
    {.name = "signal", RUN(signal, INT)},
    {.name = "slot", RUN(slot, INT)},
    {.name = "host", RUN(host, TEXT)},
    {.name = "job", RUN(job, TEXT)},
    {.name = "place", RUN(place, TEXT), .optional = true},
    {.name = "reason", RUN(reason, TEXT)},
    {.name = "failure", RUN(failure, INT)},
    {.name = "crashed", RUN(crashed, TRUTH)},
    {0}};

bool record_is_failure(const gannet_struct_field *field) {
  return field->offset == offsetof(gannet_run_record, failure);
}
