#include "cli/watch/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { LABEL_WIDTH = 12 };

/* Number of characters that a UTF-8 text takes on a line. */
static int text_width(const char *text) {
  int width = 0;
  for (size_t left = strlen(text); left > 0; ++width) {
    const size_t length = gannet_utf8_next(text, left, NULL);
    text += length ? length : 1;
    left -= length ? length : 1;
  }
  return width;
}

FILE *watch_page_begin(watch_page *p, const char *label, const char *style, int least) {
  if (p->n == WATCH_PAGE_SECTIONS) return NULL;
  watch_section *s = &p->section[p->n];
  *s = (watch_section){.label = label, .style = style, .least = least};
  s->out = open_memstream(&s->text, &s->size);
  if (s->out) ++p->n;
  return s->out;
}

int watch_page_width(const watch_page *p) {
  const int width = p->frame.width - LABEL_WIDTH;
  return width > 8 ? width : 8;
}

static int count_lines(const char *text) {
  int n = 0;
  for (; (text = strchr(text, '\n')); ++text) ++n;
  return n;
}

/* Sections that are dropped when a terminal is too low, in this order. */
static const char *const dispensable[] = {"course", "proposals", "campaign", "time", "failures"};

/* Drop dispensable sections until rows are left; returns the rows that are left. */
static int drop_dispensable(const watch_page *p, int left, int *wanted, int *rows) {
  for (size_t k = 0; k < sizeof dispensable / sizeof *dispensable && left < 0; ++k)
    for (int i = 0; i < p->n; ++i) {
      if (!p->section[i].label || strcmp(p->section[i].label, dispensable[k]) != 0) continue;
      left += rows[i];
      rows[i] = wanted[i] = 0;
    }
  return left;
}

/* Give each section its least number of rows, then give rows one by one to the section with the
 * fewest that wants more, until none is left. */
static void share_rows(const watch_page *p, int *wanted, int *rows) {
  int left = p->frame.height > 0 ? p->frame.height : 10000;
  for (int i = 0; i < p->n; ++i) {
    rows[i] = wanted[i] < p->section[i].least ? wanted[i] : p->section[i].least;
    left -= rows[i];
  }
  left = drop_dispensable(p, left, wanted, rows);
  for (; left > 0; --left) {
    int poorest = -1;
    for (int i = 0; i < p->n; ++i)
      if (rows[i] < wanted[i] && (poorest < 0 || rows[i] < rows[poorest])) poorest = i;
    if (poorest < 0) return;
    ++rows[poorest];
  }
}

/* Write one line, at most width characters; characters that could move the cursor become spaces. */
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

static void put_label(const watch_page *p, const char *label, FILE *out) {
  const bool bold = p->frame.colors && label[0];
  (void)fprintf(out, "%s%-*.*s%s", bold ? "\033[1m" : "", LABEL_WIDTH, p->frame.width, label,
                bold ? "\033[0m" : "");
}

static void put_section(const watch_page *p, const watch_section *s, int rows, FILE *out) {
  const int lines = count_lines(s->text), label = s->label ? LABEL_WIDTH : 0;
  const bool styled = p->frame.colors && s->style[0];
  const char *line = s->text;
  for (int i = 0; i < rows; ++i) {
    const char *end = strchr(line, '\n');
    if (s->label) put_label(p, i == 0 ? s->label : "", out);
    if (styled) (void)fprintf(out, "\033[%sm", s->style);
    if (i + 1 == rows && lines > rows && rows > 1) {
      char more[48];
      const int length = snprintf(more, sizeof more, "... and %d lines more", lines - i);
      put_cut(out, more, (size_t)length, p->frame.width - label);
    } else {
      put_cut(out, line, (size_t)(end - line), p->frame.width - label);
    }
    (void)fprintf(out, "%s\n", styled ? "\033[0m" : "");
    line = end + 1;
  }
}

char *watch_page_end(watch_page *p) {
  int wanted[WATCH_PAGE_SECTIONS], rows[WATCH_PAGE_SECTIONS];
  char *text = NULL;
  size_t size = 0;
  bool sound = true;
  for (int i = 0; i < p->n; ++i) {
    sound = fclose(p->section[i].out) == 0 && sound;
    wanted[i] = sound ? count_lines(p->section[i].text) : 0;
  }
  FILE *out = sound ? open_memstream(&text, &size) : NULL;
  share_rows(p, wanted, rows);
  for (int i = 0; i < p->n && out; ++i) put_section(p, &p->section[i], rows[i], out);
  for (int i = 0; i < p->n; ++i) free(p->section[i].text);
  p->n = 0;
  if (!out) return NULL;
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

watch_flow watch_flow_begin(watch_page *p, const char *label, const char *style, int least) {
  FILE *out = watch_page_begin(p, label, style, least);
  return (watch_flow){.out = out, .width = watch_page_width(p)};
}

void watch_flow_put(watch_flow *f, const char *raw) {
  char text[600];
  (void)snprintf(text, sizeof text, "%s", raw);
  gannet_utf8_show(text);
  const int length = text_width(text), gap = f->at == 0 ? 0 : f->gap ? f->gap : 3;
  const bool breaks = f->at > 0 && f->at + gap + length > f->width;
  (void)fprintf(f->out, "%s%*s%s", breaks ? "\n" : "", breaks ? 0 : gap, "", text);
  f->at = (breaks ? 0 : f->at + gap) + length;
}

void watch_flow_put_words(watch_flow *f, const char *text) {
  char word[200];
  f->gap = 1;
  for (; *text; text += *text == ' ') {
    const int length = (int)strcspn(text, " ");
    (void)snprintf(word, sizeof word, "%.*s", length, text);
    watch_flow_put(f, word);
    text += length;
  }
}

void watch_flow_end(watch_flow *f) {
  if (f->at > 0) (void)fputc('\n', f->out);
}
