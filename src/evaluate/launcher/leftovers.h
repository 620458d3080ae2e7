/* Ending what an attempt of an earlier gannet has left running.
 *
 * When a controller and its helper are killed together, nobody is left to end the simulations. A
 * resume would run the same evaluations beside them, so it ends them first. Process numbers are
 * used again; therefore a process is recognised by its nonce, its start and its files.
 */
#ifndef GANNET_EVALUATE_LAUNCHER_LEFTOVERS_H
#define GANNET_EVALUATE_LAUNCHER_LEFTOVERS_H

#include <stdint.h>

/* The identity of a process: no two processes of one number have the same start, in ticks since the
 * start of the system.
 */
typedef struct {
  long long start; /* 0 = unknown */
  char boot[40];   /* of the system, "" = unknown */
} gannet_process_identity;

/* Find the identity of a running process; zeroed when there is none, or when the system does not
 * tell.
 *
 * Local.
 */
gannet_process_identity gannet_process_identify(int pid);

/* An attempt that this host ran. */
typedef struct {
  const char *directory; /* of the evaluation */
  uint64_t nonce;
  int pid; /* of its first process, which leads its session; 0 = unknown */
  gannet_process_identity process;
} gannet_leftovers;

/* End every process of an attempt: those that carry its nonce in their environment, its first
 * process, those of its session that work in its directory, those whose output goes into its logs,
 * and all that these have started. SIGTERM first, after the grace SIGKILL. Returns how many there
 * were.
 *
 * Local.
 *
 * grace  in  seconds
 */
int gannet_leftovers_kill(const gannet_leftovers *attempt, double grace);

#endif
