/* gannet watch --web: the report of a campaign as a live page, for one user and one browser at a
 * time or a few.
 *
 *   web.c          the page, and the loop between requests and looks at the files
 *   web_address.c  where it listens
 *   web_server.c   what it answers, by libmicrohttpd
 *   live.html      what the page has besides the report
 */
#ifndef GANNET_CLI_WATCH_WEB_H
#define GANNET_CLI_WATCH_WEB_H

#include "cli/watch/watch.h"

/* Serve the page until a signal comes, the directory or the socket is gone, or nobody has looked
 * for an hour at a campaign that has ended.
 *
 * Local; starts MPI, for the models of the report.
 *
 * follow    inout  open
 * course    inout  up to date
 * interval  in     seconds between two looks at the files
 * port      in     on the loopback; 0 = any that is free; -1 = a Unix socket
 *
 * Errors: those of web_address.h; GANNET_ERR_MISSING when the campaign is gone; those of
 *   gannet_follow_look.
 */
GANNET_CHECKED gannet_err watch_web(gannet_follow *follow, watch_course *course, double interval,
                                    int port);

#endif
