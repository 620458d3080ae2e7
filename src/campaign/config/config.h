/* The configuration of a campaign: a YAML file, with changes from the command line.
 *
 *   gannet_campaign_load     collective: one rank reads the file, all parse it
 *   gannet_campaign_parse    local: from text; gannet_campaign_parse_tree: from a tree
 *   gannet_campaign_format   the effective configuration as text, with every default filled in
 *   gannet_effective_write   the same as a file of the campaign directory
 *   gannet_campaign_destroy
 *
 * Everything wrong with the file is reported at once, each with its location "file:line:column"
 * and, for unknown keys, the nearest known one.
 *
 * This is the face of the folder. Of its other headers, keys.h has the settings and schema.h the
 * list of their tables, for whoever explains them; tree.h and section.h read files of other kinds
 * in the same way; candidates.h reads the list of candidates.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CONFIG_H
#define GANNET_CAMPAIGN_CONFIG_CONFIG_H

#include "base/complaints.h"
#include "campaign/config/keys.h"
#include "campaign/config/start.h"
#include "campaign/config/tree.h"
#include "evaluate/evaluator.h"
#include "gannet/optimizer.h"
#include "gannet/problem.h"
#include "optimizer/options.h"

/* Where a key stands in the file. Both texts are owned. */
typedef struct {
  char *key;  /* "evaluate.command", "physics.equations.2"; "" = the file itself */
  char *text; /* "campaign.yaml:3:12", or "--set evaluate.command=..." */
} gannet_key_location;

typedef struct {
  gannet_general general; /* name and batch have values, never auto */
  gannet_cost_options cost;
  gannet_budget budget;
  gannet_failure_limit failures;
  gannet_stop_keys stop;
  gannet_evaluate_keys evaluate; /* parallel has a value, never auto */
  bool backend_is_implied;       /* by another key of the section: the file names none */
  gannet_save_keys save;
  gannet_log_keys log;
  gannet_problem *problem; /* owned */
  gannet_start start;      /* designs to try first */
  int n_imports;
  gannet_import_keys *imports; /* [n_imports] results of earlier work; of a campaign that was
                                  loaded, from is the absolute path of a CSV file */

  /* whether evaluate.parallel, and the batch, are left to what the machine has room for */
  bool parallel_follows, batch_follows;

  const gannet_evaluator_type *evaluator;
  void *evaluator_options; /* of evaluator->options, owned */

  /* Where the keys stand that other rooms check; the first entry is the file itself. */
  int n_locations;
  gannet_key_location *location; /* [n_locations] owned */

  int n_libraries;
  void **library; /* [n_libraries] owned: plugins with equations, by dlopen */

  /* What the file says about the method: "method", "initial", "surrogate.activation", ... in the
   * order of the file. The optimiser's tables check it. */
  int n_method;
  gannet_method_setting *method; /* [n_method] owned, with its texts */
  char **method_location;        /* [n_method] owned: where each setting stands */
} gannet_campaign_input;

/* Longest campaign file, in bytes: some ten thousand variables. libfyaml takes quadratic time for
 * some malformed files. */
enum { GANNET_CAMPAIGN_LONGEST = 1024 * 1024 };

/* Parse a campaign.
 *
 * Local.
 *
 * file        in     name of the file for locations, and for the campaign's name when it has none
 * text        in     [size]
 * sets        in     [n_sets] "budget.evaluations=200", applied in their order before parsing
 * beside      in     directory of the file: if something is wrong with it, complaints of the
 *                    back-end, which looks at programs and templates, are added; NULL = not
 * before      in     the problem of the campaign that the file goes on with: what was evaluated
 *                    remains in the problem (campaign/config/carry_over.h); NULL = there is none
 * input       out    NULL on failure; free with gannet_campaign_destroy
 * complaints  inout  everything that is wrong, in full
 *
 * Errors: GANNET_ERR_INPUT when there are complaints; GANNET_ERR_MEMORY.
 */
