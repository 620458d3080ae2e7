#include "campaign/config/keep.h"

#include <string.h>

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

void gannet_keep_read(const gannet_text_list *files, const gannet_text_list *all_files_of,
                      const char *key, gannet_complaints *complaints, gannet_keep *keep) {
  *keep = (gannet_keep){.files = files};
  for (int i = 0; i < files->n; ++i) keep->all = keep->all || strcmp(files->item[i], "all") == 0;
  for (int i = 0; i < all_files_of->n; ++i) {
    const char *text = all_files_of->item[i];
    if (strcmp(text, "failed") == 0)
      keep->failed = true;
    else if (!read_count(text, "best", &keep->best) && !read_count(text, "last", &keep->last))
      gannet_complain(complaints, key, "'%s' is not valid; expected 'best 5', 'last 5' or 'failed'",
                      text);
  }
  if (keep->all && all_files_of->n > 0)
    gannet_complain(complaints, key,
                    "without files, all files of every evaluation stay; expected files as well, "
                    "as in {files: [\"*.log\"], all_files_of: [best 5]}");
}
