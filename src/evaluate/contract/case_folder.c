/* A case folder is copied into the directory of every evaluation.
 *
 * Terms
 *   case       the folder that evaluate.case.copy names
 *   name       of something in the case: its path relative to the case, "system/controlDict"
 *   template   a file whose placeholders are replaced while it is copied
 *   linked     said of what the copy has as a symbolic link to the original
 *
 * One walk through the case, in the order of names, gives each thing in it to a visitor: one
 * checks, one lists templates, one copies. The walk follows no symbolic link, and leaves out what
 * is no part of a case: directories of campaigns and of tries, which are known by what is in them,
 * and .git.
 */
#define _GNU_SOURCE /* copy_file_range */
#include "evaluate/contract/case_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/near_path.h"
#include "evaluate/contract/output_files.h"

static const char copy_key[] = "evaluate.case.copy";
static const char templates_key[] = "evaluate.case.templates";
static const char link_key[] = "evaluate.case.link";

/* Something in the case. */
typedef struct {
  const char *path; /* absolute */
  const char *name;
  struct stat about; /* of the thing itself, also where it is a symbolic link */
  bool is_template;  /* a pattern of templates matches it, and it is a file or leads to one */
  bool is_linked;    /* a pattern of link matches it or a folder that it is in */
} case_entry;

typedef struct {
  const gannet_case *a_case;
  bool enters_linked; /* whether the walk visits what is in linked folders */
  bool has_campaign;  /* campaign is known */
  struct stat campaign;
  gannet_err (*visit)(void *user, const case_entry *entry);
  void *user;
} case_walk;