typedef struct {
  const char *file;
  const char *text;
  size_t size;
  int n_sets;
  const char *const *sets;
  const char *beside;
  const gannet_problem *before;
} gannet_campaign_source;

GANNET_CHECKED gannet_err gannet_campaign_parse(const gannet_campaign_source *source,
                                                gannet_campaign_input **input,
                                                gannet_complaints *complaints);

/* The name of a campaign file's campaign, without looking at the rest.
 *
 * Local.
 *
 * name  out  for gannet_free; NULL when the file is no YAML
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_find_name(const gannet_campaign_source *source,
                                                    char **name);

/* The same, without a back-end's complaints, from a tree that was parsed or put together before.
 *
 * Local.
 *
 * file  in     name for locations, and for the campaign's name when it has none
 * tree  inout  short forms in it are expanded
 */
GANNET_CHECKED gannet_err gannet_campaign_parse_tree(const char *file, gannet_tree_file *tree,
                                                     gannet_campaign_input **input,
                                                     gannet_complaints *complaints);

/* Read a file on rank 0 and parse it on all ranks.
 *
 * Collective over comm; arguments the same on all ranks; complaints are the same on all ranks, but
 * those of the back-end about what it finds on the machine, which only rank 0 has.
 *
 * before  in   description of the problem of the campaign that the file goes on with, significant
 *              on rank 0 only; NULL = there is none
 * input   out  with input_directory as an absolute path
 *
 * Errors: as gannet_campaign_parse; GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_INPUT when ranks
 * were given different sets, for a directory and for a file longer than GANNET_CAMPAIGN_LONGEST.
 */
GANNET_CHECKED gannet_err gannet_campaign_load(MPI_Comm comm, const char *path, int n_sets,
                                               const char *const *sets, const char *before,
                                               gannet_campaign_input **input,
                                               gannet_complaints *complaints);

/* Read a campaign file into memory; the local half of gannet_campaign_load.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 */
GANNET_CHECKED gannet_err gannet_campaign_file_read(const char *path, char **text, size_t *size);

/* Read a campaign file on rank 0 and give it to all ranks.
 *
 * Collective over comm; path the same on all ranks.
 *
 * text  out  to be freed with gannet_free, also after an error
 */
GANNET_CHECKED gannet_err gannet_campaign_file_share(MPI_Comm comm, const char *path, char **text,
                                                     size_t *size);

/* Read the list of candidates that an input names, if it names one: rank 0 reads, all ranks share.
 *
 * Collective over comm; arguments the same on all ranks.
 *
 * file  in  campaign file, for relative paths
 *
 * Errors: GANNET_ERR_INPUT with a complaint.
 */
GANNET_CHECKED gannet_err gannet_campaign_add_candidates(MPI_Comm comm, const char *file,
                                                         gannet_campaign_input *input,
                                                         gannet_complaints *complaints);

/* Read the file of designs to start with that an input names, if it names one: rank 0 reads, all
 * ranks share. Then check designs against the list of candidates, which was read before. A file
 * that cannot be opened is no error yet: a campaign that is resumed may do without it.
 *
 * Collective over comm; arguments the same on all ranks.
 *
 * file  in  campaign file, for relative paths
 *
 * Errors: GANNET_ERR_INPUT with complaints on rank 0.
 */
GANNET_CHECKED gannet_err gannet_campaign_add_start(MPI_Comm comm, const char *file,
                                                    gannet_campaign_input *input,
                                                    gannet_complaints *complaints);

/* Make the files that results are imported from absolute paths, those of campaign directories that
 * of their history.csv. Nothing is read.
 *
 * Collective over comm; arguments the same on all ranks.
 *
 * file  in  campaign file, for relative paths
 */
GANNET_CHECKED gannet_err gannet_campaign_find_imports(MPI_Comm comm, const char *file,
                                                       gannet_campaign_input *input);

/* The location of a key, "evaluate.command", for what is found wrong after the file was read:
 * "file:3:12", of the section above it when the file does not have the key, else the file's name.
 *
 * Local.
 */
