/* The user's own rules: what a text in the output of a simulation says about its end. */
#include "evaluate/contract/text_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The end of a list in square brackets that begins at `at`: its closing bracket, or the end of the
 * text. */
static const char *end_of_list(const char *at) {
  ++at;
  if (*at == '^') ++at;
  if (*at == ']') ++at; /* first in a list, it stands for itself */
  while (*at && *at != ']') {
    const char *close = at[0] == '[' && strchr(":.=", at[1]) && at[1] ? strchr(at + 2, ']') : NULL;
    at = close ? close + 1 : at + 1;
  }
  return at;
}

void gannet_regex_check_dialect(const char *key, const char *text, gannet_complaints *complaints) {
  static const struct {
    char letter;
    bool only_in_list; /* outside, it means the same here */
    const char *instead, *excluded;
  } foreign[] = {{'d', false, "[0-9]", "[^0-9]"},
                 {'D', false, "[^0-9]", "[0-9]"},
                 {'t', false, "[[:blank:]]", "[^[:blank:]]"},
                 {'s', true, "[[:space:]]", "[^[:space:]]"},
                 {'S', true, "[^[:space:]]", "[[:space:]]"},
                 {'w', true, "[[:alnum:]_]", "[^[:alnum:]_]"},
                 {'W', true, "[^[:alnum:]_]", "[[:alnum:]_]"}};
  enum { N = sizeof foreign / sizeof *foreign };
  for (const char *at = text; *at; ++at) {
    const bool is_list = *at == '[', excludes = is_list && at[1] == '^';
    const char *end = is_list ? end_of_list(at) : at + (*at == '\\' && at[1]);
    const bool has_blank = is_list && memchr(at, ' ', (size_t)(end - at));
    for (; at < end; ++at) {
      size_t i = 0;
      while (i < N && (*at != '\\' || at[1] != foreign[i].letter)) ++i;
      if (i == N || (!is_list && foreign[i].only_in_list)) continue;
      if (has_blank && strchr("ts", at[1])) continue; /* [ \t] finds the blank all the same */
      gannet_complain(complaints, key,
                      "'%s': POSIX extended regular expressions do not know \\%c%s; write %s", text,
                      foreign[i].letter, is_list ? " in square brackets" : "",
                      excludes ? foreign[i].excluded : foreign[i].instead);
      return;
    }
    if (!*at) return;
  }
}

void gannet_regex_explain(int failed, const regex_t *regex, const char *text, char *reason,
                          size_t size) {
  (void)regerror(failed, regex, reason, size);
  for (const char *at = text; failed == REG_BADRPT && *at; ++at) {
    if (strncmp(at, "(?", 2) == 0) {
      (void)snprintf(reason, size, "(?...) is unknown here; write ( )");
      return;
    }
    if (*at == '[') at = end_of_list(at);
    if (*at == '\\') ++at;
    if (!*at) return;
  }
}

static void compile_rule(const char *key, const char *text, gannet_complaints *complaints,
                         gannet_text_rules *texts) {
  char reason[200];
  const int failed = regcomp(&texts->regex[texts->n], text, REG_EXTENDED | REG_NOSUB);
  if (!failed) {
    gannet_regex_check_dialect(key, text, complaints);
    texts->n += 1;
    return;
  }
  gannet_regex_explain(failed, &texts->regex[texts->n], text, reason, sizeof reason);
  gannet_complain(complaints, key, "'%s': %s; expected a POSIX extended regular expression", text,
                  reason);
}

gannet_err gannet_text_rules_create(const char *key, const gannet_text_list *list,
                                    gannet_complaints *complaints, gannet_text_rules *texts) {
  GANNET_TRY(gannet_alloc((size_t)list->n, sizeof *texts->regex, &texts->regex));
  for (int i = 0; i < list->n; ++i) compile_rule(key, list->item[i], complaints, texts);
  return GANNET_OK;
}

void gannet_text_rules_release(gannet_text_rules *texts) {
  for (int i = 0; i < texts->n; ++i) regfree(&texts->regex[i]);
  gannet_free(&texts->regex);
  texts->n = 0;
}

static bool take_line(void *user, int which, const char *line, const regmatch_t *match, bool torn) {
  gannet_text_rule_match *found = user;
  (void)which;
  (void)match;
  (void)torn; /* what a simulation says in words counts all the same */
  found->any = true;
  (void)snprintf(found->line, sizeof found->line, "%s", line + strspn(line, " \t"));
  return true;
}

gannet_text_rule_match gannet_text_rules_search(const gannet_text_rules *texts,
                                                const char *directory,
                                                const gannet_search_limits *limits) {
  static const char *const names[] = {"stdout.log", "stderr.log"};
  gannet_text_rule_match found = {.name = names[0], .report = {.end = GANNET_SEARCH_OVER}};
  if (!texts || texts->n == 0) return found;
  const gannet_search search = {
      .n = texts->n, .regex = texts->regex, .take = take_line, .user = &found};
  for (int i = 0; i < 2 && !found.any && found.report.end == GANNET_SEARCH_OVER; ++i) {
    found.name = names[i];
    found.report = gannet_search_file(&search, directory, names[i], limits);
  }
  return found;
}
