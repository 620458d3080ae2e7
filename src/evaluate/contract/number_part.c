#include "evaluate/contract/number_part.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
  return isdigit((unsigned char)c) != 0;
}

static bool is_any(char c, const char *of) {
  return c != '\0' && strchr(of, c) != NULL;
}

/* Whether a text begins with an exponent: E, D or Fortran's Q, an optional sign, and a digit. */
static bool is_exponent(const char *text) {
  if (!is_any(*text, "eEdDqQ")) return false;
  return is_digit(text[1 + is_any(text[1], "+-")]);
}

/* Whether the number goes on behind the part: by digits, a first point, or a first exponent.
 *
 * short_exponents  in  a sign and three digits are an exponent, too
 */
static bool goes_on(const char *text, size_t begin, size_t end, bool short_exponents) {
  if (end == begin) return false;
  const bool ends_mantissa = is_digit(text[end - 1]) || (text[end - 1] == '.' && end - begin > 1);
  if (!ends_mantissa) return false;
  if (is_digit(text[end])) return true;
  bool has_point = false, has_exponent = false;
  for (size_t i = begin; i < end; ++i) {
    has_point = has_point || text[i] == '.';
    has_exponent = has_exponent || is_any(text[i], "eEdDqQ");
  }
  if (has_exponent) return false;
  /* Fortran writes 0.12E-104, whose exponent has three digits, as 0.12-104. */
  if (short_exponents && has_point && is_any(text[end], "+-") &&
      strspn(text + end + 1, "0123456789") == 3)
    return text[end + 4] != '.';
  return is_exponent(text + end) || (!has_point && text[end] == '.' && is_digit(text[end + 1]));
}

/* Where the number begins whose digits, point or exponent lie directly before `begin`. */
static size_t find_begin(const char *text, size_t begin) {
  size_t first = begin;
  if (!is_digit(text[begin]) && text[begin] != '.') return begin;
  while (first > 0 && (is_digit(text[first - 1]) || text[first - 1] == '.')) --first;
  const size_t sign = first > 0 && is_any(text[first - 1], "+-");
  if (first < sign + 2 || !is_any(text[first - sign - 1], "eEdDqQ")) return first;
  return is_digit(text[first - sign - 2]) ? find_begin(text, first - sign - 2) : first;
}

bool gannet_is_number_part(const char *text, size_t begin, size_t end, bool short_exponents,
                           char *whole, size_t size) {
  const size_t first = begin < end ? find_begin(text, begin) : begin;
  const bool more = goes_on(text, begin, end, short_exponents);
  const size_t last = more ? end + strspn(text + end, "0123456789.eEdDqQ+-") : end;
  if (first == begin && !more) return false;
  (void)snprintf(whole, size, "%.*s", (int)(last - first), text + first);
  return true;
}

static size_t count_digits(const char *text) {
  return strspn(text, "0123456789");
}

static bool is_inner_comma(const char *text, size_t at) {
  return at > 0 && text[at] == ',' && is_digit(text[at - 1]) && is_digit(text[at + 1]);
}

/* Whether a number has its thousands separated, as in 1,000 and 12,345.6; or 1.000 and 12.345,6. */
static bool is_grouped(const char *text, size_t size, char separator, char point) {
  size_t at = count_digits(text), groups = 0;
  if (at == 0 || at > 3 || text[0] == '0') return false;
  for (; at < size && text[at] == separator && count_digits(text + at + 1) == 3; at += 4) ++groups;
  if (at < size && text[at] == point) at += 1 + count_digits(text + at + 1);
  return groups > 0 && at == size;
}

static bool has_decimal_comma(const char *text, size_t size) {
  const size_t at = count_digits(text);
  return text[at] == ',' && at + 1 + count_digits(text + at + 1) == size;
}

/* Whether the digits, points and commas around a comma may be one number. */
static bool is_one_number(const char *text, size_t comma, char *whole, size_t size) {
  size_t first = comma, last = comma + 1;
  while (first > 0 && (is_any(text[first - 1], "0123456789.") || is_inner_comma(text, first - 1)))
    --first;
  while (is_any(text[last], "0123456789.") || is_inner_comma(text, last)) ++last;
  const char *number = text + first;
  const size_t length = last - first;
  (void)snprintf(whole, size, "%.*s", (int)length, number);
  if (find_begin(text, first) < first) return false; /* what ends with an exponent has no comma */
  return is_grouped(number, length, ',', '.') || is_grouped(number, length, '.', ',') ||
         has_decimal_comma(number, length);
}

bool gannet_is_comma_part(const char *text, size_t begin, size_t end, char *whole, size_t size) {
  if (begin == end) return false;
  if (is_inner_comma(text, end) && is_one_number(text, end, whole, size)) return true;
  return begin > 0 && is_inner_comma(text, begin - 1) &&
         is_one_number(text, begin - 1, whole, size);
}
