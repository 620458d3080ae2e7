/* The file system of a campaign: what it is, room, time of a sync, locks. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "machine/topics.h"
#include "store/lock.h"

typedef struct {
  unsigned long magic;
  const char *name;
} file_system;

/* statfs(2), and the headers of Lustre, GPFS and BeeGFS. */
static const file_system file_systems[] = {
    {0xEF53, "ext4"},       {0x58465342, "xfs"},   {0x9123683E, "btrfs"},   {0x6969, "nfs"},
    {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"},  {0x19830326, "beegfs"},  {0x00C36400, "ceph"},
    {0x01021994, "tmpfs"},  {0x858458F6, "ramfs"}, {0x794C7630, "overlay"}, {0x65735546, "fuse"},
    {0x2FC12FC1, "zfs"},    {0xFF534D42, "cifs"},  {0xFE534D42, "smb2"},    {0x5346414F, "afs"},
    {0x01021997, "9p"},     {0xAAD7AAEA, "panfs"},
};

static const char *find_type(const char *directory) {
  struct statfs about;
  if (statfs(directory, &about)) return "unknown";
  const unsigned long magic = (unsigned long)about.f_type & 0xFFFFFFFFUL;
  for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; ++i)
    if (file_systems[i].magic == magic) return file_systems[i].name;
  return "unknown";
}

static void inspect_room(const char *directory, machine_report *report) {
  const double least = 100e6; /* bytes */
  const char *type = find_type(directory);
  struct statvfs about;
  machine_say(report, "directory", "file system", "%s", type);
  if (strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0)
    machine_advise(report, MACHINE_NOTE, "in memory: what is there is gone when the node restarts");
  if (statvfs(directory, &about)) return;
  const double room = (double)about.f_bavail * (double)about.f_frsize;
  machine_say(report, "directory", "free", "%.1f GB", room / 1e9);
  if (room < least) machine_advise(report, MACHINE_CHANGE, "too little for a campaign: make room");
  if (about.f_files > 0 && about.f_favail < 1000) {
    machine_say(report, "directory", "free files", "%lu", (unsigned long)about.f_favail);
    machine_advise(report, MACHINE_CHANGE, "every evaluation needs a few files: make room");
  }
}

/* Least, of some, of the seconds in which a record of a journal is safe. */
static gannet_err time_sync(const char *path, double *seconds) {
  static const char record[512] = "";
  int failed = 0;
  int descriptor = -1;
  GANNET_TRY(gannet_file_create(path, 0600, &descriptor));
  for (int i = 0; i < 5 && !failed; ++i) {
    const double start = gannet_clock_seconds();
    failed = write(descriptor, record, sizeof record) != (ssize_t)sizeof record ||
             fdatasync(descriptor) != 0;
    const double time = gannet_clock_seconds() - start;
    if (i == 0 || time < *seconds) *seconds = time;
  }
  const gannet_err err = failed ? gannet_raise_errno("write", path) : GANNET_OK;
  (void)close(descriptor);
  return err;
}

static void inspect_sync(const char *path, machine_report *report) {
  double seconds = 0;
  if (time_sync(path, &seconds) != GANNET_OK) {
    machine_say(report, "directory", "writing", "fails");
    machine_advise(report, MACHINE_CHANGE, "%s", gannet_error_message());
    gannet_error_clear();
    return;
  }
  machine_say(report, "directory", "sync", "%.2f ms", 1e3 * seconds);
  if (seconds > 1)
    machine_advise(report, MACHINE_CHANGE,
                   "every batch waits for one: put the campaign on another file system");
  else if (seconds > 0.1)
    machine_advise(report, MACHINE_NOTE,
                   "every batch waits for one; matters for simulations of seconds only");
}

/* Whether a lock keeps out a second owner: another one of this process, or a rank elsewhere. */
typedef enum { LOCK_KEEPS, LOCK_BY_NAME, LOCK_IGNORED, LOCK_FAILS, LOCK_UNSEEN } lock_outcome;

