#include "suite/document.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static const char *const style =
    "<style>body{font-family:sans-serif;max-width:75em;margin:2em auto;padding:0 1em;"
    "line-height:1.4}table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}"
    "th,td{border:1px solid #ccc;padding:.2em .6em;text-align:left;white-space:nowrap}"
    "th{background:#f2f2f2}svg{max-width:100%;height:auto}</style>";

static void put_html(FILE *out, const char *text) {
  for (; *text; ++text) switch (*text) {
      case '<':
        (void)fputs("&lt;", out);
        break;
      case '>':
        (void)fputs("&gt;", out);
        break;
      case '&':
        (void)fputs("&amp;", out);
        break;
      default:
        (void)fputc(*text, out);
    }
}

/* A bar would end the column of a table. */
static void put_markdown(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '|') (void)fputc('\\', out);
    (void)fputc(*text, out);
  }
}

gannet_err suite_document_begin(const char *title, suite_document *d) {
  memset(d, 0, sizeof *d);
  d->markdown = open_memstream(&d->markdown_text, &d->markdown_size);
  d->html = open_memstream(&d->html_text, &d->html_size);
  if (!d->markdown || !d->html) {
    suite_document_cancel(d);
    return GANNET_RAISE(GANNET_ERR_MEMORY, "a report in memory");
  }
  (void)fprintf(d->markdown, "# %s\n", title);
  (void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", d->html);
  put_html(d->html, title);
  (void)fprintf(d->html, "</title>%s</head><body>\n<h1>", style);
  put_html(d->html, title);
  (void)fputs("</h1>\n", d->html);
  return GANNET_OK;
}

static gannet_err finish(FILE **stream, const char *directory, const char *name, char **text,
                         const size_t *size) {
  char path[PATH_MAX];
  FILE *out = *stream;
  *stream = NULL;
  GANNET_REQUIRE(fclose(out) == 0, GANNET_ERR_MEMORY, "%s in memory", name);
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  return gannet_file_replace(path, *text, *size);
}

gannet_err suite_document_end(suite_document *d, const char *directory) {
  (void)fputs("</body></html>\n", d->html);
  GANNET_TRY(finish(&d->markdown, directory, "report.md", &d->markdown_text, &d->markdown_size));
  return finish(&d->html, directory, "report.html", &d->html_text, &d->html_size);
}

void suite_document_cancel(suite_document *d) {
  if (d->markdown) (void)fclose(d->markdown);
  if (d->html) (void)fclose(d->html);
  free(d->markdown_text);
  free(d->html_text);
  memset(d, 0, sizeof *d);
}

void suite_document_heading(suite_document *d, int level, const char *text) {
  (void)fprintf(d->markdown, "\n%.*s %s\n", level, "######", text);
  (void)fprintf(d->html, "<h%d>", level);
  put_html(d->html, text);
  (void)fprintf(d->html, "</h%d>\n", level);
}

void suite_document_text(suite_document *d, const char *format, ...) {
  char text[2000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)fprintf(d->markdown, "\n%s\n", text);
  (void)fputs("<p>", d->html);
  put_html(d->html, text);
  (void)fputs("</p>\n", d->html);
}

static void put_cell(suite_document *d, const char *cell, const char *tag) {
  const bool bold = *cell == '*';
  if (bold) ++cell;
  (void)fputs(bold ? " **" : " ", d->markdown);
  put_markdown(d->markdown, cell);
  (void)fputs(bold ? "** |" : " |", d->markdown);
  (void)fprintf(d->html, "<%s>%s", tag, bold ? "<b>" : "");
  put_html(d->html, cell);
  (void)fprintf(d->html, "%s</%s>", bold ? "</b>" : "", tag);
}

static void put_row(suite_document *d, int n, const char *const *cells, const char *tag) {
  (void)fputs("|", d->markdown);
  (void)fputs("<tr>", d->html);
  for (int i = 0; i < n; ++i) put_cell(d, cells[i], tag);
  (void)fputs("\n", d->markdown);
  (void)fputs("</tr>\n", d->html);
}

void suite_document_header(suite_document *d, int n, const char *const *cells) {
  (void)fputs("\n", d->markdown);
  (void)fputs("<table>\n", d->html);
  put_row(d, n, cells, "th");
  (void)fputs("|", d->markdown);
  for (int i = 0; i < n; ++i) (void)fputs("---|", d->markdown);
  (void)fputs("\n", d->markdown);
}

void suite_document_row(suite_document *d, int n, const char *const *cells) {
  put_row(d, n, cells, "td");
}

void suite_document_table_end(suite_document *d) {
  (void)fputs("</table>\n", d->html);
}

/* A drawing that cannot be read is left out of the page; the link to it stays. */
void suite_document_picture(suite_document *d, const char *directory, const char *file,
                            const char *caption) {
  char path[PATH_MAX], *svg = NULL;
  (void)fprintf(d->markdown, "\n![%s](%s)\n", caption, file);
  if (gannet_join_path(directory, file, path, sizeof path) != GANNET_OK ||
      gannet_file_read(path, &svg, NULL) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  const char *start = strstr(svg, "<svg");
  (void)fprintf(d->html, "<figure>%s<figcaption>", start ? start : "");
  put_html(d->html, caption);
  (void)fputs("</figcaption></figure>\n", d->html);
  gannet_free(&svg);
}
