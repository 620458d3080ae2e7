/* Every parser of gannet, in this process, with inputs that are almost right.
 *
 *   fuzz GANNET SIMULATION INPUTS [TIMES [TARGET [FIRST]]]
 *
 * Seeds are files of a short campaign that GANNET runs first, the campaign files of the folder
 * INPUTS, and texts below. TIMES inputs are made from the seeds of each target by a few changes;
 * what the changes are is a function of the target and of the number of the input, so that input
 * FIRST alone can be made again. Checked is that no parser crashes, hangs or keeps memory, that
 * each refusal has a message and is no internal error, and that what was accepted is the same when
 * it is written and read again. */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  LONGEST = 1 << 17, /* bytes of an input */
  SEEDS = 64,        /* of one target, at most */
  SECONDS = 60       /* that one input may take; a machine may be busy */
};

typedef struct {
  size_t size;
  char *bytes;
} text;

typedef struct {
  int n;
  text seed[SEEDS];
} seeds;

char fuzz_folder[300];
static const fuzz_target *target;
static long number; /* of the input */
static int faults;

static void say_where(void) {
  char line[200];
  const int length = snprintf(line, sizeof line, "fuzz: in target %s, input %ld\n",
                              target ? target->name : "none", number);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) return;
}

void fuzz_wrong(const char *format, ...) {
  va_list arguments;
  say_where();
  va_start(arguments, format);
  (void)vfprintf(stderr, format, arguments);
  va_end(arguments);
  (void)fputc('\n', stderr);
  ++faults;
}

void fuzz_refusal(gannet_err err) {
  if (err == GANNET_OK) return;
  if (err == GANNET_ERR_INTERNAL || err == GANNET_ERR_LIBRARY)
    fuzz_wrong("a refusal as '%s': %s", gannet_err_text(err), gannet_error_detail());
  if (!*gannet_error_detail()) fuzz_wrong("a refusal without a message");
  gannet_error_clear();
}

void fuzz_put(const char *name, const char *bytes, size_t size) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
  FILE *file = fopen(path, "w");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
    perror(path);
    exit(2);
  }
}

