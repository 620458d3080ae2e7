/* The one list of sections of a campaign file and of the tables that describe their keys. Parsing,
 * `gannet explain` and the generated reference all go through it.
 *
 * A section can have several entries: "evaluate" has the keys of every back-end and, for each
 * back-end, an entry of its own that holds while evaluate.backend has its name. The registries of
 * the rooms above provide those, so a new back-end or model appears by itself.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_SCHEMA_H
#define GANNET_CAMPAIGN_CONFIG_SCHEMA_H

#include <stdbool.h>

#include "base/option.h"

typedef enum {
  GANNET_SECTION_CAMPAIGN, /* read by the campaign room */
  GANNET_SECTION_METHOD    /* handed to the optimiser as "section.key" texts */
} gannet_section_reader;

typedef struct {
  const char *path; /* "" = top level; "variables.*": * stands for a name */
  gannet_section_reader reader;
  const char
      *selector;      /* key of this section that decides whether the entry holds; NULL = always */
  const char *choice; /* value of selector for which it does */
  const gannet_option *table; /* NULL: no keys known here */
  const char *help;           /* one sentence without a full stop */
} gannet_section;

/* Entry i, counted from 0; false when there are fewer. */
typedef bool (*gannet_schema)(int i, gannet_section *section);

/* The schema of campaign files.
 *
 * Local.
 */
bool gannet_schema_get(int i, gannet_section *section);

/* A value in place of a section stands for one key of it: "surrogate: gp" is short for "surrogate:
 * {type: gp}". */
typedef struct {
  const char *section, *key;
} gannet_short_form;

/* All of them; a section of NULL ends the table. "objective: drag + lift" stands for its key
 * expression instead, as the text is no name. */
extern const gannet_short_form gannet_short_forms[];

/* Whether a path is meant by a pattern: "variables.*.lower" matches "variables.x.lower", for a star
 * stands for any one part.
 *
 * Local.
 */
bool gannet_schema_matches(const char *pattern, const char *path);

/* The keys of sections directly below a section ("budget" has "failures"), NULL-terminated.
 * Repetitions are left out.
 *
 * Local.
 *
 * keys  out  [capacity]; borrowed from the tables
 */
void gannet_schema_children(const char *path, const char **keys, int capacity);

#endif
