/* From YAML text to a tree. The only file that knows libfyaml (0.7.12). */
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/config/tree.h"

/* Aliases are copied, so a small file can describe an exponentially large tree. */
enum { MOST_NODES = 200000, MOST_ANCHORS = 5000, DEEPEST = 32, MOST_COMPLAINTS = 50 };

typedef struct {
  const char *source;
  bool has_positions; /* false for texts that are not a file */
  int nodes;
  bool stopped; /* a limit was reached and complained about */
  gannet_complaints *complaints;
} builder;

/* libfyaml keeps no position for the bracket of a list or mapping: that of the first thing in it.
 */
static gannet_tree_position position_of(struct fy_node *node) {
  gannet_tree_position position = {0, 0};
  for (int depth = 0; node && !fy_node_is_scalar(node) && depth < DEEPEST; ++depth)
    node = fy_node_is_sequence(node) ? fy_node_sequence_get_by_index(node, 0)
                                     : fy_node_pair_key(fy_node_mapping_get_by_index(node, 0));
  struct fy_node *scalar = node && fy_node_is_scalar(node) ? node : NULL;
  struct fy_token *token = scalar ? fy_node_get_scalar_token(scalar) : NULL;
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  if (!mark) return position;
  const enum fy_node_style style = fy_node_get_style(scalar);
  const bool quoted = style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED;
  position.line = mark->line + 1;
  position.column = mark->column + (quoted && mark->column > 0 ? 0 : 1);
  return position;
}

static void complain_at(const builder *build, gannet_tree_position position, const char *what) {
  char location[GANNET_LOCATION_SIZE];
  if (build->has_positions && position.line > 0)
    (void)snprintf(location, sizeof location, "%s:%d:%d", build->source, position.line,
                   position.column);
  else
    (void)snprintf(location, sizeof location, "%s", build->source);
  gannet_complain(build->complaints, location, "%s", what);
}

static void stop_at_limit(builder *build, gannet_tree_position position, const char *what) {
  if (!build->stopped) complain_at(build, position, what);
  build->stopped = true;
}

/* Whether a plain text is empty that has bytes in the file: libfyaml had no memory for it. */
static bool is_lost(struct fy_node *node, size_t length) {
  struct fy_token *token = fy_node_get_scalar_token(node);
  const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL,
                       *end = token ? fy_token_end_mark(token) : NULL;
  return length == 0 && start && end && end->input_pos > start->input_pos &&
         fy_node_get_style(node) == FYNS_PLAIN;
}

static gannet_err copy_scalar(builder *build, struct fy_node *node, gannet_tree_position position,
                              char **text) {
  size_t length = 0;
  const char *scalar = node ? fy_node_get_scalar(node, &length) : "";
  GANNET_REQUIRE(scalar && (!node || !is_lost(node, length)), GANNET_ERR_MEMORY, "libfyaml");
  GANNET_TRY(gannet_alloc(length + 1, 1, text));
  if (length > 0) memcpy(*text, scalar, length);
  if (strlen(*text) != length) complain_at(build, position, "text contains a zero byte; remove it");
  return GANNET_OK;
}

static gannet_err build_value(builder *build, struct fy_node *node, int depth, gannet_tree *out);

static gannet_err build_list(builder *build, struct fy_node *node, int depth, gannet_tree *out) {
  void *at = NULL;
  struct fy_node *item;
  out->kind = GANNET_TREE_LIST;
  while (!build->stopped && (item = fy_node_sequence_iterate(node, &at))) {
    gannet_tree *child = NULL;
    GANNET_TRY(gannet_tree_add(out, &child));
    GANNET_TRY(build_value(build, item, depth + 1, child));
  }
  return GANNET_OK;
}

static struct fy_node *behind_alias(builder *build, struct fy_node *node,
                                    gannet_tree_position position) {
  if (!node || !fy_node_is_alias(node)) return node;
  struct fy_node *target = fy_node_resolve_alias(node);
  if (!target) target = fy_node_resolve_alias(node); /* it may have had no memory for the name */
  if (!target)
    complain_at(build, position, "alias (*name) to an anchor that is not defined before");
  return target;
}

/* "<<: *defaults" brings in the keys that the mapping does not have itself; of a list of mappings
 * the first one that has a key counts. */
