/* The findings of an inspection of the machine, line by line, with what to change. */
#ifndef GANNET_MACHINE_REPORT_H
#define GANNET_MACHINE_REPORT_H

#include <stdio.h>

#include "campaign/tables/grid.h"

typedef enum {
  MACHINE_FINE,
  MACHINE_NOTE,  /* could be better, or good to know */
  MACHINE_CHANGE /* slow, or bound to fail */
} machine_state;

enum { MACHINE_VALUE = 300, MACHINE_ADVICE = 500, MACHINE_FINDINGS = 64 };

/* Topic and item are static texts. */
typedef struct {
  const char *topic, *item;
  char value[MACHINE_VALUE];
  machine_state state;
  char advice[MACHINE_ADVICE];
} machine_finding;

/* Zero-initialise. Findings beyond the last place are left out. */
typedef struct {
  int n;
  machine_finding finding[MACHINE_FINDINGS];
} machine_report;

/* Add a finding that is fine.
 *
 * Local.
 */
void machine_say(machine_report *report, const char *topic, const char *item, const char *format,
                 ...) GANNET_PRINTF(4, 5);

/* Say of the last finding what to change.
 *
 * Local.
 */
void machine_advise(machine_report *report, machine_state state, const char *format, ...)
    GANNET_PRINTF(3, 4);

/* The worst state of all findings.
 *
 * Local.
 */
machine_state machine_worst(const machine_report *report);

/* Write all findings. As a table, advice follows in paragraphs; as CSV or JSON a row has topic,
 * item, value, state (fine, note, change) and advice.
 *
 * Local.
 *
 * Errors: GANNET_ERR_IO when writing fails.
 */
GANNET_CHECKED gannet_err machine_write(FILE *out, const machine_report *report,
                                        gannet_format format);

#endif
