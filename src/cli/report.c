/* gannet report */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/query.h"
#include "report/report.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE",
     "where to write the page (default: report.html in the campaign directory; of several "
     "campaigns comparison.html here)",
     false},
    {"figures", 'g', "FOLDER", "also write the pictures as files into FOLDER; needs gnuplot",
     false},
    {"format", 'f', "PICTURES",
     "format of these files: svg, pdf, png, or several (default: svg,pdf)", false},
    {NULL, 0, NULL, NULL, false},
};

/* Write into a device, a pipe or a link that the user has named, which stays what it is. Without
 * O_NONBLOCK, opening a pipe that nobody reads would wait for ever. */
static gannet_err write_into(const char *path, const char *text, size_t size) {
  const int descriptor = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_NONBLOCK | O_NOCTTY, 0666);
  GANNET_REQUIRE(descriptor >= 0 || errno != ENXIO, GANNET_ERR_INPUT,
                 "'%s' is a pipe or a socket that nobody reads; start the reader first", path);
  if (descriptor < 0) return gannet_raise_errno("create", path);
  (void)fcntl(descriptor, F_SETFL, 0);
  FILE *out = fdopen(descriptor, "w");
  if (!out) return gannet_raise_errno("write", path);
  const bool written = fwrite(text, 1, size, out) == size;
  if (!written) {
    const gannet_err err = gannet_raise_errno("write", path);
    (void)fclose(out);
    return err;
  }
  return fclose(out) ? gannet_raise_errno("write", path) : GANNET_OK;
}

/* A regular file is replaced, whole or not at all, so that a browser never sees a part of a page.
 */
static gannet_err write_page(const gannet_report *report, const char *path, bool is_named) {
  char *text = NULL;
  size_t size = 0;
  struct stat about;
  FILE *page = open_memstream(&text, &size);
  GANNET_REQUIRE(page, GANNET_ERR_MEMORY, "the text of a report");
  gannet_err err = gannet_report_write(report, page);
  if (fclose(page) && err == GANNET_OK) err = gannet_raise_errno("make", "the text of a report");
  const bool is_special = is_named && lstat(path, &about) == 0 && !S_ISREG(about.st_mode);
  if (err == GANNET_OK)
    err = is_special ? write_into(path, text, size) : gannet_file_put(path, text, size);
  free(text);
  if (err == GANNET_OK) cli_say(stdout, "report: %s\n", path);
  return err;
}

/* gnuplot runs in the folder, whose path must be absolute for that. */
static gannet_err write_figures(const cli_arguments *arguments, const cli_world *world,
                                const gannet_report *report, const bool *wanted) {
  const char *folder = cli_value(arguments, "figures");
  char path[PATH_MAX];
  bool drawn = false;
  if (!folder) return GANNET_OK;
  GANNET_TRY(cli_absolute_path(folder, "figures", path, sizeof path));
  GANNET_TRY(gannet_report_figures(report, world->launcher, path, wanted, &drawn));
  if (!drawn)
    cli_warn(
        "there is no gnuplot (Debian package gnuplot-nox): data and commands of the figures "
        "are in %s, and 'gnuplot all.gp' draws them there or on another machine",
        folder);
  cli_say(stdout, "figures: %s\n", folder);
  return GANNET_OK;
}

/* Open the campaign. Attempts that were repeated are in the journal only, not in snapshots. The
 * whole journal is read when there are such attempts and it is not long. */
static gannet_err open_for_report(const char *directory, gannet_campaign *campaign) {
  bool repeated = false;
  GANNET_TRY(gannet_campaign_query(directory, false, campaign));
  if (campaign->damage.text[0]) cli_warn("%s", campaign->damage.text);
  for (int64_t id = 0; id < campaign->ledger.n && !repeated; ++id)
    repeated = campaign->ledger.ticket[id].result.run.attempts > 1;
  if (!repeated || campaign->ledger.n > REPORT_MOST_EVALUATIONS) return GANNET_OK;
  if (campaign->damage.text[0]) return GANNET_OK;
  gannet_campaign_close(campaign);
  if (gannet_campaign_query(directory, true, campaign) == GANNET_OK) return GANNET_OK;
  gannet_error_clear();
  gannet_campaign_close(campaign);
  return gannet_campaign_query(directory, false, campaign);
}

