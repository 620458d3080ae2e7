/* Parts of a triangle, each smaller than the one before, shared out over ranks. */
#ifndef GANNET_SURROGATE_SHARE_H
#define GANNET_SURROGATE_SHARE_H

/* The rank that part k belongs to: there and back again over the ranks, so that whoever has the
 * larger one of a pair of parts has the smaller one of the next.
 *
 * Local.
 */
static inline int gannet_share_owner(int k, int np) {
  const int place = k % (2 * np);
  return place < np ? place : 2 * np - 1 - place;
}

#endif
