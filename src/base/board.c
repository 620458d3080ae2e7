#include "base/board.h"

#include "base/memory.h"

struct gannet_board {
  const gannet_node *node;
  size_t step;     /* numbers of a rank: whole lines of memory */
  double *numbers; /* shared [2][ranks][step]: one half is read while the other is written */
  int half;        /* that is written */
};

enum { LINE = sizeof(gannet_mark) / sizeof(double) };

gannet_err gannet_board_create(const gannet_node *node, size_t length, gannet_board **board) {
  gannet_board *made = NULL;
  void *memory = NULL;
  *board = NULL;
  GANNET_TRY(gannet_agree(node->comm, gannet_alloc(1, sizeof *made, &made)));
  *made = (gannet_board){node, (length + LINE - 1) / LINE * LINE, NULL, 0};
  const size_t numbers = 2 * (size_t)node->n * made->step;
  const gannet_err err = gannet_node_share(node, numbers * sizeof(double), 0, &memory);
  made->numbers = memory;
  if (err != GANNET_OK || !memory)
    gannet_board_destroy(&made);
  else
    *board = made;
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_board_destroy(gannet_board **board) {
  if (!*board) return;
  void *memory = (*board)->numbers;
  gannet_node_unshare((*board)->node, &memory);
  gannet_free(board);
}

const gannet_node *gannet_board_node(const gannet_board *board) {
  return board->node;
}

static double *part_of(const gannet_board *board, int half, int place) {
  return board->numbers + ((size_t)half * (size_t)board->node->n + (size_t)place) * board->step;
}

double *gannet_board_own(gannet_board *board) {
  return part_of(board, board->half, board->node->place);
}

gannet_err gannet_board_show(gannet_board *board, gannet_err err) {
  board->half = 1 - board->half;
  GANNET_TRY(gannet_node_agree(board->node, err));
  return GANNET_OK;
}

const double *gannet_board_of(const gannet_board *board, int place) {
  return part_of(board, 1 - board->half, place);
}
