/* A small journal, and what reading it finds. */
#ifndef GANNET_TESTS_STORE_JOURNALS_H
#define GANNET_TESTS_STORE_JOURNALS_H

#include "support/folder.h"

#include "store/journal.h"

enum { RECORDS = 5 };

static const char *const payloads[RECORDS] = {"{\"x\": [0.25, 1e-3]}", "", "a", "two words",
                                              "caf\xc3\xa9 \\ \" '"};

/* What a reading found: payloads one after the other, each ended by a line break. */
typedef struct {
  int64_t n;
  char text[4096];
} found;

static gannet_err collect(void *user, int64_t sequence, const char *payload, size_t length) {
  found *f = user;
  assert_int_equal(sequence, f->n + 1);
  assert_int_equal(strlen(payload), length);
  f->n = sequence;
  (void)strcat(strcat(f->text, payload), "\n");
  return GANNET_OK;
}

static void expect_first(const found *f, int64_t n) {
  char text[4096] = "";
  for (int64_t i = 0; i < n; ++i) (void)strcat(strcat(text, payloads[i]), "\n");
  assert_int_equal(f->n, n);
  assert_string_equal(f->text, text);
}

/* A new journal with the five payloads; its bytes are returned. */
static char *write_small(const char *path, size_t *size) {
  gannet_journal *journal;
  char *bytes;
  int64_t first = 0;
  (void)unlink(path);
  assert_ok(gannet_journal_open(path, 3, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_append(journal, payloads[0], NULL));
  assert_ok(gannet_journal_append_many(journal, RECORDS - 1, payloads + 1, &first));
  assert_int_equal(first, 2);
  assert_int_equal(gannet_journal_last(journal), RECORDS);
  gannet_journal_destroy(&journal);
  assert_null(journal);
  assert_ok(gannet_file_read(path, &bytes, size));
  return bytes;
}

/* Records whose line, with its newline, ends within the first length bytes. */
static int64_t whole_records(const char *bytes, size_t length) {
  int64_t lines = 0;
  for (size_t i = 0; i < length; ++i) lines += bytes[i] == '\n';
  return lines ? lines - 1 : 0;
}

#endif
