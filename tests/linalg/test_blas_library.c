/* test: serial labels unit */
/* Names of BLAS kernels, and what this processor makes of them. */
#include <string.h>

#include "linalg/blas.h"
#include "linalg/blas_library.h"
#include "support/harness.h"

static void names_are_known_in_any_case(void **state) {
  (void)state;
  assert_int_equal(gannet_kernel_vector("haswell"), GANNET_VECTOR_AVX2);
  assert_int_equal(gannet_kernel_vector("SKYLAKEX"), GANNET_VECTOR_AVX512);
  assert_int_equal(gannet_kernel_vector("Prescott"), GANNET_VECTOR_SSE);
  assert_int_equal(gannet_kernel_vector("Sandybridge"), GANNET_VECTOR_AVX);
  assert_int_equal(gannet_kernel_vector("armv8"), GANNET_VECTOR_UNKNOWN);
  assert_int_equal(gannet_kernel_vector(""), GANNET_VECTOR_UNKNOWN);
}

static void the_kernel_for_a_processor_suits_it(void **state) {
  (void)state;
  assert_null(gannet_kernel_for(GANNET_VECTOR_UNKNOWN));
  for (int v = GANNET_VECTOR_SSE; v <= GANNET_VECTOR_AVX512; ++v) {
    assert_int_equal(gannet_kernel_vector(gannet_kernel_for((gannet_vector)v)), v);
    assert_true(strcmp(gannet_vector_name((gannet_vector)v), "unknown") != 0);
  }
  assert_string_equal(gannet_vector_name(GANNET_VECTOR_UNKNOWN), "unknown");
}

static void only_lesser_kernels_are_slow(void **state) {
  const gannet_vector here = gannet_processor_vector();
  (void)state;
  assert_false(gannet_kernel_is_slow("a kernel that nobody knows"));
  for (int v = GANNET_VECTOR_SSE; v <= GANNET_VECTOR_AVX512; ++v) {
    const bool slow = gannet_kernel_is_slow(gannet_kernel_for((gannet_vector)v));
    if (v >= (int)here) assert_false(slow);
    if (v < (int)here && v < GANNET_VECTOR_AVX2) assert_true(slow);
  }
}

static void libraries_tell_where_they_come_from(void **state) {
  char text[300];
  (void)state;
  gannet_routine_file("dgemm_", text, sizeof text);
  assert_int_equal(text[0], '/');
  gannet_routine_file("no_such_routine_", text, sizeof text);
  assert_string_equal(text, "");
  gannet_lapack_version(text, sizeof text);
  assert_true(text[0] >= '3' && strchr(text, '.'));
  gannet_scalapack_version(text, sizeof text);
  assert_true(text[0] >= '1' && strchr(text, '.'));
  assert_true(strlen(gannet_blas_library()) > 0 && strlen(gannet_blas_kernel()) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_known_in_any_case),
      cmocka_unit_test(the_kernel_for_a_processor_suits_it),
      cmocka_unit_test(only_lesser_kernels_are_slow),
      cmocka_unit_test(libraries_tell_where_they_come_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
