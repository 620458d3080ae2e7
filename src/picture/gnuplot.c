#include "picture/gnuplot.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"

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

gannet_err picture_write(const char *directory, const char *name, picture_putter put,
                         const void *user) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  FILE *out = open_memstream(&text, &size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "%s", path);
  gannet_err err = put(out, user);
  if (fclose(out) && err == GANNET_OK) err = GANNET_RAISE(GANNET_ERR_MEMORY, "%s", path);
  if (err == GANNET_OK) err = gannet_file_put(path, text, size);
  free(text);
  return err;
}

gannet_err picture_draw(gannet_launcher *launcher, const char *directory, const char *commands,
                        gannet_tool_end *end) {
  const char *const words[] = {"gnuplot", commands, NULL};
  return gannet_tool_run(launcher, words, ".", directory, end);
}
