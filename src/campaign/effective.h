/* The effective configuration: a campaign file with every default filled in. */
#ifndef GANNET_CAMPAIGN_EFFECTIVE_H
#define GANNET_CAMPAIGN_EFFECTIVE_H

#include "campaign/input.h"
#include "optimizer/options.h"

/* Write an input as YAML that parses to the same input again, bit for bit. What the
 * method's row of the table sets is written out too.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 * size  out  without the terminating zero byte; may be NULL
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_format(const gannet_campaign_input *input, char **text,
                                                 size_t *size);

/* The physics section alone, as it is in that text; "" when the problem has no equations.
 *
 * Local.
 *
 * text  out  to be freed with gannet_free
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_format_physics(const gannet_campaign_input *input,
                                                         char **text);

/* The options of a campaign's optimiser, with what joins its portfolio.
 *
 * Local.
 *
 * options  out  to be released with gannet_optimizer_options_release, also after an error
 */
GANNET_CHECKED gannet_err gannet_campaign_options(const gannet_campaign_input *input,
                                                  gannet_optimizer_options *options);

#endif
