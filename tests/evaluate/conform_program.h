/* The simulation of the conformance suite as a program of its own. */
#ifndef GANNET_TESTS_CONFORM_PROGRAM_H
#define GANNET_TESTS_CONFORM_PROGRAM_H

#include "conform_evaluator.h"
#include "processes.h"

/* Reads params.in like a Fortran program would. */
static const char conform_source[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "int main(int n, char **v) {\n"
    "  char vent[9], solver[99]; double x, fins; int k;\n"
    "  FILE *in = fopen(\"params.in\", \"r\");\n"
    "  if (n != 3 || strcmp(v[1], getenv(\"GANNET_PARAMS\"))) return 1;\n"
    "  if (!in || fscanf(in, \"x %lf fins %lf vent %8s solver %98[^\\n]\", &x, &fins, vent,"
    " solver) != 4) return 2;\n"
    "  FILE *out = fopen(v[2], \"w\");\n"
    "  if (!strcmp(solver, \"none\")) { fprintf(out, \"fail no solver\\n\"); return 0; }\n"
    "  k = strcmp(solver, \"cg\") != 0;\n"
    "  if (k && strcmp(solver, \"a \\\"b\\\" $(rm x) 'c'\")) return 3;\n"
    "  fprintf(out, \"objective %.17g\\nstress %.17g\\n\","
    " x * x + 0.25 * fins + 2 * !strcmp(vent, \"true\") + 4 * k, fins - x);\n"
    "  if (!strcmp(vent, \"true\")) fprintf(out, \"mass %.17g +- 0.5\\n\", 3 * fins);\n"
    "  return fclose(out);\n}\n";

/* Make directory/bowl; called as bowl PARAMS RESULTS. */
static inline void conform_program(const char *directory) {
  char command[1000];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) write_file(directory, "bowl.c", conform_source, 0644);
  (void)snprintf(command, sizeof command, "cd '%s' && cc -ffp-contract=off -o bowl bowl.c",
                 directory);
  conform_shell(command);
}

#endif
