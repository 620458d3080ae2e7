/* The words with which a simulation ends. */
#include "evaluate/contract/last_words.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

enum { END_SIZE = 8192, RULE_SIZE = 74 };

/* Whether a line has letters or digits: it is more than a row of dashes or a bracket. */
static bool says_something(const char *line) {
  for (; *line; ++line)
    if (isalnum((unsigned char)*line) || (unsigned char)*line >= 0x80) return true;
  return false;
}

/* A row of as many dashes as Open MPI's launcher frames its notices by; shorter and longer ones are
 * those of the program. */
static bool is_rule(const char *line) {
  const size_t dashes = strspn(line, "-");
  return dashes == RULE_SIZE && strchr("\r\n", line[dashes]);
}

/* The start of the last rule of a text, which ends before it; NULL when there is none. */
static char *find_opening_rule(char *text) {
  char *found = NULL;
  for (char *line = text; line; line = strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (is_rule(line)) found = line;
  }
  return found;
}

/* Cut what launchers have added after the message of the program: lines and notices that only
 * repeat that it has failed, and with which exit code. Returns a notice of a launcher that is
 * itself the message, or NULL. */
static char *cut_notices(char *text) {
  for (;;) {
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1])) text[--size] = '\0';
    while (size > 0 && !strchr("\r\n", text[size - 1])) --size;
    char *last = text + size, first = *last;
    const bool repeats_failure =
        strstr(last, "ORTE_ERROR_LOG") || strncmp(last, "srun: Terminating ", 18) == 0 ||
        (strncmp(last, "srun: error: ", 13) == 0 && strstr(last, "Exited with exit code"));
    if (last == text || !(repeats_failure || is_rule(last))) return NULL;
    *last = '\0';
    if (repeats_failure) {
      if (says_something(text)) continue;
      *last = first; /* the only words there are */
      return NULL;
    }
    char *opening = find_opening_rule(text);
    if (!opening) return NULL;
    char *notice = opening + strspn(opening, "-");
    notice += strspn(notice, " \r\n");
    *opening = '\0';
    const bool repeats_code =
        strncmp(notice, "Primary job", 11) == 0 ||
        strstr(notice, "detected that one or more processes exited with non-zero status");
    const bool follows_abort =
        strncmp(notice, "MPI_ABORT was invoked", 21) == 0 && says_something(text);
    if (!repeats_code && !follows_abort) return notice;
  }
}

/* Keep the first paragraph of a notice as one line, and the next one if the first ends with a
 * colon. */
static void keep_paragraph(char *notice) {
  char *end = strstr(notice, "\n\n"), *to = notice;
  if (end > notice && end[-1] == ':') end = strstr(end + 2, "\n\n");
  if (end) *end = '\0';
  for (const char *from = notice; *from; ++from)
    if (!isspace((unsigned char)*from))
      *to++ = *from;
    else if (to > notice && to[-1] != ' ')
      *to++ = ' ';
  *to = '\0';
}

/* Keep the last line of a text that says something; return its start. */
static char *keep_last_line(char *text) {
  char *line = text + strlen(text);
  while (line > text) {
    while (line > text && !strchr("\n\r", line[-1])) --line;
    if (says_something(line)) break;
    if (line > text) *--line = '\0';
  }
  line[strcspn(line, "\n\r")] = '\0';
  return line;
}

void gannet_contract_last_words(const char *directory, char *words) {
  char path[PATH_MAX], end[END_SIZE + 1];
  size_t size = 0;
  words[0] = '\0';
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK) return;
  if (gannet_file_read_end(path, sizeof end, end, &size) != GANNET_OK) gannet_error_clear();
  for (size_t i = 0; i < size; ++i)
    if (end[i] == '\0') end[i] = ' ';
  end[size] = '\0';
  char *line = cut_notices(end);
  if (line)
    keep_paragraph(line);
  else
    line = keep_last_line(end);
  if (!says_something(line)) return;
  if (line == end && size == END_SIZE) line += strcspn(line, " "); /* it begins within a word */
  line += strspn(line, " \t");
  gannet_utf8_line(line);
  for (size_t length = strlen(line); length > 0 && line[length - 1] == ' ';) line[--length] = '\0';
  gannet_utf8_shorten(line, GANNET_LAST_WORDS_SIZE);
  memcpy(words, line, strlen(line) + 1);
}
