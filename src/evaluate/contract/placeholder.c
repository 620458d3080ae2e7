/* Finding placeholders, and writing values in the fields of their formats. */
#include "evaluate/contract/placeholder.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const gannet_delimiters braces = {.n = 1, .pair = {{"{", "}"}}};

/* Why a text cannot be a delimiter, or NULL. Names, formats and escapes must not be taken for one.
 */
static const char *refuse_delimiter(const char *mark) {
  if (!*mark) return "a mark is empty";
  if (strlen(mark) >= GANNET_DELIMITER_SIZE) return "a mark has more than 15 characters";
  for (const char *c = mark; *c; ++c) {
    if (isalnum((unsigned char)*c) || *c == '_') return "marks cannot have letters, digits or _";
    if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c)) return "marks cannot have blanks";
    if (strchr(":\\.+-", *c)) return "marks cannot have any of : \\ . + -";
  }
  return NULL;
}

const char *gannet_delimiters_read(const gannet_text_list *given, gannet_delimiters *delimiters) {
  char opening[4 * GANNET_DELIMITER_SIZE], closing[4 * GANNET_DELIMITER_SIZE];
  *delimiters = braces;
  if (given->n == 0) return NULL;
  if (given->n > 2) return "there are more than two marks";
  if (given->n == 1) {
    /* "@@" and "<<>>" are cut in the middle, "@" stands on both sides, "<< >>" is cut at the blank.
     */
    const char *text = given->item[0], *blank = strchr(text, ' ');
    const size_t n = strlen(text), half = n == 1 ? 1 : n / 2;
    (void)snprintf(opening, sizeof opening, "%.*s", (int)(blank ? (size_t)(blank - text) : half),
                   text);
    (void)snprintf(closing, sizeof closing, "%s", blank ? blank + 1 : n == 1 ? text : text + half);
  } else {
    (void)snprintf(opening, sizeof opening, "%s", given->item[0]);
    (void)snprintf(closing, sizeof closing, "%s", given->item[1]);
  }
  if (given->n == 1 && !strchr(given->item[0], ' ') && strlen(given->item[0]) > 1 &&
      strlen(given->item[0]) % 2)
    return "one text is cut in the middle, and this one has an odd number of characters";
  const char *wrong = refuse_delimiter(opening);
  if (!wrong) wrong = refuse_delimiter(closing);
  if (wrong) return wrong;
  memcpy(delimiters->pair[0].opening, opening, GANNET_DELIMITER_SIZE);
  memcpy(delimiters->pair[0].closing, closing, GANNET_DELIMITER_SIZE);
  return NULL;
}

gannet_delimiters gannet_delimiters_with_braces(const gannet_delimiters *delimiters) {
  gannet_delimiters both = *delimiters;
  if (strcmp(both.pair[0].opening, "{") == 0 && strcmp(both.pair[0].closing, "}") == 0) return both;
  both.pair[both.n++] = braces.pair[0];
  return both;
}

static int read_count(const char **at, const char *end) {
  int count = 0;
  for (; *at < end && isdigit((unsigned char)**at); ++*at)
    count = count < 1000 ? 10 * count + (**at - '0') : count;
  return count;
}

static char read_one(const char **at, const char *end, const char *of) {
  if (*at == end || !**at || !strchr(of, **at)) return '\0';
  return *(*at)++;
}

bool gannet_field_parse(const char *text, size_t size, gannet_field *field) {
  enum { WIDEST = 200, FINEST = 100 };
  const char *at = text, *end = text + size;
  *field = (gannet_field){.precision = -1};
  field->align = read_one(&at, end, "<>^");
  field->sign = read_one(&at, end, "+-");
  if (field->sign == '-') field->sign = '\0'; /* as it is anyway */
  field->zeros = read_one(&at, end, "0") != '\0';
  field->width = read_count(&at, end);
  if (read_one(&at, end, ".")) {
    if (at == end || !isdigit((unsigned char)*at)) return false;
    field->precision = read_count(&at, end);
  }
  field->type = read_one(&at, end, "dfFeEDgGs");
  return at == end && size > 0 && field->width <= WIDEST && field->precision <= FINEST;
}

static bool is_real_type(char type) {
  return type && strchr("fFeEDgG", type);
}

const char *gannet_field_refuse(const gannet_field *field, gannet_field_kind kind) {
  const bool as_text =
      kind == GANNET_FIELD_TEXT_KIND || (kind == GANNET_FIELD_TRUTH && field->type != 'd');
  if (as_text) {
    if (field->type && field->type != 's')
      return kind == GANNET_FIELD_TRUTH ? "true or false is written with s, and as 1 or 0 with d"
                                        : "a text is written with s";
    if (field->precision >= 0) return "a text is not cut off";
    return field->zeros || field->sign ? "a text has neither sign nor zeros" : NULL;
  }
  if (field->type == 's') return "a number is written with f, e or g, a whole one with d";
  if (kind == GANNET_FIELD_REAL && field->type == 'd')
    return "a real number is written with f, e or g";
  if (kind != GANNET_FIELD_REAL && !is_real_type(field->type) && field->precision >= 0)
    return "a whole number has digits behind the point only with f, e or g";
  if (field->zeros && field->align && field->align != '>')
    return "zeros are for numbers to the right";
  return field->zeros && field->width == 0 ? "zeros need a width" : NULL;
}