static gannet_err merge_defaults(builder *build, struct fy_node *value,
                                 gannet_tree_position position, int depth, gannet_tree *out) {
  gannet_tree defaults = {.source = out->source};
  void *at = NULL;
  struct fy_node *target = behind_alias(build, value, position), *item;
  if (++build->nodes > MOST_NODES || depth > DEEPEST)
    stop_at_limit(build, position, "'<<' merges too many keys (does an alias contain itself?)");
  if (build->stopped || !target) return GANNET_OK;
  if (fy_node_is_sequence(target)) {
    while (!build->stopped && (item = fy_node_sequence_iterate(target, &at)))
      GANNET_TRY(merge_defaults(build, item, position, depth + 1, out));
    return GANNET_OK;
  }
  if (!fy_node_is_mapping(target)) {
    complain_at(build, position, "'<<' needs a mapping, or a list of mappings");
    return GANNET_OK;
  }
  gannet_err err = build_value(build, target, depth + 1, &defaults);
  for (int i = 0; i < defaults.n && err == GANNET_OK; ++i) {
    gannet_tree *child = NULL;
    if (!defaults.child[i].key || gannet_tree_find(out, defaults.child[i].key)) continue;
    err = gannet_tree_add(out, &child);
    if (err != GANNET_OK) break;
    *child = defaults.child[i];
    memset(&defaults.child[i], 0, sizeof defaults.child[i]);
  }
  gannet_tree_clear(&defaults);
  return err;
}

static gannet_err build_pair(builder *build, struct fy_node_pair *pair, int depth,
                             gannet_tree *out) {
  gannet_tree *child = NULL;
  struct fy_node *key = fy_node_pair_key(pair);
  const gannet_tree_position position = key ? position_of(key) : (gannet_tree_position){0, 0};
  if (!key || !fy_node_is_scalar(key) || fy_node_is_alias(key)) {
    complain_at(build, position.line ? position : out->key_position, "keys must be plain texts");
    return GANNET_OK;
  }
  GANNET_TRY(gannet_tree_add(out, &child));
  GANNET_TRY(copy_scalar(build, key, position, &child->key));
  if (build->has_positions) child->key_position = position;
  return build_value(build, fy_node_pair_value(pair), depth + 1, child);
}

static bool is_merge(struct fy_node_pair *pair) {
  size_t length = 0;
  struct fy_node *key = fy_node_pair_key(pair);
  if (!key || !fy_node_is_scalar(key) || fy_node_get_style(key) != FYNS_PLAIN) return false;
  const char *text = fy_node_get_scalar(key, &length);
  return text && length == 2 && memcmp(text, "<<", 2) == 0;
}

static gannet_err build_mapping(builder *build, struct fy_node *node, int depth, gannet_tree *out) {
  void *at = NULL;
  struct fy_node_pair *pair;
  out->kind = GANNET_TREE_MAPPING;
  while (!build->stopped && (pair = fy_node_mapping_iterate(node, &at)))
    if (!is_merge(pair)) GANNET_TRY(build_pair(build, pair, depth, out));
  at = NULL;
  while (!build->stopped && (pair = fy_node_mapping_iterate(node, &at)))
    if (is_merge(pair))
      GANNET_TRY(merge_defaults(build, fy_node_pair_value(pair),
                                position_of(fy_node_pair_key(pair)), depth, out));
  return GANNET_OK;
}

/* Complain about a tag of the user's own, such as !include: nothing gives it a meaning. */
static void check_tag(const builder *build, struct fy_node *node, gannet_tree_position position) {
  static const char standard[] = "tag:yaml.org,2002:";
  size_t length = 0;
  const char *tag = node && !fy_node_is_alias(node) ? fy_node_get_tag(node, &length) : NULL;
  char what[200];
  if (!tag || length < 2 || strncmp(tag, standard, sizeof standard - 1) == 0) return;
  (void)snprintf(
      what, sizeof what,
      "the tag '%.*s' has no meaning here: no file is included and no variable replaced; "
      "leave it out",
      (int)(length < 60 ? length : 60), tag);
  complain_at(build, position, what);
}

