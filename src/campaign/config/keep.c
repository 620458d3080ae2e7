#include "campaign/config/keep.h"

#include <string.h>
#include <strings.h>

#include "base/number.h"

/* Read "best 5" for the word "best". */
static bool read_count(const char *text, const char *word, long long *count) {
  const size_t length = strlen(word);
  double value;
  if (strncmp(text, word, length) != 0 || text[length] != ' ') return false;
  if (gannet_parse_number(text + length + 1, &value) || value < 1 || value > 1e9) return false;
  *count = (long long)value;
  return (double)*count == value;
}

/* Say what is wrong with a pattern of files; NULL = nothing. */
static const char *fault_of_pattern(const char *text) {
  static const char *const words[] = {"none", "no", "false", "off", "true", "yes", "on"};
  const char *open = strchr(text, '[');
  if (!text[strspn(text, " \t")]) return "it is empty";
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcasecmp(text, words[i]) == 0) return "it is not a file pattern";
  if (strncasecmp(text + strspn(text, " \t"), "all", 3) == 0 && !text[3 + strspn(text, " \t")])
    return "did you mean 'all'?";
  if (text[0] == '/') return "it is an absolute path";
  if (strcmp(text, "..") == 0 || strncmp(text, "../", 3) == 0 || strstr(text, "/../"))
    return "it leads out of the evaluation's directory";
  if (text[0] == '!') return "a leading ! has no meaning here";
  if (strchr(text, '{')) return "braces have no meaning here; give one pattern for each";
  if (open && !strchr(open, ']')) return "its [ has no ]";
  if (strpbrk(text, "*?") && strchr(text, ' ')) return "patterns are items of a list";
  if (text[0] == ' ' || text[strlen(text) - 1] == ' ') return "it begins or ends with a blank";
  return NULL;
}

void gannet_keep_read(const gannet_text_list *files, const gannet_text_list *all_files_of,
                      const char *files_key, const char *all_files_of_key,
                      gannet_complaints *complaints, gannet_keep *keep) {
  *keep = (gannet_keep){.files = files};
  for (int i = 0; i < files->n; ++i) {
    const bool is_all = strcmp(files->item[i], "all") == 0;
    const char *fault = is_all ? NULL : fault_of_pattern(files->item[i]);
    keep->all = keep->all || is_all;
    if (fault)
      gannet_complain(complaints, files_key,
                      "'%s' is not valid, %s; expected all, or patterns of files that stay, as in "
                      "[\"*.log\", post]",
                      files->item[i], fault);
  }
  if (files->n == 0)
    gannet_complain(complaints, files_key,
                    "the list is empty; expected all, or patterns of files that stay, as in "
                    "[\"*.log\", post]");
  for (int i = 0; i < all_files_of->n; ++i) {
    const char *text = all_files_of->item[i];
    if (strcmp(text, "failed") == 0)
      keep->failed = true;
    else if (!read_count(text, "best", &keep->best) && !read_count(text, "last", &keep->last))
      gannet_complain(complaints, all_files_of_key,
                      "'%s' is not valid; expected 'best 5', 'last 5' or 'failed'", text);
  }
  if (keep->all && all_files_of->n > 0)
    gannet_complain(complaints, all_files_of_key,
                    "without files, all files of every evaluation stay; expected files as well, "
                    "as in {files: [\"*.log\"], all_files_of: [best 5]}");
}
