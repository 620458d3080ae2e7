#include "base/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 512 /* characters; 1e308 has 309 digits when a program prints all of them */ };

static size_t count_digits(const char *text) {
  return strspn(text, "0123456789");
}

static size_t count_sign(const char *text) {
  return *text == '+' || *text == '-';
}

/* The characters of an exponent, and where its sign or digits begin. */
static size_t read_exponent(const char *text, gannet_number_form form, size_t *letter) {
  const size_t sign = count_sign(text);
  *letter = 0;
  if (sign && count_digits(text + 1) == 3) return 4; /* 1.5-103 */
  const bool is_usual = *text == 'e' || *text == 'E';
  if (!is_usual && (*text == '\0' || !strchr("dDqQ", *text))) return 0;
  const size_t behind = count_sign(text + 1), digits = count_digits(text + 1 + behind);
  if (digits == 0 || (!is_usual && !behind && form == GANNET_NUMBER_BEFORE_UNIT)) return 0;
  *letter = 1;
  return 1 + behind + digits;
}

/* strtod reads the point of the locale. */
static double convert(const char *text, size_t mantissa, const char *exponent, size_t size) {
  char copy[LONGEST + 64];
  const char *point = localeconv()->decimal_point;
  const char *dot = memchr(text, '.', mantissa);
  const size_t before = dot ? (size_t)(dot - text) : mantissa;
  const size_t after = dot ? mantissa - before - 1 : 0;
  (void)snprintf(copy, sizeof copy, "%.*s%s%.*s%s%.*s", (int)before, text, dot ? point : "",
                 (int)after, dot ? dot + 1 : "", size ? "e" : "", (int)size, exponent);
  return strtod(copy, NULL);
}

size_t gannet_number_read(const char *text, gannet_number_form form, double *value) {
  const size_t sign = count_sign(text), whole = count_digits(text + sign);
  size_t mantissa = sign + whole, letter = 0;
  size_t fraction = 0;
  if (text[mantissa] == '.') {
    fraction = count_digits(text + mantissa + 1);
    mantissa += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  const size_t exponent = read_exponent(text + mantissa, form, &letter);
  if (mantissa + exponent >= LONGEST) return 0; /* it may have been cut off */
  *value = convert(text, mantissa, text + mantissa + letter, exponent - letter);
  return mantissa + exponent;
}

int gannet_parse_number(const char *text, double *value) {
  static const char blank[] = " \t\r\n";
  text += strspn(text, blank);
  const size_t size = gannet_number_read(text, GANNET_NUMBER_ANY, value);
  if (size == 0 || text[size + strspn(text + size, blank)]) return -1;
  return isfinite(*value) ? 0 : -1;
}

const char *gannet_number_hint(const char *text) {
  const char *digits = text + strspn(text, " \t+-");
  if (strncmp(digits, "\xe2\x88\x92", 3) == 0) return "; write the minus sign as -";
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return "; write it in decimal";
  if (!isdigit((unsigned char)*digits) && *digits != '.' && *digits != ',') return "";
  if (strchr(digits, ',')) return "; write a decimal point, and nothing between thousands";
  if (strpbrk(digits, "_'")) return "; write nothing between thousands";
  return strchr(digits, '%') ? "; write a share as in 0.05" : "";
}
