#define REAL double
#define BITS uint64_t
#define MANTISSA 52
#define ONE 0x3ff0000000000000u
#define LANES 16
#define FEW_64 TABLE_SOME
#define ROWS(table) (table)->power.twice
#define IN_ROWS(table) ((table)->pieces == GANNET_TABLE_ROWS)
#define OF_PIECE(table, piece)                                          \
  (IN_ROWS(table) ? &(table)->power.row[(piece) % GANNET_TABLE_ROWS][0] \
                  : &ROWS(table)[0][(piece) % LANES])
#define STEP(table) (IN_ROWS(table) ? 1 : LANES)
#define MOST TABLE_MOST_DOUBLE
#define FOR_TERMS(CASE) CASE(6) CASE(8) CASE(10) CASE(12) CASE(14) CASE(16) CASE(18)
#include "network/table/gather.h"

/* Eight of sixteen are in a register, and one shuffle takes from two. */
#define PICK_64(piece, row, pieces)                         \
  ((pieces) == FEW_64                                       \
       ? _mm512_permutexvar_pd(piece, _mm512_loadu_pd(row)) \
       : _mm512_permutex2var_pd(_mm512_loadu_pd(row), piece, _mm512_loadu_pd((row) + 8)))
#define SHORT_REAL pd
#define SHORT_BITS epi64
#define VECTOR_64 __m512d
#define SET_BITS_64(value) _mm512_set1_epi64((long long)(value))
#define LOOK_UP table_look_up_double
#include "network/table/dispatch.h"
