/* Classifying the end of an attempt: done, cannot run, or failed; and whether a failure is bad
 * luck, so that another attempt may succeed.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/json_text.h"
#include "evaluate/contract/last_words.h"
#include "evaluate/result_record.h"

enum { LONGEST_CHECKED = 1 << 20 };

void gannet_contract_fail(const char *directory, bool retry, const char *reason,
                          gannet_result_record *result) {
  char words[GANNET_LAST_WORDS_SIZE];
  gannet_contract_last_words(directory, words);
  gannet_result_fail(result, retry, "%s%s%s", reason, words[0] ? "; stderr: " : "", words);
}

static bool has_code(const gannet_real_list *list, int code) {
  for (int i = 0; i < list->n; ++i)
    if (list->item[i] == code) return true;
  return false;
}

bool gannet_contract_is_from_outside(int signal) {
  static const int outside[] = {SIGKILL, SIGTERM, SIGBUS, SIGHUP, SIGINT, SIGXCPU};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i)
    if (signal == outside[i]) return true;
  return false;
}

/* Classify an attempt that did not exit with 0 within its time limit. */
static void classify_failure(const gannet_outcome_rules *rules, const char *directory,
                             const gannet_launch_event *event, gannet_result_record *result) {
  char reason[120];
  bool retry = false;
  gannet_failure failure = GANNET_FAILURE_EXIT;
  if (event->limit) {
    failure = GANNET_FAILURE_TIME;
    (void)snprintf(reason, sizeof reason, "time limit of %g s reached", rules->time_limit);
  } else if (event->signal) {
    failure = GANNET_FAILURE_SIGNAL;
    retry = gannet_contract_is_from_outside(event->signal);
    (void)snprintf(reason, sizeof reason, "ended by signal %d (%s)", event->signal,
                   strsignal(event->signal));
  } else {
    retry = has_code(rules->bad_luck, event->exit_code);
    (void)snprintf(reason, sizeof reason, "exit code %d", event->exit_code);
  }
  gannet_contract_fail(directory, retry, reason, result);
  result->run.failure = failure;
  if (failure == GANNET_FAILURE_EXIT && has_code(rules->cannot_run, event->exit_code))
    gannet_result_cannot_run(result, GANNET_FAILURE_RULE);
}

/* Search the output for the user's texts. True when one is found, or when the search itself decided
 * the result because it could not be finished. */
static bool search_output(const gannet_outcome_rules *rules, const gannet_text_rules *texts,
                          const char *what, const char *directory, gannet_text_rule_match *found,
                          gannet_result_record *result) {
  *found = gannet_text_rules_search(texts, directory, &rules->limits);
  if (found->report.end != GANNET_SEARCH_OVER)
    gannet_contract_fail_search(&found->report, what, found->name, result);
  return found->any || found->report.end != GANNET_SEARCH_OVER;
}

static void classify_end(const gannet_problem *problem, const gannet_outcome_rules *rules,
                         const char *directory, const gannet_launch_event *event,
                         gannet_result_record *result) {
  gannet_text_rule_match found;
  if (search_output(rules, rules->cannot_run_texts, "cannot_run_text", directory, &found, result)) {
    if (!found.any) return;
    gannet_result_fail(result, false, "cannot_run_text found: %s", found.line);
    gannet_result_cannot_run(result, GANNET_FAILURE_RULE);
    return;
  }
  if (event->exit_code == 0 && !event->limit && event->results_open &&
      gannet_contract_is_torn(directory)) {
    gannet_result_fail(
        result, false,
        "results.out ends within a line: a process that the simulation left running was "
        "writing it and was ended; let the simulation wait for all it starts");
    result->run.crashed = false; /* whatever it was, it was not the design */
  } else if (event->exit_code == 0 && !event->limit) {
    gannet_contract_read_results(problem, rules, directory, result);
  } else if (!gannet_contract_says_cannot_run(problem, directory, result) &&
             !gannet_contract_is_unread(result)) {
    classify_failure(rules, directory, event, result);
  }
  if (result->status != GANNET_EVAL_FAILED || result->retry) return;
  if (search_output(rules, rules->bad_luck_texts, "bad_luck_text", directory, &found, result) &&
      found.any) {
    gannet_result_fail(result, true, "bad_luck_text found: %s", found.line);
    result->run.failure = GANNET_FAILURE_RULE;
  }
}

gannet_err gannet_attempt_check_files(const char *directory, bool with_results) {
  static const char *const names[] = {"outcome.json", "attempt.json", "results.out"};
  char path[PATH_MAX + 16], *text = NULL;
  for (int i = 0; i < (with_results ? 3 : 2); ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    const gannet_err err =
        gannet_file_read_within(path, LONGEST_CHECKED, GANNET_ERR_DAMAGED, &text, NULL);
    gannet_free(&text);
    if (err != GANNET_OK && err != GANNET_ERR_MISSING && err != GANNET_ERR_DAMAGED) return err;
    gannet_error_clear();
  }
  return GANNET_OK;
}

void gannet_attempt_forget(const char *directory) {
  static const char *const names[] = {"outcome.json", "attempt.json"};
  char path[PATH_MAX + 16];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    (void)unlink(path);
  }
}

