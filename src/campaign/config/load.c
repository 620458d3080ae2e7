/* Loading a campaign file: one rank reads it from disk, with the list of candidates that it names,
 * and all ranks get it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/partition.h"
#include "campaign/config/candidates.h"
#include "campaign/config/config.h"
#include "campaign/config/paths.h"
#include "evaluate/command/placement.h"

static gannet_err raise_no_file(const char *path) {
  char near[PATH_MAX], folder[PATH_MAX];
  gannet_nearby(path, ".yaml", near, sizeof near);
  (void)snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash && slash > folder) *slash = '\0';
  if (slash && !near[0] && access(folder, F_OK)) {
    gannet_nearest_directory(path, near, sizeof near);
    return GANNET_RAISE(GANNET_ERR_MISSING,
                        "cannot open '%s': %s; expected a file that exists; the nearest directory "
                        "that exists is '%s'",
                        path, strerror(ENOENT), near);
  }
  return GANNET_RAISE(GANNET_ERR_MISSING, "cannot open '%s': %s%s%s%s", path, strerror(ENOENT),
                      near[0] ? "; did you mean '" : "", near, near[0] ? "'?" : "");
}

/* A campaign directory is gone on with; of another folder the only campaign file is meant. */
static gannet_err raise_folder(const char *path) {
  char near[PATH_MAX];
  bool own = false;
  gannet_nearby(path, ".yaml", near, sizeof near);
  if (near[0] && gannet_effective_check(near, &own) != GANNET_OK) gannet_error_clear();
  return GANNET_RAISE(
      GANNET_ERR_INPUT, "'%s' is a directory; expected a campaign or suite file%s%s%s%s", path,
      near[0] ? "; did you mean '" : ", such as the one that the campaign was started from", near,
      near[0] ? "'" : "",
      !near[0] ? ""
      : own    ? " with --resume?"
               : "?");
}

gannet_err gannet_campaign_file_read(const char *path, char **text, size_t *size) {
  const size_t longest = GANNET_CAMPAIGN_LONGEST;
  struct stat status;
  FILE *stream = NULL;
  *text = NULL;
  *size = 0;
  if (stat(path, &status))
    return errno == ENOENT ? raise_no_file(path) : gannet_raise_errno("open", path);
  if (S_ISDIR(status.st_mode)) return raise_folder(path);
  GANNET_TRY(gannet_file_stream(path, GANNET_ERR_INPUT, &stream));
  gannet_err err = gannet_alloc(longest + 1, 1, text);
  if (err == GANNET_OK) {
    *size = fread(*text, 1, longest + 1, stream);
    if (ferror(stream))
      err = gannet_raise_errno("read", path);
    else if (*size > longest)
      err = GANNET_RAISE(GANNET_ERR_INPUT,
                         "%s: longer than %zu bytes; expected a campaign or suite file", path,
                         longest);
  }
  (void)fclose(stream);
  if (err != GANNET_OK) gannet_free(text);
  return err;
}

gannet_err gannet_campaign_file_share(MPI_Comm comm, const char *path, char **text, size_t *size) {
  int rank = 0;
  *text = NULL;
  *size = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  const gannet_err err = rank ? GANNET_OK : gannet_campaign_file_read(path, text, size);
  GANNET_TRY(gannet_agree(comm, err));
  uint64_t bytes = *size;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm));
  *size = (size_t)bytes;
  GANNET_TRY(gannet_agree(comm, rank ? gannet_alloc(*size, 1, text) : GANNET_OK));
  GANNET_TRY_MPI(MPI_Bcast(*text, (int)bytes, MPI_CHAR, 0, comm));
  return GANNET_OK;
}

/* A path that rank 0 knows becomes a name of the input on all ranks. */
static gannet_err share_name(MPI_Comm comm, char *path, char **name) {
  GANNET_TRY_MPI(MPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, comm));
  gannet_free(name);
  return gannet_agree(comm, gannet_copy_text(path, name));
}

/* The path of a file that a key names: relative to where relative paths start; absolute, because
 * the effective configuration lies elsewhere. */
static gannet_err input_path(const char *file, const gannet_general *general, const char *key,
                             const char *name, char *path) {
  char beside[PATH_MAX], directory[PATH_MAX];
  gannet_directory_of(file, beside, sizeof beside);
  GANNET_TRY(gannet_base_directory(beside, general->input_directory, directory));
  GANNET_REQUIRE(strlen(directory) + strlen(name) + 2 <= PATH_MAX, GANNET_ERR_INPUT,
                 "%s: the path '%s' is too long; expected less than %d characters", key, name,
                 PATH_MAX);
  if (name[0] != '/') return gannet_join_path(directory, name, path, PATH_MAX);
  (void)snprintf(path, PATH_MAX, "%s", name);
  return GANNET_OK;
}

