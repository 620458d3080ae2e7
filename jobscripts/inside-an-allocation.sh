#!/bin/bash
# gannet and the simulations share one allocation (backend: command). Every simulation is a step with
# its own processors. In the campaign file:
#   evaluate:
#     backend: command
#     command: [srun, --exact, --ntasks=8, "{input_directory}/simulate", "{params}", "{results}"]
#     parallel: 16        # 16 steps of 8 tasks fill 128 processors
#
#   sbatch --nodes=4 --ntasks=128 --ntasks-per-node=32 inside-an-allocation.sh CAMPAIGN.yaml
#
# RANKS is the number of ranks that propose points; they sleep while simulations run. GANNET is the
# program to start instead of gannet.
#SBATCH --job-name=gannet
#SBATCH --ntasks=2
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gannet-%j.log
campaign=${1:?CAMPAIGN.yaml is missing}
ranks=${RANKS:-1}

# One rank needs no launcher. mpirun starts more of them without occupying a step's processors.
launch=()
[ "$ranks" = 1 ] || launch=(mpirun -n "$ranks")

said=$("${launch[@]}" "${GANNET:-gannet}" run --resume "$campaign")
code=$?
echo "$said"
case $said in *"reason: the file STOP"*) exit $code ;; esac # somebody wants it to end
[ $code != 75 ] || exec scontrol requeue "$SLURM_JOB_ID" # 75: stopped, and can be resumed
exit $code
