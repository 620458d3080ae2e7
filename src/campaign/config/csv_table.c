#include "campaign/config/csv_table.h"

#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/utf8.h"

enum { MOST_NAMES = 256 }; /* columns that a nearest name is looked for among */

/* A table that is being parsed. */
typedef struct {
  gannet_csv_table *table;
  int64_t line;     /* that is given to the parser now */
  int64_t row_line; /* on which the present row begins */
  int column;       /* of the next cell */
  bool has_names;   /* the first row is complete */
  gannet_err err;
} parse;

static gannet_err keep_text(gannet_csv_table *t, const char *text, size_t length, size_t *offset) {
  if (t->text_used + length + 1 > t->text_capacity) {
    const size_t larger = 2 * (t->text_used + length + 1) + 4096;
    GANNET_TRY(gannet_resize(t->text_capacity, larger, 1, &t->text));
    t->text_capacity = larger;
  }
  *offset = t->text_used;
  memcpy(t->text + t->text_used, text, length);
  t->text[t->text_used + length] = '\0';
  t->text_used += length + 1;
  return GANNET_OK;
}

/* Cells beyond the last column are counted and not kept. */
static gannet_err take_cell(parse *p, const char *text, size_t length) {
  static const char mark[] = "\xef\xbb\xbf"; /* with which some spreadsheets begin a file */
  gannet_csv_table *t = p->table;
  const int column = p->column++;
  if (p->has_names && column >= t->n_columns) return GANNET_OK;
  if (!p->has_names && column == 0 && length >= 3 && memcmp(text, mark, 3) == 0)
    text += 3, length -= 3;
  const size_t rows = p->has_names ? 1 + (size_t)t->n_rows : 0;
  const size_t at = rows * (size_t)t->n_columns + (size_t)column;
  if (at + 1 > t->cell_capacity) {
    const size_t larger = 2 * at + 64;
    GANNET_TRY(gannet_resize(t->cell_capacity, larger, sizeof *t->offset, &t->offset));
    t->cell_capacity = larger;
  }
  return keep_text(t, text, length, &t->offset[at]);
}

static void on_cell(void *text, size_t length, void *user) {
  parse *p = user;
  if (p->err == GANNET_OK) p->err = take_cell(p, text ? text : "", text ? length : 0);
}

static gannet_err end_row(parse *p) {
  gannet_csv_table *t = p->table;
  const int n = p->column;
  if (!p->has_names) {
    t->n_columns = n;
    p->has_names = true;
  } else {
    while (p->column < t->n_columns) GANNET_TRY(take_cell(p, "", 0));
    if (t->n_rows == t->row_capacity) {
      const size_t old = (size_t)t->row_capacity, larger = 2 * old + 64;
      GANNET_TRY(gannet_resize(old, larger, sizeof *t->line, &t->line));
      GANNET_TRY(gannet_resize(old, larger, sizeof *t->n_cells, &t->n_cells));
      t->row_capacity = (int64_t)larger;
    }
    t->line[t->n_rows] = p->row_line;
    t->n_cells[t->n_rows++] = n;
  }
  p->column = 0;
  return GANNET_OK;
}

static void on_row(int end, void *user) {
  parse *p = user;
  (void)end;
  if (p->err == GANNET_OK) p->err = end_row(p);
}

/* Line by line, so that every row knows where it begins. A line break within quotation marks does
 * not end a row. */
