#!/usr/bin/env python3
"""Ranks that share a processor have the rate of one between them. Nothing else runs meanwhile: beside other work three
ranks have a larger share of the processor than one.

  check_shared.py PROGRAM MPIRUN
"""
import os

from program import cells, run

words = "peak", "--size", "512", "--n", "50", "--elements", "1000", "--seconds", "0.2"
processor = {min(os.sched_getaffinity(0))}
here = {"preexec_fn": lambda: os.sched_setaffinity(0, processor),
        "env": dict(os.environ, OMPI_MCA_hwloc_base_binding_policy="none")}
for what in ("DGEMM 512 x 512 x 512 (large)", "DGEMM 512 x 21 x 50 (inner products with the data)"):
    seen = []
    for _ in range(5):  # a virtual machine may stand still in one of them; a rate that is counted thrice is so in each
        one, three = (float(cells(run(ranks, *words, **here), what)[0][1]) for ranks in (1, 3))
        seen.append((one, three))
        if three < 2 * one:
            break
    else:
        raise AssertionError((what, seen))
