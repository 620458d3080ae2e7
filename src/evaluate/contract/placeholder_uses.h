/* Which placeholders a campaign uses, and what their formats do to its designs.
 *
 * A format can lose digits: two designs then look equal to a simulation. It can also be too narrow:
 * what follows in a deck of fixed columns would be shifted. Both depend on values, and are
 * checked before each evaluation. An evaluation with a value that does not fit fails without being
 * run.
 */
#ifndef GANNET_EVALUATE_CONTRACT_PLACEHOLDER_USES_H
#define GANNET_EVALUATE_CONTRACT_PLACEHOLDER_USES_H

#include "evaluate/contract/contract.h"

/* One placeholder of a known name. Placeholders of different names or formats are different ones.
 */
typedef struct {
  char source[100]; /* where it was found first, for messages: "deck.in:3:8" */
  bool has_format;
  char name[GANNET_PLACEHOLDER_NAME];
  char format[GANNET_FIELD_TEXT];
  gannet_field field;
} gannet_placeholder_use;

/* A design as the simulation sees it. */
typedef struct {
  uint64_t looks, values; /* hashes */
  int64_t id;
} gannet_rendered_design;

/* Zero-initialise; free with gannet_placeholder_uses_release. */
typedef struct {
  int n, n_looks;
  size_t capacity, look_capacity;
  gannet_placeholder_use *item; /* [n] */
  gannet_rendered_design
      *looks;    /* [n_looks] evaluations so far; kept only while a format may lose digits */
  bool has_told; /* that two designs look equal */
} gannet_placeholder_uses;

/* Add those of a text.
 *
 * Local.
 *
 * source  in  as for gannet_substitute
 */
GANNET_CHECKED gannet_err gannet_placeholder_uses_add(gannet_placeholder_uses *uses,
                                                      const gannet_contract *contract,
                                                      gannet_text_kind text_kind,
                                                      const char *source, const char *text,
                                                      size_t size);

/* Add those of a file; what cannot be read has none.
 *
 * Local.
 *
 * name  in  absolute, or relative to the contract's input_directory
 */
GANNET_CHECKED gannet_err gannet_placeholder_uses_add_file(gannet_placeholder_uses *uses,
                                                           const gannet_contract *contract,
                                                           gannet_text_kind text_kind,
                                                           const char *name);
void gannet_placeholder_uses_release(gannet_placeholder_uses *uses);

enum { GANNET_MISFIT_SIZE = 400 };

/* Check that the values of a request fit the widths of all formats, and tell why when they do not.
 * Warn once of two designs that look equal to the simulation.
 *
 * Local.
 *
 * misfit  out  [GANNET_MISFIT_SIZE] "" when they fit
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_placeholder_uses_check(gannet_placeholder_uses *uses,
                                                        const gannet_contract *contract,
                                                        const gannet_context *context,
                                                        const gannet_request *request,
                                                        char *misfit);

#endif
