/* What the list of candidates says of designs besides the values of variables: names, numbers of
 * samples, files. Only for people to see; the optimiser knows nothing of it.
 */
#ifndef GANNET_CAMPAIGN_TABLES_LABELS_H
#define GANNET_CAMPAIGN_TABLES_LABELS_H

#include "campaign/run/campaign.h"

typedef struct {
  int n_columns;
  char **name; /* [n_columns], unlike each other and the columns of gannet_table_write */
  int64_t n;   /* evaluations */
  char **text; /* [n][n_columns] valid UTF-8 in one line; NULL = the list has no such design */
} gannet_labels;

/* Find the designs of a campaign in its list, which is where it was when the campaign was last
 * started. A campaign without a list, or whose list is HDF5 or has no other columns than variables,
 * has no labels. The first of equal rows counts, as for the optimiser.
 *
 * Local.
 *
 * labels  out  to be released, also after an error
 *
 * Errors: those of gannet_candidates_csv_read.
 * Cost: the whole file is read when it has other columns than variables.
 */
GANNET_CHECKED gannet_err gannet_labels_read(const gannet_campaign *campaign,
                                             gannet_labels *labels);
void gannet_labels_release(gannet_labels *labels);

/* The label of an evaluation in a column; "" where there is none.
 *
 * Local.
 */
static inline const char *gannet_labels_text(const gannet_labels *labels, int64_t id, int column) {
  const char *text = id < labels->n ? labels->text[id * labels->n_columns + column] : NULL;
  return text ? text : "";
}

#endif
