/* The keys of a campaign file that belong to the campaign itself: settings structs and their
 * tables. Keys of back-ends, models and methods are in the tables of those rooms.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_KEYS_H
#define GANNET_CAMPAIGN_CONFIG_KEYS_H

#include <stdint.h>

#include "base/option.h"
#include "evaluate/places/resources.h"

typedef struct {
  char *name;
  int64_t seed;
  int goal;     /* gannet_goal */
  double noise; /* standard deviation; NAN = to be inferred */
  int batch;
  int unknown_outputs; /* gannet_unknown */
  gannet_text_list variable_constraints;
  char *candidates;      /* file, "none" = the whole box */
  char *input_directory; /* absolute in a campaign that was loaded */
} gannet_general;

typedef struct {
  int evaluations;  /* GANNET_AUTO = no limit */
  double wall_time; /* seconds; NAN = no limit */
  double cost;      /* seconds, or in the unit of the quantity that cost.from names; NAN = none */
} gannet_budget;

/* Reasons to end before the budget is spent (campaign/run/stop_rule.h). */
typedef struct {
  double target;             /* of the objective, in the user's units; NAN = none */
  int stagnation;            /* evaluations without improvement; GANNET_AUTO = no limit */
  double regret_within;      /* improvement that does not matter, in the user's units; NAN = none */
  double regret_probability; /* that no more than this is left */
} gannet_stop_keys;

/* The campaign stops when more than rate of at least minimum ended evaluations failed. */
typedef struct {
  double rate;
  int minimum;
} gannet_failure_limit;

enum { GANNET_MODE_BATCH, GANNET_MODE_ASYNCHRONOUS }; /* evaluate.mode */
enum { GANNET_START_NONE, GANNET_START_NEAREST };     /* evaluate.start_from */

typedef struct {
  char *backend;
  int parallel;
  double time_limit; /* seconds per evaluation; NAN = no limit */
  int retries;
  int mode;                                       /* GANNET_MODE_BATCH or _ASYNCHRONOUS */
  int start_from;                                 /* GANNET_START_NONE or _NEAREST */
  gannet_text_list keep_files, keep_all_files_of; /* see campaign/config/keep.h */
  gannet_resources resources;
} gannet_evaluate_keys;

typedef struct {
  double interval; /* seconds */
  int batches;
} gannet_save_keys;

typedef struct {
  int level; /* gannet_log_level */
} gannet_log_keys;

/* Bounds that were not given are NAN when the struct was filled with NAN before. */
typedef struct {
  int type; /* gannet_variable_type */
  double lower, upper, step;
  int scale; /* gannet_scale */
  gannet_text_list values;
  char *fixed, *expression, *when; /* NULL = not given */
  char *unit;
  char *was; /* NULL = not given */
  bool varied;
  gannet_text_list retired;
  char *renamed_from; /* NULL = not given */
} gannet_variable_keys;

typedef struct {
  double lower, upper;
  char *expression;
  char *unit;
} gannet_constraint_keys;

typedef struct {
  char *name, *expression, *unit;
} gannet_objective_keys;

/* One of several objectives. */
typedef struct {
  int goal; /* gannet_goal */
  double threshold, noise;
  int transform; /* of the choices none and log, GANNET_AUTO */
  bool penalties;
  char *expression, *unit;
} gannet_objectives_keys;

typedef struct {
  char *file, *pattern, *column, *rows;
  int take; /* gannet_take */
  char *unit;
} gannet_output_keys;

typedef struct {
  int points; /* GANNET_AUTO */
  int seed;
  double lambda2;
} gannet_physics_keys;

typedef struct {
  char *name, *rhs, *plugin;
  gannet_text_list settings;
} gannet_equation_keys;

typedef struct {
  char *coefficient;
  gannet_text_list derivative;
} gannet_term_keys;

typedef struct {
  char *from;
  gannet_text_list columns; /* NAME=COLUMN */
  bool related;       /* results of a related problem, a prior that is learnt; no evaluations */
  char location[512]; /* file:line:column */
} gannet_import_keys;

extern const gannet_option gannet_general_table[];
extern const gannet_option gannet_budget_table[];
extern const gannet_option gannet_failure_table[];
extern const gannet_option gannet_stop_table[];
extern const gannet_option gannet_evaluate_table[];
extern const gannet_option gannet_save_table[];
extern const gannet_option gannet_log_table[];
extern const gannet_option gannet_variable_table[];
extern const gannet_option gannet_constraint_table[];
extern const gannet_option gannet_objective_table[];
extern const gannet_option gannet_objectives_table[];
extern const gannet_option gannet_output_table[];
extern const gannet_option gannet_import_table[];
extern const gannet_option gannet_physics_table[];
extern const gannet_option gannet_equation_table[];
extern const gannet_option gannet_term_table[];

#endif
