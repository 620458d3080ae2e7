#define _GNU_SOURCE /* F_OFD_SETLK */
#include "evaluate/places/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

/* " core 0 core 1 gpu 0 ", the threads of cores by their numbers. */
static gannet_err describe(const gannet_inventory *inventory, bool has_gpus, gannet_text *text) {
  gannet_err err = gannet_text_put(text, " ");
  for (int i = 0; i < inventory->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    if (!node->is_here) continue;
    for (int c = 0; err == GANNET_OK && c < node->n_cores; ++c)
      err = gannet_text_print(text, "core:%d ", node->core[c].thread[0]);
    for (int g = 0; err == GANNET_OK && has_gpus && g < node->n_gpus; ++g)
      err = gannet_text_print(text, "gpu:%s ", node->gpu[g]);
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
    err =
        GANNET_RAISE(GANNET_ERR_BUSY,
                     "another gannet uses %.*s of this node: process %s; wait until it ends, start "
                     "both with cores of their own (taskset, srun --exact, GANNET_GPUS), or set "
                     "evaluate.resources.oversubscribe: yes",
                     size, at, owner);
  }
  free(theirs);
  return err;
}

/* Claim the cores and GPUs of this node. */
static gannet_err claim_here(const gannet_inventory *inventory, bool has_gpus, const char *campaign,
                             int *file) {
  const char *base = getenv("TMPDIR");
  char path[PATH_MAX], name[32], full[PATH_MAX];
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
    if (gannet_text_print(&text, "\n%ld, campaign %s\n", (long)getpid(),
                          realpath(campaign, full) ? full : campaign) != GANNET_OK ||
        gannet_write_all(*file, text.text, text.used, path) != GANNET_OK)
      gannet_error_clear(); /* a full disk keeps nobody from working */
  }
  (void)close(folder);
  free(text.text);
  return err;
}

/* Nodes of an allocation. */

enum {
  RECORDS = 65536,     /* where the records begin in the file: more than an allocation has nodes */
  GUARD = RECORDS - 1, /* byte that is locked for the moment in which nodes are claimed or given
                          back, or the file is removed; the bytes before it are those of nodes */
  RECORD_SIZE = 512,   /* of the record of a gannet, at the number of its own node: a line */
  MOST_TRIES = 10      /* to lock a file that others remove at that moment */
};

static const double longest_guard = 5; /* seconds for which the byte is waited for: it may be that
                                          of a process that was stopped */

/* Lock bytes of a file; 0, or an errno. Unlike flock, each byte has a lock of its own. Unlike a
 * lock by F_SETLK, it stays when the process closes another descriptor of the file. */
static int lock_bytes(int file, short type, off_t first, off_t n) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
  return fcntl(file, F_OFD_SETLK, &lock) ? errno : 0;
}

static bool is_taken(int failed) {
  return failed == EAGAIN || failed == EACCES;
}

/* Lock the guard, for which others are waited for; 0, or an errno. */
static int lock_guard(int file) {
  const double until = gannet_clock_seconds() + longest_guard;
  int failed = lock_bytes(file, F_WRLCK, GUARD, 1);
  while (is_taken(failed) && gannet_clock_seconds() < until) {
    gannet_clock_sleep(0.002);
    failed = lock_bytes(file, F_WRLCK, GUARD, 1);
  }
  return failed;
}

/* Whether a path still leads to an open file. */
static bool is_at(int file, const char *path) {
  struct stat held, there;
  return fstat(file, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

/* Remove the files of jobs whose gannets were killed. */
static void tidy(const char *base) {
  char pattern[PATH_MAX];
  glob_t found;
  (void)snprintf(pattern, sizeof pattern, "%s/.gannet-places-*", base);
  if (glob(pattern, GLOB_NOSORT, NULL, &found)) return;
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    const int file = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && lock_bytes(file, F_WRLCK, GUARD, 1) == 0 &&
        lock_bytes(file, F_WRLCK, 0, GUARD) == 0 && is_at(file, found.gl_pathv[i]))
      (void)unlink(found.gl_pathv[i]);
    if (file >= 0) (void)close(file);
  }
  globfree(&found);
}

