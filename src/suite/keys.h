/* The keys of a suite file: settings structs and their tables. Below problems and methods, sections
 * of a campaign file stand beside these keys and are read by the tables of those rooms.
 */
#ifndef GANNET_SUITE_KEYS_H
#define GANNET_SUITE_KEYS_H

#include <stdint.h>

#include "base/option.h"
#include "campaign/config/schema.h"

typedef struct {
  char *name; /* never auto after reading */
  int runs;
  int64_t first_seed;
  char *budget;  /* an amount, see suite_amount_read */
  char *initial; /* an amount or "auto" */
  int batch;
  gannet_text_list measures;
  gannet_text_list tables; /* amounts */
  double level;            /* of significance */
} suite_keys;

typedef struct {
  char *function;
  gannet_real_list dimension;
  double noise, constraint_noise; /* standard deviations of the problem over uniform points */
  double optimum;                 /* the user's sense; NAN = that of the function, or not known */
  char *budget, *initial;         /* "auto" = that of the suite */
  int batch;                      /* GANNET_AUTO = that of the suite */
  gannet_text_list measures;      /* empty = those of the suite */
  gannet_text_list requires;
  char *hint;
} suite_problem_keys;

extern const gannet_option suite_table[];
extern const gannet_option suite_problem_table[];

/* The schema of suite files, for help and the reference; what problems and methods have of campaign
 * files is told by the schema of those.
 *
 * Local.
 */
bool suite_schema_get(int i, gannet_section *section);

/* Sections and keys of a campaign file that a problem may have, NULL-terminated. */
extern const char *const suite_problem_sections[];

/* Keys of a campaign file that a method may have: what the schema gives to the optimiser and is not
 * a section of a problem. NULL-terminated.
 *
 * Local.
 *
 * keys  out  [capacity]; borrowed from the tables
 */
void suite_method_keys(const char **keys, int capacity);

/* Write where a key of campaign files belongs that is at another place of a suite:
 * "'methods.NAME.surrogate'". False for other keys.
 *
 * Local.
 *
 * places  out  [size]
 */
bool suite_find_place(const char *key, char *places, size_t size);

/* An amount of evaluations for D variables: "300" or "20*D", rounded up.
 *
 * Local.
 *
 * Returns 0, or -1 when the text is not an amount of at least 1.
 */
int suite_amount_read(const char *text, int d, int *amount);

#endif
