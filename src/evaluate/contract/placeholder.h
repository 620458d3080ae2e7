/* Placeholders: {name} and {name:format} in commands, environments, templates and job scripts.
 *
 * Terms
 *   delimiters  what stands before and behind the name: braces, or those of evaluate.placeholders
 *   field       what a format says: 8.4f is a field of 8 characters with 4 digits behind the point
 *   fits        a text fits when it has at most as many characters as its field is wide
 *
 * ${name} belongs to shells and input decks and is no placeholder. Neither is one that follows a
 * backslash, \{name}, unless there are two.
 */
#ifndef GANNET_EVALUATE_CONTRACT_PLACEHOLDER_H
#define GANNET_EVALUATE_CONTRACT_PLACEHOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option.h"
#include "base/text.h"

enum { GANNET_DELIMITER_SIZE = 16, GANNET_PLACEHOLDER_NAME = 64, GANNET_FIELD_TEXT = 32 };

/* One or two pairs, of which the first wins. */
typedef struct {
  int n;
  struct {
    char opening[GANNET_DELIMITER_SIZE], closing[GANNET_DELIMITER_SIZE];
  } pair[2];
} gannet_delimiters;

/* Read the delimiters that an option names: "@@" = @name@, "<<>>" or [<<, >>] = <<name>>; nothing =
 * braces. Returns NULL, or what is wrong with them.
 *
 * Local.
 *
 * delimiters  out  also when something is wrong: then braces
 */
const char *gannet_delimiters_read(const gannet_text_list *given, gannet_delimiters *delimiters);

/* The same delimiters, and braces as well: for texts of the campaign file.
 *
 * Local.
 */
gannet_delimiters gannet_delimiters_with_braces(const gannet_delimiters *delimiters);

/* What a value is written as. */
typedef enum {
  GANNET_FIELD_REAL,
  GANNET_FIELD_WHOLE,
  GANNET_FIELD_TRUTH,
  GANNET_FIELD_TEXT_KIND
} gannet_field_kind;

/* A format: [<|>|^][+][0][width][.precision][type], as in Python's format(). */
typedef struct {
  char align;    /* 0 = numbers to the right, texts to the left */
  char sign;     /* '+' or ' ' before what is not negative; 0 = nothing */
  bool zeros;    /* fills with zeros behind the sign */
  int width;     /* 0 = as wide as the value is */
  int precision; /* -1 = not said */
  char type;     /* one of d f F e E D g G s; 0 = not said */
} gannet_field;

/* Parse a format; false when it is none.
 *
 * Local.
 */
bool gannet_field_parse(const char *text, size_t size, gannet_field *field);

/* NULL, or why a field cannot hold values of a kind.
 *
 * Local.
 */
const char *gannet_field_refuse(const gannet_field *field, gannet_field_kind kind);

/* Append a value.
 *
 * Local.
 *
 * number  in   for GANNET_FIELD_REAL, and where the type asks for one
 * text    in   the value without a format
 * fits    out  false when the text has more characters than the field; it is appended all the same
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_field_write(const gannet_field *field, gannet_field_kind kind,
                                             double number, const char *text, gannet_text *to,
                                             bool *fits);

typedef struct {
  size_t begin, end; /* in the text: with its delimiters, and with the backslash before it */
  bool is_escaped;   /* a backslash is before it: it stands for itself */
  bool has_format;
  bool is_field; /* the format can be read */
  char name[GANNET_PLACEHOLDER_NAME];
  char format[GANNET_FIELD_TEXT]; /* behind the colon; "" without */
  gannet_field field;
} gannet_placeholder;

/* Find the next placeholder from *at on, whether its name is known or not; *at moves behind it.
 * Returns false when there is none.
 *
 * Local.
 */
bool gannet_placeholder_next(const gannet_delimiters *delimiters, const char *text, size_t size,
                             size_t *at, gannet_placeholder *found);

#endif
