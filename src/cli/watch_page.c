/* Laying out sections in a terminal: labels, lines cut at its width, sections cut at its height. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/watch.h"

int watch_text_width(const char *text) {
  int width = 0;
  for (size_t left = strlen(text); left > 0; ++width) {
    const size_t length = gannet_utf8_next(text, left, NULL);
    text += length ? length : 1;
    left -= length ? length : 1;
  }
  return width;
}

FILE *watch_page_begin(watch_page *page, const char *label, const char *style, int least) {
  watch_section *s = &page->section[page->n];
  *s = (watch_section){.label = label, .style = style, .least = least};
  s->out = open_memstream(&s->text, &s->size);
  if (s->out) ++page->n;
  return s->out;
}

int watch_page_width(const watch_page *page) {
  const int width = page->frame.width - WATCH_LABEL;
  return width > 8 ? width : 8;
}

static int count_lines(const char *text) {
  int n = 0;
  for (; (text = strchr(text, '\n')); ++text) ++n;
  return n;
}

/* What a terminal that is too low for everything shows last, beginning with the least missed. */
static const char *const dispensable[] = {"course", "proposals", "campaign", "time", "failures"};

/* Returns the rows that are left over. */
static int drop_dispensable(const watch_page *page, int left, int *wanted, int *rows) {
  for (size_t k = 0; k < sizeof dispensable / sizeof *dispensable && left < 0; ++k)
    for (int i = 0; i < page->n; ++i) {
      if (!page->section[i].label || strcmp(page->section[i].label, dispensable[k]) != 0) continue;
      left += rows[i];
      rows[i] = wanted[i] = 0;
    }
  return left;
}

/* Rows go to the sections one by one, to those first that have the fewest, until none is left. */
static void share_rows(const watch_page *page, int *wanted, int *rows) {
  int left = page->frame.height > 0 ? page->frame.height : 10000;
  for (int i = 0; i < page->n; ++i) {
    rows[i] = wanted[i] < page->section[i].least ? wanted[i] : page->section[i].least;
    left -= rows[i];
  }
  left = drop_dispensable(page, left, wanted, rows);
  for (; left > 0; --left) {
    int poorest = -1;
    for (int i = 0; i < page->n; ++i)
      if (rows[i] < wanted[i] && (poorest < 0 || rows[i] < rows[poorest])) poorest = i;
    if (poorest < 0) return;
    ++rows[poorest];
  }
}

/* One line, at most width characters; what could move the cursor is a space. */
static void put_cut(FILE *out, const char *text, size_t size, int width) {
  for (; size > 0 && width > 0; --width) {
    const size_t length = gannet_utf8_next(text, size, NULL);
    const unsigned char first = (unsigned char)*text;
    const bool control = first < 0x20 || first == 0x7f ||
                         (first == 0xc2 && size > 1 && (unsigned char)text[1] < 0xa0);
    if (length == 0 || control)
      (void)fputc(control ? ' ' : '?', out);
    else
      (void)fwrite(text, 1, length, out);
    text += length ? length : 1;
    size -= length ? length : 1;
  }
}

static void put_label(const watch_page *page, const char *label, FILE *out) {
  const bool bold = page->frame.colors && label[0];
  (void)fprintf(out, "%s%-*.*s%s", bold ? "\033[1m" : "", WATCH_LABEL, page->frame.width, label,
                bold ? "\033[0m" : "");
}

static void put_section(const watch_page *page, const watch_section *s, int rows, FILE *out) {
  const int lines = count_lines(s->text), label = s->label ? WATCH_LABEL : 0;
  const bool styled = page->frame.colors && s->style[0];
  const char *line = s->text;
  for (int i = 0; i < rows; ++i) {
    const char *end = strchr(line, '\n');
    if (s->label) put_label(page, i == 0 ? s->label : "", out);
    if (styled) (void)fprintf(out, "\033[%sm", s->style);
    if (i + 1 == rows && lines > rows && rows > 1) {
      char more[48];
      const int length = snprintf(more, sizeof more, "... and %d lines more", lines - i);
      put_cut(out, more, (size_t)length, page->frame.width - label);
    } else {
      put_cut(out, line, (size_t)(end - line), page->frame.width - label);
    }
    (void)fprintf(out, "%s\n", styled ? "\033[0m" : "");
    line = end + 1;
  }
}

char *watch_page_end(watch_page *page) {
  int wanted[WATCH_SECTIONS], rows[WATCH_SECTIONS];
  char *text = NULL;
  size_t size = 0;
  bool sound = true;
  for (int i = 0; i < page->n; ++i) {
    sound = fclose(page->section[i].out) == 0 && sound;
    wanted[i] = sound ? count_lines(page->section[i].text) : 0;
  }
  FILE *out = sound ? open_memstream(&text, &size) : NULL;
  share_rows(page, wanted, rows);
  for (int i = 0; i < page->n && out; ++i) put_section(page, &page->section[i], rows[i], out);
  for (int i = 0; i < page->n; ++i) free(page->section[i].text);
  page->n = 0;
  if (!out) return NULL;
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