static gannet_err parse_lines(const char *path, const char *text, size_t size,
                              struct csv_parser *parser, parse *p) {
  bool is_quoted = false;
  for (size_t at = 0; at < size;) {
    size_t end = at; /* lines end in LF, CR LF or, in files of some spreadsheets, CR */
    while (end < size && text[end] != '\n' && text[end] != '\r') ++end;
    if (end + 1 < size && text[end] == '\r' && text[end + 1] == '\n') ++end;
    const size_t length = (end < size ? end + 1 : size) - at;
    p->line += 1;
    if (p->column == 0 && !is_quoted) p->row_line = p->line;
    for (size_t i = at; i < at + length; ++i) {
      if (text[i] == '"') is_quoted = !is_quoted;
      GANNET_REQUIRE(text[i], GANNET_ERR_INPUT, "%s:%lld: a zero byte; expected text", path,
                     (long long)p->line);
    }
    if (csv_parse(parser, text + at, length, on_cell, on_row, p) != length)
      return csv_error(parser) == CSV_EPARSE
                 ? GANNET_RAISE(GANNET_ERR_INPUT,
                                "%s:%lld: a quotation mark inside a cell; put the whole cell in "
                                "quotation marks, and double the ones inside",
                                path, (long long)p->line)
                 : GANNET_RAISE(GANNET_ERR_MEMORY, "%s:%lld: %s", path, (long long)p->line,
                                csv_strerror(csv_error(parser)));
    GANNET_TRY(p->err);
    at += length;
  }
  GANNET_REQUIRE(csv_fini(parser, on_cell, on_row, p) == 0, GANNET_ERR_INPUT,
                 "%s:%lld: the file ends inside a quoted cell that begins here; close the "
                 "quotation mark",
                 path, (long long)p->row_line);
  return p->err;
}

const char *gannet_csv_other_format(const char *text, size_t size) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *what;
  } formats[] = {{"PK\3\4", 4, "a spreadsheet or another archive; export the table as CSV"},
                 {"\xd0\xcf\x11\xe0", 4, "a spreadsheet; export the table as CSV"},
                 {"\x1f\x8b", 2, "a compressed file; unpack it"},
                 {"\x89HDF", 4, "an HDF5 file; export the table as CSV"},
                 {"\xff\xfe", 2, "text in UTF-16; save it as UTF-8"},
                 {"\xfe\xff", 2, "text in UTF-16; save it as UTF-8"}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (size >= formats[i].size && memcmp(text, formats[i].bytes, formats[i].size) == 0)
      return formats[i].what;
  size_t first = 0;
  while (first < size && strchr(" \t\r\n", text[first])) ++first;
  size_t second = first + 1;
  while (second < size && strchr(" \t\r\n", text[second])) ++second;
  const bool is_json = second < size && ((text[first] == '[' && strchr("[{", text[second])) ||
                                         (text[first] == '{' && text[second] == '"'));
  return is_json ? "JSON; write a line of names and a line of values for each design" : NULL;
}

/* The first line must name the columns. */
static gannet_err check_names(const char *path, const gannet_csv_table *table) {
  const char *separator = gannet_csv_table_separator(table);
  int numbers = 0;
  GANNET_REQUIRE(gannet_csv_table_name(table, 0)[0] != '#', GANNET_ERR_INPUT,
                 "%s:1: begins with '#', expected the names of the columns; remove the comment, or "
                 "the '#' in front of the names",
                 path);
  for (int c = 0; c < table->n_columns; ++c) {
    double number;
    numbers += gannet_parse_number(gannet_csv_table_name(table, c), &number) == 0;
  }
  /* Values may have words among them; two equal numbers are no names either. */
  for (int c = 0; c < table->n_columns; ++c) {
    const char *name = gannet_csv_table_name(table, c);
    const int first = gannet_csv_table_find(table, name);
    double number;
    const bool is_number = gannet_parse_number(name, &number) == 0;
    const bool is_repeated = *name && first != c;
    GANNET_REQUIRE(
        !is_number || !(is_repeated || (!separator && numbers == table->n_columns)),
        GANNET_ERR_INPUT,
        "%s:1: has numbers, expected the names of the columns; add a line with the names above it",
        path);
    GANNET_REQUIRE(!is_repeated, GANNET_ERR_INPUT,
                   "%s:1: columns %d and %d have the same name, '%.80s'; rename one", path,
                   first + 1, c + 1, name);
  }
  return GANNET_OK;
}

