/* Lookup in tables of one precision, for every size of registers. The file of each precision
 * includes this one after table/gather.h. It has then defined what table/gather.h needs, and
 *
 *   SHORT_REAL, SHORT_BITS       suffixes of operations on numbers, and on integers of their size
 *   VECTOR_64                    registers of 64 bytes
 *   SET_BITS_64                  an integer in all places of one
 *   PICK_64(piece, row, pieces)  row[piece % LANES] for every piece in a register
 *   FEW_64                       numbers of pieces that such registers pick from faster
 *   LOOK_UP                      the function
 *
 * In PICK_64 a row repeats itself after so many pieces. For a lookup of its own with registers of
 * 32 bytes the file also defines VECTOR_32, SET_BITS_32, FEW_32 and, where there are such
 * registers, pick(piece, row, pieces).
 */
#ifdef GANNET_HAS_REGISTERS

#define PASTE(a, b, c, d) a##b##c##d
#define JOIN(a, b, c, d) PASTE(a, b, c, d)

#ifdef VECTOR_32
#define TARGET GANNET_WITH_32_BYTES
#define NAME(x) middle_##x
#define VECTOR VECTOR_32
#define INTEGERS __m256i
#define WIDTH (32 / (int)sizeof(REAL))
#define OF_REAL(operation) JOIN(_mm256_, operation, _, SHORT_REAL)
#define OF_BITS(operation) JOIN(_mm256_, operation, _, SHORT_BITS)
#define SET_BITS SET_BITS_32
#define AS_BITS JOIN(_mm256_cast, SHORT_REAL, _, si256)
#define AS_REAL JOIN(_mm256_cast, si256, _, SHORT_REAL)
#define PICK(piece, row, pieces) pick(piece, row, pieces)
#define FEW FEW_32
#define SIZE(x, most) OF_REAL(min)(OF_REAL(andnot)(OF_REAL(set1)((REAL)-0.0), x), most)
#define PLACE(v, inside) _mm256_or_si256(_mm256_and_si256(v, inside), SET_BITS(ONE))
#define SIGNED(x, mask, y) OF_REAL (xor)(OF_REAL(and)(x, AS_REAL(mask)), y)
#include "network/table/body.h"
#endif

#define TARGET GANNET_WITH_64_BYTES
#define NAME(x) wide_##x
#define VECTOR VECTOR_64
#define INTEGERS __m512i
#define WIDTH (64 / (int)sizeof(REAL))
#define OF_REAL(operation) JOIN(_mm512_, operation, _, SHORT_REAL)
#define OF_BITS(operation) JOIN(_mm512_, operation, _, SHORT_BITS)
#define SET_BITS SET_BITS_64
#define AS_BITS JOIN(_mm512_cast, SHORT_REAL, _, si512)
#define AS_REAL JOIN(_mm512_cast, si512, _, SHORT_REAL)
#define PICK(piece, row, pieces) PICK_64(piece, row, pieces)
#define FEW FEW_64
#define SIZE(x, most) OF_REAL(range)(x, most, SMALLER_SIZE)
#define PLACE(v, inside) OF_BITS(ternarylogic)(v, inside, SET_BITS(ONE), AND_THEN_OR)
#define SIGNED(x, mask, y) \
  AS_REAL(OF_BITS(ternarylogic)(AS_BITS(x), mask, AS_BITS(y), AND_THEN_XOR))
#include "network/table/body.h"

void LOOK_UP(int width, const gannet_table *table, int n, const REAL *x, REAL *y) {
  if (width == 64) wide_look_up(table, n, x, y);
#ifdef VECTOR_32
  else if (width == 32)
    middle_look_up(table, n, x, y);
#endif
  else
    gather(table, n, x, y);
}

#else

void LOOK_UP(int width, const gannet_table *table, int n, const REAL *x, REAL *y) {
  (void)width;
  gather(table, n, x, y);
}

#endif