/* Check that there are not too many campaigns, and none twice. */
static gannet_err check_directories(const cli_arguments *arguments) {
  enum { MOST = 20 };
  struct stat about[MOST];
  const int n = arguments->n_positional;
  GANNET_REQUIRE(n <= MOST, GANNET_ERR_INPUT,
                 "a comparison shows at most %d campaigns, and %d directories are given", MOST, n);
  for (int i = 0; i < n; ++i) {
    const char *name = arguments->positional[i];
    if (stat(name, &about[i]) != 0) return gannet_raise_errno("open", name);
    for (int j = 0; j < i; ++j)
      GANNET_REQUIRE(about[i].st_dev != about[j].st_dev || about[i].st_ino != about[j].st_ino,
                     GANNET_ERR_INPUT,
                     "'%s' and '%s' are the same campaign; name each campaign once",
                     arguments->positional[j], name);
  }
  return GANNET_OK;
}

/* Read one campaign after the other, and keep only a summary of each. */
static gannet_err make_comparison(const cli_arguments *arguments, gannet_exit *code) {
  const char *output = cli_value(arguments, "output");
  gannet_report *report = NULL;
  gannet_err err = check_directories(arguments);
  for (int i = 0; i < arguments->n_positional && err == GANNET_OK; ++i) {
    gannet_campaign campaign;
    err = open_for_report(arguments->positional[i], &campaign);
    if (err == GANNET_OK) {
      gannet_labels labels;
      cli_labels(&campaign, &labels);
      err = gannet_report_compare(&campaign, &labels, arguments->positional[i], &report);
      gannet_labels_release(&labels);
      if (campaign.damage.is_partial) *code = GANNET_EXIT_DAMAGED;
    }
    gannet_campaign_close(&campaign);
  }
  if (err == GANNET_OK)
    err = write_page(report, output ? output : "comparison.html", output != NULL);
  gannet_report_destroy(&report);
  return err;
}

static gannet_err make_report(const cli_arguments *arguments, const cli_world *world,
                              gannet_exit *code) {
  char path[PATH_MAX];
  const char *output = cli_value(arguments, "output"), *format = cli_value(arguments, "format");
  bool wanted[REPORT_FORMATS];
  struct stat place;
  gannet_report *report = NULL;
  gannet_campaign campaign;
  GANNET_REQUIRE(!format || cli_has(arguments, "figures"), GANNET_ERR_INPUT,
                 "--format is the format of figures; add --figures FOLDER");
  GANNET_REQUIRE(!cli_has(arguments, "figures") || cli_value(arguments, "figures")[0],
                 GANNET_ERR_INPUT, "--figures: expected the name of a folder, such as figures");
  GANNET_TRY(gannet_report_formats(format ? format : "svg,pdf", wanted));
  GANNET_REQUIRE(!output || (output[0] && !(stat(output, &place) == 0 && S_ISDIR(place.st_mode))),
                 GANNET_ERR_INPUT,
                 "--output: '%s' is not a name for a file; expected one, such as report.html",
                 output);
  GANNET_REQUIRE(arguments->n_positional == 1 || !cli_has(arguments, "figures"), GANNET_ERR_INPUT,
                 "--figures: a comparison of several campaigns has no figures; name one campaign");
  if (arguments->n_positional > 1) return make_comparison(arguments, code);
  gannet_err err = open_for_report(arguments->positional[0], &campaign);
  if (err == GANNET_OK) {
    gannet_labels labels;
    cli_labels(&campaign, &labels);
    err = gannet_report_create(&campaign, &labels, &report);
    gannet_labels_release(&labels);
  }
  if (err == GANNET_OK) {
    if (campaign.damage.is_partial) *code = GANNET_EXIT_DAMAGED;
    if (output)
      (void)snprintf(path, sizeof path, "%s", output);
    else
      err = gannet_campaign_path(&campaign, "report.html", path);
  }
  gannet_campaign_close(&campaign);
  if (err == GANNET_OK) err = write_page(report, path, output != NULL);
  if (err == GANNET_OK) err = write_figures(arguments, world, report, wanted);
  gannet_report_destroy(&report);
  return err;
}

static gannet_err run_report(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  return gannet_agree(world->comm, world->rank ? GANNET_OK : make_report(arguments, world, code));
}

const cli_command cli_report = {
    .name = "report",
    .usage = "DIR ... [options]",
    .summary = "write one HTML page with pictures of a campaign, or a comparison of several",
    .details =
        "The page needs nothing but a browser, and no network: copy it wherever you like. "
        "Works\n"
        "while the campaign runs. With --figures the same pictures become files for papers, each\n"
        "with its data (NAME.dat) and its drawing as commands of gnuplot (NAME.gp) to change.\n"
        "With several DIR, at most 20, the page compares these campaigns.\n",
    .flags = flags,
    .least = 1,
    .most = INT_MAX,
    .parallel = true,
    .launches = true,
    .run = run_report,
};
