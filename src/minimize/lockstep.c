/* Each search has a stack and a context of its own (makecontext, POSIX.1-2001): there is one
 * thread, and a search gives the processor away only where it asks. */
#include "minimize/lockstep.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "minimize/petsc_error.h"

/* Bytes of a stack, of which the first page is there to be run into. A minimiser needs a tenth. */
enum { STACK = 1 << 18 };

typedef struct {
  gannet_lockstep *lockstep;
  int place;
  void *stack;
  ucontext_t context;
  bool ended;
} seat;

struct gannet_lockstep {
  int n;
  gannet_lockstep_search search;
  gannet_lockstep_answer answer;
  void *user;
  ucontext_t home;
  seat seat[GANNET_LOCKSTEP_MOST];
  gannet_err err; /* the first one */
};

static void note(gannet_lockstep *l, gannet_err err) {
  if (l->err == GANNET_OK) l->err = err;
}

/* A context is begun with numbers only: the halves of a pointer to its seat. */
static void begin(unsigned high, unsigned low) {
  const uintptr_t address = (uintptr_t)((uint64_t)high << 32 | low);
  seat *s = (seat *)address;  // NOLINT(performance-no-int-to-ptr)
  note(s->lockstep, s->lockstep->search(s->lockstep->user, s->lockstep, s->place));
  s->ended = true;
}

static gannet_err make_stack(void **stack) {
  void *at =
      mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  GANNET_REQUIRE(at != MAP_FAILED, GANNET_ERR_MEMORY, "a stack of %d bytes: %s", STACK,
                 strerror(errno));
  *stack = at;
  GANNET_REQUIRE(mprotect(at, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) == 0, GANNET_ERR_MEMORY,
                 "the page before a stack: %s", strerror(errno));
  return GANNET_OK;
}

static gannet_err take_seat(gannet_lockstep *l, int place) {
  seat *s = &l->seat[place];
  const uint64_t address = (uint64_t)(uintptr_t)s;
  s->lockstep = l;
  s->place = place;
  s->ended = false;
  if (!s->stack) GANNET_TRY(make_stack(&s->stack));
  GANNET_REQUIRE(getcontext(&s->context) == 0, GANNET_ERR_LIBRARY, "getcontext: %s",
                 strerror(errno));
  s->context.uc_stack.ss_sp = s->stack;
  s->context.uc_stack.ss_size = STACK;
  s->context.uc_link = &l->home;
  makecontext(&s->context, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
  return GANNET_OK;
}

/* Until it asks or ends. */
static void go_on(gannet_lockstep *l, int place) {
  (void)swapcontext(&l->home, &l->seat[place].context);
}

static int waiting(const gannet_lockstep *l, int *places) {
  int n = 0;
  for (int i = 0; i < l->n; ++i)
    if (!l->seat[i].ended) places[n++] = i;
  return n;
}

static void run(gannet_lockstep *l) {
  int places[GANNET_LOCKSTEP_MOST], n = 0;
  for (int i = 0; i < l->n; ++i) go_on(l, i);
  while ((n = waiting(l, places)) > 0) {
    if (l->err == GANNET_OK) note(l, l->answer(l->user, n, places));
    for (int i = 0; i < n; ++i) go_on(l, places[i]);
  }
}

static gannet_err run_several(gannet_lockstep *l) {
  gannet_err err = GANNET_OK;
  for (int i = 0; i < l->n && err == GANNET_OK; ++i) err = take_seat(l, i);
  if (err != GANNET_OK) return err;
  run(l);
  return l->err;
}

gannet_err gannet_lockstep_create(gannet_lockstep **lockstep) {
  return gannet_alloc(1, sizeof **lockstep, lockstep);
}

void gannet_lockstep_destroy(gannet_lockstep **lockstep) {
  if (!*lockstep) return;
  for (int i = 0; i < GANNET_LOCKSTEP_MOST; ++i)
    if ((*lockstep)->seat[i].stack) (void)munmap((*lockstep)->seat[i].stack, STACK);
  gannet_free(lockstep);
}

gannet_err gannet_lockstep_run(gannet_lockstep *lockstep, int n, gannet_lockstep_search search,
                               gannet_lockstep_answer answer, void *user) {
  GANNET_REQUIRE(n >= 1 && n <= GANNET_LOCKSTEP_MOST, GANNET_ERR_ARG,
                 "%d searches, expected 1 to %d", n, GANNET_LOCKSTEP_MOST);
  gannet_petsc_shield shield;
  lockstep->n = n;
  lockstep->search = search;
  lockstep->answer = answer;
  lockstep->user = user;
  lockstep->err = GANNET_OK;
  GANNET_TRY(gannet_petsc_push(&shield));
  const gannet_err err = n == 1 ? search(user, lockstep, 0) : run_several(lockstep);
  gannet_petsc_pop(&shield);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

gannet_err gannet_lockstep_ask(gannet_lockstep *lockstep, int place) {
  if (lockstep->n == 1) {
    GANNET_TRY(lockstep->answer(lockstep->user, 1, &place));
    return GANNET_OK;
  }
  (void)swapcontext(&lockstep->seat[place].context, &lockstep->home);
  return lockstep->err;
}
