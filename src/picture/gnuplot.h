/* Pictures in files, drawn by gnuplot. Data and commands are written in any case, so that a picture
 * can be drawn on another machine, or changed by hand for a paper.
 *
 *   NAME.dat  numbers, a column each
 *   NAME.gp   the drawing as gnuplot's commands
 *   NAME.svg  and other formats, where gnuplot is installed
 */
#ifndef GANNET_PICTURE_GNUPLOT_H
#define GANNET_PICTURE_GNUPLOT_H

#include <stdio.h>

#include "evaluate/command/tool.h"

enum { PICTURE_COLORS = 12 };

/* Told apart also by people who see colours differently (Okabe and Ito 2008), then darker ones. */
extern const char *const picture_colors[PICTURE_COLORS];

/* A blank and a number, or what gnuplot leaves out for one that is not finite.
 *
 * Local.
 */
void picture_put_number(FILE *out, double value);

/* Text between the quotes of a command, whatever is in it.
 *
 * Local.
 */
void picture_put_text(FILE *out, const char *text);

/* The same for the label of a tick, which gnuplot reads as a format: '%' is doubled. Local. */
void picture_put_tick(FILE *out, const char *text);

/* Have gnuplot carry out a file of commands in the directory of the pictures.
 *
 * Local.
 *
 * launcher  in   NULL = no program can be run
 * commands  in   name of the file there
 * end       out  how gnuplot ended
 *
 * Errors: those of the launcher.
 */
GANNET_CHECKED gannet_err picture_draw(gannet_launcher *launcher, const char *directory,
                                       const char *commands, gannet_tool_end *end);

#endif
