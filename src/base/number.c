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

/* Convert by strtod, with the decimal point that it expects in this locale. */
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

int gannet_parse_any_number(const char *text, double *value) {
  char *end = NULL;
  if (!gannet_parse_number(text, value)) return 0;
  const size_t size = gannet_number_read(text, GANNET_NUMBER_ANY, value);
  if (size > 0) return text[size] ? -1 : 0; /* beyond all numbers */
  *value = strtod(text, &end);
  return end == text || *end || isfinite(*value) ? -1 : 0;
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

/* Durations and sizes. */

typedef struct {
  const char *name;
  double factor;
} unit;

static const unit time_units[] = {{"ms", 1e-3},    {"s", 1},       {"sec", 1},      {"second", 1},
                                  {"seconds", 1},  {"m", 60},      {"min", 60},     {"minute", 60},
                                  {"minutes", 60}, {"h", 3600},    {"hour", 3600},  {"hours", 3600},
                                  {"d", 86400},    {"day", 86400}, {"days", 86400}, {NULL, 0}};

static const unit size_units[] = {
    {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"K", 0x1p10},
    {"M", 0x1p20},   {"G", 0x1p30},   {NULL, 0}};

static double factor_of(const unit *units, const char *start, size_t length) {
  for (; units->name; ++units)
    if (strlen(units->name) == length && strncmp(units->name, start, length) == 0)
      return units->factor;
  return -1;
}

/* Reads "number[unit]" repeatedly and adds up; plain is the factor of a number without a unit. */
static int parse_sum(const char *text, const unit *units, double plain, double *sum) {
  *sum = 0;
  int parts = 0;
  while (isspace((unsigned char)*text)) ++text;
  while (*text) {
    double number = 0;
    if (!isdigit((unsigned char)*text) && *text != '.') return -1;
    const size_t size = gannet_number_read(text, GANNET_NUMBER_BEFORE_UNIT, &number);
    const char *end = text + size;
    if (size == 0 || !isfinite(number)) return -1;
    while (isspace((unsigned char)*end)) ++end;
    const char *name = end;
    while (isalpha((unsigned char)*end)) ++end;
    const double factor = end == name ? plain : factor_of(units, name, (size_t)(end - name));
    if (factor < 0 || (end == name && (parts > 0 || *end))) return -1;
    *sum += number * factor;
    ++parts;
    while (isspace((unsigned char)*end)) ++end;
    text = end;
  }
  return parts > 0 ? 0 : -1;
}

/* [days-]hours:minutes:seconds or minutes:seconds, as SLURM writes them. */
static int parse_clock(const char *text, double *seconds) {
  int days = 0, a = 0, b = 0, c = 0, used = 0;
  if (sscanf(text, "%9d-%9d:%9d:%9d%n", &days, &a, &b, &c, &used) == 4 && !text[used])
    *seconds = ((days * 24.0 + a) * 60 + b) * 60 + c;
  else if (sscanf(text, "%9d:%9d:%9d%n", &a, &b, &c, &used) == 3 && !text[used])
    *seconds = (a * 60.0 + b) * 60 + c;
  else if (sscanf(text, "%9d:%9d%n", &a, &b, &used) == 2 && !text[used])
    *seconds = a * 60.0 + b;
  else
    return -1;
  return a < 0 || b < 0 || c < 0 || days < 0 ? -1 : 0;
}

char *gannet_number_cut_deviation(char *text) {
  static const char sign[] = "\xc2\xb1"; /* plus or minus in UTF-8 */
  char *ascii = strstr(text, "+-"), *unicode = strstr(text, sign);
  char *at = ascii ? ascii : unicode;
  if (!at) return NULL;
  *at = '\0';
  return at + 2;
}

int gannet_parse_duration(const char *text, double *seconds) {
  if (strchr(text, ':')) return parse_clock(text, seconds);
  return parse_sum(text, time_units, 1, seconds);
}

int gannet_parse_size(const char *text, int64_t *bytes) {
  double sum = 0;
  if (parse_sum(text, size_units, 1, &sum) || sum > 0x1p62) return -1;
  *bytes = (int64_t)sum;
  return 0;
}

void gannet_format_number(double value, char *buffer, size_t size) {
  for (int digits = 6; digits <= 17; ++digits) {
    (void)snprintf(buffer, size, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) return;
  }
}

void gannet_format_duration(double seconds, char *buffer, size_t size) {
  if (!isfinite(seconds))
    (void)snprintf(buffer, size, "unlimited");
  else if (seconds < 0.9995) /* what rounds to 1000 ms is a second */
    (void)snprintf(buffer, size, "%.0f ms", seconds * 1e3);
  else if (seconds < 99.95)
    (void)snprintf(buffer, size, "%.1f s", seconds);
  else if (seconds < 6000)
    (void)snprintf(buffer, size, "%.0f min %02.0f s", floor(seconds / 60),
                   floor(fmod(seconds, 60)));
  else
    (void)snprintf(buffer, size, "%.0f h %02.0f min", floor(seconds / 3600),
                   floor(fmod(seconds, 3600) / 60));
}