const char *gannet_campaign_location(const gannet_campaign_input *input, const char *key);

/* The same as a gannet_complaint_locator.
 *
 * Local.
 */
bool gannet_campaign_locate(const void *input, const char *key, const char **location);

/* Pass complaints on that were made about keys, each with the location of its key.
 *
 * Local.
 */
void gannet_campaign_complain(const gannet_campaign_input *input, const gannet_complaints *from,
                              gannet_complaints *complaints);

/* Read a list of equations, as the physics section has it or with only the list itself, and give
 * them to a problem.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT naming everything that is wrong.
 */
GANNET_CHECKED gannet_err gannet_physics_parse(const char *text, gannet_problem *problem);

/* Load the plugins of the equations; relative paths start from the folder of the campaign file,
 * until its input_directory is an absolute path.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when one cannot be loaded or exports no gannet_residual.
 */
GANNET_CHECKED gannet_err gannet_residuals_load(gannet_campaign_input *input, const char *file);
void gannet_residuals_release(gannet_campaign_input *input);

/* Free an input and set the pointer to NULL; accepts NULL.
 *
 * Local.
 */
void gannet_campaign_destroy(gannet_campaign_input **input);

/* Write an input as YAML that parses to the same input again, bit for bit. What the
 * method's row of the table sets is written out too.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 * size  out  without the terminating zero byte; may be NULL
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_format(const gannet_campaign_input *input, char **text,
                                                 size_t *size);

/* A problem in the keys of a campaign file, by which the journal describes it, and
 * the problem of such a text, for gannet_problem_destroy. Equations and candidates are no part of
 * it.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 *
 * Errors: GANNET_ERR_INPUT for what is no such text, GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_format_problem(const gannet_problem *problem,
                                                         char **text);
GANNET_CHECKED gannet_err gannet_campaign_parse_problem(const char *text, gannet_problem **problem);

/* The physics section alone, as it is in that text; "" when the problem has no equations.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_format_physics(const gannet_campaign_input *input,
                                                         char **text);

/* The settings of a campaign's optimiser: those of its method and, where gains are weighed by cost,
 * of the cost and of the limits of the budget. */
typedef struct {
  int n;
  gannet_setting *item; /* [n] with locations; texts are the input's or those below */
  char evaluations[32], cost[32];
} gannet_campaign_settings;

/* Collect the settings.
 *
 * Local.
 *
 * settings  out  not to be moved; to be released, also after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_settings_collect(const gannet_campaign_input *input,
                                                           gannet_campaign_settings *settings);
void gannet_campaign_settings_release(gannet_campaign_settings *settings);

/* Create the optimiser of a campaign.
 *
 * Collective over the context's communicator, as gannet_optimizer_create, whose errors it has.
 */
GANNET_CHECKED gannet_err gannet_campaign_optimizer_create(gannet_context *context,
                                                           const gannet_campaign_input *input,
                                                           gannet_optimizer **optimizer);

/* The options of a campaign's optimiser, with what joins its portfolio.
 *
 * Local.
 *
 * options  out  to be released with gannet_optimizer_options_release, also after an error
 */
GANNET_CHECKED gannet_err gannet_campaign_options(const gannet_campaign_input *input,
                                                  gannet_optimizer_options *options);

/* Write the effective configuration as a file, with a checksum as its last line; a file that is
 * there is replaced.
 *
 * Local.
 *
 * Errors: those of gannet_campaign_format and gannet_file_replace.
 */
GANNET_CHECKED gannet_err gannet_effective_write(const char *path,
                                                 const gannet_campaign_input *input);

/* Whether such a file is as it was written: nobody has changed it, and no byte is lost.
 *
 * Local.
 *
 * sealed  out  whether it has a checksum; without one, as before there were any, nothing is known
 *
 * Errors: GANNET_ERR_DAMAGED when it is not; GANNET_ERR_MISSING, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_effective_check(const char *path, bool *sealed);

#endif