gannet_err gannet_csv_table_parse(const char *path, const char *text, size_t size,
                                  gannet_csv_table *table) {
  struct csv_parser parser;
  parse p = {.table = table};
  const char *other = gannet_csv_other_format(text, size);
  GANNET_REQUIRE(!other, GANNET_ERR_INPUT, "%s: expected CSV, and this is %s", path, other);
  GANNET_REQUIRE(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) == 0, GANNET_ERR_MEMORY,
                 "a parser of CSV");
  const gannet_err err = parse_lines(path, text, size, &parser, &p);
  csv_free(&parser);
  GANNET_TRY(err);
  GANNET_REQUIRE(p.has_names, GANNET_ERR_INPUT,
                 "%s: is empty; the first line must name the columns", path);
  return check_names(path, table);
}

void gannet_csv_table_release(gannet_csv_table *table) {
  gannet_free(&table->line);
  gannet_free(&table->n_cells);
  gannet_free(&table->offset);
  gannet_free(&table->text);
  memset(table, 0, sizeof *table);
}

const char *gannet_csv_table_name(const gannet_csv_table *table, int column) {
  return table->text + table->offset[column];
}

const char *gannet_csv_table_cell(const gannet_csv_table *table, int64_t row, int column) {
  return table->text + table->offset[(row + 1) * table->n_columns + column];
}

int gannet_csv_table_find(const gannet_csv_table *table, const char *name) {
  for (int c = 0; c < table->n_columns; ++c)
    if (strcmp(gannet_csv_table_name(table, c), name) == 0) return c;
  return -1;
}

const char *gannet_csv_table_nearest(const gannet_csv_table *table, const char *name) {
  const char *known[MOST_NAMES + 1];
  int n = 0;
  for (int c = 0; c < table->n_columns && n < MOST_NAMES; ++c)
    if (gannet_utf8_is_valid(gannet_csv_table_name(table, c)))
      known[n++] = gannet_csv_table_name(table, c);
  known[n] = NULL;
  for (int c = 0; c < n; ++c) { /* "x [m]" for x */
    const size_t length = strlen(name);
    if (strncmp(known[c], name, length) == 0 && known[c][length] && strchr(" [(", known[c][length]))
      return known[c];
  }
  return gannet_nearest(name, known);
}

void gannet_csv_table_list(const gannet_csv_table *table, char *text, size_t size) {
  enum { MOST = 12 };
  size_t used = 0;
  text[0] = '\0';
  for (int c = 0; c < table->n_columns && c < MOST && used < size; ++c) {
    const int more = snprintf(text + used, size - used, "%s%.40s", c > 0 ? ", " : "",
                              gannet_csv_table_name(table, c));
    used += more > 0 ? (size_t)more : 0;
  }
  if (table->n_columns > MOST && used < size)
    used += (size_t)snprintf(text + used, size - used, " and %d more", table->n_columns - MOST);
  for (int c = 0; c < table->n_columns && used < size; ++c) {
    const char *name = gannet_csv_table_name(table, c);
    const unsigned char byte = (unsigned char)name[gannet_utf8_valid_bytes(name)];
    if (byte == 0) continue;
    (void)snprintf(text + used, size - used,
                   " (byte 0x%02x in the name of column %d is not UTF-8: save the file as UTF-8)",
                   byte, c + 1);
    return;
  }
}

const char *gannet_csv_table_separator(const gannet_csv_table *table) {
  const char *first = gannet_csv_table_name(table, 0);
  if (table->n_columns != 1) return NULL;
  return strchr(first, ';')    ? "semicolons"
         : strchr(first, '\t') ? "tabs"
         : strchr(first, '|')  ? "vertical bars"
         : strchr(first, ' ')  ? "blanks"
                               : NULL;
}

bool gannet_csv_table_is_course(const char *name) {
  static const char *const names[] = {
      "id",        "batch", "status",          "feasible",   "attempts", "submitted",
      "started",   "ended", "seconds",         "exit_code",  "signal",   "slot",
      "host",      "job",   "failure",         "reason",     "origin",   "design",
      "replicate", "runs",  "objective.error", "evaluations"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}
