/* Each search is a coroutine: it has a stack and a context of its own (makecontext, POSIX.1-2001).
 * There is one thread, and a search gives the processor away only where it asks. */
#include "minimize/lockstep.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "minimize/petsc.h"

/* Bytes of a stack. Its first page may not be touched, so that an overflow ends the program. A
 * minimiser needs a tenth of the rest. */
enum { STACK = 1 << 18 };

typedef struct {
  gannet_lockstep *lockstep;
  int slot;
  void *stack; /* NULL until it is needed */
  ucontext_t context;
  bool ended;
} coroutine;

struct gannet_lockstep {
  int n;
  gannet_lockstep_search search;
  gannet_lockstep_answer answer;
  void *user;
  ucontext_t caller;
  coroutine of[GANNET_LOCKSTEP_MOST];
  gannet_err err; /* the first one */
};

static void note_error(gannet_lockstep *l, gannet_err err) {
  if (l->err == GANNET_OK) l->err = err;
}

/* Where a coroutine begins. makecontext passes ints only: here the halves of a pointer. */
static void run_search(unsigned high, unsigned low) {
  const uintptr_t address = (uintptr_t)((uint64_t)high << 32 | low);
  coroutine *c = (coroutine *)address;  // NOLINT(performance-no-int-to-ptr)
  note_error(c->lockstep, c->lockstep->search(c->lockstep->user, c->lockstep, c->slot));
  c->ended = true;
}

static gannet_err map_stack(void **stack) {
  void *at =
      mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  GANNET_REQUIRE(at != MAP_FAILED, GANNET_ERR_MEMORY, "a stack of %d bytes: %s", STACK,
                 strerror(errno));
  *stack = at;
  GANNET_REQUIRE(mprotect(at, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) == 0, GANNET_ERR_MEMORY,
                 "the page before a stack: %s", strerror(errno));
  return GANNET_OK;
}

static gannet_err coroutine_init(gannet_lockstep *l, int slot) {
  coroutine *c = &l->of[slot];
  const uint64_t address = (uint64_t)(uintptr_t)c;
  c->lockstep = l;
  c->slot = slot;
  c->ended = false;
  if (!c->stack) GANNET_TRY(map_stack(&c->stack));
  GANNET_REQUIRE(getcontext(&c->context) == 0, GANNET_ERR_LIBRARY, "getcontext: %s",
                 strerror(errno));
  c->context.uc_stack.ss_sp = c->stack;
  c->context.uc_stack.ss_size = STACK;
  c->context.uc_link = &l->caller;
  makecontext(&c->context, (void (*)(void))run_search, 2, (unsigned)(address >> 32),
              (unsigned)address);
  return GANNET_OK;
}

/* Resume every coroutine until it asks or ends, and answer those that ask, until all have ended. */
static gannet_err run_coroutines(gannet_lockstep *l) {
  int slots[GANNET_LOCKSTEP_MOST], n = l->n;
  for (int i = 0; i < l->n; ++i) GANNET_TRY(coroutine_init(l, i));
  for (int i = 0; i < l->n; ++i) slots[i] = i;
  while (n > 0) {
    for (int i = 0; i < n; ++i) (void)swapcontext(&l->caller, &l->of[slots[i]].context);
    n = 0;
    for (int i = 0; i < l->n; ++i)
      if (!l->of[i].ended) slots[n++] = i;
    if (n > 0 && l->err == GANNET_OK) note_error(l, l->answer(l->user, n, slots));
  }
  return l->err;
}

gannet_err gannet_lockstep_create(gannet_lockstep **lockstep) {
  return gannet_alloc(1, sizeof **lockstep, lockstep);
}

void gannet_lockstep_destroy(gannet_lockstep **lockstep) {
  if (!*lockstep) return;
  for (int i = 0; i < GANNET_LOCKSTEP_MOST; ++i)
    if ((*lockstep)->of[i].stack) (void)munmap((*lockstep)->of[i].stack, STACK);
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
  const gannet_err err = n == 1 ? search(user, lockstep, 0) : run_coroutines(lockstep);
  gannet_petsc_pop(&shield);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

gannet_err gannet_lockstep_ask(gannet_lockstep *lockstep, int slot) {
  if (lockstep->n == 1) {
    GANNET_TRY(lockstep->answer(lockstep->user, 1, &slot));
    return GANNET_OK;
  }
  (void)swapcontext(&lockstep->of[slot].context, &lockstep->caller);
  return lockstep->err;
}