bool gannet_contract_has_file(const char *name) {
  static const char *const ours[] = {
      "params.json", "params.in", "attempt.json", "outcome.json", "results.out", "stdout.log",
      "stderr.log",  "job.sh",    "script.sh",    "gannet.log",   "job.running", "job.interrupted"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
    if (strcmp(name, ours[i]) == 0) return true;
  return strncmp(name, "attempt-", 8) == 0;
}

bool gannet_case_matches(const char *pattern, const char *name) {
  char part[NAME_MAX + 1], wanted[PATH_MAX];
  while (strncmp(pattern, "./", 2) == 0) pattern += 2;
  while (*pattern == '/') ++pattern;
  if (!*pattern) return true;
  if (!*name) return false;
  const size_t wanted_length = strcspn(pattern, "/"), length = strcspn(name, "/");
  const char *rest = name + length + (name[length] == '/');
  if (wanted_length == 2 && strncmp(pattern, "**", 2) == 0)
    return gannet_case_matches(pattern + 2, name) || gannet_case_matches(pattern, rest);
  if (length >= sizeof part || wanted_length >= sizeof wanted) return false;
  (void)snprintf(part, sizeof part, "%.*s", (int)length, name);
  (void)snprintf(wanted, sizeof wanted, "%.*s", (int)wanted_length, pattern);
  return fnmatch(wanted, part, 0) == 0 && gannet_case_matches(pattern + wanted_length, rest);
}

static bool matches_one(const gannet_text_list *patterns, const char *name) {
  for (int i = 0; i < patterns->n; ++i)
    if (gannet_case_matches(patterns->item[i], name)) return true;
  return false;
}

/* Whether a folder is the directory of a campaign or of a try, whatever it is called: one has a
 * journal beside its campaign.yaml, and each has evals with a folder per evaluation. */
static bool is_campaign_directory(const char *path) {
  static const char *const first[] = {"evals/000000/params.in", "evals/000000/attempt.json"};
  char file[PATH_MAX];
  struct stat about;
  const bool has_journal = gannet_join_path(path, "journal", file, sizeof file) == GANNET_OK &&
                           stat(file, &about) == 0 && S_ISREG(about.st_mode);
  if (has_journal && gannet_join_path(path, "campaign.yaml", file, sizeof file) == GANNET_OK &&
      access(file, F_OK) == 0)
    return true;
  for (size_t i = 0; i < sizeof first / sizeof *first; ++i)
    if (gannet_join_path(path, first[i], file, sizeof file) == GANNET_OK && access(file, F_OK) == 0)
      return true;
  gannet_error_clear(); /* a path that is too long is told where it is copied */
  return false;
}

static bool is_left_out(const case_walk *walk, const char *path, const char *file,
                        const struct stat *about) {
  static const char *const names[] = {".git", "*.campaign", "*.try-[0-9]*"};
  if (!S_ISDIR(about->st_mode)) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (fnmatch(names[i], file, 0) == 0) return true;
  if (is_campaign_directory(path)) return true;
  return walk->has_campaign && about->st_dev == walk->campaign.st_dev &&
         about->st_ino == walk->campaign.st_ino;
}

static gannet_err walk_folder(const case_walk *walk, const char *folder, const char *folder_name,
                              bool is_linked);

static gannet_err walk_entry(const case_walk *walk, const char *folder, const char *folder_name,
                             const char *file, bool is_linked) {
  char path[PATH_MAX], name[PATH_MAX];
  struct stat led_to;
  case_entry entry = {.path = path, .name = name};
  GANNET_TRY(gannet_join_path(folder, file, path, sizeof path));
  (void)snprintf(name, sizeof name, "%s", file);
  if (*folder_name) GANNET_TRY(gannet_join_path(folder_name, file, name, sizeof name));
  if (lstat(path, &entry.about)) return gannet_raise_errno("look at", path);
  if (is_left_out(walk, path, file, &entry.about)) return GANNET_OK;
  const bool is_file =
      S_ISREG(entry.about.st_mode) ||
      (S_ISLNK(entry.about.st_mode) && stat(path, &led_to) == 0 && S_ISREG(led_to.st_mode));
  entry.is_linked = is_linked || matches_one(walk->a_case->link, name);
  entry.is_template = is_file && matches_one(walk->a_case->templates, name);
  GANNET_TRY(walk->visit(walk->user, &entry));
  if (!S_ISDIR(entry.about.st_mode) || (entry.is_linked && !walk->enters_linked)) return GANNET_OK;
  return walk_folder(walk, path, name, entry.is_linked);
}

static int is_no_dot(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static gannet_err walk_folder(const case_walk *walk, const char *folder, const char *folder_name,
                              bool is_linked) {
  struct dirent **entries = NULL;
  gannet_err err = GANNET_OK;
  const int n = scandir(folder, &entries, is_no_dot, alphasort);
  if (n < 0) return gannet_raise_errno("read the folder", folder);
  for (int i = 0; i < n; ++i) {
    if (err == GANNET_OK)
      err = walk_entry(walk, folder, folder_name, entries[i]->d_name, is_linked);
    free(entries[i]);
  }
  free(entries);
  return err;
}

/* Visit everything in the case. */
static gannet_err walk_case(case_walk *walk, const char *folder) {
  const char *campaign = walk->a_case->campaign;
  walk->has_campaign = campaign && stat(campaign, &walk->campaign) == 0;
  return walk_folder(walk, folder, "", false);
}

gannet_err gannet_case_find(const gannet_case *a_case, const char *input_directory, char *folder) {
  char path[PATH_MAX];
  const char *start = a_case->copy[0] == '/' ? "" : input_directory ? input_directory : ".";
  GANNET_TRY(gannet_join_path(start, a_case->copy, path, sizeof path));
  return realpath(path, folder) ? GANNET_OK : gannet_raise_errno("find", path);
}

/* Listing the templates. */

static gannet_err list_template(void *user, const case_entry *entry) {
  return entry->is_template && !entry->is_linked ? gannet_text_list_add(user, entry->name)
                                                 : GANNET_OK;
}

gannet_err gannet_case_list_templates(const gannet_case *a_case, const char *input_directory,
                                      gannet_text_list *list) {
  char folder[PATH_MAX];
  case_walk walk = {.a_case = a_case, .visit = list_template, .user = list};
  if (!a_case || !a_case->copy) return GANNET_OK;
  GANNET_TRY(gannet_case_find(a_case, input_directory, folder));
  return walk_case(&walk, folder);
}

/* Checking. */

typedef struct {
  const gannet_case *a_case;
  gannet_complaints *complaints;
  bool *template_is_used, *link_is_used; /* [templates->n], [link->n] by patterns */
} case_check;

static gannet_err check_entry(void *user, const case_entry *entry) {
  const case_check *check = user;
  const mode_t mode = entry->about.st_mode;
  const bool is_special = !S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode);
  const gannet_text_list *templates = check->a_case->templates, *link = check->a_case->link;
  for (int i = 0; entry->is_template && i < templates->n; ++i)
    check->template_is_used[i] |= gannet_case_matches(templates->item[i], entry->name);
  for (int i = 0; entry->is_linked && i < link->n; ++i)
    check->link_is_used[i] |= gannet_case_matches(link->item[i], entry->name);
  if (entry->is_linked && entry->is_template)
    gannet_complain(check->complaints, link_key,
                    "'%s' would be a link to the original and is one of templates; name it in one "
                    "of the two",
                    entry->name);
  if (!strchr(entry->name, '/') && gannet_contract_has_file(entry->name))
    gannet_complain(check->complaints, copy_key,
                    "'%s': gannet or the simulation writes a file of that name into the directory "
                    "of every evaluation; remove it from the case or rename it",
                    entry->path);
  if (entry->is_linked) return GANNET_OK;
  if (is_special)
    gannet_complain(
        check->complaints, copy_key,
        "'%s' is not a file, folder or link and cannot be copied; remove it from the case "
        "or list it under link",
        entry->path);
  if ((entry->is_template || S_ISREG(mode)) && access(entry->path, R_OK))
    gannet_complain(check->complaints, copy_key,
                    "cannot read '%s': %s; correct its permissions or remove it", entry->path,
                    strerror(errno));
  return GANNET_OK;
}

static void complain_unused(const char *key, const gannet_text_list *patterns, const bool *used,
                            const char *what, const char *folder, gannet_complaints *complaints) {
  char near[PATH_MAX];
  for (int i = 0; i < patterns->n; ++i) {
    if (used[i]) continue;
    gannet_find_near_path(folder, patterns->item[i], near, sizeof near);
    gannet_complain(complaints, key, "'%s' matches no %s in '%s'; %s%s%s", patterns->item[i], what,
                    folder, near[0] ? "did you mean '" : "", near,
                    near[0] ? "'?"
                            : "expected a path relative to that folder, with * and ? if need be, "
                              "and ** for any number of folders");
  }
}

/* Complain about outputs that are in the case: they would be read where a simulation writes none.
 */
static void check_outputs(const char *folder, const gannet_problem *problem,
                          gannet_complaints *complaints) {
  char found[PATH_MAX], why[256], key[120];
  for (int i = 0; problem && problem->outputs && i < problem->outputs->n; ++i) {
    const gannet_output *output = &problem->outputs->item[i];
    if (!output->file ||
        !gannet_output_file_find(folder, output->file, found, sizeof found, why, sizeof why))
      continue;
    (void)snprintf(key, sizeof key, "outputs.%s", output->name);
    gannet_complain(complaints, key,
                    "the case has '%s/%s' already, of an earlier run; remove it from the case, as "
                    "it would be read for the result of a simulation that writes none",
                    folder, found);
  }
}

static void check_folder(case_check *check, const char *folder) {
  struct stat about, campaign;
  case_walk walk = {
      .a_case = check->a_case, .enters_linked = true, .visit = check_entry, .user = check};
  if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode)) {
    gannet_complain(check->complaints, copy_key,
                    "'%s' is not a folder; expected one, or list single files under templates",
                    folder);
    return;
  }
  if (check->a_case->campaign && stat(check->a_case->campaign, &campaign) == 0 &&
      campaign.st_dev == about.st_dev && campaign.st_ino == about.st_ino) {
    gannet_complain(check->complaints, copy_key,
                    "'%s' is the directory of the campaign; expected a folder of the simulation's",
                    folder);
    return;
  }
  if (walk_case(&walk, folder) != GANNET_OK) {
    gannet_complain(check->complaints, copy_key, "%s", gannet_error_detail());
    gannet_error_clear();
    return;
  }
  complain_unused(templates_key, check->a_case->templates, check->template_is_used, "file", folder,
                  check->complaints);
  complain_unused(link_key, check->a_case->link, check->link_is_used, "file or folder", folder,
                  check->complaints);
}

