/* gannet report */
#include <stdlib.h>

#include "base/atomic_file.h"
#include "cli/query.h"
#include "report/report.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "where to write it (default: report.html in the campaign directory)",
     false},
    {NULL, 0, NULL, NULL, false},
};

/* Whole or not at all: a page that is open in a browser stays as it is. */
static gannet_err write_page(const gannet_campaign *campaign, const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *page = open_memstream(&text, &size);
  GANNET_REQUIRE(page, GANNET_ERR_MEMORY, "the text of a report");
  gannet_err err = gannet_report_write(campaign, page);
  if (fclose(page) && err == GANNET_OK) err = gannet_raise_errno("make", "the text of a report");
  if (err == GANNET_OK) err = gannet_file_put(path, text, size);
  free(text);
  return err;
}

static gannet_err make(const cli_arguments *arguments) {
  char path[PATH_MAX];
  const char *wanted = cli_value(arguments, "output");
  gannet_campaign campaign;
  gannet_err err = cli_query(arguments, &campaign);
  if (err == GANNET_OK) {
    if (wanted)
      (void)snprintf(path, sizeof path, "%s", wanted);
    else
      err = gannet_campaign_path(&campaign, "report.html", path);
  }
  if (err == GANNET_OK) err = write_page(&campaign, path);
  if (err == GANNET_OK) (void)printf("report: %s\n", path);
  gannet_campaign_close(&campaign);
  return err;
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  (void)code;
  return gannet_agree(world->comm, world->rank ? GANNET_OK : make(arguments));
}

const cli_command cli_report = {
    .name = "report",
    .usage = "DIR [options]",
    .summary = "write one HTML page with pictures of a campaign",
    .details =
        "The page needs no network and nothing else than a browser: copy it wherever you like. "
        "Works\n"
        "while the campaign runs.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .run = run,
};
