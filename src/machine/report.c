#include "machine/report.h"

#include <stdarg.h>
#include <string.h>

#include "base/file.h"

void machine_say(machine_report *report, const char *topic, const char *item, const char *format,
                 ...) {
  va_list arguments;
  if (report->n == MACHINE_FINDINGS) return;
  machine_finding *f = &report->finding[report->n++];
  *f = (machine_finding){.topic = topic, .item = item};
  va_start(arguments, format);
  (void)vsnprintf(f->value, sizeof f->value, format, arguments);
  va_end(arguments);
}

void machine_advise(machine_report *report, machine_state state, const char *format, ...) {
  va_list arguments;
  if (report->n == 0) return;
  machine_finding *f = &report->finding[report->n - 1];
  f->state = state;
  va_start(arguments, format);
  (void)vsnprintf(f->advice, sizeof f->advice, format, arguments);
  va_end(arguments);
}

machine_state machine_worst(const machine_report *report) {
  machine_state worst = MACHINE_FINE;
  for (int i = 0; i < report->n; ++i)
    if (report->finding[i].state > worst) worst = report->finding[i].state;
  return worst;
}

static const char *column_name(const void *user, int column) {
  static const char *const names[] = {"topic", "item", "value", "state", "advice"};
  (void)user;
  return names[column];
}

static gannet_cell cell(const void *user, int64_t row, int column, char *text) {
  static const char *const states[] = {"fine", "note", "change"};
  const machine_finding *f = &((const machine_report *)user)->finding[row];
  const char *const words[] = {f->topic, f->item, f->value, states[f->state], f->advice};
  return gannet_cell_word(words[column], text);
}

static void write_advice(FILE *out, const machine_report *report, machine_state state,
                         const char *title) {
  int n = 0;
  for (int i = 0; i < report->n; ++i) {
    const machine_finding *f = &report->finding[i];
    if (f->state != state) continue;
    if (n++ == 0) (void)fprintf(out, "\n%s:\n", title);
    (void)fprintf(out, "  * %s, %s: %s\n", f->topic, f->item, f->advice);
  }
}

static gannet_err write_table(FILE *out, const machine_report *report) {
  static const char marks[] = " -!";
  const char *topic = "";
  int width = 0;
  for (int i = 0; i < report->n; ++i)
    if ((int)strlen(report->finding[i].item) > width) width = (int)strlen(report->finding[i].item);
  for (int i = 0; i < report->n; ++i) {
    const machine_finding *f = &report->finding[i];
    (void)fprintf(out, "%-12s %c %-*s  %s\n", strcmp(f->topic, topic) ? f->topic : "",
                  marks[f->state], width, f->item, f->value);
    topic = f->topic;
  }
  write_advice(out, report, MACHINE_CHANGE, "to change (!)");
  write_advice(out, report, MACHINE_NOTE, "good to know (-)");
  if (machine_worst(report) == MACHINE_FINE) (void)fputs("\nnothing to change\n", out);
  return ferror(out) ? gannet_raise_errno("write", "the output") : GANNET_OK;
}

gannet_err machine_write(FILE *out, const machine_report *report, gannet_format format) {
  const gannet_grid grid = {
      .n_columns = 5, .n_rows = report->n, .user = report, .name = column_name, .cell = cell};
  return format == GANNET_FORMAT_TABLE ? write_table(out, report)
                                       : gannet_grid_write(out, &grid, format);
}
