/* Searching what a simulation printed, line by line, for regular expressions.
 *
 * Matching can take a time that grows with the square of the length of a line, as the C library
 * begins anew at every character. Long lines are therefore cut into overlapping pieces, and a
 * search ends when somebody asks the program to stop or when it is slow for what it has read.
 */
#ifndef GANNET_EVALUATE_CONTRACT_OUTPUT_SEARCH_H
#define GANNET_EVALUATE_CONTRACT_OUTPUT_SEARCH_H

#include <regex.h>
#include <stdbool.h>

#include "evaluate/evaluator.h"

enum {
  GANNET_LINE_PIECE = 4096,   /* bytes of a line that are looked at together */
  GANNET_LINE_OVERLAP = 512,  /* of them seen again with the next piece: matches up to this length
                                 are found wherever they lie */
  GANNET_SEARCH_PATIENCE = 10 /* seconds */
};

/* What ends a search before its file does. */
typedef struct {
  double patience;                 /* seconds of the processor; one more for every megabyte read */
  const gannet_stopping *stopping; /* NULL = nothing */
} gannet_search_limits;

typedef struct {
  int n;
  const regex_t *regex; /* [n], each for one line */
  bool has_places;      /* compiled without REG_NOSUB: match says where */
  /* The first match of regex[which] in a line. True ends the search.
   *   line   in  the line or a piece of it, without its end
   *   match  in  [2] the whole match and its first group; NULL without places
   *   torn   in  whether the line has zero bytes so far, which are blanks here */
  bool (*take)(void *user, int which, const char *line, const regmatch_t *match, bool torn);
  void *user;
} gannet_search;

typedef enum {
  GANNET_SEARCH_OVER,    /* the end of the file, or take said so, or there is no file */
  GANNET_SEARCH_SLOW,    /* out of patience */
  GANNET_SEARCH_STOPPED, /* somebody wants the program to end */
  GANNET_SEARCH_FAILED   /* the file cannot be read */
} gannet_search_end;

typedef struct {
  gannet_search_end end;
  int slowest;   /* regex that took most of the time */
  int error;     /* errno of a failure */
  char why[200]; /* it failed */
} gannet_search_report;

/* Search a file of a directory.
 *
 * Local.
 */
gannet_search_report gannet_search_file(const gannet_search *search, const char *directory,
                                        const char *name, const gannet_search_limits *limits);

#endif
