/* Setting the members of a result, and packing results into bytes that are sent to other ranks. */
#ifndef GANNET_EVALUATE_RESULT_RECORD_H
#define GANNET_EVALUATE_RESULT_RECORD_H

#include "evaluate/evaluator.h"

/* Bytes of one packed result, without what it reports besides objective and constraints, which is
 * packed apart because its size differs from result to result.
 *
 * Local.
 */
size_t gannet_result_size(int n_constraints);

/* Pack a result into bytes, and unpack it. result->constraints must point at [n_constraints] in
 * both directions. Unpacking leaves result->reported empty.
 *
 * Local.
 *
 * n_variables  in  of the problem
 */
void gannet_result_pack(int n_constraints, int n_variables, const gannet_result_record *result,
                        void *bytes);
void gannet_result_unpack(int n_constraints, const void *bytes, gannet_result_record *result);

/* Packed results, the same on all ranks. */
typedef struct {
  int n;
  size_t size;       /* of each, bytes */
  const char *bytes; /* [n][size], each begins with a packed result */
} gannet_result_records;

/* Give all ranks what the results of these records report besides objective and constraints.
 *
 * Collective; the records are the same on all ranks.
 *
 * mine     in   [n] for each record on one rank, empty on the others; NULL = all empty
 * results  out  [n] their members reported, which must be empty
 *
 * Errors: GANNET_ERR_SHAPE for more than 2 GiB; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_result_share_reported(MPI_Comm comm, int n_variables,
                                                       const gannet_result_records *records,
                                                       const gannet_quantities *mine,
                                                       gannet_result_record *results);

/* Make a result failed, with a reason in one line: control characters become spaces, bytes that are
 * not UTF-8 become '?', and what does not fit is left out from a word on. The class of the failure
 * becomes "results"; it counts as a crash unless another attempt may succeed (retry). What was
 * reported is freed.
 *
 * Local.
 */
void gannet_result_fail(gannet_result_record *result, bool retry, const char *format, ...)
    GANNET_PRINTF(3, 4);

/* Turn a failed result into "cannot run": this class of evidence says that the design is bad.
 *
 * Local.
 */
void gannet_result_cannot_run(gannet_result_record *result, gannet_failure failure);

/* When objective and constraints may be missing from a result, but never all of them: a check that
 * comes first may end an evaluation early. */
typedef enum {
  GANNET_LACK_NOTHING,
  GANNET_LACK_WHERE_VIOLATED, /* a constraint that is known is violated */
  GANNET_LACK_SAID            /* it was said that they are */
} gannet_lack;

/* Compute what the campaign file has formulas for: objective and constraints. Returns false, and
 * makes the result failed, when a quantity of a formula is missing that may not be, or what is to
 * be computed was reported.
 *
 * Local.
 */
bool gannet_result_compute(const gannet_problem *problem, gannet_lack lack,
                           gannet_result_record *result);

/* Turn a result whose numbers are in place into done, or failed when one of them is missing that
 * may not be, or is not finite, or the campaign wants no others than it names.
 *
 * Local.
 */
void gannet_result_check_numbers(const gannet_problem *problem, gannet_lack lack,
                                 gannet_result_record *result);

/* The name of this host.
 *
 * Local.
 */
void gannet_host_name(char *host);

/* Who runs this process, as in "ann@node-7".
 *
 * Local.
 *
 * who  out  [size]
 */
void gannet_user_name(char *who, size_t size);

/* Make a result failed because a name is reported that the campaign file does not have, and
 * unknown_outputs: fail refuses such names. The nearest name that it has is told.
 *
 * Local.
 *
 * location  in  who reports it, for the message
 */
void gannet_result_fail_unknown(const gannet_problem *problem, const char *location,
                                const char *name, gannet_result_record *result);

#endif
