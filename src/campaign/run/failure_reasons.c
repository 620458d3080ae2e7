#include "campaign/run/failure_reasons.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

/* Shortest word of hexadecimal digits that is taken for an address or a random name. */
enum { HEX_LEAST = 6 };

/* Characters of words, and of paths, to which numbers and random letters may belong. */
static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Length of the number at the start of a text, with sign, fraction and exponent; 0 = none. */
static size_t number_length(const char *text) {
  const char *at = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)*at) && !(*at == '.' && isdigit((unsigned char)at[1]))) return 0;
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
    return (size_t)(at - text) + 2 + strspn(at + 2, "0123456789abcdefABCDEF");
  at += strspn(at, "0123456789");
  if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
  if (*at && strchr("eEdD", *at)) {
    const char *power = at + 1 + (at[1] == '-' || at[1] == '+');
    if (isdigit((unsigned char)*power)) at = power + strspn(power, "0123456789");
  }
  return (size_t)(at - text);
}

/* Length of a word of hexadecimal digits with a decimal one among them; 0 = none. */
static size_t hex_length(const char *text) {
  const size_t length = strspn(text, "0123456789abcdefABCDEF-");
  const size_t digit = strcspn(text, "0123456789");
  return length >= HEX_LEAST && digit < length && !is_word(text[length]) ? length : 0;
}

/* Length of what has to be left out at a place of a text; 0 = the character stays. */
static size_t varying_length(const char *start, const char *at) {
  const char before = at > start ? at[-1] : ' ';
  if (before == '/') { /* a part of a path that has a number, or is below /tmp */
    const size_t part = strcspn(at, "/ \t'\":;,()[]"), digit = strcspn(at, "0123456789");
    const bool is_temporary = at - start >= 5 && strncmp(at - 5, "/tmp/", 5) == 0;
    if (part > 0 && (digit < part || is_temporary)) return part;
  }
  if (!is_word(before)) {
    const size_t hex = hex_length(at), number = number_length(at);
    return hex > number ? hex : number;
  }
  return isdigit((unsigned char)*at) ? number_length(at) : 0;
}

void gannet_reason_key(const gannet_ticket *ticket, char *key) {
  const gannet_run_record *run = &ticket->result.run;
  size_t used = (size_t)snprintf(key, GANNET_REASON_KEY,
                                 "%s (%s) %d %d: ", gannet_eval_status_text(ticket->result.status),
                                 gannet_failure_text(run->failure), run->exit_code, run->signal);
  const char *at = run->reason;
  while (*at && used + 2 < GANNET_REASON_KEY) {
    const size_t length = varying_length(run->reason, at);
    if (length > 0) {
      size_t end = used; /* a list of numbers is as equal as one number */
      while (end > 0 && strchr(" ,", key[end - 1])) --end;
      if (end > 0 && key[end - 1] == '#') used = end;
      if (key[used - 1] != '#') key[used++] = '#';
      at += length;
    } else if (*at == ' ' && key[used - 1] == ' ') {
      ++at;
    } else {
      key[used++] = *at++;
    }
  }
  key[used] = '\0';
}

typedef struct {
  uint64_t hash; /* of the key */
  int64_t id;
} keyed;

static int by_hash(const void *a, const void *b) {
  const keyed *one = a, *other = b;
  if (one->hash != other->hash) return one->hash < other->hash ? -1 : 1;
  return one->id < other->id ? -1 : one->id > other->id;
}

static int by_last(const void *a, const void *b) {
  const gannet_reason *one = a, *other = b;
  return one->last > other->last ? -1 : one->last < other->last;
}

gannet_err gannet_reasons_collect(const gannet_ledger *ledger, gannet_reason **reasons,
                                  int64_t *n) {
  keyed *all = NULL;
  size_t n_all = 0;
  char key[GANNET_REASON_KEY];
  *n = 0;
  *reasons = NULL;
  GANNET_TRY(gannet_alloc((size_t)ledger->n, sizeof *all, &all));
  for (int64_t id = 0; id < ledger->n; ++id) {
    const gannet_ticket *ticket = &ledger->ticket[id];
    const gannet_eval_status status = ticket->result.status;
    if (!ticket->has_result || status == GANNET_EVAL_DONE || status == GANNET_EVAL_DISCARDED)
      continue;
    gannet_reason_key(ticket, key);
    all[n_all++] = (keyed){gannet_hash(key, strlen(key)), id};
  }
  const gannet_err err = gannet_alloc(n_all, sizeof **reasons, reasons);
  if (err == GANNET_OK && n_all > 0) {
    qsort(all, n_all, sizeof *all, by_hash);
    for (size_t i = 0; i < n_all; ++i) {
      if (i == 0 || all[i].hash != all[i - 1].hash)
        (*reasons)[(*n)++] = (gannet_reason){.first = all[i].id};
      (*reasons)[*n - 1].last = all[i].id;
      (*reasons)[*n - 1].count += 1;
    }
    qsort(*reasons, (size_t)*n, sizeof **reasons, by_last);
  }
  gannet_free(&all);
  return err;
}

void gannet_reason_text(const gannet_ticket *ticket, char *text, size_t size) {
  const bool classed = ticket->result.run.failure != GANNET_FAILURE_NONE;
  (void)snprintf(text, size, "%s%s%s%s: %s", gannet_eval_status_phrase(ticket->result.status),
                 classed ? " (" : "", gannet_failure_text(ticket->result.run.failure),
                 classed ? ")" : "",
                 ticket->result.run.reason[0] ? ticket->result.run.reason : "no reason given");
  gannet_utf8_show(text);
}
