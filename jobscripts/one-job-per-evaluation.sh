#!/bin/bash
# A small job that runs gannet; every simulation is a separate job (backend: slurm):
#   sbatch one-job-per-evaluation.sh CAMPAIGN.yaml
# When its wall time ends or it is preempted, it saves, leaves its jobs to SLURM, and queues itself
# again. It then reads what these jobs did. GANNET is the program to start instead of gannet.
#SBATCH --job-name=gannet
#SBATCH --ntasks=1
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gannet-%j.log
campaign=${1:?CAMPAIGN.yaml is missing}
stop=no

# In the background, because bash hears a signal only between commands.
said=$(mktemp) || exit 6
"${GANNET:-gannet}" run --resume "$campaign" >"$said" &
controller=$!
trap 'kill -TERM $controller' TERM
wait $controller
code=$?
while kill -0 $controller 2>/dev/null; do # the signal ended wait, not the controller
  wait $controller
  code=$?
done
cat "$said"
grep -q "^reason: the file STOP" "$said" && stop=yes # somebody wants it to end
rm -f "$said"
[ "$stop" != yes ] || exit $code
[ $code != 75 ] || exec scontrol requeue "$SLURM_JOB_ID" # 75: stopped, and can be resumed
exit $code