static lock_outcome try_lock(const char *path) {
  gannet_lock second = {.descriptor = -1};
  if (access(path, F_OK)) return LOCK_UNSEEN;
  const gannet_err err = gannet_lock_acquire(path, &second);
  const bool by_name = second.by_name;
  gannet_lock_release(path, &second);
  gannet_error_clear();
  if (err == GANNET_ERR_BUSY) return LOCK_KEEPS;
  return err != GANNET_OK ? LOCK_FAILS : by_name ? LOCK_BY_NAME : LOCK_IGNORED;
}

/* Rank 0 holds the lock while it and the first rank of every other node try to take it. */
static gannet_err compare_nodes(const machine_request *request, const char *path, int *mine,
                                int *worst_elsewhere) {
  MPI_Comm near = MPI_COMM_NULL;
  int here = 0, near_zero = 0, outcome = 0;
  GANNET_TRY_MPI(MPI_Comm_split_type(request->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
  const int failed = MPI_Comm_rank(near, &here);
  near_zero = request->rank == 0;
  const int shared =
      failed ? failed : MPI_Allreduce(MPI_IN_PLACE, &near_zero, 1, MPI_INT, MPI_MAX, near);
  (void)MPI_Comm_free(&near);
  GANNET_TRY_MPI(shared);
  gannet_lock first = {.descriptor = -1};
  if (request->rank == 0) {
    if (gannet_lock_acquire(path, &first) != GANNET_OK) gannet_error_clear();
    *mine = first.descriptor < 0 ? LOCK_FAILS : first.by_name ? LOCK_BY_NAME : try_lock(path);
  }
  GANNET_TRY_MPI(MPI_Barrier(request->comm));
  if (!near_zero && here == 0) outcome = (int)try_lock(path);
  GANNET_TRY_MPI(MPI_Allreduce(&outcome, worst_elsewhere, 1, MPI_INT, MPI_MAX, request->comm));
  gannet_lock_release(path, &first);
  return GANNET_OK;
}

static void inspect_locks(int nodes, int here, int elsewhere, machine_report *report) {
  static const char *const words[] = {"work", "not here, a file does instead", "do not work",
                                      "fail", "are not seen"};
  if (nodes > 1)
    machine_say(report, "directory", "locks", "%s on this node, %s on others", words[here],
                words[elsewhere]);
  else
    machine_say(report, "directory", "locks", "%s", words[here]);
  if (elsewhere == LOCK_UNSEEN)
    machine_advise(report, MACHINE_CHANGE,
                   "not every node sees this directory: put the campaign on a shared file system");
  else if (here == LOCK_BY_NAME && elsewhere <= LOCK_BY_NAME)
    machine_advise(report, MACHINE_NOTE,
                   "a gannet that is killed on another node leaves its journal.lock.owner behind, "
                   "which is to be removed by hand: mount with flock (Lustre: -o flock)");
  else if (here != LOCK_KEEPS || elsewhere != LOCK_KEEPS)
    machine_advise(report, MACHINE_CHANGE,
                   "nothing keeps two gannets from one campaign: mount with flock (Lustre: -o "
                   "flock, NFS: without nolock), or take care yourself");
}

gannet_err machine_inspect_storage(const machine_request *request, machine_report *report) {
  char name[64], path[PATH_MAX];
  int here = 0, elsewhere = 0, nodes[2] = {(int)getpid(), 0};
  machine_layout layout;
  GANNET_TRY_MPI(MPI_Bcast(nodes, 1, MPI_INT, 0, request->comm));
  (void)snprintf(name, sizeof name, ".gannet-doctor-%d", nodes[0]);
  GANNET_TRY(gannet_join_path(request->directory, name, path, sizeof path));
  GANNET_TRY(machine_find_layout(request->comm, &layout));
  if (request->rank == 0) {
    inspect_room(request->directory, report);
    inspect_sync(path, report);
  }
  GANNET_TRY(compare_nodes(request, path, &here, &elsewhere));
  if (request->rank > 0) return GANNET_OK;
  if (access(path, F_OK) == 0) inspect_locks(layout.nodes, here, elsewhere, report);
  (void)unlink(path);
  return GANNET_OK;
}
