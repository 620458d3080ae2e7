#include "cli/opening.h"

#include "base/clock.h"

/* Two that begin the same campaign at the same time see each other only when one has begun. */
static bool is_taken(const gannet_campaign_start_options *options, gannet_err err) {
  return err == GANNET_ERR_BUSY || (err == GANNET_ERR_EXISTS && options->resume);
}

/* What holds it for long is at work on its simulations. */
static gannet_err give_up(gannet_err err, double patience) {
  char waited[32];
  if (err != GANNET_ERR_BUSY || !(patience > 0)) return err;
  gannet_format_duration(patience, waited, sizeof waited);
  return GANNET_RAISE(err, "%s (waited %s; `gannet run` keeps a campaign until it ends)",
                      gannet_error_detail(), waited);
}

gannet_err cli_open_campaign(const cli_world *world, const gannet_campaign_start_options *options,
                             double patience, gannet_complaints *complaints,
                             gannet_campaign *campaign) {
  const double pause = 0.25, silent = 3; /* seconds */
  const double start = gannet_clock_seconds();
  bool said = false;
  for (;;) {
    const gannet_err err = gannet_campaign_start(world->comm, options, complaints, campaign);
    const double waited = gannet_clock_seconds() - start;
    int again = is_taken(options, err) && waited < patience;
    GANNET_TRY_MPI(MPI_Bcast(&again, 1, MPI_INT, 0, world->comm));
    if (!again) return err == GANNET_OK ? GANNET_OK : give_up(err, patience);
    if (!said && waited >= silent && world->rank == 0)
      cli_warn("waiting: %s", gannet_error_detail());
    said = said || waited >= silent;
    gannet_campaign_close(campaign);
    gannet_error_clear();
    gannet_clock_sleep(pause);
  }
}
