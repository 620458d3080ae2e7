#include "search/select.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

struct gannet_select {
  int n_lists, keep;
  gannet_ranked *best; /* [n_lists][keep], best first */
  MPI_Datatype list;   /* keep entries */
  MPI_Op merge;        /* of two lists, the best entries of both */
};

static bool is_better(gannet_ranked a, gannet_ranked b) {
  if (a.index < 0 || b.index < 0) return a.index >= 0;
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

/* One element is a whole list; its length follows from the size of the type. */
static void merge_lists(void *in, void *inout, int *count, MPI_Datatype *type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  const int keep = size / (int)sizeof(gannet_ranked);
  const gannet_ranked *other = in;
  gannet_ranked *mine = inout, merged[GANNET_SELECT_MAX];
  for (int l = 0; l < *count; ++l, other += keep, mine += keep) {
    for (int i = 0, a = 0, b = 0; i < keep; ++i)
      merged[i] = is_better(other[b], mine[a]) ? other[b++] : mine[a++];
    memcpy(mine, merged, (size_t)keep * sizeof *mine);
  }
}

static gannet_err create_reduction(gannet_select *s) {
  const int bytes = s->keep * (int)sizeof(gannet_ranked);
  GANNET_TRY_MPI(MPI_Type_contiguous(bytes, MPI_BYTE, &s->list));
  GANNET_TRY_MPI(MPI_Type_commit(&s->list));
  GANNET_TRY_MPI(MPI_Op_create(merge_lists, 1, &s->merge));
  return GANNET_OK;
}

gannet_err gannet_select_create(int n_lists, int keep, gannet_select **select) {
  GANNET_REQUIRE(n_lists >= 1, GANNET_ERR_ARG, "n_lists = %d", n_lists);
  GANNET_REQUIRE(1 <= keep && keep <= GANNET_SELECT_MAX, GANNET_ERR_ARG,
                 "keep = %d, expected 1 to %d", keep, GANNET_SELECT_MAX);
  gannet_select *s = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  s->n_lists = n_lists;
  s->keep = keep;
  const size_t places = (size_t)n_lists * (size_t)keep;
  s->list = MPI_DATATYPE_NULL;
  s->merge = MPI_OP_NULL;
  gannet_err err = gannet_alloc(places, sizeof *s->best, &s->best);
  if (err == GANNET_OK) err = create_reduction(s);
  if (err != GANNET_OK) {
    gannet_select_destroy(&s);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  gannet_select_clear(s);
  *select = s;
  return GANNET_OK;
}

void gannet_select_clear(gannet_select *select) {
  const size_t places = (size_t)select->n_lists * (size_t)select->keep;
  for (size_t i = 0; i < places; ++i) select->best[i] = (gannet_ranked){-INFINITY, -1};
}

void gannet_select_destroy(gannet_select **select) {
  if (!*select) return;
  if ((*select)->merge != MPI_OP_NULL) (void)MPI_Op_free(&(*select)->merge);
  if ((*select)->list != MPI_DATATYPE_NULL) (void)MPI_Type_free(&(*select)->list);
  gannet_free(&(*select)->best);
  gannet_free(select);
}

/* index: [m]; NULL = first, first + 1, ... */
static void offer(gannet_select *select, int m, int64_t first, const int64_t *index,
                  const double *scores, int ld) {
  const int keep = select->keep;
  for (int l = 0; l < select->n_lists; ++l) {
    const double *score = scores + (size_t)l * (size_t)ld;
    gannet_ranked *list = select->best + (size_t)l * (size_t)keep;
    for (int i = 0; i < m; ++i) {
      const gannet_ranked entry = {score[i], index ? index[i] : first + i};
      if (isnan(score[i]) || !is_better(entry, list[keep - 1])) continue;
      int at = keep - 1;
      for (; at > 0 && is_better(entry, list[at - 1]); --at) list[at] = list[at - 1];
      list[at] = entry;
    }
  }
}

void gannet_select_offer(gannet_select *select, int m, int64_t first, const double *scores,
                         int ld) {
  offer(select, m, first, NULL, scores, ld);
}

void gannet_select_offer_some(gannet_select *select, int m, const int64_t *index,
                              const double *scores, int ld) {
  offer(select, m, 0, index, scores, ld);
}

const gannet_ranked *gannet_select_list(const gannet_select *select, int list) {
  return select->best + (size_t)list * (size_t)select->keep;
}

double gannet_select_least(const gannet_select *select, int list) {
  return gannet_select_list(select, list)[select->keep - 1].score;
}

gannet_err gannet_select_reduce(const gannet_context *context, const gannet_select *select,
                                gannet_ranked *best) {
  GANNET_TRY_MPI(MPI_Allreduce(select->best, best, select->n_lists, select->list, select->merge,
                               context->comm));
  return GANNET_OK;
}
