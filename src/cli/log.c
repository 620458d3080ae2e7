/* Where log lines go. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

static const char *const names[] = {"error", "warning", "info", "debug"};

void cli_log_begin(cli_log *log, gannet_log_level shown) {
  memset(log, 0, sizeof *log);
  log->shown = shown;
  if (gethostname(log->host, sizeof log->host - 1)) log->host[0] = '\0';
}

void cli_log_line(void *user, gannet_log_level level, int rank, const char *line) {
  cli_log *log = user;
  if (level <= log->shown) {
    if (rank == 0)
      (void)fprintf(stderr, "gannet: %s: %s\n", names[level], line);
    else
      (void)fprintf(stderr, "gannet: %s: rank %d on %s: %s\n", names[level], rank, log->host, line);
  }
  if (!log->file) return;
  char when[32];
  gannet_clock_format(gannet_clock_epoch(), when, sizeof when);
  (void)fprintf(log->file, "%s %s %s\n", when, names[level], line);
  (void)fflush(log->file);
}