/* Sanitisers call it by this name. */
void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void die(int signal_number) {
  say_where();
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

/* SplitMix64: the same for the same counter, everywhere. */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t counter;

static size_t below(size_t n) {
  return n == 0 ? 0 : (size_t)(mix(++counter) % n);
}

/* Pieces that mean something to one parser or another. */
static const char *const pieces[] = {"\n",
                                     "\r\n",
                                     "\t",
                                     " ",
                                     ",",
                                     ":",
                                     ": ",
                                     "- ",
                                     "|",
                                     "\"",
                                     "'",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     "{}",
                                     "[]",
                                     "#",
                                     "%",
                                     "\\",
                                     "/",
                                     "&a ",
                                     "*a",
                                     "<<: *a",
                                     "!!str ",
                                     "? ",
                                     "--- ",
                                     "...\n",
                                     "|-\n",
                                     "{x1}",
                                     "${x1}",
                                     "{{",
                                     "}}",
                                     "{x1:8.4f}",
                                     "(",
                                     ")",
                                     "(.*)",
                                     "[[:alpha:]]",
                                     "+",
                                     "*",
                                     "^",
                                     "$",
                                     "=",
                                     "==",
                                     "=1",
                                     ";",
                                     "\xff\xfe",
                                     "\xef\xbb\xbf",
                                     "\xc3",
                                     "\xe2\x80\xae",
                                     "\x1b[31m",
                                     "0",
                                     "-0",
                                     "1",
                                     "-1",
                                     "1e308",
                                     "1e309",
                                     "-1e309",
                                     "1e-320",
                                     "nan",
                                     "inf",
                                     "-inf",
                                     "1d-5",
                                     "1.0D+05",
                                     "1.5-103",
                                     "0x1p3",
                                     "1,5",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "-9223372036854775808",
                                     "18446744073709551616",
                                     "2147483648",
                                     "99999999999999999999999999999",
                                     "1e",
                                     ".",
                                     "-",
                                     "1.",
                                     ".5",
                                     "true",
                                     "false",
                                     "null",
                                     "~",
                                     "auto",
                                     "none",
                                     "objective ",
                                     "objective=",
                                     "missing",
                                     " +- ",
                                     "fail ",
                                     "infeasible ",
                                     "real",
                                     "integer",
                                     "categorical",
                                     "boolean",
                                     "variables",
                                     "method",
                                     "budget",
                                     "evaluate",
                                     "constraints",
                                     "x1",
                                     "x2",
                                     "RUNNING",
                                     "PENDING",
                                     "COMPLETED",
                                     "0:15",
                                     "123_4",
                                     "123_[1-9]",
                                     "123;c",
                                     "JobState=",
                                     "ExitCode=",
                                     "\"record\":",
                                     "\"id\":",
                                     "\"final\":true",
                                     "sin(",
                                     "x1^",
                                     "?1:",
                                     "pi",
                                     "12h",
                                     "10m",
                                     "1:30:00"};

static size_t replace(char *bytes, size_t size, size_t at, size_t gone, const char *piece,
                      size_t more) {
  if (size - gone + more > LONGEST) return size;
  memmove(bytes + at + more, bytes + at + gone, size - at - gone);
  memcpy(bytes + at, piece, more);
  return size - gone + more;
}

/* Change one thing. */
static size_t change(char *bytes, size_t size, const seeds *all) {
  static char copy[LONGEST];
  const size_t at = below(size + 1), most = below(4) ? 16 : 400;
  size_t length = below(size - at + 1 < most ? size - at + 1 : most);
  const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
  const text *other = &all->seed[below((size_t)all->n)];
  switch (below(9)) {
    case 0: /* a bit */
      if (at < size) bytes[at] = (char)(bytes[at] ^ (1 << below(8)));
      return size;
    case 1: /* any byte */
      if (at < size) bytes[at] = (char)below(256);
      return size;
    case 2: /* a piece more */
      return replace(bytes, size, at, 0, piece, strlen(piece));
    case 3: /* a piece instead */
      return replace(bytes, size, at, length, piece, strlen(piece));
    case 4: /* a part is gone */
      return replace(bytes, size, at, length, "", 0);
    case 5: /* the end is gone */
      return below(4) ? size : at;
    case 6: /* a part twice, or very often */
      memcpy(copy, bytes + at, length);
      for (size_t times = below(8) ? 1 : 1 + below(600); times > 0; --times)
        size = replace(bytes, size, at, 0, copy, length);
      return size;
    case 7: { /* a part of another one */
      const size_t from = below(other->size + 1);
      length = below(other->size - from + 1 < most ? other->size - from + 1 : most);
      return replace(bytes, size, at, 0, other->bytes + from, length);
    }
    default: /* a number is another one */
      for (size_t i = at; i < size; ++i)
        if (bytes[i] >= '0' && bytes[i] <= '9') {
          length = strspn(bytes + i, "0123456789.");
          return replace(bytes, size, i, i + length <= size ? length : size - i, piece,
                         strlen(piece));
        }
      return size;
  }
}

static size_t make_input(const seeds *all, long n, char *bytes) {
  counter = mix((uint64_t)n) ^ mix(target->key);
  const text *seed = &all->seed[below((size_t)all->n)];
  size_t size = seed->size;
  memcpy(bytes, seed->bytes, size);
  bytes[size] = '\0';
  for (size_t changes = 1 + below(below(3) ? 3 : 12); changes > 0; --changes) {
    size = change(bytes, size, all);
    bytes[size] = '\0';
  }
  return size;
}

static void add_seed(seeds *all, const char *bytes, size_t size) {
  if (all->n == SEEDS || size > LONGEST / 2) return;
  text *seed = &all->seed[all->n++];
  seed->size = size;
  seed->bytes = malloc(size + 1);
  if (!seed->bytes) exit(2);
  memcpy(seed->bytes, bytes, size);
  seed->bytes[size] = '\0';
}

static void add_file(seeds *all, const char *path) {
  static char bytes[LONGEST];
  FILE *file = fopen(path, "r");
  if (!file) return;
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  (void)fclose(file);
  if (target->split) {
    for (char *line = bytes, *end; (end = memchr(line, '\n', size - (size_t)(line - bytes)));
         line = end + 1) {
      const char *payload = target->split(line, end);
      if (payload) add_seed(all, payload, (size_t)(end - payload));
    }
  } else {
    add_seed(all, bytes, size);
  }
}

/* Files in a folder whose name ends so. */
static void add_files(seeds *all, const char *folder, const char *end) {
  char path[1000];
  struct dirent **entry;
  const int n = scandir(folder, &entry, NULL, alphasort);
  for (int i = 0; i < n; ++i) {
    const char *name = entry[i]->d_name;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0)
      add_file(all, path);
    free(entry[i]);
  }
  if (n >= 0) free(entry);
}

static void gather(const char *inputs, seeds *all) {
  char path[600];
  for (int i = 0; i < FUZZ_SEEDS && target->text[i]; ++i)
    add_seed(all, target->text[i], strlen(target->text[i]));
  for (int i = 0; i < FUZZ_SEEDS && target->file[i]; ++i) {
    (void)snprintf(path, sizeof path, "%s/c/%s", fuzz_folder, target->file[i]);
    const int before = all->n;
    add_file(all, path);
    if (all->n == before) {
      (void)fprintf(stderr, "fuzz: no seed in %s\n", path);
      exit(2);
    }
  }
  if (target->inputs) {
    (void)snprintf(path, sizeof path, "%s/%s", inputs, target->inputs);
    add_files(all, path, ".yaml");
  }
}

