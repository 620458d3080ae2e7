/* A terminal that is drawn over again and again, and looks as before afterwards. Plain ANSI
 * sequences, as every terminal of the last decades and every ssh, tmux and screen know them.
 *
 *   cli_terminal_enter    other screen, no cursor, keys one by one; signals are caught
 *   cli_terminal_draw, cli_terminal_wait
 *   cli_terminal_leave
 *
 * One at a time in a process, for signals belong to the process. All functions are local.
 */
#ifndef GANNET_CLI_WATCH_TERMINAL_H
#define GANNET_CLI_WATCH_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

typedef struct {
  int width, height; /* characters */
  bool has_keys;     /* stdin is a terminal, too */
  struct termios before;
} cli_terminal;

typedef enum {
  CLI_TERMINAL_IDLE,   /* the time is over */
  CLI_TERMINAL_REDRAW, /* another size, or back from a stop */
  CLI_TERMINAL_QUIT    /* q, Ctrl-C, or the terminal is gone */
} cli_terminal_event;

/* Whether stdout is a terminal that can be drawn over: TERM=dumb is not.
 *
 * Local.
 */
bool cli_terminal_is_live(void);

/* Whether colours are wanted: not with NO_COLOR, whatever its value.
 *
 * Local.
 */
bool cli_terminal_has_colors(void);

/* Whether the locale of the environment is one of UTF-8.
 *
 * Local.
 */
bool cli_terminal_has_unicode(void);

/* Width of the terminal that stdout is; 80 when nobody knows.
 *
 * Local.
 */
void cli_terminal_measure(int *width, int *height);

/* Local. */
void cli_terminal_enter(cli_terminal *terminal);
void cli_terminal_leave(cli_terminal *terminal);

/* Show a text of whole lines, none wider than the terminal; what is below its height is left out.
 *
 * Local.
 */
void cli_terminal_draw(const cli_terminal *terminal, const char *text);

/* Wait until something is to be done. Ctrl-Z stops the process with the terminal as it was before.
 *
 * Local.
 */
cli_terminal_event cli_terminal_wait(cli_terminal *terminal, double seconds);

#endif
