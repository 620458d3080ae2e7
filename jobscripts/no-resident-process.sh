#!/bin/bash
# No resident process (backend: slurm). Each call of gannet step reads the new results, proposes
# points, submits an array, and submits this script again, to run when the array has ended. This
# continues until the budget of the campaign is spent. In the campaign file:
#   evaluate:
#     backend: slurm
#     submit: array
#
#   sbatch no-resident-process.sh CAMPAIGN.yaml
#
# Write options for sbatch into this script, because only its own lines apply to all steps. RANKS is
# the number of ranks that propose points. GANNET is the program to start instead of gannet.
#SBATCH --job-name=gannet
#SBATCH --ntasks=1
#SBATCH --time=1:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gannet-%j.log
campaign=${1:?CAMPAIGN.yaml is missing}
ranks=${RANKS:-1}

# One rank needs no launcher.
launch=()
[ "$ranks" = 1 ] || launch=(mpirun -n "$ranks")

"${launch[@]}" "${GANNET:-gannet}" step --resubmit "$0" "$campaign"
code=$?
case $code in
  75) exit 0 ;;                     # the campaign goes on in the job that was submitted
  0 | 2 | 3 | 4 | 5) exit $code ;; # finished, or an error that another run cannot correct
esac
# Killed, or a file system that is full for a while: begin again. What was done is not done twice.
[ "${SLURM_RESTART_COUNT:-0}" -ge 5 ] || exec scontrol requeue "$SLURM_JOB_ID"
exit $code
