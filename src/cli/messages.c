/* Messages of the program: the log, warnings, and complaints about input files. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/cli.h"

static const char *const names[] = {"error", "warning", "info", "debug"};

void cli_log_begin(cli_log *log, gannet_log_level shown) {
  memset(log, 0, sizeof *log);
  log->shown = shown;
  if (gethostname(log->host, sizeof log->host - 1)) log->host[0] = '\0';
  log->early = open_memstream(&log->early_text, &log->early_size);
}

static void drop_early(cli_log *log) {
  if (log->early) (void)fclose(log->early);
  free(log->early_text);
  log->early = NULL;
  log->early_text = NULL;
}

void cli_log_open(cli_log *log, const char *path) {
  int descriptor = -1;
  if (gannet_file_open(path, O_WRONLY | O_APPEND | O_CREAT, GANNET_ERR_DAMAGED, &descriptor) ==
      GANNET_OK)
    log->file = fdopen(descriptor, "a");
  if (!log->file) {
    cli_warn("this run has no log: %s", gannet_error_detail());
    gannet_error_clear();
  }
  if (log->file && log->early && fflush(log->early) == 0) {
    (void)fputs(log->early_text, log->file);
    (void)fflush(log->file);
  }
  drop_early(log);
}

void cli_log_end(cli_log *log) {
  drop_early(log);
  if (log->file) (void)fclose(log->file);
  log->file = NULL;
}

void cli_log_line(void *user, gannet_log_level level, int rank, const char *line) {
  cli_log *log = user;
  if (level <= log->shown) {
    if (rank == 0)
      (void)fprintf(stderr, "gannet: %s: %s\n", names[level], line);
    else
      (void)fprintf(stderr, "gannet: %s: rank %d on %s: %s\n", names[level], rank, log->host, line);
  }
  FILE *out = log->file ? log->file : log->early;
  if (!out) return;
  char when[32];
  gannet_clock_format(gannet_clock_epoch(), when, sizeof when);
  (void)fprintf(out, "%s %s %s\n", when, names[level], line);
  (void)fflush(out);
}

void cli_say(FILE *out, const char *format, ...) {
  char line[8192], *whole = NULL; /* whole: what is longer, as a command of the user's may be */
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof line) {
    if (gannet_alloc((size_t)length + 1, 1, &whole) != GANNET_OK) gannet_error_clear();
    va_start(arguments, format);
    if (whole) (void)vsnprintf(whole, (size_t)length + 1, format, arguments);
    va_end(arguments);
  }
  gannet_utf8_lines(whole ? whole : line);
  (void)fputs(whole ? whole : line, out);
  gannet_free(&whole);
}

void cli_warn(const char *format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  gannet_utf8_show(line);
  (void)fprintf(stderr, "gannet: warning: %s\n", line);
}

void cli_show_warnings(gannet_complaints *complaints, int rank) {
  char line[1024];
  while (gannet_complaints_next_warning(complaints, line, sizeof line))
    if (rank == 0) cli_warn("%s", line);
}

gannet_err cli_complain(gannet_complaints *complaints, const char *file, int rank, gannet_err err) {
  cli_show_warnings(complaints, rank);
  if (complaints->count == 0) return err;
  if (rank == 0) gannet_complaints_print(complaints, stderr);
  if (err != GANNET_ERR_INPUT) return err;
  return GANNET_RAISE(err, "%d error%s in '%s'", complaints->told, complaints->told == 1 ? "" : "s",
                      file);
}
