/* Where a campaign is, and whether a directory holds one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "campaign/config/config.h"
#include "campaign/config/paths.h"
#include "campaign/run/campaign_parts.h"
#include "campaign/run/resume.h"
#include "store/lock.h"

gannet_err gannet_campaign_path(const gannet_campaign *campaign, const char *name, char *path) {
  return gannet_join_path(campaign->directory, name, path, PATH_MAX);
}

/* The absolute path of the directory that a user named, or of NAME.campaign when directory is NULL.
 *
 * path  out  [PATH_MAX]
 */
static gannet_err resolve_directory(const char *directory, const char *name, char *path) {
  const char *format = directory ? "%s" : "%s.campaign";
  const char *base = directory ? directory : name;
  char local[PATH_MAX];
  const int written = snprintf(local, sizeof local, format, base);
  GANNET_REQUIRE(written >= 0 && (size_t)written < sizeof local, GANNET_ERR_INPUT,
                 "--directory: too long; choose a shorter path");
  size_t length = (size_t)written;
  while (length > 1 && local[length - 1] == '/') local[--length] = '\0';
  if (local[0] == '/') {
    memcpy(path, local, sizeof local);
    return GANNET_OK;
  }
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return gannet_raise_errno("find", "working directory");
  if (strcmp(local, ".") == 0) {
    memcpy(path, here, sizeof here);
    return GANNET_OK;
  }
  return gannet_join_path(here, local, path, PATH_MAX);
}

static bool has_file(const char *directory, const char *name) {
  char path[PATH_MAX];
  const gannet_err err = gannet_join_path(directory, name, path, sizeof path);
  if (err != GANNET_OK) gannet_error_clear();
  return err == GANNET_OK && access(path, F_OK) == 0;
}

bool gannet_directory_has_campaign(const char *directory) {
  char journal[PATH_MAX];
  if (gannet_join_path(directory, "journal", journal, sizeof journal) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  return access(journal, F_OK) == 0 || gannet_leftovers_find(journal);
}

gannet_err gannet_directory_check_start(const gannet_campaign_start_options *options,
                                        const char *directory, int *exists) {
  *exists = gannet_directory_has_campaign(directory);
  GANNET_REQUIRE(
      !*exists || options->resume, GANNET_ERR_EXISTS,
      "'%s' already holds a campaign; continue it with --resume, choose another place with "
      "--directory, or remove it to start afresh",
      directory);
  GANNET_REQUIRE(*exists || !options->must_exist, GANNET_ERR_MISSING,
                 "no campaign in '%s'; start it without --resume", directory);
  return GANNET_OK;
}

bool gannet_file_is_effective(const char *file) {
  bool sealed = false;
  if (gannet_effective_check(file, &sealed) != GANNET_OK) gannet_error_clear();
  return sealed;
}

/* Whether the campaign file is the effective configuration inside a campaign directory, so that the
 * options mean that campaign. NAME.campaign in the working directory would be a second one, with a
 * whole budget to spend.
 *
 * around  out  [PATH_MAX] directory of the file
 */
static bool means_itself(const gannet_campaign_start_options *options, char *around) {
  gannet_directory_of(options->file, around, PATH_MAX);
  return options->resume && !options->directory &&
         strcmp(gannet_file_name_of(options->file), "campaign.yaml") == 0 &&
         (has_file(around, "journal.lock") || gannet_file_is_effective(options->file)) &&
         gannet_directory_has_campaign(around);
}

gannet_err gannet_campaign_choose_directory(const gannet_campaign_start_options *options,
                                            gannet_campaign *campaign) {
  char around[PATH_MAX];
  int own = 0;
  if (campaign->context->rank == 0) own = means_itself(options, around);
  gannet_directory_of(options->file, around, sizeof around);
  GANNET_TRY_MPI(MPI_Bcast(&own, 1, MPI_INT, 0, campaign->context->comm));
  return gannet_agree(campaign->context->comm,
                      resolve_directory(own ? around : options->directory,
                                        campaign->input->general.name, campaign->directory));
}

gannet_err gannet_directory_locate(const gannet_campaign_start_options *options, const char *name,
                                   char *path) {
  char around[PATH_MAX];
  const bool is_own = means_itself(options, around);
  if (!is_own && !options->directory && !name) {
    path[0] = '\0';
    return GANNET_OK;
  }
  return resolve_directory(is_own ? around : options->directory, name, path);
}

gannet_err gannet_directory_check_writable(const char *directory) {
  char near[PATH_MAX];
  struct stat about;
  char *slash;
  (void)snprintf(near, sizeof near, "%s", directory);
  while (stat(near, &about) && (errno == ENOENT || errno == ENOTDIR) &&
         (slash = strrchr(near, '/')) && near[1])
    slash[slash == near] = '\0';
  GANNET_REQUIRE(stat(near, &about) || S_ISDIR(about.st_mode), GANNET_ERR_EXISTS,
                 "'%s' exists and is not a directory; move it away, or choose another", near);
  return access(near, W_OK | X_OK) ? gannet_raise_errno("write to", near) : GANNET_OK;
}

gannet_err gannet_campaign_raise_none(const char *directory) {
  char near[PATH_MAX], path[PATH_MAX], target[PATH_MAX];
  struct stat about;
  GANNET_TRY(gannet_join_path(directory, "campaign.yaml", path, sizeof path));
  if (access(path, F_OK) && errno == EACCES) return gannet_raise_errno("look into", directory);
  GANNET_REQUIRE(!gannet_link_leads_nowhere(directory, target, sizeof target), GANNET_ERR_MISSING,
                 "'%s' is not a campaign directory: it is a symbolic link to '%s', which does not "
                 "exist; give the path where the campaign is now, or move it back",
                 directory, target);
  const bool exists = stat(directory, &about) == 0;
  GANNET_REQUIRE(!gannet_directory_has_campaign(directory), GANNET_ERR_MISSING,
                 "'%s' holds a campaign without its campaign.yaml; gannet run FILE --resume "
                 "--directory '%s' writes it again from the campaign file",
                 directory, directory);
  const char *why = !exists                  ? "it does not exist"
                    : S_ISDIR(about.st_mode) ? "it has no campaign.yaml"
                                             : "it is a file";
  gannet_nearby(directory, ".campaign", near, sizeof near);
  if (!has_file(near, ".")) near[0] = '\0';
  GANNET_REQUIRE(!near[0], GANNET_ERR_MISSING,
                 "'%s' is not a campaign directory: %s; did you mean '%s'?", directory, why, near);
  if (!exists) gannet_nearest_directory(directory, near, sizeof near);
  return GANNET_RAISE(GANNET_ERR_MISSING,
                      "'%s' is not a campaign directory: %s; %s%s%sgannet run makes one, "
                      "NAME.campaign",
                      directory, why, near[0] ? "the nearest directory that exists is '" : "", near,
                      near[0] ? "'; " : "");
}