gannet_err gannet_contract_check_space(const char *directory, const gannet_result_record *result) {
  if (result->status != GANNET_EVAL_FAILED || gannet_directory_has_room(directory))
    return GANNET_OK;
  const int error = errno;
  gannet_attempt_forget(directory);
  return GANNET_RAISE(GANNET_ERR_NO_SPACE,
                      "a simulation failed in '%s', where nothing more can be written (%s): make "
                      "room and resume, which runs it again",
                      directory, strerror(error));
}

void gannet_contract_find_interpreter(const char *program, char *name, size_t size) {
  FILE *file = NULL;
  name[0] = '\0';
  if (gannet_file_stream(program, GANNET_ERR_INPUT, &file) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  if (fgetc(file) == '#' && fgetc(file) == '!' && fgets(name, (int)size, file)) {
    const size_t begin = strspn(name, " \t");
    const size_t length = strcspn(name + begin, " \t\n");
    memmove(name, name + begin, length);
    name[length] = '\0';
  }
  (void)fclose(file);
}

void gannet_contract_explain_exec(const char *program, int error, char *why, size_t size) {
  char interpreter[100];
  why[0] = '\0';
  if (error == ENOEXEC) (void)snprintf(why, size, " (the first line of a script is #!INTERPRETER)");
  if (error == ENOEXEC || !program) return;
  const char *name = gannet_file_name_of(program);
  gannet_contract_find_interpreter(program, interpreter, sizeof interpreter);
  const size_t end = strcspn(interpreter, "\r");
  if (interpreter[end])
    (void)snprintf(why, size,
                   ": '%s' asks for the interpreter '%.*s\\r', for its lines end with CR LF; write "
                   "them with LF, as dos2unix does",
                   name, (int)end, interpreter);
  else if (interpreter[0])
    (void)snprintf(why, size, ": '%s', or '%s', the interpreter that its first line asks for", name,
                   interpreter);
  else
    (void)snprintf(why, size, ": '%s'", name);
}

static void classify_refusal(const gannet_outcome_rules *rules, const gannet_launch_event *event,
                             gannet_result_record *result) {
  char why[GANNET_REASON_SIZE] = "";
  if (strcmp(event->stage, "exec") == 0)
    gannet_contract_explain_exec(rules->program, event->error, why, sizeof why);
  gannet_result_fail(result, gannet_contract_is_transient(event->error), "cannot start (%s): %s%s",
                     event->stage, strerror(event->error), why);
  result->run.failure = GANNET_FAILURE_LAUNCH;
  result->run.crashed = false; /* whatever it was, it was not the design */
}

gannet_err gannet_classify_outcome(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                   const char *directory, const gannet_launch_event *event,
                                   gannet_result_record *result) {
  result->run.exit_code = event->exit_code;
  result->run.signal = event->signal;
  result->run.started = event->started;
  result->run.ended = event->ended;
  gannet_host_name(result->run.host);
  if (event->pid > 0) (void)snprintf(result->run.job, sizeof result->run.job, "%d", event->pid);
  if (event->type == GANNET_LAUNCH_REFUSED)
    classify_refusal(rules, event, result);
  else
    classify_end(problem, rules, directory, event, result);
  /* What a process writes into a campaign that was moved under it arrives, but not where it is
   * looked for. */
  struct stat about;
  const bool is_moved = result->status == GANNET_EVAL_FAILED && rules->evaluations &&
                        stat(rules->evaluations, &about) != 0 && errno == ENOENT;
  return is_moved ? gannet_raise_errno("find", rules->evaluations) : GANNET_OK;
}

static bool read_outcome(json_t *object, uint64_t nonce, gannet_launch_event *event, char *host) {
  const char *text = NULL, *where = json_string_value(json_object_get(object, "host"));
  char *end = NULL;
  int limit = 0, open = 0;
  memset(event, 0, sizeof *event);
  event->type = GANNET_LAUNCH_ENDED;
  if (json_unpack(object, "{s:s, s:i, s:i, s:i, s:b, s:F, s:F, s?b}", "nonce", &text, "pid",
                  &event->pid, "exit_code", &event->exit_code, "signal", &event->signal,
                  "time_limit", &limit, "started", &event->started, "ended", &event->ended,
                  "results_open", &open))
    return false;
  event->limit = limit != 0;
  event->results_open = open != 0;
  if (host) (void)snprintf(host, GANNET_HOST_SIZE, "%s", where ? where : "");
  return strtoull(text, &end, 16) == nonce && end != text && *end == '\0';
}

bool gannet_contract_find_outcome(const char *directory, uint64_t nonce, gannet_launch_event *event,
                                  char *host) {
  char path[PATH_MAX];
  if (gannet_join_path(directory, "outcome.json", path, sizeof path) != GANNET_OK) return false;
  json_t *object = gannet_json_read(path);
  const bool found = object && read_outcome(object, nonce, event, host);
  json_decref(object);
  return found;
}

bool gannet_contract_is_not_begun(const char *directory, uint64_t nonce, char *why, size_t size) {
  char path[PATH_MAX];
  gannet_launch_event event;
  why[0] = '\0';
  if (gannet_join_path(directory, "outcome.json", path, sizeof path) != GANNET_OK) return false;
  json_t *object = gannet_json_read(path);
  const char *said = json_string_value(json_object_get(object, "not_begun"));
  const bool found = said && read_outcome(object, nonce, &event, NULL);
  if (found) (void)snprintf(why, size, "%s", said);
  json_decref(object);
  return found;
}
