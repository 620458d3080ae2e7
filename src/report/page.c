#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"
#include "base/memory.h"
#include "report/parts.h"
#include "report/report.h"

/* The texts of the page, taken into the program when it is compiled. */
typedef struct {
  const char *text; /* not terminated */
  size_t size;
} report_asset;

#define EMBED(name, file) GANNET_EMBED(report_##name, REPORT_ASSETS "/" file)
#define ASSET(name)                                                              \
  (report_asset) {                                                               \
    report_##name##_begin, (size_t)(report_##name##_end - report_##name##_begin) \
  }

EMBED(head, "head.html");
EMBED(page, "page.html");
EMBED(comparison, "compare.html");
EMBED(compare, "compare.js");
EMBED(style, "report.css");
EMBED(tools, "tools.js");
EMBED(campaign, "campaign.js");
EMBED(search, "search.js");
EMBED(front, "front.js");
EMBED(model, "model.js");
EMBED(map, "map.js");
EMBED(course, "course.js");
EMBED(main, "main.js");
EMBED(library, "echarts.min.js");

/* Inside a script element "</" would end it; in JSON a slash may be escaped. */
static int put_json(const char *text, size_t size, void *user) {
  FILE *out = user;
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '<')
      (void)fputs("\\u003c", out);
    else
      (void)fputc(text[i], out);
  }
  return ferror(out) ? -1 : 0;
}

static gannet_err put_data(FILE *out, const char *name, const json_t *value, size_t digits) {
  (void)fprintf(out, "\"%s\":", name);
  const int failed = json_dump_callback(
      value, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY);
  GANNET_REQUIRE(!failed, GANNET_ERR_IO, "write the report: %s", strerror(errno));
  return GANNET_OK;
}

static gannet_err put_all_data(const gannet_report *report, FILE *out) {
  (void)fputc('{', out);
  if (report->campaigns) {
    GANNET_TRY(put_data(out, "campaigns", report->campaigns, 12));
    (void)fputc('}', out);
    return GANNET_OK;
  }
  GANNET_TRY(put_data(out, "summary", report->summary, 12));
  (void)fputc(',', out);
  GANNET_TRY(put_data(out, "columns", report->columns, 12));
  (void)fputc(',', out);
  GANNET_TRY(put_data(out, "course", report->course, 4));
  (void)fputc(',', out);
  GANNET_TRY(put_data(out, "model", report->model, 12));
  (void)fputc('}', out);
  return GANNET_OK;
}

static void put_asset(FILE *out, report_asset asset) {
  (void)fwrite(asset.text, 1, asset.size, out);
}

/* Text with & and < made harmless; > means nothing without them. */
static void put_text(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '&')
      (void)fputs("&amp;", out);
    else if (*text == '<')
      (void)fputs("&lt;", out);
    else
      (void)fputc(*text, out);
  }
}

/* Write the text that replaces a mark of a page, such as "{{data}}". */
static gannet_err put_mark(const gannet_report *report, const char *mark, size_t length,
                           FILE *out) {
  if (strncmp(mark, "name", length) == 0) put_text(out, report->name);
  if (strncmp(mark, "style", length) == 0) put_asset(out, ASSET(style));
  if (strncmp(mark, "script", length) == 0) { /* scripts that see each other's names */
    put_asset(out, ASSET(tools));
    put_asset(out, ASSET(campaign));
    put_asset(out, ASSET(search));
    put_asset(out, ASSET(model));
    put_asset(out, ASSET(map));
    put_asset(out, ASSET(front));
    put_asset(out, ASSET(course));
    put_asset(out, ASSET(main));
  }
  if (strncmp(mark, "compare", length) == 0) {
    put_asset(out, ASSET(tools));
    put_asset(out, ASSET(compare));
  }
  if (strncmp(mark, "library", length) == 0) put_asset(out, ASSET(library));
  return strncmp(mark, "data", length) == 0 ? put_all_data(report, out) : GANNET_OK;
}