/* Open the file of a job; -1 = no folder takes one. */
static int open_job(const char *job, char *path, size_t size) {
  const char *const bases[] = {getenv("HOME"), getenv("SLURM_SUBMIT_DIR")};
  const char *cluster = getenv("SLURM_CLUSTER_NAME");
  int file = -1;
  if (strchr(job, '/') || (cluster && strchr(cluster, '/'))) return -1;
  for (size_t i = 0; i < sizeof bases / sizeof *bases && file < 0; ++i) {
    if (!bases[i] || bases[i][0] != '/') continue;
    tidy(bases[i]);
    (void)snprintf(path, size, "%s/.gannet-places-%s-%s", bases[i], cluster ? cluster : "slurm",
                   job);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  return file;
}

/* Name the gannet that has some node: its record is at the number of its own node, which it has
 * locked. */
static gannet_err raise_taken(int file, const gannet_inventory *inventory, int taken) {
  char record[RECORD_SIZE + 1] = "";
  for (int i = 0; i < inventory->n_nodes && !record[0]; ++i) {
    const off_t at = RECORDS + (off_t)i * RECORD_SIZE;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = i, .l_len = 1};
    if (fcntl(file, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK ||
        pread(file, record, RECORD_SIZE, at) < RECORD_SIZE)
      record[0] = '\0';
  }
  return GANNET_RAISE(
      GANNET_ERR_BUSY,
      "another gannet in job %s uses node %s%s%s; wait until it ends, set resources.launcher: "
      "mpirun in "
      "both so that each keeps to its own node, start one gannet in a job of its own, or set "
      "evaluate.resources.oversubscribe: yes",
      inventory->job, inventory->node[taken].host, record[0] ? ": " : "", record);
}

/* Lock the nodes that simulations may use. */
static gannet_err lock_nodes(int file, const gannet_inventory *inventory, bool is_bound,
                             int *failed) {
  *failed = 0;
  for (int i = 0; i < inventory->n_nodes && !*failed; ++i) {
    if (is_bound && !inventory->node[i].is_here) continue;
    *failed = lock_bytes(file, is_bound ? F_RDLCK : F_WRLCK, i, 1);
    if (is_taken(*failed)) return raise_taken(file, inventory, i);
  }
  return GANNET_OK;
}

/* Write who has the nodes, for others. */
static void write_record(int file, const gannet_inventory *inventory, const char *campaign) {
  char full[PATH_MAX], record[RECORD_SIZE] = "";
  for (int i = 0; i < inventory->n_nodes; ++i) {
    if (!inventory->node[i].is_here) continue;
    (void)snprintf(record, sizeof record, "process %ld on %s, campaign %.400s", (long)getpid(),
                   inventory->node[i].host, realpath(campaign, full) ? full : campaign);
    (void)!pwrite(file, record, sizeof record, RECORDS + (off_t)i * RECORD_SIZE);
  }
}

/* Claim nodes of an allocation of several. The file may be removed by others until its guard is
 * locked. */
static gannet_err claim_nodes(const gannet_inventory *inventory, bool is_bound,
                              const char *campaign, int *descriptor) {
  char path[PATH_MAX];
  struct stat held;
  *descriptor = -1;
  if (inventory->n_nodes < 2) return GANNET_OK;
  for (int tries = 0; tries < MOST_TRIES; ++tries) {
    const int file = open_job(inventory->job, path, sizeof path);
    if (file < 0) return GANNET_OK;
    int failed = lock_guard(file);
    gannet_err err = GANNET_OK;
    if (failed == 0 || is_taken(failed)) err = lock_nodes(file, inventory, is_bound, &failed);
    if (err == GANNET_OK && failed == 0 && is_at(file, path)) {
      write_record(file, inventory, campaign);
      (void)lock_bytes(file, F_UNLCK, GUARD, 1);
      *descriptor = file;
      return GANNET_OK;
    }
    /* Where no file can be locked, none is left. */
    if (failed && !is_taken(failed) && fstat(file, &held) == 0 && held.st_size == 0)
      (void)unlink(path);
    (void)close(file);
    if (err != GANNET_OK || failed) return err;
  }
  return GANNET_OK;
}

gannet_err gannet_claim_make(const gannet_inventory *inventory, bool has_gpus, bool is_bound,
                             const char *campaign, gannet_claim *claim) {
  claim->job = -1;
  GANNET_TRY(claim_here(inventory, has_gpus, campaign, &claim->here));
  return claim_nodes(inventory, is_bound, campaign, &claim->job);
}

/* Remove a file, and close it. */
static void remove_open(int *file) {
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", *file);
  const ssize_t size = *file >= 0 ? readlink(link, path, sizeof path - 1) : -1;
  if (size > 0) path[size] = '\0';
  if (size > 0) (void)unlink(path);
  if (*file >= 0) (void)close(*file);
  *file = -1;
}

void gannet_claim_release(gannet_claim *claim) {
  remove_open(&claim->here);
  if (claim->job >= 0 && lock_guard(claim->job) == 0 &&
      lock_bytes(claim->job, F_WRLCK, 0, GUARD) == 0)
    remove_open(&claim->job);
  else if (claim->job >= 0)
    (void)close(claim->job); /* others have nodes by it */
  claim->job = -1;
}
