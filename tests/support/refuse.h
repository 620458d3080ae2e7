/* A system that has no memory for ranks to share, when a test says so. */
#ifndef GANNET_TESTS_REFUSE_H
#define GANNET_TESTS_REFUSE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool refuse;
static size_t refuse_from = SIZE_MAX, refuse_to = SIZE_MAX; /* bytes, the second one not itself */

/* In place of the library's. */
int shmget(key_t key, size_t size, int flags) {
  errno = ENOSPC;
  return refuse || (refuse_from <= size && size < refuse_to)
             ? -1
             : (int)syscall(SYS_shmget, key, size, flags);
}

#endif
