#!/usr/bin/env python3
"""A cooling fin: heat that leaves one metre of its base, by finite volumes along its length."""
import sys

CONDUCTIVITY = 200.0  # W/(m K), aluminium
FILM = 50.0           # W/(m^2 K), to the air
EXCESS = 60.0         # K, base above air
CELLS = 2000


def heat_of(length, thickness):
    """k t T'' = 2 h T, T(0) = EXCESS, no heat through the tip; W per metre of width."""
    dx = length / CELLS
    conduct, lose = CONDUCTIVITY * thickness / dx, 2 * FILM * dx
    temperature, flux = 1.0, lose  # the cell at the tip, if it were 1 K warmer than the air
    for _ in range(CELLS - 1):
        temperature += flux / conduct
        flux += lose * temperature
    base = temperature + flux / (2 * conduct)
    return flux * EXCESS / base


params, results = sys.argv[1:3]
with open(params) as file:
    x = {name: float(value) for name, value in (line.split() for line in file)}
with open(results, "w") as file:
    print("objective", repr(float(heat_of(x["length"], x["thickness"]))), file=file)
    print("area", repr(x["length"] * x["thickness"] * 1e6), file=file)  # mm^2 of the profile
