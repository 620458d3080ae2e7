#include "campaign/config/yaml_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Letters, digits and a few signs that no YAML reader takes for something else than a text. */
static bool is_plain(const char *text) {
  static const char *const words[] = {"true", "false", "yes", "no",  "on", "off",
                                      "null", "y",     "n",   "nan", "inf"};
  if (!(isalpha((unsigned char)*text) || *text == '_' || *text == '/')) return false;
  for (const char *c = text; *c; ++c)
    if (!isalnum((unsigned char)*c) && !strchr("_-./", *c)) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcasecmp(words[i], text) == 0) return false;
  return true;
}

/* Control characters, ends of lines, and marks of byte order. */
static bool is_hidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0xfeff || code == 0xfffe || code == 0xffff;
}

void gannet_yaml_text(FILE *out, const char *text) {
  if (is_plain(text)) {
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  for (size_t left = strlen(text); left > 0;) {
    uint32_t code = 0;
    const size_t known = gannet_utf8_next(text, left, &code), length = known ? known : 1;
    if (known == 0)
      (void)fputc('?', out); /* of a path: inputs were checked to be UTF-8 */
    else if (code == '"' || code == '\\')
      (void)fprintf(out, "\\%c", (int)code);
    else if (is_hidden(code))
      (void)fprintf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    else
      (void)fwrite(text, 1, length, out);
    text += length;
    left -= length;
  }
  (void)fputc('"', out);
}

/* Option tables give offsets, so members are reached by copying them. */
static char *text_of(const void *member) {
  char *text;
  memcpy(&text, member, sizeof text);
  return text;
}

int gannet_yaml_is_set(const gannet_option *option, const void *target) {
  const char *member = (const char *)target + option->offset;
  double value = 0;
  gannet_text_list list; /* both kinds of list begin with the same count */
  switch (option->type) {
    case GANNET_TEXT:
      return text_of(member) != NULL;
    case GANNET_TEXT_LIST:
    case GANNET_REAL_LIST:
      memcpy(&list.n, member, sizeof list.n);
      return list.n > 0 || option->fallback != NULL;
    case GANNET_REAL:
      memcpy(&value, member, sizeof value);
      return isfinite(value) || (isnan(value) && (option->flags & GANNET_OPTION_AUTO));
    default:
      return 1;
  }
}

void gannet_yaml_value(FILE *out, const gannet_option *option, const void *target) {
  const void *member = (const char *)target + option->offset;
  const gannet_text_list *texts = member;
  const gannet_real_list *reals = member;
  char buffer[256];
  switch (option->type) {
    case GANNET_TEXT:
      gannet_yaml_text(out, text_of(member));
      break;
    case GANNET_TEXT_LIST:
      (void)fputc('[', out);
      for (int i = 0; i < texts->n; ++i) {
        if (i > 0) (void)fputs(", ", out);
        gannet_yaml_text(out, texts->item[i]);
      }
      (void)fputc(']', out);
      break;
    case GANNET_REAL_LIST:
      (void)fputc('[', out);
      for (int i = 0; i < reals->n; ++i)
        (void)fprintf(out, "%s%.17g", i ? ", " : "", reals->item[i]);
      (void)fputc(']', out);
      break;
    default:
      (void)gannet_option_format(option, target, buffer, sizeof buffer);
      (void)fputs(buffer, out);
  }
}
