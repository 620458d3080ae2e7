/* The policy of evaluate.keep: which files of evaluations that have ended stay on the disk. */
#ifndef GANNET_CAMPAIGN_CONFIG_KEEP_H
#define GANNET_CAMPAIGN_CONFIG_KEEP_H

#include "base/complaints.h"
#include "base/option.h"

typedef struct {
  bool all;                      /* nothing is removed */
  const gannet_text_list *files; /* patterns of files that stay in every directory; borrowed */
  long long best, last;          /* all files of so many best and last evaluations stay */
  bool failed;                   /* all files of evaluations that failed or cannot run stay */
} gannet_keep;

/* Read the policy. What is wrong with it becomes complaints about the key.
 *
 * Local.
 *
 * files                        in  [all], or patterns
 * all_files_of                 in  "best 5", "last 3", "failed"
 * files_key, all_files_of_key  in  for complaints
 */
void gannet_keep_read(const gannet_text_list *files, const gannet_text_list *all_files_of,
                      const char *files_key, const char *all_files_of_key,
                      gannet_complaints *complaints, gannet_keep *keep);

#endif
