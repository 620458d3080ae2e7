/* A campaign file as a tree of texts, lists and mappings, each with the position that it came from.
 *
 *   gannet_tree_parse     from the text of a file (yaml_parse.c, the only user of libfyaml)
 *   gannet_tree_override  change it by a command-line "key=value"
 *   gannet_tree_find, gannet_tree_location, gannet_tree_flatten
 *
 * All functions are local.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_TREE_H
#define GANNET_CAMPAIGN_CONFIG_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/complaints.h"

enum { GANNET_LOCATION_SIZE = 512 }; /* bytes for a location, which is cut when it is longer */

typedef enum { GANNET_TREE_TEXT, GANNET_TREE_LIST, GANNET_TREE_MAPPING } gannet_tree_kind;

/* Positions count from 1; 0 = none, as for what comes from the command line. */
typedef struct {
  int line, column;
} gannet_tree_position;

typedef struct gannet_tree {
  gannet_tree_kind kind;
  char *key;          /* NULL outside mappings */
  char *text;         /* of a GANNET_TREE_TEXT */
  bool empty;         /* a text that was left out, as in "budget:" */
  const char *source; /* file name or "--set key=value"; borrowed from the root */
  gannet_tree_position key_position, position; /* of the key and of the value */
  int n, capacity;
  struct gannet_tree *child; /* [n] */
} gannet_tree;

/* A whole file; zero-initialise and release with gannet_tree_release, also after errors. */
typedef struct {
  gannet_tree root; /* a mapping */
  bool usable;      /* the text was YAML and a mapping; it may still repeat keys */
  int n_sources;
  char **source;
} gannet_tree_file;

/* Parse YAML. Syntax errors, repeated keys, unknown anchors, a second document, invalid UTF-8 and
 * trees that are too deep or too large become complaints.
 *
 * Local.
 *
 * name  in     shown in locations
 * text  in     [size]; need not end in a zero byte
 * file  inout  zeroed
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_tree_parse(const char *name, const char *text, size_t size,
                                            gannet_tree_file *file, gannet_complaints *complaints);

/* Apply "budget.evaluations=200": replaces the value of a dotted key or adds it. The value is read
 * as YAML, so lists and mappings in brackets work.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; what is wrong with the text is complained about.
 */
GANNET_CHECKED gannet_err gannet_tree_override(gannet_tree_file *file, const char *setting,
                                               gannet_complaints *complaints);

/* Turn "surrogate: forest" into "surrogate: {type: forest}" for one key of the root.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tree_expand(gannet_tree_file *file, const char *key,
                                             const char *into);

/* The child of a mapping with this key, or NULL; NULL as well for no mapping and for NULL.
 *
 * Local.
 */
const gannet_tree *gannet_tree_find(const gannet_tree *mapping, const char *key);

/* "campaign.yaml:3:12" of a value or of its key, or "--set key=value".
 *
 * Local.
 */
void gannet_tree_location(const gannet_tree *node, char *buffer, size_t size);
void gannet_tree_key_location(const gannet_tree *node, char *buffer, size_t size);

/* Call visit for every scalar or list below a node, with the keys between joined by dots; lists are
 * given as "[a, b]". Stops at the first error.
 *
 * Local.
 *
 * prefix  in  put before the keys; "" = none
 */
typedef gannet_err (*gannet_tree_visit)(void *user, const char *path, const char *text,
                                        const gannet_tree *node);
GANNET_CHECKED gannet_err gannet_tree_flatten(const gannet_tree *node, const char *prefix,
                                              gannet_tree_visit visit, void *user);

/* Add an empty child, or a source name that lives as long as the tree. For yaml_parse.c.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tree_add(gannet_tree *parent, gannet_tree **child);
GANNET_CHECKED gannet_err gannet_tree_add_source(gannet_tree_file *file, const char *name,
                                                 const char **source);

/* Make a copy of a node and everything below it, with positions; sources are borrowed from the
 * original's file.
 *
 * Local.
 *
 * copy  out  zeroed, or added to another tree
 */
GANNET_CHECKED gannet_err gannet_tree_copy(const gannet_tree *node, gannet_tree *copy);

/* Free the content of a node, keeping key and positions; or everything.
 *
 * Local.
 */
void gannet_tree_clear(gannet_tree *node);
void gannet_tree_release(gannet_tree_file *file);

/* Complain about keys that occur twice in any mapping below a node.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tree_check_repeats(const gannet_tree *node,
                                                    gannet_complaints *complaints);

/* Read a YAML text into a node (yaml_parse.c). Fails with complaints like gannet_tree_parse.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tree_read_value(const char *text, size_t size, const char *source,
                                                 gannet_tree *node, gannet_complaints *complaints);

#endif
