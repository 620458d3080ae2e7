/* Option tables: one description of every setting, from which the campaign file and the command
 * line are parsed, checked, explained and echoed.
 *
 *   typedef struct { double noise; int layers; } settings;
 *   static const gannet_option table[] = {
 *       {.key = "noise", .type = GANNET_REAL, .offset = offsetof(settings, noise),
 *        .fallback = "auto", .flags = GANNET_OPTION_AUTO, .lower = 0, .upper = HUGE_VAL,
 *        .unit = "objective units", .help = "standard deviation of the simulation's noise"},
 *       {.key = "layers", .type = GANNET_INTEGER, .offset = offsetof(settings, layers),
 *        .fallback = "1", .lower = 1, .upper = 8, .help = "hidden layers"},
 *       {0}};
 */
#ifndef GANNET_BASE_OPTION_H
#define GANNET_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaints.h"
#include "base/number.h"

typedef enum {
  GANNET_REAL,      /* double */
  GANNET_INTEGER,   /* int */
  GANNET_LARGE,     /* int64_t; accepts 1e6 when it is whole */
  GANNET_BOOLEAN,   /* bool; true false yes no on off */
  GANNET_CHOICE,    /* int, position in choices */
  GANNET_TEXT,      /* char *, owned */
  GANNET_TEXT_LIST, /* gannet_text_list, owned; a single text is a list of one */
  GANNET_REAL_LIST, /* gannet_real_list, owned */
  GANNET_DURATION,  /* double, seconds; "90", "90s", "10m", "4h", "1d", "01:30:00" */
  GANNET_SIZE       /* int64_t, bytes; "4096", "64KiB", "2GiB", "1GB" */
} gannet_option_type;

typedef struct {
  int n;
  char **item;
} gannet_text_list;

typedef struct {
  int n;
  double *item;
} gannet_real_list;

enum {
  GANNET_OPTION_AUTO = 1, /* "auto" is accepted: NAN, GANNET_AUTO for whole numbers, -1 choices */
  GANNET_OPTION_OPEN_LOW = 2, /* lower itself is not allowed */
  GANNET_OPTION_REQUIRED = 4, /* no default: must be given */
  GANNET_OPTION_HIDDEN = 8,   /* for tests; not listed */
  GANNET_OPTION_IDLE = 16, /* makes no difference any more: accepted with a warning; not written */
  GANNET_OPTION_PRIOR = 32 /* of a model's hyperparameters: those that were learnt mean the same */
};

#define GANNET_AUTO (-1)

typedef struct {
  const char *key; /* NULL ends a table */
  gannet_option_type type;
  size_t offset; /* of the member in the settings struct */
  const char
      *fallback;       /* default as a user would write it; NULL = NULL text, zero, or empty list */
  double lower, upper; /* inclusive range of numbers; both 0 = any */
  const char *const *choices;  /* NULL-terminated; for GANNET_CHOICE */
  const char *const *meanings; /* of each choice: the words that other programs have for it, each
                                  between blanks; NULL = nothing is known of them */
  unsigned flags;
  const char *unit;    /* NULL = none */
  const char *help;    /* one sentence without a full stop */
  const char *example; /* NULL = the default serves */
  const char *renamed; /* of an old name: the key that has replaced it; NULL = a key of its own */
} gannet_option;

/* A row for the old name of a key: it is still accepted, with a warning that says the new name. Old
 * names are not listed, completed or written; `gannet explain` answers with the new one. */
#define GANNET_OPTION_RENAMED(old, now) \
  { .key = old, .renamed = now, .flags = GANNET_OPTION_HIDDEN }

/* A key with its text, as read from a file or a command line; all strings borrowed. */
typedef struct {
  const char *key;
  const char *text;         /* a scalar; NULL when it is a list */
  int n_items;              /* of a list */
  const char *const *items; /* of a list */
  const char *location;     /* "file:line:column" or "--set"; NULL = none */
} gannet_setting;

/* Cut a list as it is written in one text, "a,b" or "[a, b]", into its items.
 *
 * Local.
 *
 * text   inout  in which items end
 * items  out    one more than the text has commas, borrowed from it
 *
 * Returns their number.
 */
int gannet_list_cut(char *text, const char **items);

/* Fill a zeroed settings struct: the defaults first, then the settings in their order. Unknown
 * keys, values that are not consumed whole, values out of range and missing required keys become
 * complaints; when one is made the struct must not be used, but must still be released.
 *
 * Local.
 *
 * table       in     ends with key == NULL
 * section     in     for messages: "surrogate" makes "surrogate.layers"; NULL = top level
 * target      inout  the struct
 * complaints  inout  one more for every error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_options_apply(const gannet_option *table, const char *section,
                                               int n, const gannet_setting *settings, void *target,
                                               gannet_complaints *complaints);

/* Complain that none of some tables has a key: with the nearest one and the list of all.
 *
 * Local.
 *
 * tables   in  [n_tables]; one may be NULL
 * section  in  as above
 * of       in  whose keys these are, as in " for acquisition 'pi'"; or ""
 */
void gannet_option_complain_unknown(int n_tables, const gannet_option *const *tables,
                                    const char *section, const char *of,
                                    const gannet_setting *setting, gannet_complaints *complaints);

/* The entry of a key, or NULL; of an old name the entry of the key that has replaced it.
 *
 * Local.
 */
const gannet_option *gannet_option_find(const gannet_option *table, const char *key);

/* The key that has replaced an old name, or NULL when the table has no such old name.
 *
 * Local.
 *
 * table  in  NULL = none
 */
const char *gannet_option_renamed(const gannet_option *table, const char *key);

/* Warn that a setting has an old name.
 *
 * Local.
 *
 * section  in     as above
 * key      in     of the setting
 */
void gannet_option_warn_renamed(const char *section, const char *key, const char *renamed,
                                const char *location, gannet_complaints *complaints);

/* Say that a text is no value of an option, NULL = a list, and what was expected.
 *
 * Local.
 *
 * section, location  in  NULL = none
 */
void gannet_option_complain_value(const gannet_option *option, const char *section,
                                  const char *text, const char *location,
                                  gannet_complaints *complaints);

/* Whether a text is a valid value of an option; of lists and texts any is.
 *
 * Local.
 */
bool gannet_option_takes(const gannet_option *option, const char *text);

/* The value of one option as a user would write it (17 significant digits; lists in brackets).
 * Returns the number of characters needed, like snprintf.
 *
 * Local.
 */
int gannet_option_format(const gannet_option *option, const void *target, char *buffer,
                         size_t size);

/* Whether the value is one number, a duration, a size or a list of numbers, and so has a unit.
 *
 * Local.
 */
bool gannet_option_is_number(const gannet_option *option);

/* "integer, 1 to 8", "one of: relu tanh erf sin", "duration (10m, 4h), at least 0 s, or auto".
 *
 * Local.
 */
void gannet_option_describe(const gannet_option *option, char *buffer, size_t size);

/* Free the texts and lists of a settings struct and zero it.
 *
 * Local.
 */
void gannet_options_release(const gannet_option *table, void *target, size_t size);

/* Parse a truth: true or false, yes or no, on or off, in letters of any case, as YAML, Python and
 * spreadsheets write them. Returns 0, or -1 when the text is not one.
 *
 * Local.
 */
int gannet_parse_boolean(const char *text, bool *value);

#endif
