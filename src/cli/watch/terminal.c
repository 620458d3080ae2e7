#include "cli/watch/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <unistd.h>

static const char enter_codes[] = "\033[?1049h\033[?25l\033[?7l"; /* screen, cursor, no wrapping */
static const char leave_codes[] = "\033[?7h\033[?25h\033[?1049l";

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};
enum { CAUGHT = sizeof caught / sizeof *caught };

/* Signals belong to the process, so these are not members of a terminal. */
static volatile sig_atomic_t wants_end, wants_redraw, wants_stop;

static void note_signal(int number) {
  if (number == SIGWINCH)
    wants_redraw = 1;
  else if (number == SIGTSTP)
    wants_stop = 1;
  else
    wants_end = 1;
}

static void write_codes(const char *text, size_t size) {
  while (size > 0) {
    const ssize_t done = write(STDOUT_FILENO, text, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      wants_end = 1; /* nobody is there to look */
      return;
    }
    text += done;
    size -= (size_t)done;
  }
}

bool cli_terminal_is_live(void) {
  const char *term = getenv("TERM");
  return isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool cli_terminal_has_colors(void) {
  const char *no = getenv("NO_COLOR");
  return !(no && no[0]);
}

bool cli_terminal_has_unicode(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; ++i) {
    const char *value = getenv(names[i]);
    if (value && value[0])
      return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
  }
  return false;
}

void cli_terminal_measure(int *width, int *height) {
  struct winsize size;
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  *width = known ? size.ws_col : 80;
  *height = known && size.ws_row > 0 ? size.ws_row : 24;
}

/* Catch signals, or stop catching them. They are blocked but in cli_terminal_wait, so that none is
 * lost between reading the flags above and waiting. */
static void catch_signals(bool now) {
  struct sigaction action = {.sa_handler = now ? note_signal : SIG_DFL};
  sigset_t set;
  (void)sigemptyset(&set);
  (void)sigemptyset(&action.sa_mask);
  for (int i = 0; i < CAUGHT; ++i) {
    (void)sigaddset(&set, caught[i]);
    (void)sigaction(caught[i], &action, NULL);
  }
  (void)sigprocmask(now ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void cli_terminal_enter(cli_terminal *terminal) {
  struct termios keys;
  memset(terminal, 0, sizeof *terminal);
  wants_end = wants_redraw = wants_stop = 0;
  cli_terminal_measure(&terminal->width, &terminal->height);
  terminal->has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &terminal->before) == 0;
  catch_signals(true);
  if (terminal->has_keys) {
    keys = terminal->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
  }
  write_codes(enter_codes, sizeof enter_codes - 1);
}

void cli_terminal_leave(cli_terminal *terminal) {
  write_codes(leave_codes, sizeof leave_codes - 1);
  if (terminal->has_keys) (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->before);
  catch_signals(false);
}

void cli_terminal_draw(const cli_terminal *terminal, const char *text) {
  char *frame = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&frame, &size);
  if (!out) return;
  (void)fputs("\033[H", out);
  for (int line = 0; *text && line < terminal->height; ++line) {
    const char *end = strchr(text, '\n');
    const int length = end ? (int)(end - text) : (int)strlen(text);
    (void)fprintf(out, "%s%.*s\033[K", line ? "\r\n" : "", length, text);
    text += length + (end ? 1 : 0);
  }
  (void)fputs("\033[J", out);
  if (fclose(out) == 0) write_codes(frame, size);
  free(frame);
}

/* Called when there is something to read: nothing then means that the terminal is gone. */
static bool has_quit_key(void) {
  char keys[64];
  const ssize_t got = read(STDIN_FILENO, keys, sizeof keys);
  bool quit = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
  for (ssize_t i = 0; i < got; ++i) quit = quit || keys[i] == 'q' || keys[i] == 'Q';
  return quit;
}

cli_terminal_event cli_terminal_wait(cli_terminal *terminal, double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds};
  sigset_t none;
  fd_set set;
  FD_ZERO(&set);
  if (terminal->has_keys) FD_SET(STDIN_FILENO, &set);
  left.tv_nsec = (long)(1e9 * (seconds - (double)left.tv_sec));
  (void)sigprocmask(SIG_SETMASK, NULL, &none);
  for (int i = 0; i < CAUGHT; ++i) (void)sigdelset(&none, caught[i]);
  const int ready = wants_end ? 0 : pselect(terminal->has_keys, &set, NULL, NULL, &left, &none);
  if (ready > 0 && has_quit_key()) wants_end = 1;
  if (wants_end) return CLI_TERMINAL_QUIT;
  const bool redraw = wants_redraw || wants_stop;
  if (wants_stop) { /* like any other program: the terminal is as before while the process stands */
    cli_terminal_leave(terminal);
    (void)raise(SIGSTOP);
    cli_terminal_enter(terminal);
  }
  if (redraw) cli_terminal_measure(&terminal->width, &terminal->height);
  wants_redraw = 0;
  return redraw || ready > 0 ? CLI_TERMINAL_REDRAW : CLI_TERMINAL_IDLE;
}