static gannet_err build_value(builder *build, struct fy_node *node, int depth, gannet_tree *out) {
  const gannet_tree_position position = node ? position_of(node) : out->key_position;
  out->kind = GANNET_TREE_TEXT;
  if (build->has_positions) out->position = position;
  if (++build->nodes > MOST_NODES) stop_at_limit(build, position, "too many entries");
  if (depth > DEEPEST)
    stop_at_limit(build, position, "nested too deeply (does an alias contain itself?)");
  check_tag(build, node, position);
  node = behind_alias(build, node, position);
  if (build->stopped || !node || fy_node_is_scalar(node)) {
    GANNET_TRY(copy_scalar(build, build->stopped ? NULL : node, position, &out->text));
    out->empty = !*out->text && (!node || fy_node_get_style(node) == FYNS_PLAIN);
    return GANNET_OK;
  }
  if (fy_node_is_sequence(node)) return build_list(build, node, depth, out);
  return build_mapping(build, node, depth, out);
}

/* libfyaml's own messages, the errors among them only. Its lines and columns count from 1. */
static void pass_diagnostics(builder *build, struct fy_diag *diagnostics) {
  void *at = NULL;
  struct fy_diag_error *error;
  int passed = 0;
  while ((error = fy_diag_errors_iterate(diagnostics, &at)) && passed < MOST_COMPLAINTS) {
    char what[400];
    if (error->type != FYET_ERROR) continue;
    (void)snprintf(what, sizeof what, "not valid YAML: %s",
                   error->msg ? error->msg : "syntax error");
    what[strcspn(what, "\n")] = '\0';
    complain_at(build, (gannet_tree_position){error->line, error->column}, what);
    ++passed;
  }
}

/* Whether a text has nothing but comments and marks of documents, for which there is no document.
 */
static bool says_nothing(const char *text, size_t size) {
  static const char blank[] = " \t\r\xef\xbb\xbf"; /* a byte-order mark, too */
  for (const char *line = text, *end = text + size; line < end;) {
    const char *feed = memchr(line, '\n', (size_t)(end - line)), *next = feed ? feed + 1 : end;
    while (line < next && strchr(blank, *line)) ++line;
    if (line < next && !strchr("\n#%", *line) &&
        (next - line < 3 || (memcmp(line, "---", 3) != 0 && memcmp(line, "...", 3) != 0)))
      return false;
    line = next;
  }
  return true;
}

static gannet_err load_document(builder *build, struct fy_parser *parser,
                                struct fy_diag *diagnostics, const char *text, size_t size,
                                gannet_tree *out) {
  gannet_err err = GANNET_OK;
  const int before = build->complaints->count;
  struct fy_document *document = fy_parse_load_document(parser);
  if (document) err = build_value(build, fy_document_root(document), 0, out);
  struct fy_document *second = document ? fy_parse_load_document(parser) : NULL;
  if (second) {
    complain_at(build, position_of(fy_document_root(second)),
                "a second document after '---'; expected one");
    fy_parse_document_destroy(parser, second);
  }
  fy_parse_document_destroy(parser, document);
  pass_diagnostics(build, diagnostics);
  /* Every error of syntax has a message. Without one, libfyaml had no memory. */
  const bool is_missing =
      fy_parser_get_stream_error(parser) || (!document && !says_nothing(text, size));
  if (is_missing && build->complaints->count == before && err == GANNET_OK)
    err = GANNET_RAISE(GANNET_ERR_MEMORY, "libfyaml");
  if (!document && !out->text) {
    out->empty = true;
    if (err == GANNET_OK) err = gannet_copy_text("", &out->text);
  }
  return err;
}

static gannet_err parse_yaml(builder *build, const char *text, size_t size, gannet_tree *out) {
  struct fy_diag_cfg settings;
  /* libfyaml writes through null pointers when it has no memory, so whether there is enough is
   * asked beforehand. It takes at most 500 bytes for a byte of text ("[,,,,"). */
  const size_t bytes = ((size_t)1 << 20) + 500 * size;
  void *probe = malloc(bytes);
  GANNET_REQUIRE(probe, GANNET_ERR_MEMORY, "%zu bytes to read YAML", bytes);
  free(probe);
  fy_diag_cfg_default(&settings);
  settings.fp = NULL;
  struct fy_diag *diagnostics = fy_diag_create(&settings);
  GANNET_REQUIRE(diagnostics, GANNET_ERR_MEMORY, "libfyaml");
  fy_diag_set_collect_errors(diagnostics, true);
  /* Repeated keys are found here, all at once and with both positions. */
  const struct fy_parse_cfg configuration = {
      .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_ALLOW_DUPLICATE_KEYS | FYPCF_JSON_NONE,
      .diag = diagnostics};
  struct fy_parser *parser = fy_parser_create(&configuration);
  gannet_err err = GANNET_OK;
  if (!parser || fy_parser_set_string(parser, text, size))
    err = GANNET_RAISE(GANNET_ERR_MEMORY, "libfyaml");
  else
    err = load_document(build, parser, diagnostics, text, size, out);
  fy_parser_destroy(parser);
  fy_diag_destroy(diagnostics);
  return err;
}

