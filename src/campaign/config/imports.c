/* The key import: files and campaign directories with results of earlier work. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "problem/objectives.h"

void gannet_config_release_imports(gannet_campaign_input *input) {
  for (int i = 0; i < input->n_imports; ++i)
    gannet_options_release(gannet_import_table, &input->imports[i], sizeof *input->imports);
  gannet_free(&input->imports);
  input->n_imports = 0;
}

/* "import: old.csv" is short for "import: [{from: old.csv}]". */
static gannet_err read_source(const gannet_config_reader *reader, const gannet_tree *node,
                              gannet_import_keys *keys) {
  const gannet_section_source source = {
      .path = "import", .node = node, .table = gannet_import_table};
  char location[GANNET_LOCATION_SIZE];
  gannet_tree_location(node, location, sizeof location);
  (void)snprintf(keys->location, sizeof keys->location, "%s", location);
  if (node->kind == GANNET_TREE_TEXT && !node->empty && node->text[0])
    return gannet_copy_text(node->text, &keys->from);
  if (node->kind != GANNET_TREE_MAPPING) {
    gannet_complain(reader->complaints, location,
                    "import: expected the name of a CSV file or of a campaign directory, as in "
                    "'import: [old.csv, {from: ../wing-1.campaign, columns: {chord: c}}]'");
    return GANNET_OK;
  }
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (keys->from && !keys->from[0])
    gannet_complain(
        reader->complaints, location,
        "import.from: '' is not a name; expected that of a CSV file or of a campaign directory");
  for (int i = 0; i < keys->columns.n; ++i) {
    const char *equals = strchr(keys->columns.item[i], '=');
    if (!equals || equals == keys->columns.item[i] || !equals[1])
      gannet_complain(reader->complaints, location,
                      "import.columns: '%.80s' is not valid; expected NAME: COLUMN for each",
                      keys->columns.item[i]);
  }
  return GANNET_OK;
}

gannet_err gannet_config_read_imports(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  const gannet_tree *node = gannet_tree_find(reader->root, "import");
  if (!node || (node->kind == GANNET_TREE_TEXT && (node->empty || strcmp(node->text, "none") == 0)))
    return GANNET_OK;
  const int n = node->kind == GANNET_TREE_LIST ? node->n : 1;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *input->imports, &input->imports));
  for (int i = 0; i < n; ++i) {
    input->n_imports = i + 1;
    GANNET_TRY(read_source(reader, node->kind == GANNET_TREE_LIST ? &node->child[i] : node,
                           &input->imports[i]));
  }
  return GANNET_OK;
}