/* Write a text with its marks replaced. */
static gannet_err put_page(const gannet_report *report, report_asset page, FILE *out) {
  const char *at = page.text, *end = page.text + page.size;
  for (const char *mark; (mark = memchr(at, '{', (size_t)(end - at)));) {
    const char *close = memchr(mark, '}', (size_t)(end - mark));
    if (!close || mark[1] != '{') break;
    (void)fwrite(at, 1, (size_t)(mark - at), out);
    GANNET_TRY(put_mark(report, mark + 2, (size_t)(close - mark - 2), out));
    at = close + 2;
  }
  (void)fwrite(at, 1, (size_t)(end - at), out);
  GANNET_REQUIRE(!ferror(out), GANNET_ERR_IO, "write the report: %s", strerror(errno));
  return GANNET_OK;
}

gannet_err gannet_report_write(const gannet_report *report, FILE *out) {
  GANNET_TRY(put_page(report, ASSET(head), out));
  return put_page(report, report->campaigns ? ASSET(comparison) : ASSET(page), out);
}

static gannet_err gather_parts(const gannet_campaign *campaign, const gannet_labels *labels,
                               gannet_report *report) {
  const gannet_usage usage = report_usage(campaign);
  GANNET_TRY(gannet_copy_text(campaign->input->general.name, &report->name));
  report->summary = report_summary(campaign, labels, &usage);
  report->columns = report_columns(campaign, usage.first);
  report->course = report_course(campaign, &usage, report->columns);
  if (report_model(campaign, &report->model) != GANNET_OK) { /* the rest is worth having */
    (void)json_object_set_new(report->model, "note",
                              json_sprintf("No model: %s", gannet_error_message()));
    gannet_error_clear();
  }
  GANNET_REQUIRE(report->summary && report->columns && report->course && report->model,
                 GANNET_ERR_MEMORY, "the data of a report");
  const char *quantity =
      json_string_value(json_object_get(json_object_get(report->summary, "campaign"), "quantity"));
  const char *unit =
      json_string_value(json_object_get(json_object_get(report->summary, "campaign"), "unit"));
  report->objective = quantity ? quantity : "objective"; /* the summary lives as long */
  report->unit = unit ? unit : "";
  return GANNET_OK;
}

gannet_err gannet_report_create(const gannet_campaign *campaign, const gannet_labels *labels,
                                gannet_report **report) {
  GANNET_TRY(gannet_alloc(1, sizeof **report, report));
  const gannet_err err = gather_parts(campaign, labels, *report);
  if (err != GANNET_OK) gannet_report_destroy(report);
  return err;
}

gannet_err gannet_report_compare(const gannet_campaign *campaign, const gannet_labels *labels,
                                 const char *directory, gannet_report **report) {
  static const char *const unused[] = {"folders", "failures", "starts", "pauses", "labels"};
  const gannet_usage usage = report_usage(campaign);
  const char *name = campaign->input->general.name;
  if (!*report) {
    GANNET_TRY(gannet_alloc(1, sizeof **report, report));
    (*report)->campaigns = json_array();
  }
  gannet_report *r = *report;
  const size_t before = r->name ? strlen(r->name) : 0, size = before + strlen(name) + sizeof ", ";
  GANNET_TRY(gannet_resize(before, size, 1, &r->name));
  (void)snprintf(r->name + before, size - before, "%s%s", before ? ", " : "", name);
  json_t *summary = report_summary(campaign, labels, &usage);
  GANNET_REQUIRE(summary && r->campaigns, GANNET_ERR_MEMORY, "the data of a comparison");
  for (size_t i = 0; i < sizeof unused / sizeof *unused; ++i)
    (void)json_object_del(summary, unused[i]);
  (void)json_object_set_new(summary, "directory", json_string(directory));
  const int failed = json_array_append_new(r->campaigns, summary);
  GANNET_REQUIRE(!failed, GANNET_ERR_MEMORY, "the data of a comparison");
  return GANNET_OK;
}

void gannet_report_destroy(gannet_report **report) {
  if (!*report) return;
  json_decref((*report)->summary);
  json_decref((*report)->columns);
  json_decref((*report)->course);
  json_decref((*report)->model);
  json_decref((*report)->campaigns);
  gannet_free(&(*report)->name);
  gannet_free(report);
}
