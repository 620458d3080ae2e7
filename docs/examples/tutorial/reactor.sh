#!/bin/bash
# A batch reactor, A -> B -> C, both of first order: B per hour, for batches of `minutes`
# at `celsius` and half an hour between them.
set -euo pipefail
celsius=$(awk '$1 == "celsius" { print $2 }' params.in)
minutes=$(awk '$1 == "minutes" { print $2 }' params.in)

awk -v celsius="$celsius" -v minutes="$minutes" '
  function rate(factor, energy) { return factor * exp(-energy / (8.314 * (celsius + 273.15))) }
  BEGIN {
    k1 = rate(4e7, 7e4); k2 = rate(2e11, 9.5e4)             # 1/min; J/mol
    a = 1; b = 0; steps = 2000; dt = minutes / steps        # mol/l
    for (i = 0; i < steps; i++) {                           # Heun
      da = -k1 * a; db = k1 * a - k2 * b
      na = a + dt * da; nb = b + dt * db
      a += dt / 2 * (da - k1 * na); b += dt / 2 * (db + k1 * na - k2 * nb)
    }
    printf "objective %.12g\nwaste %.12g\n", 60 * b / (minutes + 30), (1 - a - b) / (1 - a)
  }' > results.part
mv results.part results.out
