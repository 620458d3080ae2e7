#include "evaluate/places/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* " core 0 core 1 gpu 0 ", the threads of cores by their numbers. */
static gannet_err describe(const gannet_inventory *inventory, bool has_gpus, gannet_text *text) {
  char word[GANNET_DEVICE_SIZE + 16];
  gannet_err err = gannet_text_add(text, " ", 1);
  for (int i = 0; i < inventory->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    if (!node->is_here) continue;
    for (int c = 0; err == GANNET_OK && c < node->n_cores; ++c) {
      (void)snprintf(word, sizeof word, "core:%d ", node->core[c].thread[0]);
      err = gannet_text_add(text, word, strlen(word));
    }
    for (int g = 0; err == GANNET_OK && has_gpus && g < node->n_gpus; ++g) {
      (void)snprintf(word, sizeof word, "gpu:%s ", node->gpu[g]);
      err = gannet_text_add(text, word, strlen(word));
    }
  }
  return err;
}

/* Whether a living process has claimed some of the same; if so, the error names it. A claim is
 * " core:0 ... \nPROCESS CAMPAIGN\n". The file of a process that has ended is removed. */
static gannet_err compare(int folder, const char *name, const char *mine) {
  char *theirs = NULL, path[64];
  gannet_err err = GANNET_OK;
  const int file = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return GANNET_OK;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) {
    (void)unlinkat(folder, name, 0);
    (void)close(file);
    return GANNET_OK;
  }
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (gannet_file_read(path, &theirs, NULL) != GANNET_OK) gannet_error_clear();
  (void)close(file);
  char *owner = theirs ? strchr(theirs, '\n') : NULL;
  if (owner) *owner++ = '\0';
  for (const char *at = mine + 1; owner && *at && err == GANNET_OK; at += strcspn(at, " ") + 1) {
    char word[GANNET_DEVICE_SIZE + 20];
    const int size = (int)strcspn(at, " ");
    (void)snprintf(word, sizeof word, " %.*s ", size, at);
    if (!strstr(theirs, word)) continue;
    owner[strcspn(owner, "\n")] = '\0';
    err = GANNET_RAISE(GANNET_ERR_BUSY,
                       "another gannet shares out %.*s of this node: process %s; let it end, start "
                       "both with cores of their own (taskset, srun --exact, GANNET_GPUS), or set "
                       "evaluate.resources.oversubscribe: yes",
                       size, at, owner);
  }
  free(theirs);
  return err;
}

gannet_err gannet_claim_make(const gannet_inventory *inventory, bool has_gpus, const char *campaign,
                             int *file) {
  const char *base = getenv("TMPDIR");
  char path[PATH_MAX], name[32], owner[PATH_MAX + 32], full[PATH_MAX];
  gannet_text text = {0};
  *file = -1;
  (void)snprintf(path, sizeof path, "%s/gannet-places-%ld", base && *base ? base : "/tmp",
                 (long)geteuid());
  (void)mkdir(path, 0700);
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0 || flock(folder, LOCK_EX)) { /* one at a time compares and writes */
    if (folder >= 0) (void)close(folder);
    return GANNET_OK;
  }
  gannet_err err = describe(inventory, has_gpus, &text);
  DIR *entries = opendir(path);
  for (struct dirent *entry; err == GANNET_OK && entries && (entry = readdir(entries));)
    if (entry->d_name[0] != '.') err = compare(folder, entry->d_name, text.text);
  if (entries) (void)closedir(entries);
  (void)snprintf(name, sizeof name, "%ld", (long)getpid());
  if (err == GANNET_OK) *file = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (*file >= 0 && flock(*file, LOCK_EX | LOCK_NB) == 0) {
    (void)snprintf(owner, sizeof owner, "\n%ld, campaign %s\n", (long)getpid(),
                   realpath(campaign, full) ? full : campaign);
    if (gannet_text_add(&text, owner, strlen(owner)) != GANNET_OK ||
        gannet_write_all(*file, text.text, text.used, path) != GANNET_OK)
      gannet_error_clear(); /* a full disk keeps nobody from working */
  }
  (void)close(folder);
  free(text.text);
  return err;
}

void gannet_claim_release(int *file) {
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", *file);
  const ssize_t size = *file >= 0 ? readlink(link, path, sizeof path - 1) : -1;
  if (size > 0) path[size] = '\0';
  if (size > 0) (void)unlink(path);
  if (*file >= 0) (void)close(*file);
  *file = -1;
}
