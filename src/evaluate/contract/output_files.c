#include "evaluate/contract/output_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/utf8.h"
#include "evaluate/contract/contract.h"

enum {
  LINE_SIZE = 1 << 20,  /* longest line of a table */
  FIELD_SIZE = 520,     /* longest number, and some */
  STOP_INTERVAL = 4096, /* rows between two looks at whether the program is to end */
  LISTED = 6            /* names of what is there, in messages */
};

/* Finding a file. */

/* Read the number 12, 12.5 or 1e-05 at the begin of a text. Folders of small times have an exponent
 * with a sign. */
static double read_plain(const char **text) {
  double value = 0, scale = 1, exponent = 0;
  for (; isdigit((unsigned char)**text); ++*text) value = 10 * value + (**text - '0');
  if (**text == '.' && isdigit((unsigned char)(*text)[1]))
    for (++*text; isdigit((unsigned char)**text); ++*text) value += (scale /= 10) * (**text - '0');
  const char *end = *text;
  if (tolower((unsigned char)end[0]) != 'e' || (end[1] != '-' && end[1] != '+') ||
      !isdigit((unsigned char)end[2]))
    return value;
  for (*text = end + 2; isdigit((unsigned char)**text); ++*text)
    exponent = 10 * exponent + (**text - '0');
  return value * pow(10, end[1] == '-' ? -exponent : exponent);
}

/* Compare names so that 2 is before 10 and 0.5 after 0.25. */
static int compare_names(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      const double first = read_plain(&a), second = read_plain(&b);
      if (first < second) return -1;
      if (first > second) return 1;
      continue;
    }
    if (*a != *b) break;
    ++a;
    ++b;
  }
  return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

static int compare_entries(const void *a, const void *b) {
  const char *const *one = a, *const *two = b;
  return compare_names(*one, *two);
}

/* Whether a path in the evaluation's directory leads to the files of an earlier attempt, which must
 * not pass for results of this one. */
static bool is_of_earlier_attempt(const char *path) {
  static const char folder[] = "attempt-";
  const size_t length = sizeof folder - 1;
  return strncmp(path, folder, length) == 0 && isdigit((unsigned char)path[length]);
}

/* Name the first entries of a folder, with a blank before each.
 *
 * is_own  in  the folder is the evaluation's directory: what gannet writes there is left out
 */
static void list_folder(const char *folder, bool is_own, char *list, size_t size) {
  static const char *const own[] = {"attempt.json", "outcome.json", "params.in", "params.json"};
  enum { MOST = 1000 };
  char *names[MOST];
  int n = 0;
  size_t used = 0;
  DIR *open = opendir(folder);
  list[0] = '\0';
  for (const struct dirent *entry; open && n < MOST && (entry = readdir(open));) {
    bool is_left_out = entry->d_name[0] == '.' || (is_own && is_of_earlier_attempt(entry->d_name));
    for (size_t i = 0; is_own && i < sizeof own / sizeof *own; ++i)
      is_left_out = is_left_out || strcmp(entry->d_name, own[i]) == 0;
    if (is_left_out) continue;
    if (gannet_copy_text(entry->d_name, &names[n]) == GANNET_OK) ++n;
  }
  if (open) (void)closedir(open);
  qsort(names, (size_t)n, sizeof *names, compare_entries);
  for (int i = 0; i < n && i < LISTED && used < size; ++i)
    used += (size_t)snprintf(list + used, size - used, " %.40s", names[i]);
  if (n > LISTED && used < size) (void)snprintf(list + used, size - used, " ...");
  if (n == 0) (void)snprintf(list, size, " nothing");
  for (int i = 0; i < n; ++i) gannet_free(&names[i]);
}

/* Say what the innermost folder of a path that exists holds; the path itself may be one. */
static void explain_missing(const char *directory, const char *file, char *why, size_t size) {
  char folder[PATH_MAX], list[140];
  struct stat about;
  size_t length = strlen(file);
  (void)snprintf(folder, sizeof folder, "%s/%s", directory, file);
  while (length > 0 && (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))) {
    while (length > 0 && file[length - 1] != '/') --length;
    while (length > 0 && file[length - 1] == '/') --length;
    (void)snprintf(folder, sizeof folder, "%s/%.*s", directory, (int)length, file);
  }
  list_folder(folder, length == 0, list, sizeof list);
  if (length > 0)
    (void)snprintf(why, size, "no file '%.70s'; '%.*s' holds:%s", file,
                   length < 60 ? (int)length : 60, file, list);
  else
    (void)snprintf(why, size, "no file '%.70s'; the evaluation's directory holds:%s", file, list);
}

