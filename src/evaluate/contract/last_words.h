#ifndef GANNET_EVALUATE_CONTRACT_LAST_WORDS_H
#define GANNET_EVALUATE_CONTRACT_LAST_WORDS_H

enum { GANNET_LAST_WORDS_SIZE = 180 };

/* The line of stderr.log that says why a simulation has failed: the last one that says something.
 * What a launcher adds when a process of its job has failed, such as "Exit code: 3" in a frame of
 * dashes, is passed over, because the solver's own message stands above it. Of any other notice in
 * a frame, as "There are not enough slots", the first sentence is taken.
 *
 * Local.
 *
 * directory  in   of the evaluation
 * words      out  [GANNET_LAST_WORDS_SIZE] one line of valid UTF-8; "" when there is none
 */
void gannet_contract_last_words(const char *directory, char *words);

#endif
