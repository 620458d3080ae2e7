#include "base/utf8.h"

#include <string.h>

size_t gannet_utf8_next(const char *text, size_t size, uint32_t *code) {
  const unsigned char *byte = (const unsigned char *)text;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t length = byte[0] < 0x80             ? 1
                        : (byte[0] & 0xe0) == 0xc0 ? 2
                        : (byte[0] & 0xf0) == 0xe0 ? 3
                        : (byte[0] & 0xf8) == 0xf0 ? 4
                                                   : 0;
  if (length == 0 || length > size) return 0;
  uint32_t value = length == 1 ? byte[0] : byte[0] & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte[i] & 0x3f);
  }
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  if (code) *code = value;
  return length;
}

bool gannet_is_utf16(const char *text, size_t size) {
  return size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

size_t gannet_utf8_valid_bytes(const char *text) {
  const size_t size = strlen(text);
  size_t at = 0;
  for (size_t length = 1; at < size && length > 0; at += length)
    length = gannet_utf8_next(text + at, size - at, NULL);
  return at;
}

bool gannet_utf8_is_valid(const char *text) {
  return text[gannet_utf8_valid_bytes(text)] == '\0';
}

void gannet_utf8_mend(char *text) {
  for (size_t left = strlen(text); left > 0;) {
    const size_t length = gannet_utf8_next(text, left, NULL);
    if (length == 0) *text = '?';
    text += length ? length : 1;
    left -= length ? length : 1;
  }
}

/* Characters that have no glyph and change how others are shown: their order (as U+202E, which
 * turns the rest of a line around), lines of their own, nothing at all. */
static bool is_format(uint32_t code) {
  static const uint32_t ranges[][2] = {{0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},
                                       {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                       {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i)
    if (ranges[i][0] <= code && code <= ranges[i][1]) return true;
  return false;
}

static void blank_controls(char *text, const char *kept, bool formats) {
  for (size_t left = strlen(text); left > 0;) {
    uint32_t code = 0;
    const size_t length = gannet_utf8_next(text, left, &code);
    /* U+0080 to U+009F are control characters, too: some terminals take the one for CSI. */
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if ((is_control || (formats && is_format(code))) && !strchr(kept, *text))
      memset(text, ' ', length);
    text += length;
    left -= length;
  }
}

void gannet_utf8_line(char *text) {
  gannet_utf8_mend(text);
  blank_controls(text, "", false);
}

void gannet_utf8_lines(char *text) {
  gannet_utf8_mend(text);
  blank_controls(text, "\n\t", true);
}

void gannet_utf8_show(char *text) {
  gannet_utf8_mend(text);
  blank_controls(text, "", true);
}

void gannet_utf8_shorten(char *text, size_t size) {
  if (strlen(text) < size) return;
  size_t end = size - sizeof "...", word = end;
  while (word > end / 2 && text[word] != ' ') --word;
  if (word > end / 2) end = word;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end; /* whole characters */
  while (end > 0 && text[end - 1] == ' ') --end;
  memcpy(text + end, "...", sizeof "...");
}
