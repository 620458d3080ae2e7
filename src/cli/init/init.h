/* gannet init: what can be found out about this machine (the site), what follows from it and from
 * the command line (the plan), and the files that are written.
 *
 *   init.c   the command: checks the files and writes them
 *   site.c   the site
 *   plan.c   the plan
 *   texts.c  the texts of the files
 */
#ifndef GANNET_CLI_INIT_INIT_H
#define GANNET_CLI_INIT_INIT_H

#include <limits.h>

#include "base/option.h"
#include "cli/cli.h"
#include "evaluate/contract/placeholder.h"
#include "gannet/problem.h"

enum { INIT_PARTITIONS = 64, INIT_MOST = 1024, INIT_NAME = 64, INIT_TEXT = 512 };

/* A partition of SLURM, from sinfo. */
typedef struct {
  char name[INIT_NAME];
  bool is_default;
  long nodes;
  long cpus;    /* processors of its smallest node */
  long memory;  /* MB, of its smallest node */
  double limit; /* seconds a job may take; INFINITY = no limit */
} init_partition;

typedef struct {
  int threads;              /* hardware threads that this process may use */
  int cores;                /* cores of these threads: as many processes as MPI starts at once */
  char launcher[INIT_NAME]; /* mpirun or mpiexec; "" = none in PATH */
  bool slurm;               /* there is sbatch, and sinfo answered */
  bool counts_memory;       /* SLURM shares memory out like processors */
  int n_partitions;
  init_partition partition[INIT_PARTITIONS];
  char account[INIT_NAME];  /* the account that SLURM charges by default; "" = unknown */
  char accounts[INIT_TEXT]; /* all accounts that this user may charge, with blanks */
  char said[INIT_TEXT];     /* why SLURM is not used although its programs are here */
} init_site;

/* Find out about the site. A program that is missing, fails or does not answer is no error.
 *
 * Local.
 *
 * patience  in  seconds that each program of SLURM may take
 */
GANNET_CHECKED gannet_err init_site_look(double patience, init_site *site);

/* The default partition, the first when there is none, NULL without any.
 *
 * Local.
 */
const init_partition *init_site_default(const init_site *site);

/* Print a line about the site.
 *
 * Local.
 */
void init_site_tell(const init_site *site, FILE *out);

typedef struct {
  gannet_variable is;
  const char *deck; /* the template that has its name, when no range was given; else NULL */
} init_variable;

/* The job scripts of jobscripts/, taken into the program when it is compiled. */
typedef struct {
  const char *name; /* first member; without .sh */
  const char *backend;
  const char *(*text)(size_t *size); /* not terminated */
} init_script;

extern const init_script *const init_scripts[]; /* NULL-terminated */

/* What is to be written. Texts are in pool or belong to the command line. */
typedef struct {
  init_site site;
  char file[PATH_MAX];      /* campaign file, as it was given */
  char directory[PATH_MAX]; /* where it lies, absolute */
  char name[INIT_NAME];     /* file without folder and ending */
  int n_variables, n_constraints;
  int n_objectives; /* 0 = a single one, which is called objective */
  init_variable variable[INIT_MOST];
  gannet_constraint constraint[INIT_MOST];
  gannet_objective objective[GANNET_OBJECTIVES_MOST];
  const char *goal, *method, *backend;
  const char *shell, *simulation, *plugin; /* at most one of these and command */
  gannet_text_list command, templates, patterns, placeholders;
  gannet_delimiters marks; /* what stands around the names in templates, from placeholders */
  int program;             /* position of the simulation's program in command, after a launcher */
  bool is_example;         /* no option names a simulation: an example of a simulation is written */
  char example[INIT_NAME + 16]; /* name of the example's file */
  int batch, parallel, evaluations, tasks;
  int gpus;                           /* of one simulation; 0 = nothing is said about them */
  bool parallel_follows;              /* as many run at once as have room */
  const char *wall_time, *time_limit; /* NULL = not given */
  const init_script *script;          /* NULL = none */
  const init_partition *partition;    /* NULL = the site's default */
  const char *partition_name;         /* NULL = the site's default */
  const char *account;                /* NULL = SLURM's default */
  gannet_text_list pool;
} init_plan;

/* Make the plan from the command line and the site.
 *
 * Local.
 *
 * plan        inout  zeroed but for site; to be released, also after failure
 * complaints  inout  everything that is wrong with the command line
 */
GANNET_CHECKED gannet_err init_plan_make(const cli_arguments *arguments, init_plan *plan,
                                         gannet_complaints *complaints);
void init_plan_release(init_plan *plan);

/* Write the campaign file, the job script, and the example of a simulation.
 *
 * Local.
 */
void init_put_campaign(const init_plan *plan, FILE *out);
GANNET_CHECKED gannet_err init_put_script(const init_plan *plan, FILE *out);
void init_put_example(const init_plan *plan, FILE *out);

#endif