void gannet_case_check(const gannet_case *a_case, const char *input_directory,
                       const gannet_problem *problem, gannet_complaints *complaints) {
  case_check check = {.a_case = a_case, .complaints = complaints};
  const gannet_text_list *const lists[] = {a_case->templates, a_case->link};
  const char *const keys[] = {templates_key, link_key};
  char folder[PATH_MAX];
  const int before = complaints->count;
  for (int l = 0; l < 2; ++l)
    for (int i = 0; i < lists[l]->n; ++i) {
      const char *item = lists[l]->item[i];
      if (!a_case->copy)
        gannet_complain(complaints, keys[l],
                        "'%s' needs the case that it is in; expected its folder as "
                        "evaluate.case.copy",
                        item);
      else if (item[0] == '/' || strstr(item, "..") || !*item)
        gannet_complain(complaints, keys[l],
                        "'%s': expected a path relative to the case, without ..", item);
    }
  if (a_case->copy && !*a_case->copy)
    gannet_complain(complaints, copy_key, "it is empty; expected a folder, or no such key");
  if (!a_case->copy || complaints->count > before) return;
  gannet_err err = gannet_case_find(a_case, input_directory, folder);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)a_case->templates->n, sizeof(bool), &check.template_is_used);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)a_case->link->n, sizeof(bool), &check.link_is_used);
  if (err == GANNET_OK) {
    check_folder(&check, folder);
    check_outputs(folder, problem, complaints);
  } else {
    char near[PATH_MAX];
    gannet_find_near_path(input_directory ? input_directory : ".", a_case->copy, near, sizeof near);
    gannet_complain(complaints, copy_key, "%s (relative paths start from the campaign file)%s%s%s",
                    gannet_error_detail(), near[0] ? "; did you mean '" : "", near,
                    near[0] ? "'?" : "");
    gannet_error_clear();
  }
  gannet_free(&check.template_is_used);
  gannet_free(&check.link_is_used);
}

