#include "evaluate/number_part.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
  return isdigit((unsigned char)c) != 0;
}

static bool is_any(char c, const char *of) {
  return c != '\0' && strchr(of, c) != NULL;
}

/* As E, D and Fortran's Q begin one: a letter, a sign or none, a digit. */
static bool is_exponent(const char *text) {
  if (!is_any(*text, "eEdDqQ")) return false;
  return is_digit(text[1 + is_any(text[1], "+-")]);
}

static bool is_mantissa_end(const char *text, size_t begin, size_t end) {
  if (end == begin) return false;
  return is_digit(text[end - 1]) || (text[end - 1] == '.' && end - begin > 1);
}

/* Digits, a first point, or a first exponent follow. */
static bool goes_on(const char *text, size_t begin, size_t end) {
  if (!is_mantissa_end(text, begin, end)) return false;
  if (is_digit(text[end])) return true;
  bool has_point = false, has_exponent = false;
  for (size_t i = begin; i < end; ++i) {
    has_point = has_point || text[i] == '.';
    has_exponent = has_exponent || is_any(text[i], "eEdDqQ");
  }
  if (has_exponent) return false;
  return is_exponent(text + end) || (!has_point && text[end] == '.' && is_digit(text[end + 1]));
}

/* Where the digits, the point or the exponent begin that lie directly before. */
static size_t find_begin(const char *text, size_t begin) {
  size_t first = begin;
  if (!is_digit(text[begin]) && text[begin] != '.') return begin;
  while (first > 0 && (is_digit(text[first - 1]) || text[first - 1] == '.')) --first;
  const size_t sign = first > 0 && is_any(text[first - 1], "+-");
  if (first < sign + 2 || !is_any(text[first - sign - 1], "eEdDqQ")) return first;
  return is_digit(text[first - sign - 2]) ? find_begin(text, first - sign - 2) : first;
}

bool gannet_is_number_part(const char *text, size_t begin, size_t end, char *whole, size_t size) {
  const size_t first = begin < end ? find_begin(text, begin) : begin;
  size_t last = end;
  if (first == begin && !goes_on(text, begin, end)) return false;
  if (goes_on(text, begin, end)) last += strspn(text + end, "0123456789.eEdDqQ+-");
  (void)snprintf(whole, size, "%.*s", (int)(last - first), text + first);
  return true;
}
