/* Help for the keys of campaign files and of suites, from the tables that parse them. */
#ifndef GANNET_CAMPAIGN_CONFIG_EXPLAIN_H
#define GANNET_CAMPAIGN_CONFIG_EXPLAIN_H

#include <stdio.h>

#include "base/error.h"
#include "campaign/config/schema.h"

/* Explain a key ("budget.evaluations", "variables.x.lower", or just "time_limit"), a section
 * ("evaluate"), a choice of a section ("surrogate.tangent-kernel"), or, for NULL and "", list all
 * sections.
 *
 * Local.
 *
 * schema  in  sections of the kind of file: gannet_schema_get for campaign files
 *
 * Errors: GANNET_ERR_NAME with the nearest known path.
 */
GANNET_CHECKED gannet_err gannet_explain_schema(gannet_schema schema, const char *path, FILE *out);

/* The sections of a kind of file as Markdown.
 *
 * Local.
 */
void gannet_explain_schema_markdown(gannet_schema schema, FILE *out);

/* A JSON schema of campaign files, draft 2020-12: docs/campaign.schema.json.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_IO when writing fails.
 */
GANNET_CHECKED gannet_err gannet_explain_json_schema(FILE *out);

/* The reference of all keys as Markdown: docs/input-reference.md.
 *
 * Local.
 */
void gannet_explain_markdown(FILE *out);

/* The same as the manual page gannet-campaign(5).
 *
 * Local.
 */
void gannet_explain_manual(FILE *out);

#endif