/* Copying. */

typedef struct {
  const gannet_contract *contract;
  const gannet_bindings *bindings;
  const char *directory; /* of the evaluation */
} case_copy;

/* Copy the bytes of a file: shared with the original where the file system can do that, else by the
 * kernel, else through memory. */
static gannet_err copy_bytes(int from, int to, const char *path) {
  enum { PIECE = 1 << 20 };
  char *piece = NULL;
  gannet_err err = GANNET_OK;
  ssize_t n;
  if (ioctl(to, FICLONE, from) == 0) return GANNET_OK;
  while ((n = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) > 0 ||
         (n < 0 && errno == EINTR)) {
  }
  if (n == 0) return GANNET_OK;
  if (errno == ENOSPC || errno == EDQUOT || errno == EIO) return gannet_raise_errno("copy", path);
  GANNET_TRY(gannet_alloc(PIECE, 1, &piece)); /* where the kernel cannot, at the position reached */
  while (err == GANNET_OK && (n = read(from, piece, PIECE)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    err = n < 0 ? gannet_raise_errno("read", path) : gannet_write_all(to, piece, (size_t)n, path);
  }
  gannet_free(&piece);
  return err;
}

/* Copy a file with its permissions and its time, by which make knows what is up to date. */
static gannet_err copy_file(const case_entry *entry, const char *to) {
  const struct timespec times[2] = {entry->about.st_atim, entry->about.st_mtim};
  int source = -1, copy = -1;
  GANNET_TRY(gannet_file_open(entry->path, O_RDONLY, GANNET_ERR_INPUT, &source));
  gannet_err err = gannet_file_create(to, 0600, &copy);
  if (err == GANNET_OK) err = copy_bytes(source, copy, entry->path);
  if (err == GANNET_OK && (fchmod(copy, entry->about.st_mode & 0777) || futimens(copy, times)))
    err = gannet_raise_errno("set the permissions of", to);
  if (copy >= 0 && close(copy) && err == GANNET_OK) err = gannet_raise_errno("close", to);
  (void)close(source);
  return err;
}

/* Make a symbolic link, in the place of one that is there. */
static gannet_err put_link(const char *target, const char *to) {
  if (unlink(to) && errno != ENOENT) return gannet_raise_errno("replace", to);
  return symlink(target, to) ? gannet_raise_errno("make the link", to) : GANNET_OK;
}

/* Copy a symbolic link of the case. One that leads out of the case by .. gets an absolute target,
 * as the copy lies elsewhere. */
static gannet_err copy_link(const case_entry *entry, const char *to) {
  char target[PATH_MAX], folder[PATH_MAX], full[PATH_MAX];
  const ssize_t length = readlink(entry->path, target, sizeof target - 1);
  int depth = 0;
  bool leads_out = false;
  if (length < 0) return gannet_raise_errno("read the link", entry->path);
  target[length] = '\0';
  for (const char *c = entry->name; *c; ++c) depth += *c == '/';
  for (const char *part = target; *part; part += strcspn(part, "/"), part += strspn(part, "/")) {
    const size_t size = strcspn(part, "/");
    if (size == 2 && strncmp(part, "..", 2) == 0)
      leads_out = --depth < 0 || leads_out;
    else if (size > 0 && !(size == 1 && *part == '.'))
      ++depth;
  }
  if (target[0] == '/' || !leads_out) return put_link(target, to);
  gannet_directory_of(entry->path, folder, sizeof folder);
  GANNET_TRY(gannet_join_path(folder, target, full, sizeof full));
  return put_link(full, to);
}

static gannet_err copy_entry(void *user, const case_entry *entry) {
  const case_copy *copy = user;
  const mode_t mode = entry->about.st_mode;
  char to[PATH_MAX];
  struct stat about;
  GANNET_TRY(gannet_join_path(copy->directory, entry->name, to, sizeof to));
  if (!strchr(entry->name, '/') && gannet_contract_has_file(entry->name))
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "evaluate.case: '%s' has the name of a file that gannet or the simulation "
                        "writes; remove it from the case or rename it",
                        entry->path);
  if (entry->is_linked) return put_link(entry->path, to);
  if (entry->is_template) {
    char folder[PATH_MAX];
    gannet_directory_of(to, folder, sizeof folder);
    return gannet_contract_render(copy->contract, entry->path, copy->bindings, folder);
  }
  if (S_ISLNK(mode)) return copy_link(entry, to);
  if (S_ISREG(mode)) return copy_file(entry, to);
  if (!S_ISDIR(mode))
    return GANNET_RAISE(
        GANNET_ERR_INPUT,
        "evaluate.case: '%s' is not a file, folder or link and cannot be copied; remove it",
        entry->path);
  if (mkdir(to, (mode & 0777) | 0700) == 0) return GANNET_OK;
  if (errno == EEXIST && lstat(to, &about) == 0 && S_ISDIR(about.st_mode)) return GANNET_OK;
  return gannet_raise_errno("make the folder", to);
}

gannet_err gannet_case_copy(const gannet_contract *contract, const gannet_bindings *bindings,
                            const char *directory) {
  const gannet_case *a_case = contract->a_case;
  case_copy copy = {contract, bindings, directory};
  case_walk walk = {.a_case = a_case, .visit = copy_entry, .user = &copy};
  char folder[PATH_MAX];
  if (!a_case || !a_case->copy) return GANNET_OK;
  GANNET_TRY(gannet_case_find(a_case, contract->input_directory, folder));
  return walk_case(&walk, folder);
}
