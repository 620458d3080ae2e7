/* UTF-8: checking and mending texts of campaign files, journals and simulations. */
#ifndef GANNET_BASE_UTF8_H
#define GANNET_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the character at the start of a text, 0 when it is not valid UTF-8 (overlong
 * forms and surrogates are not).
 *
 * Local.
 *
 * size  in   bytes available, >= 1
 * code  out  the character; NULL when not wanted
 */
size_t gannet_utf8_next(const char *text, size_t size, uint32_t *code);

/* Whether a text is valid UTF-8.
 *
 * Local.
 */
bool gannet_utf8_is_valid(const char *text);

/* Whether a text of size bytes begins with the mark of UTF-16, as Windows writes it.
 *
 * Local.
 */
bool gannet_is_utf16(const char *text, size_t size);

/* Bytes of a text before the first one that is not UTF-8, the length of the text when it is valid.
 *
 * Local.
 */
size_t gannet_utf8_valid_bytes(const char *text);

/* Make valid UTF-8 of a text from outside: bytes that belong to no character become '?'.
 *
 * Local.
 */
void gannet_utf8_mend(char *text);

/* The same for a text that must stay in one line: control characters become spaces, too.
 *
 * Local.
 */
void gannet_utf8_line(char *text);

/* The same for a line that is shown to people, as names and words from outside are: characters that
 * change how others are shown, such as U+202E, become spaces, too. Files that programs read keep
 * them.
 *
 * Local.
 */
void gannet_utf8_show(char *text);

/* The same for a text of several lines: ends of lines and tabs stay.
 *
 * Local.
 */
void gannet_utf8_lines(char *text);

/* Shorten a valid text to less than size bytes: it ends after a whole word and "...", or within a
 * word where that is longer than half of the room. What is short enough stays.
 *
 * Local.
 *
 * size  in  > 4
 */
void gannet_utf8_shorten(char *text, size_t size);

#endif
