/* The helper as a program of its own, executed once: without MPI and numerical libraries a fork of
 * it takes a fraction of the time. Not for people: evaluate/launcher/launcher.c starts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/launcher/protocol.h"

int main(int argc, char **argv) {
  if (argc != 3 || strcmp(argv[1], GANNET_LAUNCHER_PROTOCOL) != 0) {
    (void)fprintf(stderr, "gannet-launcher: gannet %s starts this program; it has no other use\n",
                  GANNET_VERSION);
    return 2;
  }
  gannet_launcher_serve((int)strtol(argv[2], NULL, 10));
}