/* Write a number without its sign. */
static void write_digits(const gannet_field *field, gannet_field_kind kind, double number,
                         const char *text, char *digits, size_t size) {
  const bool is_plain =
      kind == GANNET_FIELD_REAL ? !field->type && field->precision < 0 : !is_real_type(field->type);
  const int precision = field->precision < 0 ? 6 : field->precision; /* as printf */
  if (kind == GANNET_FIELD_TRUTH)
    (void)snprintf(digits, size, "%d", number != 0);
  else if (is_plain)
    (void)snprintf(digits, size, "%s", text + (*text == '-'));
  else if (field->type == 'f' || field->type == 'F')
    (void)snprintf(digits, size, "%.*f", precision, fabs(number));
  else if (field->type == 'e')
    (void)snprintf(digits, size, "%.*e", precision, fabs(number));
  else if (field->type == 'E' || field->type == 'D')
    (void)snprintf(digits, size, "%.*E", precision, fabs(number));
  else if (field->type == 'G')
    (void)snprintf(digits, size, "%.*G", precision, fabs(number));
  else
    (void)snprintf(digits, size, "%.*g", precision, fabs(number));
  char *exponent = field->type == 'D' ? strchr(digits, 'E') : NULL;
  if (exponent) *exponent = 'D';
}

static gannet_err repeat(gannet_text *to, const char *c, int n) {
  for (int i = 0; i < n; ++i) GANNET_TRY(gannet_text_add(to, c, 1));
  return GANNET_OK;
}

gannet_err gannet_field_write(const gannet_field *field, gannet_field_kind kind, double number,
                              const char *text, gannet_text *to, bool *fits) {
  char digits[512];
  const bool is_text =
      kind == GANNET_FIELD_TEXT_KIND || (kind == GANNET_FIELD_TRUTH && field->type != 'd');
  const bool is_negative =
      !is_text && (kind == GANNET_FIELD_WHOLE ? *text == '-' : signbit(number));
  const char sign = is_negative ? '-' : is_text ? '\0' : field->sign;
  if (!is_text) write_digits(field, kind, number, text, digits, sizeof digits);
  const char *body = is_text ? text : digits;
  int used = sign != '\0'; /* characters of UTF-8 */
  for (const char *at = body; *at; ++at) used += ((unsigned char)*at & 0xc0) != 0x80;
  const int rest = field->width > used ? field->width - used : 0;
  const char align = field->align ? field->align : is_text ? '<' : '>';
  const int before = field->zeros || align == '<' ? 0 : align == '>' ? rest : rest / 2;
  *fits = field->width == 0 || used <= field->width;
  GANNET_TRY(repeat(to, " ", before));
  if (sign) GANNET_TRY(gannet_text_add(to, &sign, 1));
  if (field->zeros) GANNET_TRY(repeat(to, "0", rest));
  GANNET_TRY(gannet_text_put(to, body));
  return repeat(to, " ", field->zeros ? 0 : rest - before);
}

static bool begins(const char *text, size_t size, size_t at, const char *with) {
  const size_t n = strlen(with);
  return at + n <= size && memcmp(text + at, with, n) == 0;
}

/* Read the format of a placeholder up to its closing delimiter. As that may look like a part of a
 * format, the first one counts at which the format can be read, else the first of all. */
static bool read_format(const char *closing, const char *text, size_t size, size_t begin,
                        gannet_placeholder *found) {
  size_t end = 0;
  bool has_end = false;
  for (size_t i = begin; i < size && i - begin < GANNET_FIELD_TEXT; ++i) {
    if (text[i] == '\n') break;
    if (!begins(text, size, i, closing)) continue;
    if (!has_end) end = i;
    has_end = true;
    found->is_field = gannet_field_parse(text + begin, i - begin, &found->field);
    if (!found->is_field) continue;
    end = i;
    break;
  }
  if (!has_end) return false;
  (void)snprintf(found->format, sizeof found->format, "%.*s", (int)(end - begin), text + begin);
  found->has_format = true;
  found->end = end + strlen(closing);
  return true;
}

/* Read a placeholder, with or without a format, whose opening delimiter begins at `at`. */
static bool read_at(const char *opening, const char *closing, const char *text, size_t size,
                    size_t at, gannet_placeholder *found) {
  size_t n = 0, begin = at + strlen(opening);
  if (!begins(text, size, at, opening)) return false;
  if (strcmp(opening, "{") == 0 && at > 0 && text[at - 1] == '$') return false;
  *found = (gannet_placeholder){.begin = at, .is_field = true, .field = {.precision = -1}};
  while (begin + n < size && n < GANNET_PLACEHOLDER_NAME - 1) {
    const unsigned char c = (unsigned char)text[begin + n];
    const bool is_prefix = c == '.' && n == 6 && memcmp(found->name, "gannet", 6) == 0;
    if (c != '_' && !is_prefix && !(n ? isalnum(c) : isalpha(c))) break;
    found->name[n++] = (char)c;
  }
  if (n == 0) return false;
  found->end = begin + n + strlen(closing);
  if (!begins(text, size, begin + n, closing) &&
      !(begins(text, size, begin + n, ":") &&
        read_format(closing, text, size, begin + n + 1, found)))
    return false;
  found->is_escaped = at > 0 && text[at - 1] == '\\' && !(at > 1 && text[at - 2] == '\\');
  found->begin -= found->is_escaped;
  return true;
}

bool gannet_placeholder_next(const gannet_delimiters *delimiters, const char *text, size_t size,
                             size_t *at, gannet_placeholder *found) {
  for (size_t i = *at; i < size; ++i)
    for (int k = 0; k < delimiters->n; ++k)
      if (read_at(delimiters->pair[k].opening, delimiters->pair[k].closing, text, size, i, found)) {
        *at = found->end;
        return true;
      }
  return false;
}
