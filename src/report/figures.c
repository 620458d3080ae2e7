/* The pictures of a report as data and commands for gnuplot. */
#include "report/figure.h"

const report_figure report_figures[] = {
    {"front", figure_draw_front, FIGURE_OF_CAMPAIGN},
    {"hypervolume", figure_draw_hypervolume, FIGURE_OF_CAMPAIGN},
    {"best", figure_draw_best, FIGURE_OF_CAMPAIGN},
    {"best-time", figure_draw_best_time, FIGURE_OF_CAMPAIGN},
    {"importance", figure_draw_importance, FIGURE_OF_CAMPAIGN},
    {"slices", figure_draw_slices, FIGURE_OF_QUANTITY},
    {"partial", figure_draw_partial, FIGURE_OF_QUANTITY},
    {"map", figure_draw_map, FIGURE_OF_QUANTITY},
    {"parallel", figure_draw_parallel, FIGURE_OF_OBJECTIVE},
    {"projection", figure_draw_projection, FIGURE_OF_OBJECTIVE},
    {"constraints", figure_draw_constraints, FIGURE_OF_CAMPAIGN},
    {"timeline", figure_draw_timeline, FIGURE_OF_CAMPAIGN},
    {"slots", figure_draw_use, FIGURE_OF_CAMPAIGN},
    {"batches", figure_draw_batches, FIGURE_OF_CAMPAIGN},
    {"calibration", figure_draw_calibration, FIGURE_OF_OBJECTIVE},
    {"coverage", figure_draw_coverage, FIGURE_OF_OBJECTIVE}};
_Static_assert(sizeof report_figures / sizeof *report_figures == REPORT_FIGURES, "all figures");
