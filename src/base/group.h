/* What the control groups (cgroups) of Linux leave to this process. */
#ifndef GANNET_BASE_GROUP_H
#define GANNET_BASE_GROUP_H

/* INFINITY where nothing is limited. */
typedef struct {
  double bytes;      /* of memory, of all processes in the group that has the fewest */
  double bytes_left; /* that may still be taken, of the group that has the fewest left */
  double processors; /* on average */
} gannet_group;

/* A group may use what all groups around it may, too: schedulers limit a job, and start its
 * processes in groups of its steps and tasks. Versions 1 and 2.
 *
 * Local.
 *
 * root  in  where proc and sys/fs/cgroup are: "" but in tests
 */
void gannet_group_read(const char *root, gannet_group *group);

#endif