gannet_err gannet_campaign_add_candidates(MPI_Comm comm, const char *file,
                                          gannet_campaign_input *input,
                                          gannet_complaints *complaints) {
  char path[PATH_MAX] = "";
  double *rows = NULL;
  int64_t n = 0;
  int rank = 0;
  if (strcmp(input->general.candidates, "none") == 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_err err =
      rank ? GANNET_OK
           : input_path(file, &input->general, "candidates", input->general.candidates, path);
  if (err == GANNET_OK && rank == 0)
    err = gannet_candidates_file_read(path, input->problem, &n, &rows);
  err = gannet_agree(comm, err);
  if (err == GANNET_OK) err = share_name(comm, path, &input->general.candidates);
  if (err == GANNET_OK) err = gannet_problem_set_candidates(input->problem, comm, n, rows);
  gannet_free(&rows);
  if (err != GANNET_ERR_INPUT && err != GANNET_ERR_MISSING) return err;
  gannet_complain(complaints, gannet_campaign_location(input, "candidates"), "candidates: %s%s",
                  gannet_error_detail(),
                  err == GANNET_ERR_MISSING
                      ? "; relative paths start from the campaign file, or from input_directory"
                      : "");
  return GANNET_RAISE(GANNET_ERR_INPUT, "candidates: %s", path);
}

/* Rank 0 has read the designs; the others get them without their locations. */
static gannet_err share_designs(MPI_Comm comm, const gannet_problem *problem, gannet_start *start) {
  const size_t v = (size_t)problem->spec.n_variables;
  double *x = start->x;
  GANNET_TRY_MPI(MPI_Bcast(&start->n, 1, MPI_INT64_T, 0, comm));
  gannet_err err = x ? GANNET_OK : gannet_alloc((size_t)start->n * v, sizeof *x, &x);
  start->x = x;
  GANNET_TRY(gannet_agree(comm, err));
  /* Row by row: there may be more values than an int counts. */
  for (size_t i = 0; i < (size_t)start->n; ++i)
    GANNET_TRY_MPI(MPI_Bcast(x + i * v, (int)v, MPI_DOUBLE, 0, comm));
  return GANNET_OK;
}

gannet_err gannet_campaign_add_start(MPI_Comm comm, const char *file, gannet_campaign_input *input,
                                     gannet_complaints *complaints) {
  gannet_start *start = &input->start;
  char path[PATH_MAX] = "", why[1024] = "";
  gannet_complaints found = {0};
  gannet_err err = GANNET_OK;
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  if (start->file && rank == 0) {
    err = input_path(file, &input->general, "start", start->file, path);
    if (err == GANNET_OK) err = gannet_start_read_file(path, input->problem, start, &found);
    if (err == GANNET_ERR_MISSING || err == GANNET_ERR_INPUT) {
      (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
      gannet_error_clear();
      err = GANNET_OK;
    }
  }
  if (err == GANNET_OK && rank == 0 && found.count == 0)
    err = gannet_start_check_list(start, input->problem, &found);
  if (err == GANNET_OK && found.count > 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "start: %d errors", found.count);
  gannet_complaints_merge(&found, complaints);
  gannet_complaints_release(&found);
  GANNET_TRY(gannet_agree(comm, err));
  if (!start->file) return GANNET_OK;
  GANNET_TRY(share_name(comm, path, &start->file));
  GANNET_TRY_MPI(MPI_Bcast(why, sizeof why, MPI_CHAR, 0, comm));
  if (why[0]) return gannet_agree(comm, gannet_copy_text(why, &start->not_opened));
  return share_designs(comm, input->problem, start);
}

gannet_err gannet_campaign_find_imports(MPI_Comm comm, const char *file,
                                        gannet_campaign_input *input) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < input->n_imports; ++i) {
    char **from = &input->imports[i].from, path[PATH_MAX] = "", folder[PATH_MAX];
    struct stat about;
    gannet_err err = GANNET_OK;
    if (rank == 0) err = input_path(file, &input->general, "import", *from, path);
    if (err == GANNET_OK && rank == 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
      (void)snprintf(folder, sizeof folder, "%s", path);
      err = gannet_join_path(folder, "history.csv", path, sizeof path);
    }
    GANNET_TRY(gannet_agree(comm, err));
    GANNET_TRY(share_name(comm, path, from));
  }
  return GANNET_OK;
}

