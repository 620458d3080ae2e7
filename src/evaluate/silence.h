/* A note for those who look on while a scheduler does not answer: CAMPAIGN/slurm/silent, with the
 * time since when and a word for what it means in its first line, and what the scheduler's program
 * said in the second.
 */
#ifndef GANNET_EVALUATE_SILENCE_H
#define GANNET_EVALUATE_SILENCE_H

#include <stdbool.h>

#include "base/error.h"

enum { GANNET_SILENCE_SAID = 300 };

typedef enum {
  GANNET_SILENCE_OTHER,   /* of a later version of the note */
  GANNET_SILENCE_UNKNOWN, /* nobody tells what the submitted jobs do */
  GANNET_SILENCE_REFUSED, /* jobs are not taken */
  GANNET_SILENCE_HELD     /* jobs are not started before somebody does something */
} gannet_silence_kind;

typedef struct {
  gannet_silence_kind kind;
  double since; /* seconds since 1970 of the first call without an answer */
  char said[GANNET_SILENCE_SAID];
} gannet_silence;

/* Leave the note, or take it away; a note that cannot be written is no obstacle to a campaign.
 *
 * Local.
 *
 * place  in  CAMPAIGN/slurm
 */
void gannet_silence_begin(const char *place, const gannet_silence *silence);
void gannet_silence_end(const char *place);

/* Whether there is a note in a campaign directory; what it says is then in silence.
 *
 * Local.
 */
bool gannet_silence_look(const char *campaign, gannet_silence *silence);

#endif