static size_t in_use(void) {
  return __lsan_do_recoverable_leak_check ? 0 : mallinfo2().uordblks;
}

/* What is kept after an input that was seen before is lost: tables that libraries make once do not
 * grow again. */
static void check_memory(const char *bytes, size_t size) {
  char *copy = malloc(size + 1);
  if (!copy) exit(2);
  for (int turn = 0; turn < 4 && !target->leaks; ++turn) {
    const size_t before = in_use();
    memcpy(copy, bytes, size + 1);
    target->parse(copy, size);
    const size_t kept = in_use() - before;
    if (kept == 0) break;
    if (turn == 3) fuzz_wrong("keeps %zu bytes", kept);
  }
  free(copy);
}

static int run_target(const char *inputs, long first, long end) {
  static char bytes[LONGEST + 1];
  seeds all = {0};
  gather(inputs, &all);
  long accepted = 0;
  for (number = first; number < end; ++number) {
    const size_t size = make_input(&all, number, bytes);
    /* At its own end, so that a sanitiser sees who reads beyond it. */
    char *copy = malloc(size + 1);
    if (!copy) exit(2);
    memcpy(copy, bytes, size + 1);
    (void)alarm(SECONDS);
    if (target->leaks && __lsan_disable) __lsan_disable();
    accepted += target->parse(copy, size);
    if (target->leaks && __lsan_enable) __lsan_enable();
    free(copy);
    if (number % 16 == 0) check_memory(bytes, size);
    (void)alarm(0);
  }
  (void)printf("%-14s %7ld inputs from %2d seeds, %3.0f %% accepted\n", target->name, end - first,
               all.n, 100.0 * (double)accepted / (double)(end - first));
  for (int i = 0; i < all.n; ++i) free(all.seed[i].bytes);
  return accepted == 0 && end - first >= 100 ? 1 : 0;
}

/* A campaign that leaves a file of each kind. */
static void run_campaign(const char *gannet, const char *simulation) {
  static const char campaign[] =
      "name: c\nseed: 3\nmethod: gp-ei\ninitial: 2\nsearch: {candidates: 20}\n"
      "variables:\n  x1: {lower: -5, upper: 10}\n  x2: {lower: 0, upper: 15}\n"
      "  kind: {type: categorical, values: [round, 'a, b']}\n"
      "constraints:\n  mass: {upper: 1e9}\n"
      "batch: 2\nbudget: {evaluations: 4, failures: {rate: 1}}\n"
      "evaluate:\n  backend: command\n  command: [./simulation]\n  parallel: 2\n"
      "  pattern: ['mass=mass ([0-9]+)']\n";
  char command[2000];
  fuzz_put("c.yaml", campaign, sizeof campaign - 1);
  (void)snprintf(command, sizeof command,
                 "cd '%s' && printf '#!/bin/sh\\n\"%s\" && echo mass 12\\n' >simulation && chmod "
                 "+x simulation && "
                 "'%s' run c.yaml -d c --quiet >log 2>&1 || { cat log; exit 1; }",
                 fuzz_folder, simulation, gannet);
  if (system(command)) exit(2);
}

int main(int n, char **words) {
  if (n < 4) {
    (void)fprintf(stderr, "usage: fuzz GANNET SIMULATION INPUTS [TIMES [TARGET [FIRST]]]\n");
    return 2;
  }
  /* Free pieces that the C library keeps for itself would look as if they were in use. */
  if (!getenv("GLIBC_TUNABLES")) {
    (void)setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    (void)execv("/proc/self/exe", words);
  }
  const long times = n > 4 ? atol(words[4]) : 1000, first = n > 6 ? atol(words[6]) : 0;
  const char *only = n > 5 ? words[5] : NULL;
  (void)snprintf(fuzz_folder, sizeof fuzz_folder, "/tmp/gannet-fuzz-XXXXXX");
  if (!mkdtemp(fuzz_folder)) return 2;
  run_campaign(words[1], words[2]);
  if (__asan_set_death_callback) __asan_set_death_callback(say_where);
  (void)signal(SIGALRM, die);
  (void)signal(SIGABRT, die);
  if (!__asan_set_death_callback) (void)signal(SIGSEGV, die);
  fuzz_begin();
  const fuzz_target *const tables[] = {fuzz_campaign_targets, fuzz_evaluate_targets};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
    for (target = tables[i]; target->name; ++target)
      if (!only || strcmp(only, target->name) == 0) {
        if (run_target(words[3], first, n > 6 ? first + 1 : first + times * target->share / 100))
          fuzz_wrong("nothing was accepted: the seeds are not what the parser reads");
        (void)fflush(stdout);
      }
  fuzz_end();
  if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check()) ++faults;
  char command[400];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", fuzz_folder);
  if (system(command)) return 2;
  return faults > 0;
}
