/* Learning at once with others (conform_surrogate.h). */
#ifndef GANNET_TESTS_CONFORM_LEARNING_H
#define GANNET_TESTS_CONFORM_LEARNING_H

#include "surrogate/conform_surrogate.h"

enum { LEARNERS = 3 };

/* Of 3, 2 and 1 variables. */
static inline void begin_learners(const conform *c, conform_data *data, gannet_learner *learners) {
  for (int i = 0; i < LEARNERS; ++i) {
    conform_make(&data[i], LEARNERS - i, 1);
    learners[i] = (gannet_learner){conform_create(c, c->world, data[i].d),
                                   conform_first(&data[i], CONFORM_POINTS - i, NAN), 2 + i, false};
  }
}

static inline void predict_both(const conform_data *data, gannet_surrogate *one,
                                gannet_surrogate *other) {
  double mean[2][CONFORM_QUERIES], sd[2][CONFORM_QUERIES];
  assert_ok(gannet_surrogate_predict(one, CONFORM_QUERIES, data->query, mean[0], sd[0]));
  assert_ok(gannet_surrogate_predict(other, CONFORM_QUERIES, data->query, mean[1], sd[1]));
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  assert_memory_equal(sd[0], sd[1], sizeof sd[0]);
}

/* Those that cannot learn at once do it in their fits; the bits are the same in any case. */
static inline void learning_at_once_is_learning(const conform *c) {
  conform_data data[LEARNERS];
  gannet_learner learners[LEARNERS];
  begin_learners(c, data, learners);
  assert_ok(gannet_surrogates_learn(c->world, LEARNERS, learners));
  for (int i = 0; i < LEARNERS; ++i) {
    gannet_learner *l = &learners[i];
    assert_int_equal(l->learnt, c->type->learn_begin != NULL);
    assert_ok(gannet_surrogate_fit(l->surrogate, &l->data, !l->learnt, l->iteration));
    gannet_surrogate *alone = conform_create(c, c->self, data[i].d);
    assert_ok(gannet_surrogate_fit(alone, &l->data, true, l->iteration));
    predict_both(&data[i], l->surrogate, alone);
    gannet_surrogate_destroy(&alone);
    gannet_surrogate_destroy(&l->surrogate);
  }
}

/* The data of one are not finite on the last rank: nobody has learnt, and all can go on. */
static inline void one_bad_learner_fails_all(const conform *c) {
  conform_data data[LEARNERS];
  gannet_learner learners[LEARNERS];
  if (!c->type->learn_begin) return;
  begin_learners(c, data, learners);
  const double sound = data[1].y[3];
  if (c->world->rank == c->world->np - 1) data[1].y[3] = NAN;
  assert_fails(GANNET_ERR_ARG, "value 3", gannet_surrogates_learn(c->world, LEARNERS, learners));
  data[1].y[3] = sound;
  for (int i = 0; i < LEARNERS; ++i) {
    gannet_learner *l = &learners[i];
    assert_false(l->learnt);
    assert_ok(gannet_surrogate_fit(l->surrogate, &l->data, true, l->iteration));
    gannet_surrogate *alone = conform_create(c, c->self, data[i].d);
    assert_ok(gannet_surrogate_fit(alone, &l->data, true, l->iteration));
    predict_both(&data[i], l->surrogate, alone);
    gannet_surrogate_destroy(&alone);
    gannet_surrogate_destroy(&l->surrogate);
  }
}

#endif