/* A description on rank 0 becomes a problem of all ranks. */
static gannet_err share_problem(MPI_Comm comm, const char *description, gannet_problem **problem) {
  char *text = NULL;
  int rank = 0;
  *problem = NULL;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  uint64_t bytes = rank == 0 && description ? strlen(description) + 1 : 0;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm));
  if (bytes == 0) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)bytes, 1, &text);
  if (err == GANNET_OK && rank == 0) memcpy(text, description, (size_t)bytes);
  err = gannet_agree(comm, err);
  if (err == GANNET_OK) err = gannet_bytes_broadcast(comm, 0, (size_t)bytes, text);
  if (err == GANNET_OK) err = gannet_agree(comm, gannet_campaign_parse_problem(text, problem));
  gannet_free(&text);
  return err;
}

/* Let as many simulations run at once as there are places on the node, or in the allocation, of
 * rank 0. */
static gannet_err follow_places(MPI_Comm comm, gannet_campaign_input *input) {
  enum { MOST = 100000 };
  int rank = 0, count = 0, most = input->budget.evaluations;
  gannet_err err = GANNET_OK;
  if (!input->parallel_follows) return GANNET_OK;
  if (most == GANNET_AUTO || most > MOST) most = MOST;
  if (!input->batch_follows && input->evaluate.mode == GANNET_MODE_BATCH &&
      input->general.batch < most)
    most = input->general.batch;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0)
    err = gannet_placement_count(input->evaluator_options, &input->evaluate.resources,
                                 input->problem, most, &count, NULL);
  GANNET_TRY(gannet_agree(comm, err));
  GANNET_TRY_MPI(MPI_Bcast(&count, 1, MPI_INT, 0, comm));
  if (count == 0) return GANNET_OK;
  input->evaluate.parallel = count;
  if (input->batch_follows) input->general.batch = count;
  return GANNET_OK;
}

gannet_err gannet_campaign_load(MPI_Comm comm, const char *path, int n_sets,
                                const char *const *sets, const char *before,
                                gannet_campaign_input **input, gannet_complaints *complaints) {
  gannet_campaign_source source = {.file = path, .n_sets = n_sets, .sets = sets};
  gannet_problem *problem_before = NULL;
  char *text = NULL, *settings = NULL, beside[PATH_MAX], base[PATH_MAX] = "";
  size_t size = 0;
  int rank = 0;
  *input = NULL;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_directory_of(path, beside, sizeof beside);
  if (rank == 0) source.beside = beside;
  gannet_err err = gannet_campaign_file_share(comm, path, &text, &source.size);
  if (err == GANNET_OK) err = share_problem(comm, before, &problem_before);
  if (err == GANNET_OK) {
    source.text = text;
    source.before = problem_before;
    err = gannet_agree(comm, gannet_campaign_parse(&source, input, complaints));
  }
  /* Ranks that were started with other settings would part ways later, in the middle of a batch. */
  if (err == GANNET_OK) err = gannet_agree(comm, gannet_campaign_format(*input, &settings, &size));
  if (err == GANNET_OK) err = gannet_same(comm, settings, size, "the settings of the campaign");
  if (err == GANNET_ERR_RANKS)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "ranks have different settings of the campaign; start all of them by one "
                       "command and with the same --set, as in `mpirun -n 4 gannet run %s`",
                       gannet_file_name_of(path));
  if (err == GANNET_OK) { /* the effective configuration lies elsewhere: an absolute path */
    char **directory = &(*input)->general.input_directory;
    err = gannet_agree(comm, rank ? GANNET_OK : gannet_base_directory(beside, *directory, base));
    if (err == GANNET_OK) err = share_name(comm, base, directory);
  }
  if (err == GANNET_OK) err = gannet_campaign_add_candidates(comm, path, *input, complaints);
  if (err == GANNET_OK) err = gannet_campaign_add_start(comm, path, *input, complaints);
  if (err == GANNET_OK) err = gannet_campaign_find_imports(comm, path, *input);
  if (err == GANNET_OK) err = follow_places(comm, *input);
  if (err != GANNET_OK) gannet_campaign_destroy(input);
  gannet_problem_destroy(&problem_before);
  gannet_free(&settings);
  gannet_free(&text);
  GANNET_TRY(err);
  return GANNET_OK;
}
