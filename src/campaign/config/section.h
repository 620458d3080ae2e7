/* Reading one section of a campaign file into a struct, by the option table of the struct.
 *
 * A key of the table with a dot, such as case.copy, is in a mapping of the section: case: {copy:
 * ..}. A single value, case: .., stands for the first key of that mapping. */
#ifndef GANNET_CAMPAIGN_CONFIG_SECTION_H
#define GANNET_CAMPAIGN_CONFIG_SECTION_H

#include "base/option.h"
#include "campaign/config/tree.h"

typedef struct {
  const char *path;              /* for messages; "" = top level */
  const gannet_tree *node;       /* NULL when the file does not have the section */
  const char *fallback_location; /* for complaints about a section that is missing */
  const gannet_option *table;
  const gannet_option *also;   /* a second table whose keys are read elsewhere; NULL = none */
  const char *const *sections; /* keys that are sections of their own; NULL = none */
  bool of_method; /* it is a method of a suite, below which stand the sections of a method */
  /* Writes where a key that this section does not have belongs in a file that is no campaign file,
   * "'methods.NAME.surrogate'"; false = nowhere. NULL for campaign files, whose schema knows. */
  bool (*find_place)(const char *key, char *places, size_t size);
  bool lenient; /* other keys are not complained about: what they mean could not be found out */
} gannet_section_source;

/* Fill a zeroed struct from a section: defaults, then what the file says. Keys that are in none of
 * table, also and sections are complained about; so is a section that is not a mapping.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_section_read(const gannet_section_source *source, void *target,
                                              gannet_complaints *complaints);

/* Whether an option takes a mapping, as its list is of the form "key=value": nicer to write so. For
 * other lists a mapping is a mistake.
 *
 * Local.
 */
bool gannet_section_takes_mapping(const gannet_option *option);

/* Complain about keys in none of the tables; part of gannet_section_read.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_section_check_keys(const gannet_section_source *source,
                                                    gannet_complaints *complaints);

#endif
