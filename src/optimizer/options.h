/* Settings of an optimiser: the method and each of its parts.
 *
 * Keys are dotted: "method", "initial", "surrogate.type", "surrogate.width", "acquisition.type",
 * "search.candidates". The campaign file writes them as nested mappings. Options of a surrogate or
 * an acquisition are those of the type chosen, found in its own table.
 */
#ifndef GANNET_OPTIMIZER_OPTIONS_H
#define GANNET_OPTIMIZER_OPTIONS_H

#include <stdbool.h>

#include "acquisition/acquisition.h"
#include "base/option.h"
#include "optimizer/cost_options.h"
#include "optimizer/methods.h"
#include "search/region.h"
#include "surrogate/surrogate.h"

typedef enum {
  GANNET_TRANSFORM_AUTO = -1,
  GANNET_TRANSFORM_NONE,
  GANNET_TRANSFORM_LOG,
  GANNET_TRANSFORM_LOG_THEN_NONE /* an option only; a fit has one of those before */
} gannet_transform;

typedef struct {
  char *method;
  char *portfolio;     /* names of methods, "[a, b]"; NULL = the method is its own only member */
  int initial;         /* points before the first model, GANNET_AUTO */
  double initial_span; /* of the box in which these lie, shares of the ranges */
  bool penalties;      /* among the objectives count as failures (problem/penalty.h) */
  int transform;       /* of the objective, a gannet_transform */
  double refit;        /* hyperparameters are learnt when this share of new observations has come */
  int replicates;      /* runs of every design, GANNET_AUTO = as many as it needs */
  int least_batch;     /* points asked for and under way from which a member takes part */
} gannet_method_options;

typedef struct {
  char *type;
} gannet_surrogate_choice;

/* How models of constraints enter the choice of a point. */
typedef enum {
  GANNET_RULE_AUTO = -1,   /* draws or probability, whichever fits the acquisition */
  GANNET_RULE_DRAWS,       /* a point is feasible where the draws of all constraints are */
  GANNET_RULE_PROBABILITY, /* log of the probability of feasibility is added to the score */
  GANNET_RULE_BOUNDS,      /* feasible where the lower confidence bounds of all constraints are */
  GANNET_RULE_INSIDE       /* the same, with upper bounds where constraints are well known */
} gannet_constraint_rule;

/* How the factor on the uncertainty depends on the number t of observations. */
typedef enum {
  GANNET_GROWTH_NONE,
  GANNET_GROWTH_LOG,        /* times sqrt(0.2 d log 2t) */
  GANNET_GROWTH_NEURAL_BO,  /* times nu of theorem 3.3.5 of the thesis */
  GANNET_GROWTH_NEURAL_CBO, /* times beta_t of theorem 4.2.2 there */
  GANNET_GROWTH_GP_UCB      /* times sqrt(beta_t) of theorem 1 of Srinivas et al. 2010 */
} gannet_growth;

/* How prepared draws become points. */
typedef enum {
  GANNET_DRAWS_ARE_POLISHED, /* by gradients, from their best candidates */
  GANNET_DRAWS_ADAPT         /* in one of several ways each, by what these gained lately */
} gannet_draws_use;

typedef struct {
  char *type;
  double exploration; /* factor on the uncertainty, NAN = calibrated */
  int growth;         /* of that factor with the observations, a gannet_growth */
  double bound;       /* on the norm of the function, in prior standard deviations */
  double delta;       /* probability with which the bounds of a theorem may fail */
  int rule;           /* a gannet_constraint_rule; never AUTO after parsing */
  int draws;          /* a gannet_draws_use */
} gannet_acquisition_choice;

typedef struct {
  int candidates; /* numbered candidates per proposal */
  double local;   /* share of them that perturb good points */
  int centers;    /* good points that are perturbed */
  int starts;     /* candidates per draw that are polished */
  int sweeps;     /* rounds through the coordinates before that, 0 = none */
  int polish;     /* evaluations of a gradient per polished candidate, 0 = no polish */
  int precision;  /* of version 0.1.0; makes no difference */
  bool exact;     /* all candidates are scored, for tests */
} gannet_search_options;

/* How points are made when no surrogate is asked. */
typedef enum {
  GANNET_PROPOSE_MODEL,
  GANNET_PROPOSE_SOBOL,
  GANNET_PROPOSE_RANDOM,
  GANNET_PROPOSE_QUADRATIC,
  GANNET_PROPOSE_EVOLUTION
} gannet_proposer;

/* The values of acquisition.type that stand for them, in their order; NULL-terminated, and "" for
 * GANNET_PROPOSE_MODEL. */
extern const char *const gannet_proposer_names[];

/* Of one member: a row of the method table with the user's changes. */
typedef struct {
  gannet_method_options
      method; /* its own name; initial, initial_span, penalties, portfolio are the optimiser's */
  gannet_search_options search;
  gannet_region_options region;
  gannet_acquisition_choice acquisition;
  gannet_proposer proposer;
  const gannet_surrogate_type *surrogate_type;
  void *surrogate_options;         /* struct of surrogate_type->options */
  const gannet_acq_type *acq_type; /* NULL unless proposer is MODEL */
  void *acq_options;
} gannet_member_options;

/* A setting that a user gave, kept for the record. */
typedef struct {
  char *key, *text;
} gannet_given_setting;

/* Of the whole optimiser.
 *
 * A method is one member, or a portfolio of several. A user's settings then go to every member that
 * knows them: search.*, region.*, transform and refit to all, surrogate.* and acquisition.* to
 * those whose surrogate or acquisition has such a key. Choosing surrogate.type or acquisition.type
 * leaves one member: the first of the portfolio with these parts exchanged.
 */