/* False with a complaint about the first byte that is not text. */
static bool is_text(const builder *build, const char *text, size_t size) {
  gannet_tree_position position = {1, 1};
  for (size_t i = 0; i < size;) {
    char what[96];
    uint32_t code = 0;
    const size_t length = gannet_utf8_next(text + i, size - i, &code);
    if (length == 0 || code == 0) {
      (void)snprintf(
          what, sizeof what,
          "byte 0x%02x is not UTF-8 text; is this a campaign file? Then save it as UTF-8",
          (unsigned char)text[i]);
      complain_at(build, position, what);
      return false;
    }
    position.column = code == '\n' ? 1 : position.column + 1;
    position.line += code == '\n';
    i += length;
  }
  return true;
}

/* Complain about the first no-break space of a file that is no YAML: it looks like a blank. */
static void complain_of_blanks(const builder *build, const char *text, size_t size) {
  gannet_tree_position position = {1, 1};
  for (size_t i = 0; i < size;) {
    uint32_t code = 0;
    i += gannet_utf8_next(text + i, size - i, &code);
    if (code == 0xa0) {
      complain_at(build, position,
                  "a no-break space (U+00A0), as web pages and word processors have them; write an "
                  "ordinary blank");
      return;
    }
    position.column = code == '\n' ? 1 : position.column + 1;
    position.line += code == '\n';
  }
}

gannet_err gannet_tree_read_value(const char *text, size_t size, const char *source,
                                  gannet_tree *node, gannet_complaints *complaints) {
  builder build = {.source = source, .complaints = complaints};
  if (!is_text(&build, text, size)) return gannet_copy_text("", &node->text);
  if (size == 0) return gannet_copy_text("", &node->text);
  GANNET_TRY(parse_yaml(&build, text, size, node));
  return gannet_tree_check_repeats(node, complaints);
}

gannet_err gannet_tree_parse(const char *name, const char *text, size_t size,
                             gannet_tree_file *file, gannet_complaints *complaints) {
  static const char mark[] = "\xef\xbb\xbf"; /* some editors begin files with it */
  const char *source = NULL;
  const int before = complaints->count;
  GANNET_TRY(gannet_tree_add_source(file, name, &source));
  file->root.source = source;
  if (size >= 3 && memcmp(text, mark, 3) == 0) {
    text += 3;
    size -= 3;
  }
  builder build = {.source = source, .has_positions = true, .complaints = complaints};
  if (!is_text(&build, text, size)) return GANNET_OK;
  /* libfyaml frees anchors in quadratic time, so thousands of them are refused beforehand. An "&"
   * in a comment or a text counts too: no campaign has that many of either. */
  int anchors = 0;
  for (size_t i = 0; i < size; ++i) anchors += text[i] == '&';
  if (anchors > MOST_ANCHORS) {
    complain_at(&build, (gannet_tree_position){0, 0}, "too many anchors (&name)");
    return GANNET_OK;
  }
  GANNET_TRY(parse_yaml(&build, text, size, &file->root));
  if (complaints->count > before) complain_of_blanks(&build, text, size);
  if (complaints->count > before) return GANNET_OK;
  if (file->root.empty)
    complain_at(&build, (gannet_tree_position){0, 0},
                "the file is empty; expected keys with values, as in 'name: heater'");
  else if (file->root.kind != GANNET_TREE_MAPPING)
    complain_at(&build, (gannet_tree_position){1, 1}, "expected a mapping, as in 'name: heater'");
  file->usable = complaints->count == before;
  return gannet_tree_check_repeats(&file->root, complaints);
}
