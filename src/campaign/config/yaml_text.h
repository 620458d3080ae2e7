/* Texts and values of options are written as YAML, so that any YAML reader gives them back. */
#ifndef GANNET_CAMPAIGN_CONFIG_YAML_TEXT_H
#define GANNET_CAMPAIGN_CONFIG_YAML_TEXT_H

#include <stdio.h>

#include "base/option.h"

/* A text: as it is when that is safe everywhere in YAML, else in double quotes with escapes.
 *
 * Local.
 */
void gannet_yaml_text(FILE *out, const char *text);

/* The value of an option; lists in brackets.
 *
 * Local.
 */
void gannet_yaml_value(FILE *out, const gannet_option *option, const void *target);

/* Whether an option has a value that can be written and is not just its absence.
 *
 * Local.
 */
int gannet_yaml_is_set(const gannet_option *option, const void *target);

#endif
