/* Telling a process from another one that was given its number later.
 *
 * The system gives the numbers of processes that have ended to new ones. A process is therefore
 * named by its number, the time at which it started, the start of the system, and the name space in
 * which its number counts, as containers have their own.
 */
#ifndef GANNET_BASE_PROCESS_H
#define GANNET_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { GANNET_HOST_NAME = 256, GANNET_PROCESS_TEXT = 512 };

typedef struct {
  long pid;                    /* 0 = nobody */
  char host[GANNET_HOST_NAME]; /* on which it runs */
  uint64_t started;            /* clock ticks from the start of the system; 0 = unknown */
  char boot[40];               /* names the start of the system; "" = unknown */
  uint64_t names;              /* name space of process numbers; 0 = unknown */
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

/* Whether a process of this host still runs. What has ended and waits to be asked how (a zombie)
 * has ended. Of a process whose start is unknown, as older versions wrote it, only the number
 * counts.
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

/* Clock ticks from the start of the system at which a process of this host started, 0 when there is
 * none of that number or it has ended.
 *
 * Local.
 */
uint64_t gannet_process_start(long pid);

#endif
