/* The front of several objectives and how its hypervolume has grown. */
#include "problem/front.h"

#include <math.h>
#include <string.h>

#include "campaign/run/progress.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "report/parts.h"

/* Most points of the course of the hypervolume, by the number of objectives: of five the
 * hypervolume of a large front takes a second. */
static const int most_steps[GANNET_OBJECTIVES_MOST + 1] = {
    [2] = 200, [3] = 200, [4] = 40, [5] = 12};

/* Describe each objective. Its "place" says where its values are in the page's data: an index into
 * the columns "c" of the constraints; -1 = the column of the first objective. */
static json_t *about_objectives(const gannet_problem *problem, const gannet_front *front) {
  json_t *list = json_array();
  for (int m = 0; m < front->m; ++m) {
    const gannet_objective *objective = &problem->spec.objectives[m];
    const int place = gannet_problem_objective_quantity(problem, m) - 1;
    const char *unit = place < 0 ? gannet_problem_objective_unit(problem)
                                 : gannet_problem_unit(problem->constraint_unit, place);
    (void)json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:b, s:i, s:o, s:b}", "name", objective->name, "unit", unit,
                  "maximize", objective->goal == GANNET_MAXIMIZE, "place", place, "reference",
                  report_number(gannet_problem_flip_objective(problem, m, front->reference[m])),
                  "chosen", front->is_chosen[m]));
  }
  return list;
}

/* [results so far, hypervolume up to today's reference] */
static json_t *course_of(const gannet_history *history, const gannet_front *front) {
  const int64_t n = gannet_history_count_told(history), most = most_steps[front->m];
  const int64_t steps = n < most ? n : most;
  json_t *list = json_array();
  for (int64_t i = 1; i <= steps; ++i) {
    gannet_front then = {0};
    const int64_t at = i * n / steps;
    if (gannet_front_find_before(history, at, front->reference, &then) != GANNET_OK ||
        gannet_front_measure(&then) != GANNET_OK) {
      gannet_error_clear();
      gannet_front_release(&then);
      break;
    }
    (void)json_array_append_new(
        list, json_pack("[I, o]", (json_int_t)at, report_number(then.hypervolume)));
    gannet_front_release(&then);
  }
  return list;
}

json_t *report_front(const gannet_campaign *campaign) {
  const gannet_problem *problem = campaign->input->problem;
  gannet_front front = {0};
  int knee = -1;
  if (problem->spec.n_objectives == 0) return json_null();
  gannet_err err = gannet_front_find(campaign->history, &front);
  if (err == GANNET_OK) err = gannet_front_measure(&front);
  if (err == GANNET_OK) err = gannet_front_knee(&front, &knee);
  if (err != GANNET_OK) { /* the rest is worth having */
    gannet_error_clear();
    gannet_front_release(&front);
    return json_null();
  }
  json_t *ids = json_array();
  for (int i = 0; i < front.n; ++i)
    (void)json_array_append_new(ids, json_integer((json_int_t)front.id[i]));
  json_t *made = json_pack(
      "{s:o, s:o, s:o, s:o, s:o}", "objectives", about_objectives(problem, &front), "ids", ids,
      "knee", knee < 0 ? json_null() : json_integer((json_int_t)front.id[knee]), "hypervolume",
      report_number(front.hypervolume), "course", course_of(campaign->history, &front));
  gannet_front_release(&front);
  return made;
}
