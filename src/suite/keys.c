#include "suite/keys.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(type, member) .offset = offsetof(type, member)

const gannet_option suite_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(suite_keys, name),
     .fallback = "auto",
     .help = "name of the suite (letters, digits, '_', '-', '.'); its directory is NAME.bench; "
             "auto = name of the file without its ending",
     .example = "neural-bo"},
    {.key = "runs",
     .type = GANNET_INTEGER,
     AT(suite_keys, runs),
     .fallback = "10",
     .lower = 1,
     .upper = 100000,
     .help = "repetitions of every method on every problem, each with a seed of its own",
     .unit = "runs"},
    {.key = "first_seed",
     .type = GANNET_LARGE,
     AT(suite_keys, first_seed),
     .fallback = "1",
     .lower = 0,
     .upper = 1e15,
     .help = "the seeds count up from this one"},
    {.key = "budget",
     .type = GANNET_TEXT,
     AT(suite_keys, budget),
     .fallback = "20*D",
     .help = "evaluations of a run: a number, or a multiple of the number D of variables",
     .example = "300"},
    {.key = "initial",
     .type = GANNET_TEXT,
     AT(suite_keys, initial),
     .fallback = "auto",
     .help = "points before the first model, the same for all methods, as an amount like budget; a "
             "method's own key wins; auto = as each method has it by default",
     .example = "10"},
    {.key = "batch",
     .type = GANNET_INTEGER,
     AT(suite_keys, batch),
     .fallback = "1",
     .lower = 1,
     .upper = 100000,
     .unit = "points",
     .help = "points proposed at a time"},
    {.key = "measures",
     .type = GANNET_TEXT_LIST,
     AT(suite_keys, measures),
     .fallback = "simple",
     .help =
         "what is compared: simple (regret of the best evaluation), cumulative (sum of regrets), "
         "violation (least positive regret plus violation), incumbent (regret, without noise, of "
         "the design that looked best), targets (share of "
         "51 targets missed, mean over the logarithm of evaluations); the first decides ranks and "
         "tests",
     .example = "[simple, cumulative]"},
    {.key = "tables",
     .type = GANNET_TEXT_LIST,
     AT(suite_keys, tables),
     .help = "budgets at which tables are made; none = a quarter, half and all of the budget",
     .example = "[5*D, 20*D]"},
    {.key = "level",
     .type = GANNET_REAL,
     AT(suite_keys, level),
     .fallback = "0.05",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .help = "share of false discoveries that is accepted when methods are called different"},
    {0}};

const gannet_option suite_problem_table[] = {
    {.key = "function",
     .type = GANNET_TEXT,
     AT(suite_problem_keys, function),
     .help = "a built-in problem with a published box (gannet list shows all): makes variables, "
             "constraints and evaluate by itself, where they are not given",
     .example = "ackley"},
    {.key = "dimension",
     .type = GANNET_REAL_LIST,
     AT(suite_problem_keys, dimension),
     .lower = 1,
     .upper = 100000,
     .help = "variables of the function; of a list each makes a problem, named NAME-D",
     .example = "[10, 20]"},
    {.key = "noise",
     .type = GANNET_REAL,
     AT(suite_problem_keys, noise),
     .fallback = "0",
     .lower = 0,
     .upper = 100,
     .unit = "standard deviations of the objective over 10000 uniform points",
     .help = "Gaussian noise on the objective that the methods see; regrets are taken without it",
     .example = "0.1"},
    {.key = "constraint_noise",
     .type = GANNET_REAL,
     AT(suite_problem_keys, constraint_noise),
     .fallback = "0",
     .lower = 0,
     .upper = 100,
     .unit = "standard deviations of each constraint over 10000 uniform points",
     .help = "Gaussian noise on the constraints that the methods see",
     .example = "0.05"},
    {.key = "optimum",
     .type = GANNET_REAL,
     AT(suite_problem_keys, optimum),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = -HUGE_VAL,
     .upper = HUGE_VAL,
     .unit = "objective units",
     .help =
         "best objective that there is, which regrets are counted from, or with several objectives "
         "the hypervolume of the true front up to the thresholds; auto = the published one of the "
         "function, and values instead of regrets where there is none",
     .example = "0.397887"},
    {.key = "budget",
     .type = GANNET_TEXT,
     AT(suite_problem_keys, budget),
     .fallback = "auto",
     .help = "evaluations of a run; auto = budget of the suite",
     .example = "40*D"},
    {.key = "initial",
     .type = GANNET_TEXT,
     AT(suite_problem_keys, initial),
     .fallback = "auto",
     .help = "points before the first model; auto = initial of the suite",
     .example = "2*D"},
    {.key = "batch",
     .type = GANNET_INTEGER,
     AT(suite_problem_keys, batch),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 100000,
     .unit = "points",
     .help = "points proposed at a time; auto = batch of the suite",
     .example = "4"},
    {.key = "measures",
     .type = GANNET_TEXT_LIST,
     AT(suite_problem_keys, measures),
     .help = "what is compared; none = measures of the suite",
     .example = "[violation]"},
    {.key = "requires",
     .type = GANNET_TEXT_LIST,
     AT(suite_problem_keys, requires),
     .help = "command that must succeed, else the problem is left out and the report says so",
     .example = "[python3, -c, import sklearn]"},
    {.key = "hint",
     .type = GANNET_TEXT,
     AT(suite_problem_keys, hint),
     .help = "what to tell about a problem that was left out",
     .example = "needs the Debian package python3-sklearn"},
    {0}};

