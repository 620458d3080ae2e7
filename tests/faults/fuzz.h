/* The parsers that are fed with inputs that are almost right, and what their checks share. */
#ifndef GANNET_TESTS_FUZZ_H
#define GANNET_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/problem.h"

enum { FUZZ_SEEDS = 8 };

typedef struct {
  const char *name;
  uint64_t key; /* its inputs are a function of this and of their numbers */
  int share;    /* inputs, in per cent of the number that was asked for */
  bool leaks;   /* a library keeps memory of damaged inputs */
  /* Parse bytes[size], which a zero byte follows, and check what came out; whether they were
   * accepted. The bytes may be changed. */
  bool (*parse)(char *bytes, size_t size);
  /* Seeds: texts, files of the campaign that was run, and campaign files of a folder of inputs/. */
  const char *text[FUZZ_SEEDS], *file[FUZZ_SEEDS], *inputs;
  /* The part of a line of such a file that is a seed, up to the end; NULL = none. Without it the
   * whole file is one. */
  const char *(*split)(const char *line, const char *end);
} fuzz_target;

/* Each ends with one that has no name. */
extern const fuzz_target fuzz_campaign_targets[], fuzz_evaluate_targets[];

extern const gannet_problem *fuzz_problem; /* of the campaign that was run */

extern char fuzz_folder[300]; /* for files; c is the directory of the campaign */

/* Before the first parser and after the last one.
 *
 * Local.
 */
void fuzz_begin(void);
void fuzz_end(void);

/* Something is not as it should be.
 *
 * Local.
 */
void fuzz_wrong(const char *format, ...) GANNET_PRINTF(1, 2);

/* Look at a refusal, if err is one: it has a message, and is the fault of the input.
 *
 * Local.
 */
void fuzz_refusal(gannet_err err);

/* Write a file of fuzz_folder.
 *
 * Local.
 */
void fuzz_put(const char *name, const char *bytes, size_t size);

#endif
