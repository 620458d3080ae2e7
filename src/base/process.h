/* The identity of a process, which tells it from another one that gets its number later.
 *
 * The system gives the numbers of processes that have ended to new ones. A process is therefore
 * identified by its number, the time at which it started, the start of the system, and the name
 * space of process numbers, of which containers have their own.
 */
#ifndef GANNET_BASE_PROCESS_H
#define GANNET_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { GANNET_HOST_NAME = 256, GANNET_PROCESS_TEXT = 512 };

typedef struct {
  long pid;                    /* 0 = no process */
  char host[GANNET_HOST_NAME]; /* host on which it runs */
  uint64_t started;            /* start in clock ticks since the start of the system; 0 = unknown */
  char boot[40];               /* identifies the start of the system; "" = unknown */
  uint64_t names;              /* identifies the name space of process numbers; 0 = unknown */
} gannet_process;

typedef enum {
  GANNET_PROCESS_ALIVE,
  GANNET_PROCESS_ENDED,
  GANNET_PROCESS_UNSEEN /* on another host, or in a container: nobody can tell from here */
} gannet_process_state;

/* The process that calls.
 *
 * Local.
 */
gannet_process gannet_process_self(void);

/* Whether a process of this host still runs. A zombie has ended. When the start of a process is
 * unknown, as older versions wrote it, only its number counts.
 *
 * Local.
 */
gannet_process_state gannet_process_look(const gannet_process *process);

/* "PID HOST STARTED BOOT NAMES": one line without its end, and back. Older lines have the first two
 * words only.
 *
 * Local.
 *
 * text  out  [GANNET_PROCESS_TEXT]
 *
 * Returns its length; whether the text names a process.
 */
int gannet_process_format(const gannet_process *process, char *text);
bool gannet_process_parse(const char *text, gannet_process *process);

#endif
