#!/bin/bash
# slurm.sh FOLDER MPI=COMPILER...: the wheel in FOLDER on a cluster: Debian 12's Slurm on two nodes, which are namespaces of
# this machine. A user other than root installs the wheel into the home that the nodes share, and does what
# slurm_jobs.sh has. Slurm and all that it starts end with this script.
# Needs what new_debian.sh needs.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/new_debian.sh"
shift
# Debian's Slurm loads PMIx by a name that is in libpmix-dev alone.
new_system slurm-wlm munge libpmix-dev iproute2 openmpi-bin mpich
for words in "$@"; do
  IFS='=' read -r mpi compiler <<< "$words"
  case $mpi in openmpi | mpich) ;; *) continue ;; esac
  "$compiler" -I"$here/../../include" "$here/program.c" -o "$home/program-$mpi" || exit 1
  "$compiler" "$here/../tools/run/ends_early.c" -o "$home/ends-$mpi" || exit 1
done
cp "$here/slurm_jobs.sh" "$here/../../examples/jobs/slurm.sh" "$home"
echo "$installed" > "$home/install.sh"

# Addresses of documentation (RFC 5737), which no other host has.
printf '%s\n' '127.0.0.1 localhost' '192.0.2.1 node1' '192.0.2.2 node2' > system/etc/hosts
# Without control groups. More CPUs than there are, so that the jobs fit.
cat > system/etc/slurm/slurm.conf << 'END'
ClusterName=concilio
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmctldPidFile=/run/slurmctld.pid
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdSpoolDir=/var/lib/slurm/%n
SlurmdPidFile=/run/slurmd.pid
SlurmdLogFile=/var/log/slurmd-%n.log
KillWait=5
NodeName=node[1-2] CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
END
echo CgroupPlugin=cgroup/v1 > system/etc/slurm/cgroup.conf
mkdir -p system/var/lib/slurm/{slurmctld,node1,node2} system/var/log/munge
chroot system chown munge: /var/log/munge

# node NUMBER COMMANDS: a node, in namespaces of its own. All nodes have the same folders but for /tmp, /run and /dev/shm.
node() {
  set -e
  hostname "node$1"
  mount -t proc proc system/proc
  mount -t sysfs sysfs system/sys
  mount --rbind /dev system/dev
  for own in tmp run dev/shm; do mount -t tmpfs tmpfs "system/$own"; done
  mkdir system/run/munge
  until ip link show eth0 > /dev/null 2>&1; do sleep 0.1; done
  ip link set lo up
  ip addr add "192.0.2.$1/24" dev eth0
  ip link set eth0 up
  exec chroot system env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -ec "
    chown munge: /run/munge
    runuser -u munge -- munged
    slurmd
    $2"
}
# cluster: both nodes, and a cable between them; the user's jobs are submitted on the first.
cluster() {
  local own=(unshare --mount --pid --fork --net --uts --ipc --kill-child)
  "${own[@]}" bash -c 'node 2 "sleep infinity"' &
  "${own[@]}" bash -c 'node 1 "slurmctld; runuser -l user -c \"bash slurm_jobs.sh '"$version"'\""' &
  local first=$! nodes=()
  # The two children's children: a node is there when its network is another than this one's.
  until [ ${#nodes[@]} = 2 ]; do
    nodes=()
    for process in $(pgrep --full '^bash -c node'); do
      if [ "$(readlink "/proc/$process/ns/net")" != "$(readlink /proc/self/ns/net)" ]; then nodes+=("$process"); fi
    done
    sleep 0.1
  done
  ip link add eth0 netns "${nodes[0]}" type veth peer name eth0 netns "${nodes[1]}"
  wait "$first"
}
export -f node cluster
export version
timeout 900 unshare --mount --pid --fork --net --mount-proc --kill-child bash -c cluster < /dev/null
status=$?
if [ $status != 0 ]; then tail -n 20 system/var/log/slurm*.log; fi
exit $status
