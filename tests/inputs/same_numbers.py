"""The heater gives the same numbers inside the job and as a program of its own, with the same BLAS kernels: those
that gannet chooses for itself are not its simulations'.

  same_numbers.py GANNET MPIRUN INPUTS HEATER_PROGRAM
"""
import os
import subprocess
import sys
import tempfile


def digest(gannet, mpirun, campaign, place, arguments):
    subprocess.run([mpirun, "2", gannet, "run", campaign, "--directory", place, "--quiet",
                    "--max-evals", "16", *arguments], check=True, capture_output=True,
                   env=dict(os.environ, GANNET_KEEP_BLAS="1"))
    lines = subprocess.run([gannet, "verify", place], check=True, capture_output=True, text=True).stdout
    return lines.split("digest ")[1].strip()


def main():
    gannet, mpirun, inputs, program = sys.argv[1:]
    command = f'evaluate.command=["{program}", "{{params}}", "{{results}}", ' \
              '--resolution, 64, --energy_weight, 0.001, --fin_cost, 0.1]'
    with tempfile.TemporaryDirectory() as folder:
        inside = digest(gannet, mpirun, inputs + "/heater.yaml", folder + "/inside", [])
        outside = digest(gannet, mpirun, inputs + "/heater-command.yaml", folder + "/outside",
                         ["--set", command])
    if inside != outside:
        sys.exit(f"inside the job {inside}, as a program {outside}")


if __name__ == "__main__":
    main()
