#include "campaign/tables/grid.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"

const char *const gannet_format_names[] = {"table", "csv", "json", NULL};

/* CSV: RFC 4180 quoting. */
static void put_csv(FILE *out, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"') (void)fputc('"', out);
    (void)fputc(*text, out);
  }
  (void)fputc('"', out);
}

static void put_json(FILE *out, const char *text) {
  json_t *string = json_stringn_nocheck(text, strlen(text));
  char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
  (void)fputs(quoted ? quoted : "null", out);
  free(quoted);
  json_decref(string);
}

/* JSON: numbers as numbers, missing ones as null. */
static void write_json_object(FILE *out, const gannet_grid *g, int64_t row) {
  char text[GANNET_CELL];
  (void)fputc('{', out);
  for (int c = 0; c < g->n_columns; ++c) {
    const gannet_cell kind = g->cell(g->user, row, c, text);
    if (c) (void)fputs(", ", out);
    put_json(out, g->name(g->user, c));
    (void)fputs(": ", out);
    if (kind == GANNET_CELL_WORD && *text)
      put_json(out, text);
    else
      (void)fputs(*text ? text : "null", out);
  }
  (void)fputc('}', out);
}

static bool is_number(gannet_cell kind, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  return kind == GANNET_CELL_NUMBER && end != text && !*end;
}

/* Seven digits, and so many more that the differences in a column show four. */
static int count_digits(const gannet_grid *g, int column) {
  enum { USUAL = 7, SHOWN = 4, ALL = 17 };
  char text[GANNET_CELL];
  double value, least = INFINITY, greatest = -INFINITY;
  for (int64_t row = 0; row < g->n_rows; ++row)
    if (is_number(g->cell(g->user, row, column, text), text, &value)) {
      least = fmin(least, value);
      greatest = fmax(greatest, value);
    }
  if (!(least < greatest)) return USUAL;
  const double digits = log10(fmax(fabs(least), fabs(greatest)) / (greatest - least)) + SHOWN;
  return (int)fmin(fmax(ceil(digits), USUAL), ALL);
}

/* The text of a cell for people, or of the heading above them for row -1; returns its characters of
 * UTF-8. */
static int show_cell(const gannet_grid *g, int64_t row, int column, int digits, char *text) {
  double value;
  int characters = 0;
  if (row < 0) { /* "length [mm]", or the name alone where no unit is stated */
    const char *unit = g->unit ? g->unit(g->user, column) : "";
    (void)snprintf(text, GANNET_CELL, *unit ? "%s [%s]" : "%s", g->name(g->user, column), unit);
  } else if (is_number(g->cell(g->user, row, column, text), text, &value) && strpbrk(text, ".eE")) {
    (void)snprintf(text, GANNET_CELL, "%.*g", digits, value);
  }
  gannet_utf8_show(text);
  for (const char *c = text; *c; ++c) characters += ((unsigned char)*c & 0xc0) != 0x80;
  return characters;
}

/* Columns are as wide as their widest cell. */
static void write_columns(FILE *out, const gannet_grid *g, const int *digits, int *width) {
  char text[GANNET_CELL];
  for (int64_t row = -1; row < g->n_rows; ++row)
    for (int c = 0; c < g->n_columns; ++c) {
      const int length = show_cell(g, row, c, digits[c], text);
      if (length > width[c]) width[c] = length;
    }
  for (int64_t row = -1; row < g->n_rows; ++row) {
    for (int c = 0; c < g->n_columns; ++c) {
      const int length = show_cell(g, row, c, digits[c], text);
      (void)fprintf(out, "%s%*s%s", c ? "  " : "", width[c] - length, "", text);
    }
    (void)fputc('\n', out);
  }
}

/* A table for people. */
static gannet_err write_people(FILE *out, const gannet_grid *g) {
  const size_t n = (size_t)g->n_columns;
  int *counts = NULL;
  GANNET_TRY(gannet_alloc(2 * n, sizeof *counts, &counts));
  for (int c = 0; c < g->n_columns; ++c) counts[c] = count_digits(g, c);
  write_columns(out, g, counts, counts + n);
  gannet_free(&counts);
  return GANNET_OK;
}

gannet_err gannet_grid_write(FILE *out, const gannet_grid *g, gannet_format format) {
  if (format == GANNET_FORMAT_TABLE) {
    GANNET_TRY(write_people(out, g));
  } else if (format == GANNET_FORMAT_JSON) {
    (void)fputs("[", out);
    for (int64_t row = 0; row < g->n_rows; ++row) {
      (void)fputs(row ? ",\n " : "\n ", out);
      write_json_object(out, g, row);
    }
    (void)fputs("\n]\n", out);
  } else {
    gannet_grid_write_csv(out, g, true);
  }
  if (fflush(out) || ferror(out)) return gannet_raise_errno("write", "the table");
  return GANNET_OK;
}

void gannet_grid_write_csv(FILE *out, const gannet_grid *g, bool header) {
  char text[GANNET_CELL];
  for (int64_t row = header ? -1 : 0; row < g->n_rows; ++row) {
    for (int c = 0; c < g->n_columns; ++c) {
      if (c) (void)fputc(',', out);
      if (row >= 0) (void)g->cell(g->user, row, c, text);
      put_csv(out, row < 0 ? g->name(g->user, c) : text);
    }
    (void)fputc('\n', out);
  }
}

gannet_cell gannet_cell_real(double value, char *text) {
  if (isfinite(value))
    (void)snprintf(text, GANNET_CELL, "%.17g", value);
  else
    text[0] = '\0';
  return GANNET_CELL_NUMBER;
}

gannet_cell gannet_cell_whole(long long value, char *text) {
  (void)snprintf(text, GANNET_CELL, "%lld", value);
  return GANNET_CELL_NUMBER;
}

gannet_cell gannet_cell_time(double epoch, char *text) {
  text[0] = '\0';
  if (isfinite(epoch)) gannet_clock_format(epoch, text, GANNET_CELL);
  return GANNET_CELL_WORD;
}

gannet_cell gannet_cell_word(const char *word, char *text) {
  (void)snprintf(text, GANNET_CELL, "%s", word);
  return GANNET_CELL_WORD;
}
