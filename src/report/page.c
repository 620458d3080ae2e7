#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/assets.h"
#include "report/parts.h"
#include "report/report.h"

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

static gannet_err put_data(FILE *out, const char *name, json_t *value, size_t digits) {
  GANNET_REQUIRE(value, GANNET_ERR_MEMORY, "the data of a report");
  (void)fprintf(out, "\"%s\":", name);
  const int failed = json_dump_callback(
      value, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY);
  json_decref(value);
  GANNET_REQUIRE(!failed, GANNET_ERR_IO, "write the report: %s", strerror(errno));
  return GANNET_OK;
}

static gannet_err put_all_data(const gannet_campaign *campaign, FILE *out) {
  const gannet_usage usage = gannet_usage_measure(campaign);
  json_t *model = NULL;
  (void)fputc('{', out);
  GANNET_TRY(put_data(out, "summary", report_summary(campaign, &usage), 10));
  (void)fputc(',', out);
  GANNET_TRY(put_data(out, "columns", report_columns(campaign, usage.first), 8));
  (void)fputc(',', out);
  GANNET_TRY(put_data(out, "course", report_course(campaign, &usage), 4));
  (void)fputc(',', out);
  const gannet_err err = report_model(campaign, &model);
  if (err != GANNET_OK) { /* the rest of the report is worth having */
    (void)json_object_set_new(model, "note", json_sprintf("No model: %s", gannet_error_message()));
    gannet_error_clear();
  }
  GANNET_TRY(put_data(out, "model", model, 6));
  (void)fputc('}', out);
  return GANNET_OK;
}

static void put_asset(FILE *out, report_asset asset) {
  (void)fwrite(asset.text, 1, asset.size, out);
}

/* Scripts that see each other's names. */
static void put_scripts(FILE *out) {
  put_asset(out, report_asset_tools());
  put_asset(out, report_asset_search());
  put_asset(out, report_asset_model());
  put_asset(out, report_asset_course());
  put_asset(out, report_asset_main());
}

/* Text with &, < and > made harmless. */
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

/* What stands for a mark of the page, "{{data}}" and the like. */
static gannet_err put_mark(const gannet_campaign *campaign, const char *mark, size_t length,
                           FILE *out) {
  if (strncmp(mark, "name", length) == 0) put_text(out, campaign->input->general.name);
  if (strncmp(mark, "style", length) == 0) put_asset(out, report_asset_style());
  if (strncmp(mark, "script", length) == 0) put_scripts(out);
  if (strncmp(mark, "library", length) == 0) put_asset(out, report_asset_library());
  return strncmp(mark, "data", length) == 0 ? put_all_data(campaign, out) : GANNET_OK;
}

gannet_err gannet_report_write(const gannet_campaign *campaign, FILE *out) {
  const report_asset page = report_asset_page();
  const char *at = page.text, *end = page.text + page.size;
  for (const char *mark; (mark = memchr(at, '{', (size_t)(end - at)));) {
    const char *close = memchr(mark, '}', (size_t)(end - mark));
    if (!close || mark[1] != '{') break;
    (void)fwrite(at, 1, (size_t)(mark - at), out);
    GANNET_TRY(put_mark(campaign, mark + 2, (size_t)(close - mark - 2), out));
    at = close + 2;
  }
  (void)fwrite(at, 1, (size_t)(end - at), out);
  GANNET_REQUIRE(!ferror(out), GANNET_ERR_IO, "write the report: %s", strerror(errno));
  return GANNET_OK;
}
