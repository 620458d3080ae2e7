#include "network/table_lookup.h"

#define REAL double
#define BITS uint64_t
#define MANTISSA 52
#define ONE 0x3ff0000000000000u
#define LANES 8
#define VECTOR __m512d
#define OF_REAL(operation) _mm512_##operation##_pd
#define OF_BITS(operation) _mm512_##operation##_epi64
#define SET_BITS(value) _mm512_set1_epi64((long long)(value))
#define AS_BITS _mm512_castpd_si512
#define AS_REAL _mm512_castsi512_pd
#define ROWS(table) (table)->power.twice
#define MOST TABLE_MOST_DOUBLE
#define FOR_TERMS(CASE) CASE(8) CASE(10) CASE(12) CASE(14) CASE(16) CASE(18)
#define LOOK_UP table_look_up_double
#include "network/table_body.h"