bool gannet_output_file_find(const char *directory, const char *file, char *found, size_t size,
                             char *why, size_t why_size) {
  char pattern[2 * PATH_MAX], path[PATH_MAX];
  glob_t matches = {0};
  struct stat about;
  if (!strpbrk(file, "*?[")) {
    (void)snprintf(found, size, "%s", file);
    if (gannet_join_path(directory, file, path, sizeof path) == GANNET_OK &&
        (stat(path, &about) == 0 ? !S_ISDIR(about.st_mode) : errno != ENOENT && errno != ENOTDIR))
      return true; /* what cannot be looked at is told when it is read */
    gannet_error_clear();
    explain_missing(directory, file, why, why_size);
    return false;
  }
  size_t used = 0;
  for (const char *c = directory; *c && used + 3 < sizeof pattern; ++c) {
    if (strchr("*?[]\\", *c)) pattern[used++] = '\\'; /* the directory means itself */
    pattern[used++] = *c;
  }
  (void)snprintf(pattern + used, sizeof pattern - used, "/%s", file);
  const size_t prefix = strlen(directory);
  const char *last = NULL;
  if (glob(pattern, GLOB_NOSORT | GLOB_MARK, NULL, &matches) == 0)
    for (size_t i = 0; i < matches.gl_pathc; ++i) {
      const char *match = matches.gl_pathv[i];
      const bool is_folder = match[strlen(match) - 1] == '/';
      if (is_folder || is_of_earlier_attempt(match + prefix + 1)) continue;
      if (!last || compare_names(match, last) > 0) last = match;
    }
  if (last)
    (void)snprintf(found, size, "%s", last + prefix + 1);
  else
    explain_missing(directory, file, why, why_size);
  globfree(&matches);
  return last != NULL;
}

/* A column of a table. */

/* A table that is being read. */
typedef struct {
  FILE *file;
  const char *shown;  /* its name for messages */
  char *line;         /* [LINE_SIZE] */
  int64_t number;     /* of the line, from 1 */
  int64_t begin;      /* bytes before the line */
  int64_t end;        /* bytes up to its end */
  char *header;       /* the last header above the first row, NULL = none; owned */
  int column;         /* from 0; -1 = no header has the name yet */
  int n_columns;      /* of the header that names the column; 0 = none does */
  int n_full;         /* the same without an empty one at the end */
  char separator;     /* of that header */
  int second;         /* another column of that header with the same name, 0 = none */
  const char *name;   /* of the column; NULL = it was given by its number */
  char whole[80];     /* the name with its unit, where the header has one; "" = none */
  char odd[200];      /* the first line that begins as a row does, and has no number */
  int64_t odd_number; /* of that line, 0 = none */
  int64_t rows;       /* so far */
  char *why;          /* [size] what is wrong */
  size_t size;
} table;

/* Tabs separate, so that cells may be empty, but not in tables with vectors, as in 0.5 (1 2 3). */
static char separator_of(const char *line) {
  return strchr(line, ';')                          ? ';'
         : strchr(line, ',')                        ? ','
         : strchr(line, '\t') && !strchr(line, '(') ? '\t'
                                                    : ' ';
}

static bool is_blank(char c, char separator) {
  return c == ' ' || (c == '\t' && separator != '\t');
}

/* Cut the next field off a line. Returns false behind the last one.
 *
 * blanks  in  what counts as a blank besides blanks and tabs
 */
static bool next_field(char **at, char separator, const char *blanks, char **field,
                       size_t *length) {
  char *text = *at;
  if (!text) return false;
  while (is_blank(*text, separator) || (separator == ' ' && *text && strchr(blanks, *text))) ++text;
  if (!*text && separator == ' ') return false;
  char *end = text;
  if (*text == '"') {
    end = strchr(text + 1, '"');
    *field = text + 1;
    *length = end ? (size_t)(end - text - 1) : strlen(text + 1);
    end = end ? end + 1 : text + strlen(text);
    if (separator != ' ') end += strcspn(end, (char[]){separator, '\0'});
  } else {
    if (separator == ' ')
      while (*end && !is_blank(*end, separator) && !strchr(blanks, *end)) ++end;
    else
      end += strcspn(end, (char[]){separator, '\0'});
    *field = text;
    *length = (size_t)(end - text);
    while (*length > 0 && is_blank(text[*length - 1], separator)) --*length;
  }
  *at = *end ? end + 1 : NULL;
  if (separator == ' ' && *end && !is_blank(*end, separator))
    *at = end; /* a bracket that touches a number */
  return true;
}

