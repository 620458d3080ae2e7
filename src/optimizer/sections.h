/* Dotted keys: "surrogate.width" is the key "width" of the section "surrogate". */
#ifndef GANNET_OPTIMIZER_SECTIONS_H
#define GANNET_OPTIMIZER_SECTIONS_H

/* What follows "section." in a key; NULL when it belongs elsewhere. Points into key.
 *
 * Local.
 *
 * section  in  without its dot
 */
const char *gannet_key_in_section(const char *section, const char *key);

#endif
