#define _GNU_SOURCE /* O_PATH and the like in fcntl.h */
#include "campaign/run/tidy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/run/neighbours.h"
#include "evaluate/contract/case_folder.h"

/* The removal of files below one directory. */
typedef struct {
  const gannet_keep *keep;
  bool is_dry;
  int64_t id;   /* of the evaluation */
  dev_t device; /* other file systems that are mounted there are left alone */
  gannet_tidied *tidied;
} removal;

/* Whether a file stays. A pattern without a slash counts in every folder.
 *
 * name    in  relative to the directory of the evaluation
 * is_top  in  the folder is that of an attempt, where gannet's own files are
 */
static bool stays(const removal *r, const char *name, bool is_top) {
  const char *file = gannet_file_name_of(name);
  if (is_top && gannet_contract_has_file(file)) return true;
  for (int i = 0; i < r->keep->files->n; ++i) {
    const char *pattern = r->keep->files->item[i];
    if (strchr(pattern, '/') ? gannet_case_matches(pattern, name) : fnmatch(pattern, file, 0) == 0)
      return true;
  }
  return false;
}

/* Note that something cannot be removed, or looked at; errno says why.
 *
 * name  in  relative to the directory of the evaluation; "" = that directory
 */
static void note_failure(removal *r, const char *name) {
  if (r->tidied->failed++ > 0) return;
  r->tidied->error = errno;
  (void)snprintf(r->tidied->first, sizeof r->tidied->first, "evals/%06lld%s%.900s",
                 (long long)r->id, *name ? "/" : "", name);
}

/* Remove what does not stay in a folder and below it.
 *
 * folder  in  descriptor, which is closed
 * name    in  of the folder, relative to the directory of the evaluation; "" = that directory
 */
static void tidy_folder(removal *r, int folder, const char *name, bool is_top) {
  DIR *all = fdopendir(folder);
  if (!all) {
    note_failure(r, name);
    (void)close(folder);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(all));) {
    const char *file = entry->d_name;
    char path[PATH_MAX];
    struct stat about;
    if (strcmp(file, ".") == 0 || strcmp(file, "..") == 0) continue;
    if (snprintf(path, sizeof path, "%s%s%s", name, *name ? "/" : "", file) >= (int)sizeof path ||
        fstatat(folder, file, &about, AT_SYMLINK_NOFOLLOW)) {
      note_failure(r, path);
      continue;
    }
    if (S_ISDIR(about.st_mode)) {
      const bool is_attempt = !*name && strncmp(file, "attempt-", 8) == 0;
      const int below = openat(folder, file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (about.st_dev != r->device) {
        if (below >= 0) (void)close(below);
        continue;
      }
      if (below < 0) {
        note_failure(r, path);
        continue;
      }
      if (!is_attempt && stays(r, path, false)) {
        (void)close(below);
        continue;
      }
      tidy_folder(r, below, path, is_attempt);
      if (!r->is_dry && !is_attempt && unlinkat(folder, file, AT_REMOVEDIR) && errno != ENOTEMPTY &&
          errno != EEXIST)
        note_failure(r, path);
      continue;
    }
    if (stays(r, path, is_top)) continue;
    if (!r->is_dry && unlinkat(folder, file, 0)) {
      note_failure(r, path);
      continue;
    }
    r->tidied->files += 1;
    if (S_ISREG(about.st_mode)) r->tidied->bytes += (int64_t)about.st_size;
  }
  (void)closedir(all);
}

static void tidy_evaluation(const gannet_campaign *campaign, int64_t id, removal *r) {
  char name[40], path[PATH_MAX];
  struct stat about;
  const int64_t before = r->tidied->files;
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)id);
  if (gannet_campaign_path(campaign, name, path) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  r->id = id;
  if (folder < 0 || fstat(folder, &about)) {
    if (errno != ENOENT) note_failure(r, ""); /* built-in simulations have none */
    if (folder >= 0) (void)close(folder);
    return;
  }
  r->device = about.st_dev;
  tidy_folder(r, folder, "", true);
  r->tidied->evaluations += r->tidied->files > before;
}

gannet_err gannet_tidy(const gannet_campaign *campaign, const gannet_keep *keep, bool is_dry,
                       bool *is_tidy, gannet_tidied *tidied) {
  removal r = {.keep = keep, .is_dry = is_dry, .tidied = tidied};
  bool *is_kept = NULL;
  if (keep->all) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)campaign->ledger.n, sizeof *is_kept, &is_kept));
  const gannet_err err = gannet_keep_mark(campaign, keep, is_kept);
  for (int64_t id = 0; err == GANNET_OK && id < campaign->ledger.n; ++id) {
    if (is_kept[id] || (is_tidy && is_tidy[id])) continue;
    tidy_evaluation(campaign, id, &r);
    if (is_tidy) is_tidy[id] = true;
  }
  gannet_free(&is_kept);
  return err;
}