/* Whether a field looks like a number, also one that is none: nan, inf, or stars of Fortran. */
static bool looks_like_number(const char *field, size_t length) {
  static const char *const words[] = {"nan", "inf", "infinity"};
  size_t i = *field == '+' || *field == '-';
  if (length == i) return false;
  for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
    if (strlen(words[w]) == length - i && strncasecmp(field + i, words[w], length - i) == 0)
      return true;
  if (length - i >= 3 && strncmp(field + i, "1.#", 3) == 0) return true; /* 1.#QNAN, 1.#IND */
  if (!isdigit((unsigned char)field[i]) && field[i] != '.' && field[i] != '*') return false;
  for (; i < length; ++i) /* a comma: for the point, or between thousands */
    if (!strchr("0123456789.,+-eEdDqQ*", field[i])) return false;
  return true;
}

/* Whether a line is numbers with decimal commas between blanks, as in "0 1,25" and "0,5 1,25", and
 * not a list with commas between its numbers, as in "0.2,1.0 2.0". */
static bool has_decimal_commas(const char *line) {
  int n = 0;
  for (const char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t"), ++n) {
    const size_t length = strcspn(at, " \t");
    const char *comma = memchr(at, ',', length), *end = at + length;
    if (comma == at || comma == end - 1 || !looks_like_number(at, length)) return false;
    if (comma && (memchr(at, '.', length) || memchr(comma + 1, ',', (size_t)(end - comma) - 1)))
      return false;
    at = end;
  }
  return n > 1;
}

/* The number of fields of a line; full leaves out an empty one at the end, behind a separator. */
static int count_fields(char *line, char separator, const char *blanks, int *full) {
  char *at = line, *field = NULL;
  size_t length = 1;
  int n = 0;
  while (next_field(&at, separator, blanks, &field, &length)) ++n;
  *full = n - (length == 0);
  return n;
}

/* Look for the name of the column in a header whose names are separated so. */
static bool find_name(table *t, char *header, char separator) {
  char *at = header, *field = NULL;
  size_t length = 0;
  bool has_name = false;
  for (int i = 0; t->name && next_field(&at, separator, "", &field, &length); ++i) {
    if (strlen(t->name) != length || strncmp(field, t->name, length) != 0) continue;
    if (has_name) {
      t->second = i;
      break;
    }
    has_name = true;
    t->column = i;
    t->second = 0;
    t->separator = separator;
    t->n_columns = count_fields(header, separator, "", &t->n_full);
  }
  return has_name;
}

/* Note a header: whether it has the name of the column, and what it says above the first row.
 * Returns whether it has the name. */
static bool note_header(table *t, char *header) {
  const char separator = separator_of(header);
  bool has_name = find_name(t, header, separator);
  /* a name with its unit, as in "Time (s)<tab>Force (N)" */
  const bool has_tabs = separator == ' ' && strchr(header, '\t');
  if (has_name) t->whole[0] = '\0';
  if (has_name && has_tabs) {
    const size_t size = strlen(t->name);
    char *at = header, *field = NULL;
    for (size_t length = 0; next_field(&at, '\t', "", &field, &length);)
      if (length > size && strncmp(field, t->name, size) == 0 && field[size] == ' ')
        (void)snprintf(t->whole, sizeof t->whole, "%.*s", (int)length, field);
  } else if (has_tabs) {
    has_name = find_name(t, header, '\t');
  }
  if (t->rows > 0 || !*header) return has_name;
  gannet_free(&t->header);
  if (gannet_copy_text(header, &t->header) != GANNET_OK) gannet_error_clear();
  return has_name;
}

/* Read the next row into t->line. Headers on the way are noted. Returns false at the end of the
 * file or, with a reason, when a line is too long, or is neither a row nor a header. */
