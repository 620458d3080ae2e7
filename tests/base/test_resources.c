/* test: serial labels unit */
/* Limits of control groups, as schedulers and containers set them, in folders that look like those
 * of the system. */
#include <math.h>

#include "support/folder.h"

#include "base/resources.h"

/* A file with all the folders above it. */
static void put(const char *name, const char *text) {
  char path[PATH_MAX];
  (void)snprintf(path, sizeof path, "%s", in_folder(name));
  for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); ++at) {
    *at = '\0';
    assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
    *at = '/';
  }
  put_bytes(path, text, strlen(text));
}

static void expect(const char *root, double bytes, double left, double processors) {
  gannet_group group;
  gannet_group_read(in_folder(root), &group);
  assert_true(group.bytes == bytes);
  assert_true(group.bytes_left == left);
  assert_true(group.processors == processors);
}

static void nothing_is_limited_without_groups(void **state) {
  (void)state;
  expect("missing", INFINITY, INFINITY, INFINITY);
  put("free/proc/self/cgroup", "0::/user.slice\nnonsense\n:\n1:memory\n");
  put("free/sys/fs/cgroup/user.slice/memory.max", "max\n");
  put("free/sys/fs/cgroup/user.slice/memory.current", "5000\n");
  put("free/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  expect("free", INFINITY, INFINITY, INFINITY);
}

/* SLURM limits the job, and starts ranks as tasks of a step of it. */
static void a_job_limits_its_tasks(void **state) {
  (void)state;
#define JOB "slurm/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7"
  put("slurm/proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_1\n");
  put(JOB "/memory.max", "8000\n");
  put(JOB "/memory.current", "3000\n");
  put(JOB "/memory.stat", "anon 1\nfile 700\ninactive_file 500\nactive_file 200\n");
  put(JOB "/cpu.max", "150000 100000\n");
  put(JOB "/step_0/memory.max", "9000\n");
  put(JOB "/step_0/memory.current", "6000\n");
  put(JOB "/step_0/user/task_1/memory.max", "max\n");
  put(JOB "/step_0/user/task_1/cpu.max", "max 100000\n");
  expect("slurm", 8000, 3000, 1.5);
#undef JOB
}

/* The file names the group outside, the tree inside begins with it. */
static void a_container_sees_its_own_group_on_top(void **state) {
  (void)state;
  put("inside/proc/self/cgroup", "0::/docker/0123\n");
  put("inside/sys/fs/cgroup/memory.max", "1000\n");
  put("inside/sys/fs/cgroup/memory.current", "4000\n");
  put("inside/sys/fs/cgroup/cpu.max", "50000 100000\n");
  expect("inside", 1000, 0, 0.5);
}

static void version_1_has_a_tree_for_every_controller(void **state) {
  (void)state;
  put("old/proc/self/cgroup",
      "9:name=systemd:/\n4:memory:/slurm/uid_5/job_7\n3:cpu,cpuacct:/slurm\n2:cpuset:/x\n0::/\n");
  put("old/sys/fs/cgroup/memory/slurm/uid_5/job_7/memory.limit_in_bytes", "9223372036854771712\n");
  put("old/sys/fs/cgroup/memory/slurm/uid_5/memory.limit_in_bytes", "7000\n");
  put("old/sys/fs/cgroup/memory/slurm/uid_5/memory.usage_in_bytes", "2500\n");
  put("old/sys/fs/cgroup/memory/slurm/uid_5/memory.stat",
      "inactive_file 1\ntotal_inactive_file 500\n");
  put("old/sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "300000\n");
  put("old/sys/fs/cgroup/cpu/slurm/cpu.cfs_period_us", "100000\n");
  put("old/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("old/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  expect("old", 7000, 5000, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_limited_without_groups),
      cmocka_unit_test(a_job_limits_its_tasks),
      cmocka_unit_test(a_container_sees_its_own_group_on_top),
      cmocka_unit_test(version_1_has_a_tree_for_every_controller),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
