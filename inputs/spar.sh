#!/bin/sh
# The simulation of spar.yaml: a wing spar of five boxes of one length, by Euler-Bernoulli's beam. It is held at the
# root; the lift is the same all along. Heights h1 (at the root) to h5 in mm; mass in kg, deflection of the tip in mm,
# largest bending stress in MPa.
awk '
  { value[$1] = $2 }
  END {
    length_ = 5; width = 0.08; lift = 1200; modulus = 70e9; density = 2700   # m, m, N/m, Pa, kg/m3
    for (i = 1; i <= 5; ++i) {
      height = value["h" i] / 1000
      outer = length_ * (1 - (i - 1) / 5); inner = length_ * (1 - i / 5)     # distances from the tip
      inertia = width * height ^ 3 / 12
      mass += density * width * height * length_ / 5
      deflection += lift * (outer ^ 4 - inner ^ 4) / (8 * modulus * inertia)
      bent = lift * outer ^ 2 / 2 * height / (2 * inertia)
      if (bent > stress) stress = bent
    }
    printf "mass %.12g\ndeflection %.12g\nstress %.12g\n", mass, 1000 * deflection, stress / 1e6
  }' "${1:-params.in}" > results.part
mv results.part "${2:-results.out}"