static bool next_row(table *t) {
  for (;;) {
    t->begin = t->end;
    if (!fgets(t->line, LINE_SIZE, t->file)) return false;
    t->number += 1;
    t->end = ftello(t->file);
    size_t length = strlen(t->line);
    if ((int64_t)length != t->end - t->begin) {
      if (t->number == 1 && gannet_is_utf16(t->line, length))
        (void)snprintf(t->why, t->size, "%s is text in UTF-16, expected UTF-8", t->shown);
      else
        (void)snprintf(t->why, t->size, "%s line %lld has a zero byte, expected a table", t->shown,
                       (long long)t->number);
      return false;
    }
    if (length + 1 == LINE_SIZE && t->line[length - 1] != '\n') {
      (void)snprintf(t->why, t->size, "%s line %lld has more than %d bytes, expected a table",
                     t->shown, (long long)t->number, LINE_SIZE - 2);
      return false;
    }
    while (length > 0 && strchr("\r\n", t->line[length - 1])) t->line[--length] = '\0';
    char *text = t->line + strspn(t->line, " \t");
    if (t->number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a mark of editors */
    if (!*text) continue;
    const bool is_comment = *text == '#' || *text == '%';
    const char separator = separator_of(text);
    char *at = text, *field = NULL;
    bool has_number = false;
    while (!is_comment && !has_number && next_field(&at, separator, "()", &field, &length))
      has_number = length > 0 && looks_like_number(field, length);
    has_number = has_number || (!is_comment && has_decimal_commas(text));
    if (has_number && strchr(text, '\r')) {
      (void)snprintf(
          t->why, t->size,
          "%s line %lld has a carriage return inside; expected that lines end with LF or "
          "CR LF",
          t->shown, (long long)t->number);
      return false;
    }
    if (has_number) {
      t->rows += 1;
      if (text != t->line) memmove(t->line, text, strlen(text) + 1);
      return true;
    }
    char *header = text + strspn(text, "#% \t");
    const bool is_repeated = t->header && strcmp(header, t->header) == 0;
    if (note_header(t, header) || is_comment || is_repeated) continue;
    if (t->odd_number == 0 && isdigit((unsigned char)text[strspn(text, "+-.")])) {
      t->odd_number = t->number;
      (void)snprintf(t->odd, sizeof t->odd, "%s", text);
    }
    if (t->rows == 0) continue;
    (void)snprintf(t->why, t->size, "%s line %lld is '%.40s', expected a row of numbers", t->shown,
                   (long long)t->number, text);
    return false;
  }
}

static void explain_no_column(table *t) {
  const char *names[64] = {NULL};
  char *at = t->header, *field = NULL, list[110] = "", near_text[160] = "";
  size_t length = 0, used = 0;
  int n = 0;
  if (!t->header) {
    (void)snprintf(t->why, t->size,
                   "%s has no header with names of columns; give the column by its number from 1",
                   t->shown);
    return;
  }
  char separator = separator_of(t->header);
  if (separator == ' ' && strchr(t->header, '\t')) separator = '\t';
  for (int i = 1; n < 63 && next_field(&at, separator, "", &field, &length); ++i) {
    if (field[length]) field[length] = '\0';
    const unsigned char byte = (unsigned char)field[gannet_utf8_valid_bytes(field)];
    if (byte == 0)
      names[n++] = field;
    else if (!*near_text)
      (void)snprintf(near_text, sizeof near_text,
                     "; the name of column %d has the byte 0x%02x, which is not UTF-8: save the "
                     "table as UTF-8, or give the column by its number;",
                     i, byte);
    if (used + length + 1 < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, " %s", field);
  }
  const char *near = gannet_nearest(t->name, names);
  if (near) (void)snprintf(near_text, sizeof near_text, "; did you mean '%.50s'?", near);
  (void)snprintf(t->why, t->size, "%s has no column '%.40s'%s columns:%s", t->shown, t->name,
                 *near_text ? near_text : ";", list);
}

/* How the row that was read last is separated: as the header that names the column is, if it can
 * be, so that a comma may stand for the point of a number. Returns 0, with a reason, where the row
 * has another number of columns: the value might be that of another column. */
static char separator_of_row(table *t) {
  char separator = separator_of(t->line);
  const bool commas_separate = t->header && strchr(t->header, ',');
  if (t->n_columns == 0)
    return separator == ',' && !commas_separate && has_decimal_commas(t->line) ? ' ' : separator;
  if (t->n_columns > 1 && (t->separator == ' ' || t->separator == '\t'))
    separator = strchr(t->line, '\t') && !strchr(t->line, '(') ? '\t' : ' ';
  else if (t->n_columns > 1 && strchr(t->line, t->separator))
    separator = t->separator;
  int full = 0, n = count_fields(t->line, separator, "()", &full);
  if (n != t->n_columns && full != t->n_full && separator == '\t')
    n = count_fields(t->line, separator = ' ', "()", &full); /* tabs that only align */
  if (n == t->n_columns || full == t->n_full) return separator;
  const char *hint = "";
  char whole[140];
  (void)snprintf(whole, sizeof whole, "; for the column '%s' give the whole name", t->whole);
  if (n < t->n_columns && *t->whole)
    hint = whole;
  else if (n < t->n_columns && t->separator == ' ')
    hint = "; if names of columns have blanks, give the column by its number from 1";
  else if (n > t->n_columns && separator == ',')
    hint = "; if its commas are decimal signs, write points, else give the column by its number";
  else if (n > t->n_columns)
    hint = "; if that is right, give the column by its number from 1";
  (void)snprintf(t->why, t->size, "%s line %lld has %d column%s, its header %d%s", t->shown,
                 (long long)t->number, n, n == 1 ? "" : "s", t->n_columns, hint);
  return 0;
}

/* Read the value of the column in the row that was read last. */
static bool read_value(table *t, double *value) {
  char *at = t->line, *field = NULL, text[FIELD_SIZE], shown[60];
  size_t length = 0;
  int i = -1;
  if (t->second > 0) {
    (void)snprintf(t->why, t->size,
                   "%s has two columns '%.40s', numbers %d and %d; give the one that you mean by "
                   "its number",
                   t->shown, t->name, t->column + 1, t->second + 1);
    return false;
  }
  const char separator = separator_of_row(t);
  if (!separator) return false;
  while (i < t->column && next_field(&at, separator, "()", &field, &length)) ++i;
  if (i < t->column) {
    (void)snprintf(t->why, t->size, "%s line %lld has %d column%s, expected at least %d", t->shown,
                   (long long)t->number, i + 1, i == 0 ? "" : "s", t->column + 1);
    return false;
  }
  (void)snprintf(text, sizeof text, "%.*s", (int)(length < FIELD_SIZE ? length : FIELD_SIZE - 1),
                 field);
  if (gannet_parse_any_number(text, value) == 0) return true;
  if (t->name)
    (void)snprintf(shown, sizeof shown, "%.50s", t->name);
  else
    (void)snprintf(shown, sizeof shown, "%d", t->column + 1);
  (void)snprintf(t->why, t->size, "%s line %lld: column %s is '%.40s', expected a number%s",
                 t->shown, (long long)t->number, shown, text, gannet_number_hint(text));
  return false;
}

/* What is known of the values so far. */
typedef struct {
  int64_t n;
  double first, last, least, largest, sum;
} tally;

static double take_from(const tally *s, gannet_take take) {
  switch (take) {
    case GANNET_TAKE_MEAN:
      return s->sum / (double)s->n;
    case GANNET_TAKE_MIN:
      return s->least;
    case GANNET_TAKE_MAX:
      return s->largest;
    case GANNET_TAKE_FIRST:
      return s->first;
    case GANNET_TAKE_SUM:
      return s->sum;
    default:
      return s->last;
  }
}

static bool is_stop_asked(const table *t, const gannet_stopping *stopping) {
  return t->rows % STOP_INTERVAL == 0 && stopping && stopping->is_asked(stopping->user);
}

/* Go to the first of the last n rows: all rows are counted, and the begins of the last n are kept.
 */
static gannet_table_end skip_to_last(table *t, int n, const gannet_stopping *stopping) {
  struct place {
    int64_t begin, number;
  } *places = NULL;
  int64_t capacity = 0;
  gannet_table_end end = GANNET_TABLE_TAKEN;
  while (next_row(t)) {
    const int64_t at = (t->rows - 1) % n;
    if (is_stop_asked(t, stopping)) end = GANNET_TABLE_STOPPED;
    if (at >= capacity) {
      const int64_t larger = capacity < 1 ? 1 : 2 * capacity < n ? 2 * capacity : n;
      if (gannet_resize((size_t)capacity, (size_t)larger, sizeof *places, &places) != GANNET_OK) {
        gannet_error_clear();
        errno = ENOMEM;
        end = GANNET_TABLE_UNREADABLE;
      }
      capacity = larger;
    }
    if (end != GANNET_TABLE_TAKEN) break;
    places[at] = (struct place){t->begin, t->number - 1};
  }
  if (end == GANNET_TABLE_TAKEN && t->rows >= n) {
    const struct place *first = &places[t->rows % n];
    t->number = first->number;
    t->end = first->begin;
    if (fseeko(t->file, first->begin, SEEK_SET)) end = GANNET_TABLE_UNREADABLE;
  }
  gannet_free(&places);
  return end;
}

static gannet_table_end read_rows(table *t, const gannet_output *output,
                                  const gannet_stopping *stopping, double *value) {
  const gannet_rows *rows = &output->rows;
  tally s = {0};
  double found = 0;
  if (rows->part == GANNET_ROWS_LAST) {
    const gannet_table_end end = skip_to_last(t, rows->n, stopping);
    if (end != GANNET_TABLE_TAKEN) return end;
  }
  while ((rows->part != GANNET_ROWS_FIRST || s.n < rows->n) && !*t->why &&
         (rows->part != GANNET_ROWS_LAST || t->rows >= rows->n) && next_row(t)) {
    if (is_stop_asked(t, stopping)) return GANNET_TABLE_STOPPED;
    if (t->column < 0) {
      explain_no_column(t);
    } else if (read_value(t, &found)) {
      if (s.n++ == 0) s.first = s.least = s.largest = found;
      s.last = found;
      s.sum += found;
      if (found < s.least || isnan(found)) s.least = found;
      if (found > s.largest || isnan(found)) s.largest = found;
    }
  }
  if (ferror(t->file)) return GANNET_TABLE_UNREADABLE;
  if (t->column < 0 && !*t->why) explain_no_column(t);
  if ((t->column < 0 && t->header) || t->second > 0) return GANNET_TABLE_NO_COLUMN;
  if (*t->why) return GANNET_TABLE_LACKING;
  if (t->rows == 0 && t->odd_number > 0) {
    (void)snprintf(t->why, t->size, "%s has no row of numbers; line %lld is '%.40s'%s", t->shown,
                   (long long)t->odd_number, t->odd,
                   strchr(t->odd, ',') ? "; a comma separates columns here: write a decimal point, "
                                         "and nothing between thousands"
                                       : "");
    return GANNET_TABLE_LACKING;
  }
  if (s.n == 0 || s.n < rows->n) {
    (void)snprintf(t->why, t->size, "%s has %lld row%s, expected at least %d", t->shown,
                   (long long)t->rows, t->rows == 1 ? "" : "s", rows->n > 1 ? rows->n : 1);
    return GANNET_TABLE_LACKING;
  }
  *value = take_from(&s, output->take);
  return GANNET_TABLE_TAKEN;
}

gannet_table_end gannet_output_file_take(const char *path, const char *shown,
                                         const gannet_output *output,
                                         const gannet_stopping *stopping, double *value, char *why,
                                         size_t size) {
  table t = {.shown = shown, .column = -1, .name = output->column, .why = why, .size = size};
  double number = 0;
  why[0] = '\0';
  if (gannet_parse_number(output->column, &number) == 0 && number >= 1 && number < INT_MAX) {
    t.column = (int)number - 1;
    t.name = NULL;
  }
  if (gannet_file_stream(path, GANNET_ERR_INPUT, &t.file) != GANNET_OK) {
    const int error = errno;
    (void)snprintf(why, size, "%s", gannet_error_detail());
    gannet_error_clear();
    errno = error;
    return GANNET_TABLE_UNREADABLE;
  }
  gannet_table_end end = GANNET_TABLE_UNREADABLE;
  if (gannet_alloc(LINE_SIZE, 1, &t.line) == GANNET_OK) {
    end = read_rows(&t, output, stopping, value);
  } else {
    gannet_error_clear();
    errno = ENOMEM;
  }
  const int error = errno;
  if (end == GANNET_TABLE_UNREADABLE && !*why)
    (void)snprintf(why, size, "cannot read %s: %s", shown, strerror(error));
  gannet_free(&t.header);
  gannet_free(&t.line);
  (void)fclose(t.file);
  errno = error;
  return end;
}
