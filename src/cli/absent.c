/* Stand-ins for the functions and the data of libraries that a program is linked without
 * (tools/cmake/absent-symbols). A command that gets here needs a greater reach (cli/program.h). */
#include <stdlib.h>
#include <unistd.h>

void gannet_absent_function(void);
extern char gannet_absent_data[];

/* Every object of a library has an address of its own, as code that compares handles expects. */
char gannet_absent_data[65536];

void gannet_absent_function(void) {
  static const char text[] =
      "gannet: internal error: a query called a function of a library that it is linked without; "
      "please report the command\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  abort();
}