typedef struct {
  gannet_method_options method; /* the user's choice */
  int n_members;                /* >= 1 after parsing without complaints */
  gannet_member_options *member;
  int n_given;
  gannet_given_setting *given; /* only of portfolios */
  gannet_cost_options cost;
  gannet_cost_limits limits; /* of weighing by cost */
} gannet_optimizer_options;

extern const char *const gannet_constraint_rule_names[]; /* in the order of the rules */

extern const gannet_option gannet_method_table[];
extern const gannet_option gannet_search_table[];
extern const gannet_option gannet_surrogate_choice_table[];
extern const gannet_option gannet_acquisition_choice_table[];

/* Fill the options of one member from settings with dotted keys: those of the row, then the user's.
 *
 * Local.
 *
 * n_row       in     how many of the settings come from the row; those that mean nothing for a
 *                    surrogate or an acquisition of the user's choice are left out
 * lenient     in     so are surrogate.* and acquisition.* of the user that the types do not have
 * options     out    zeroed; to be released, also after complaints
 * complaints  inout  one more for every wrong setting, with its where
 */
GANNET_CHECKED gannet_err gannet_member_options_parse(int n, const gannet_setting *settings,
                                                      int n_row, bool lenient,
                                                      gannet_member_options *options,
                                                      gannet_complaints *complaints);
void gannet_member_options_release(gannet_member_options *options);

/* What follows "section." in a dotted key: "width" of "surrogate.width". NULL when the key belongs
 * to another section. Points into key.
 *
 * Local.
 *
 * section  in  without its dot
 */
const char *gannet_key_in_section(const char *section, const char *key);

/* Whether a setting of a section says what holds without it, in the words of the section's table:
 * effective campaign files write defaults down.
 *
 * Local.
 */
bool gannet_setting_is_default(const gannet_setting *setting, const char *section,
                               const gannet_option *table);

/* Apply the settings of a section, "" = the top level, but for some keys, which are read elsewhere.
 *
 * Local.
 *
 * skip    in     ends with NULL; NULL = none
 * target  inout  the zeroed struct of the table
 */
GANNET_CHECKED gannet_err gannet_settings_apply_section(
    const gannet_option *table, const char *section, const char *const *skip, int n,
    const gannet_setting *settings, void *target, gannet_complaints *complaints);

/* The last setting of a key that has a text, or NULL.
 *
 * Local.
 */
const gannet_setting *gannet_setting_last(int n, const gannet_setting *settings, const char *key);

/* A complaint that repeats the recorded error about a setting, which may be NULL.
 *
 * Local.
 */
void gannet_setting_complain(const gannet_setting *setting, const char *key,
                             gannet_complaints *complaints);

/* Complain about every surrogate.* and acquisition.* of the user that no member of a portfolio
 * takes, with the nearest key over all types and those that have it. Keys of the method that takes
 * the place of the portfolio with several objectives are let pass: how many there are is known
 * later.
 *
 * Local.
 *
 * settings  in  [n] of the user
 */
void gannet_portfolio_complain_unknown(int n, const gannet_setting *settings,
                                       const gannet_optimizer_options *options,
                                       gannet_complaints *complaints);

/* Complain about what was let pass, for a problem with a single objective. The location of a
 * complaint is its key.
 *
 * Local.
 */
void gannet_portfolio_complain_of_several(const gannet_optimizer_options *options,
                                          gannet_complaints *complaints);

/* Whether models of constraints can enter an acquisition in this way, a gannet_constraint_rule.
 *
 * Local.
 */
bool gannet_constraint_rule_goes(int rule, const gannet_acq_type *type);

/* Add a method to a portfolio, with those of the settings that the user gave which it knows.
 * Without a portfolio it becomes the only member, with all of them.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME for a method that is not known; GANNET_ERR_ARG for a portfolio that has
 * GANNET_MEMBERS_MOST members already; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_optimizer_options_join(gannet_optimizer_options *options,
                                                        const char *method,
                                                        gannet_complaints *complaints);

/* Fill the options from settings with dotted keys; what the method's row says comes first.
 *
 * Local.
 *
 * options     out    to be released with gannet_optimizer_options_release, also after complaints
 * complaints  inout  one more for every wrong setting, with its where
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_optimizer_options_parse(int n, const gannet_setting *settings,
                                                         gannet_optimizer_options *options,
                                                         gannet_complaints *complaints);

/* The same for settings of the library's own, in which nothing is wrong.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when something is; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_optimizer_options_own(int n, const gannet_setting *settings,
                                                       gannet_optimizer_options *options);
void gannet_optimizer_options_release(gannet_optimizer_options *options);

/* Whether a member proposes by an acquisition function that is a gain, which a cost can divide.
 *
 * Local.
 */
bool gannet_member_options_weigh(const gannet_member_options *member);

/* Whether some member has a model of each objective, which begins with what is told of related
 * problems.
 *
 * Local.
 *
 * several  in  objectives
 */
bool gannet_optimizer_options_use_related(const gannet_optimizer_options *options, bool several);

/* Whether a key of gannet_method_table belongs to the whole optimiser and not to every member.
 *
 * Local.
 */
bool gannet_method_key_is_of_whole(const char *key);

/* Call a function with every effective setting: dotted key, value as text, its table entry. Those
 * of the section cost come only where costs are weighed, and limits of spending never.
 *
 * Local.
 */
void gannet_optimizer_options_visit(const gannet_optimizer_options *options,
                                    void (*visit)(void *user, const char *key, const char *text,
                                                  const gannet_option *option),
                                    void *user);

#endif
