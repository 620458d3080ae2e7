#include "network/table_lookup.h"

#define REAL float
#define BITS uint32_t
#define MANTISSA 23
#define ONE 0x3f800000u
#define LANES 16
#define VECTOR __m512
#define OF_REAL(operation) _mm512_##operation##_ps
#define OF_BITS(operation) _mm512_##operation##_epi32
#define SET_BITS(value) _mm512_set1_epi32((int)(value))
#define AS_BITS _mm512_castps_si512
#define AS_REAL _mm512_castsi512_ps
#define ROWS(table) (table)->power.single
#define MOST TABLE_MOST_SINGLE
#define FOR_TERMS(CASE) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#define LOOK_UP table_look_up_single
#include "network/table_body.h"
