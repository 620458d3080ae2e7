#include "evaluate/command/tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/command/command.h"

/* Longest that a program may take, in seconds. */
static const double patience = 60;

static gannet_err wait_for(gannet_launcher *launcher, gannet_launch_event *event) {
  const double end = gannet_clock_seconds() + 2 * patience;
  bool got = false;
  event->type = GANNET_LAUNCH_STARTED;
  while (gannet_clock_seconds() < end) {
    GANNET_TRY(gannet_launcher_wait(launcher, 1, event, &got));
    if (got && event->type != GANNET_LAUNCH_STARTED) return GANNET_OK;
  }
  return GANNET_OK;
}

static void describe_end(const gannet_launch_event *event, const char *name, char *why,
                         size_t size) {
  if (event->type == GANNET_LAUNCH_REFUSED)
    (void)snprintf(why, size, "'%.100s' could not be started", name);
  else if (event->type == GANNET_LAUNCH_STARTED || event->limit)
    (void)snprintf(why, size, "'%.100s' took too long", name);
  else if (event->signal)
    (void)snprintf(why, size, "'%.100s' was ended by signal %d", name, event->signal);
  else if (event->exit_code)
    (void)snprintf(why, size, "'%.100s' ended with exit code %d", name, event->exit_code);
}

/* Append the last line of the program's stderr to the reason. */
static void add_words(const char *directory, char *why, size_t size) {
  char path[PATH_MAX], text[4096];
  size_t length = 0;
  if (!why[0] || gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof text, text, &length) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  while (length > 0 && (unsigned char)text[length - 1] <= ' ') --length;
  size_t first = length;
  while (first > 0 && text[first - 1] != '\n') --first;
  if (length > first)
    (void)snprintf(why + strlen(why), size - strlen(why), ": %.*s", (int)(length - first),
                   text + first);
}

gannet_err gannet_tool_run(gannet_launcher *launcher, const char *const *words,
                           const char *input_directory, const char *directory,
                           gannet_tool_end *end) {
  static const char *const environment[] = {NULL};
  char path[PATH_MAX];
  gannet_launch_event event = {0};
  end->why[0] = '\0';
  end->missing = !launcher || gannet_command_find(words[0], input_directory, path) != 0;
  if (end->missing) {
    (void)snprintf(end->why, sizeof end->why, "there is no program '%.100s'", words[0]);
    return GANNET_OK;
  }
  const gannet_launch launch = {.tag = -1,
                                .directory = directory,
                                .program = path,
                                .arguments = words,
                                .environment = environment,
                                .time_limit = patience,
                                .grace = 1};
  GANNET_TRY(gannet_launcher_launch(launcher, &launch));
  GANNET_TRY(wait_for(launcher, &event));
  describe_end(&event, words[0], end->why, sizeof end->why);
  add_words(directory, end->why, sizeof end->why);
  for (int i = 0; i < 2; ++i)
    if (gannet_join_path(directory, i ? "stderr.log" : "stdout.log", path, sizeof path) ==
        GANNET_OK)
      (void)remove(path);
  return GANNET_OK;
}

/* Remove what a call has written, and its folder. */
static void remove_folder(const gannet_tool_call *call) {
  static const char *const logs[] = {"stdout.log", "stderr.log"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof logs / sizeof *logs; ++i)
    if (gannet_join_path(call->folder, logs[i], path, sizeof path) == GANNET_OK) (void)unlink(path);
  (void)rmdir(call->folder);
}

bool gannet_tool_begin(gannet_launcher *launcher, const char *const *words,
                       const char *input_directory, int64_t tag, double limit,
                       gannet_tool_call *call) {
  static const char *const nothing[] = {NULL};
  const char *base = getenv("TMPDIR");
  char path[PATH_MAX];
  *call = (gannet_tool_call){.tag = tag};
  (void)snprintf(call->folder, sizeof call->folder, "%.4000s/gannet-tool-XXXXXX",
                 base && *base ? base : "/tmp");
  if (!launcher || gannet_command_find(words[0], input_directory, path) || !mkdtemp(call->folder))
    return false;
  const gannet_launch launch = {.tag = tag,
                                .directory = call->folder,
                                .program = path,
                                .arguments = words,
                                .environment = nothing,
                                .time_limit = limit,
                                .grace = 1};
  if (gannet_launcher_launch(launcher, &launch) == GANNET_OK) return true;
  gannet_error_clear();
  remove_folder(call);
  return false;
}

void gannet_tool_finish(const gannet_tool_call *call, const gannet_launch_event *event, bool *works,
                        char **answer) {
  char path[PATH_MAX];
  size_t size = 0;
  *works = event && event->type == GANNET_LAUNCH_ENDED && event->exit_code == 0;
  *answer = NULL;
  if (gannet_join_path(call->folder, *works ? "stdout.log" : "stderr.log", path, sizeof path) !=
          GANNET_OK ||
      gannet_file_read(path, answer, &size) != GANNET_OK)
    gannet_error_clear();
  remove_folder(call);
}

bool gannet_tool_ask(gannet_launcher *launcher, const char *const *words,
                     const char *input_directory, double limit, bool *works, char **answer) {
  const double until = gannet_clock_seconds() + limit + 2;
  gannet_launch_event event = {0};
  gannet_tool_call call;
  bool got = false;
  *works = false;
  *answer = NULL;
  if (!gannet_tool_begin(launcher, words, input_directory, -1, limit, &call)) return false;
  do {
    if (gannet_launcher_wait(launcher, 1, &event, &got) != GANNET_OK) {
      gannet_error_clear();
      break;
    }
  } while ((!got || event.type == GANNET_LAUNCH_STARTED) && gannet_clock_seconds() < until);
  gannet_tool_finish(&call, got ? &event : NULL, works, answer);
  return true;
}
