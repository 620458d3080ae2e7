#include "benchmark/traffic.h"

#include <mpi.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/node.h"

/* The calls are those of the process, and so are their sums. */
static bench_traffic total;
static double inside; /* processor time in the calls, and in waits in shared memory */

typedef struct {
  bool counts;
  double wall, processor;
} moment;

/* Calls of a rank with itself alone, of which PETSc makes many, are no traffic; to read the time
 * that processors have worked would take longer than these. */
static moment enter(MPI_Comm comm) {
  int ranks = 0;
  if (PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS || ranks < 2) return (moment){false, 0, 0};
  return (moment){true, gannet_clock_seconds(), gannet_clock_processor()};
}

static void add_time(moment start) {
  total.seconds += gannet_clock_seconds() - start.wall;
  inside += gannet_clock_processor() - start.processor;
}

static int leave(moment start, int count, MPI_Datatype type, int code) {
  int size = 0;
  if (!start.counts) return code;
  if (count > 0) (void)PMPI_Type_size(type, &size);
  total.calls += 1;
  total.bytes += (double)count * size;
  add_time(start);
  return code;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const moment start = enter(comm);
  return leave(start, count, type, PMPI_Allreduce(send, receive, count, type, op, comm));
}

int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const moment start = enter(comm);
  return leave(start, count, type, PMPI_Reduce(send, receive, count, type, op, root, comm));
}

int MPI_Allgatherv(const void *send, int count, MPI_Datatype type, void *receive,
                   const int counts[], const int starts[], MPI_Datatype received, MPI_Comm comm) {
  const moment start = enter(comm);
  return leave(start, count, type,
               PMPI_Allgatherv(send, count, type, receive, counts, starts, received, comm));
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const moment start = enter(comm);
  return leave(start, count, type, PMPI_Bcast(bytes, count, type, root, comm));
}

int MPI_Ibcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request) {
  const moment start = enter(comm);
  return leave(start, count, type, PMPI_Ibcast(bytes, count, type, root, comm, request));
}

/* The rest of a call that was counted when it began. */
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  const moment start = {true, gannet_clock_seconds(), gannet_clock_processor()};
  const int code = PMPI_Wait(request, status);
  add_time(start);
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  const moment start = enter(comm);
  return leave(start, 0, MPI_BYTE, PMPI_Barrier(comm));
}

/* Waits in the shared memory of a node. The linker sends calls of gannet_node_wait, _barrier and
 * _agree here (--wrap in CMakeLists.txt), and __real_ is what they would have called. */

int64_t __real_gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value,
                                int64_t least);
int64_t __wrap_gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value,
                                int64_t least);
bool __real_gannet_node_barrier(const gannet_node *node, bool flag);
bool __wrap_gannet_node_barrier(const gannet_node *node, bool flag);
gannet_err __real_gannet_node_agree(const gannet_node *node, gannet_err err);
gannet_err __wrap_gannet_node_agree(const gannet_node *node, gannet_err err);

/* Most values have come before they are waited for: to read the clock would take longer. */
int64_t __wrap_gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value,
                                int64_t least) {
  const int64_t now = atomic_load_explicit(value, memory_order_acquire);
  if (now >= least) return now;
  const double start = gannet_clock_processor();
  const int64_t come = __real_gannet_node_wait(node, value, least);
  inside += gannet_clock_processor() - start;
  return come;
}

bool __wrap_gannet_node_barrier(const gannet_node *node, bool flag) {
  if (node->n == 1) return flag;
  const double start = gannet_clock_processor();
  const bool any = __real_gannet_node_barrier(node, flag);
  inside += gannet_clock_processor() - start;
  return any;
}

/* Without an error it is a barrier. */
gannet_err __wrap_gannet_node_agree(const gannet_node *node, gannet_err err) {
  if (node->n == 1 || err != GANNET_OK) return __real_gannet_node_agree(node, err);
  const double start = gannet_clock_processor();
  const gannet_err agreed = __real_gannet_node_agree(node, err);
  inside += gannet_clock_processor() - start;
  return agreed;
}

bench_traffic bench_traffic_read(void) {
  bench_traffic now = total;
  now.work = gannet_clock_processor() - inside;
  return now;
}

bench_traffic bench_traffic_since(const bench_traffic *before) {
  const bench_traffic now = bench_traffic_read();
  return (bench_traffic){now.calls - before->calls, now.bytes - before->bytes,
                         now.seconds - before->seconds, now.work - before->work};
}

void bench_traffic_add(bench_traffic *sum, const bench_traffic *more) {
  sum->calls += more->calls;
  sum->bytes += more->bytes;
  sum->seconds += more->seconds;
  sum->work += more->work;
}
