/* A page of text for a terminal of some size: sections with a label in front and lines behind it.
 * Lines are cut at the width of the terminal, and sections share its height.
 */
#ifndef GANNET_CLI_WATCH_PAGE_H
#define GANNET_CLI_WATCH_PAGE_H

#include <stdio.h>

#include "cli/watch/watch.h"

enum { WATCH_PAGE_SECTIONS = 16 };

typedef struct {
  const char *label; /* NULL = none: the lines begin at the left edge */
  const char *style; /* numbers of an ANSI colour, "" = none */
  char *text;        /* lines */
  size_t size;
  FILE *out; /* stream into text */
  int least; /* lines that are always shown */
} watch_section;

/* Zeroed but for frame = empty. */
typedef struct {
  watch_frame frame;
  int n;
  watch_section section[WATCH_PAGE_SECTIONS];
} watch_page;

/* Begin a section and give the stream for its lines, which belongs to the page; NULL when memory is
 * short, or the page has WATCH_PAGE_SECTIONS sections already.
 *
 * Local.
 *
 * label, style  in  borrowed until watch_page_end
 * least         in  lines that are shown even where the terminal is low
 */
FILE *watch_page_begin(watch_page *p, const char *label, const char *style, int least);

/* Characters of a line behind the labels, at least 8.
 *
 * Local.
 */
int watch_page_width(const watch_page *p);

/* Lay out all sections and release them. Returns the text, to be freed with free; NULL when memory
 * is short.
 *
 * Local.
 */
char *watch_page_end(watch_page *p);

/* Items of a section, on lines that break where the page ends. */
typedef struct {
  FILE *out; /* NULL when there is no room for the section */
  int width; /* characters of a line */
  int at;    /* column behind the last item */
  int gap;   /* blanks between items; 0 = 3 */
} watch_flow;

/* Begin a section of items, with the arguments of watch_page_begin. The others need an out that is
 * not NULL; watch_flow_put_words puts the words of a sentence, watch_flow_end ends the last line.
 *
 * Local.
 */
watch_flow watch_flow_begin(watch_page *p, const char *label, const char *style, int least);
void watch_flow_put(watch_flow *f, const char *raw);
void watch_flow_put_words(watch_flow *f, const char *text);
void watch_flow_end(watch_flow *f);

#endif
