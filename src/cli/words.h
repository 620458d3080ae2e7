/* Words that a shell may offer where a value is expected, from the tables that parse them. */
#ifndef GANNET_CLI_WORDS_H
#define GANNET_CLI_WORDS_H

#include "campaign/config/schema.h"
#include "cli/cli.h"

/* What the values of an option or an argument are by the name that the tables give it: "METHOD",
 * "BACKEND", "SIMULATION", "GOAL", "FORMAT", "PICTURES", "WAY", "FAMILY", "KEY", "PAGE", "SHELL".
 * Writes them with a blank before each.
 *
 * Local.
 *
 * Returns false, having written nothing, for names of anything else.
 */
bool cli_put_words(const char *name, FILE *out);

/* The values of a key of a schema, the same way.
 *
 * Local.
 */
bool cli_put_values(const char *section, const gannet_option *option, FILE *out);

/* The keys that have no name of the user's in them, in order and each once: calls back with the
 * section, the table's entry (NULL for a section itself) and the whole key.
 *
 * Local.
 */
typedef void (*cli_key_visitor)(void *user, const gannet_section *section,
                                const gannet_option *option, const char *key);
void cli_visit_keys(gannet_schema schema, cli_key_visitor visit, void *user);

#endif
