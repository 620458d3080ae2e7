/* The user's own rules: what a text in the output of a simulation says about its end. */
#include "evaluate/rules.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"

enum { LINE_SIZE = 64 << 10 }; /* longer lines are looked at in pieces */

static void compile(const char *key, const char *text, gannet_complaints *complaints,
                    gannet_texts *texts) {
  char reason[200];
  const int failed = regcomp(&texts->regex[texts->n], text, REG_EXTENDED | REG_NOSUB);
  if (!failed) {
    texts->n += 1;
    return;
  }
  (void)regerror(failed, &texts->regex[texts->n], reason, sizeof reason);
  gannet_complain(complaints, key, "'%s': %s; expected a POSIX extended regular expression", text,
                  reason);
}

gannet_err gannet_texts_create(const char *key, const gannet_text_list *list,
                               gannet_complaints *complaints, gannet_texts *texts) {
  GANNET_TRY(gannet_alloc((size_t)list->n, sizeof *texts->regex, &texts->regex));
  for (int i = 0; i < list->n; ++i) compile(key, list->item[i], complaints, texts);
  return GANNET_OK;
}

void gannet_texts_release(gannet_texts *texts) {
  for (int i = 0; i < texts->n; ++i) regfree(&texts->regex[i]);
  gannet_free(&texts->regex);
  texts->n = 0;
}

static bool matches(const gannet_texts *texts, const char *line) {
  for (int i = 0; i < texts->n; ++i)
    if (regexec(&texts->regex[i], line, 0, NULL, 0) == 0) return true;
  return false;
}

void gannet_cut_line_end(char *line) {
  size_t length = strlen(line);
  if (length > 0 && line[length - 1] == '\n') line[--length] = '\0';
  if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
}

static bool find_in(const gannet_texts *texts, FILE *file, char *line, char *found, size_t size) {
  while (fgets(line, LINE_SIZE, file)) {
    gannet_cut_line_end(line);
    if (!matches(texts, line)) continue;
    (void)snprintf(found, size, "%s", line + strspn(line, " \t"));
    return true;
  }
  return false;
}

bool gannet_texts_find(const gannet_texts *texts, const char *directory, char *found, size_t size) {
  static const char *const names[] = {"stdout.log", "stderr.log"};
  char path[PATH_MAX], *line = NULL;
  bool any = false;
  if (!texts || texts->n == 0) return false;
  if (gannet_alloc(LINE_SIZE, 1, &line) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  for (int i = 0; i < 2 && !any; ++i) {
    FILE *file = gannet_join_path(directory, names[i], path, sizeof path) == GANNET_OK
                     ? fopen(path, "re")
                     : NULL;
    if (!file) continue;
    any = find_in(texts, file, line, found, size);
    (void)fclose(file);
  }
  gannet_free(&line);
  return any;
}