const char *const suite_problem_sections[] = {"goal",     "objectives", "variables",  "constraints",
                                              "evaluate", "physics",    "candidates", NULL};

bool suite_schema_get(int i, gannet_section *section) {
  static const gannet_section sections[] = {
      {"", GANNET_SECTION_CAMPAIGN, NULL, NULL, suite_table, "the suite as a whole"},
      {"problems", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
       "what is optimised: a name for each, with its keys below"},
      {"problems.*", GANNET_SECTION_CAMPAIGN, NULL, NULL, suite_problem_table,
       "one problem; besides these keys it may have goal, objectives, variables, constraints, "
       "evaluate, physics and candidates of a campaign file"},
      {"methods", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
       "what is compared: a list of names of methods, or a name for each with the keys of a "
       "campaign "
       "file that belong to its method (method, surrogate, acquisition, ...) below; without the "
       "key "
       "method the name is that of the method"}};
  if (i < 0 || i >= (int)(sizeof sections / sizeof *sections)) return false;
  *section = sections[i];
  return true;
}

static bool is_listed(const char *key, size_t length, const char *const *list) {
  for (; *list; ++list)
    if (strncmp(*list, key, length) == 0 && (*list)[length] == '\0') return true;
  return false;
}

static int add_key(const char *key, int n, const char **keys, int capacity) {
  keys[n] = NULL;
  if (n == capacity - 1 || is_listed(key, strlen(key), suite_problem_sections)) return n;
  if (is_listed(key, strlen(key), keys)) return n;
  keys[n] = key;
  keys[n + 1] = NULL;
  return n + 1;
}

void suite_method_keys(const char **keys, int capacity) {
  gannet_section section;
  int n = 0;
  keys[0] = NULL;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (section.reader != GANNET_SECTION_METHOD) continue;
    for (const gannet_option *o = section.table; !*section.path && o && o->key; ++o)
      if (!o->renamed) n = add_key(o->key, n, keys, capacity);
    if (*section.path && !strchr(section.path, '.')) n = add_key(section.path, n, keys, capacity);
  }
}

bool suite_find_place(const char *key, char *places, size_t size) {
  enum { MOST_KEYS = 64 };
  const char *of_method[MOST_KEYS], *section = NULL;
  suite_method_keys(of_method, MOST_KEYS);
  if (gannet_option_find(suite_table, key)) {
    (void)snprintf(places, size, "'%.60s' at the top level", key);
    return true;
  }
  if (gannet_option_find(suite_problem_table, key) ||
      is_listed(key, strlen(key), suite_problem_sections))
    section = "problems";
  else if (is_listed(key, strlen(key), of_method))
    section = "methods";
  if (section) (void)snprintf(places, size, "'%s.NAME.%.60s'", section, key);
  return section != NULL;
}

int suite_amount_read(const char *text, int d, int *amount) {
  double value = 0;
  const char *end = text + gannet_number_read(text, GANNET_NUMBER_BEFORE_UNIT, &value);
  if (end == text) return -1;
  while (*end == ' ') ++end;
  if (*end == '*') {
    ++end;
    while (*end == ' ') ++end;
    if (*end++ != 'D') return -1;
    value *= d;
  }
  value = ceil(value - 1e-9);
  if (*end || !(value >= 1 && value <= 1e9)) return -1;
  *amount = (int)value;
  return 0;
}
