#include "picture/gnuplot.h"

#include <math.h>

const char *const picture_colors[PICTURE_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                    "#e69f00", "#56b4e9", "#000000", "#6a3d9a",
                                                    "#8c564b", "#b2a800", "#7f7f7f", "#b22222"};

void picture_put_number(FILE *out, double value) {
  if (isfinite(value))
    (void)fprintf(out, " %.12g", value);
  else
    (void)fputs(" NaN", out);
}

void picture_put_text(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '\'') (void)fputc('\'', out);
    (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
}

void picture_put_tick(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '\'' || *text == '%') (void)fputc(*text, out);
    (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
}

gannet_err picture_draw(gannet_launcher *launcher, const char *directory, const char *commands,
                        gannet_tool_end *end) {
  const char *const words[] = {"gnuplot", commands, NULL};
  return gannet_tool_run(launcher, words, ".", directory, end);
}
