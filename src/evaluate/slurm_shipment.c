/* What one call of sbatch takes: one evaluation, several in a job, an array of either. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "evaluate/slurm.h"

static gannet_err make(gannet_slurm_jobs *jobs, const char *name, const char *directory,
                       gannet_slurm_shipment **shipment) {
  if (jobs->n_shipments == jobs->shipment_capacity) {
    const int larger = 2 * jobs->shipment_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)jobs->shipment_capacity, (size_t)larger,
                             sizeof(gannet_slurm_shipment *), &jobs->shipments));
    jobs->shipment_capacity = larger;
  }
  gannet_slurm_shipment *made = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  (void)snprintf(made->name, sizeof made->name, "%s", name);
  (void)snprintf(made->directory, sizeof made->directory, "%s", directory);
  made->first_try = made->next_try = gannet_clock_seconds();
  made->pause = jobs->options->poll_interval;
  made->runs = 1;
  jobs->shipments[jobs->n_shipments++] = made;
  *shipment = made;
  return GANNET_OK;
}

void gannet_slurm_shipment_release(gannet_slurm_shipment **shipment) {
  gannet_text_list_release(&(*shipment)->environment);
  gannet_free(shipment);
}

void gannet_slurm_sweep(gannet_slurm_jobs *jobs) {
  int n = 0;
  for (int i = 0; i < jobs->n_shipments; ++i) {
    if (jobs->shipments[i]->n_open > 0)
      jobs->shipments[n++] = jobs->shipments[i];
    else
      gannet_slurm_shipment_release(&jobs->shipments[i]);
  }
  jobs->n_shipments = n;
}

bool gannet_slurm_is_shared(const gannet_slurm_job *job) {
  return job->shipment->runs > 1;
}

/* The id of an evaluation's job: of an array that of its element. */
static void set_job(gannet_slurm_job *job) {
  const char *id = job->shipment->job;
  char *own = job->known.job;
  if (job->element < 0)
    (void)snprintf(own, sizeof job->known.job, "%s", id);
  else
    (void)snprintf(own, sizeof job->known.job, "%.20s_%d", id, job->element);
}

/* Which of several evaluations are packed together. */
typedef struct {
  int n;
  const gannet_request *requests;
  bool is_array;
} group;

/* What does not share a job and is no array has all in its own directory. */
static gannet_err pack_single(gannet_slurm_jobs *jobs, const gannet_request *request) {
  gannet_slurm_job *job = NULL;
  char name[GANNET_SLURM_NAME];
  GANNET_TRY(gannet_slurm_add(jobs, request, &job));
  gannet_slurm_job_name(jobs->campaign, request->id, request->nonce, name);
  GANNET_TRY(make(jobs, name, job->flight.directory, &job->shipment));
  job->shipment->is_single = true;
  GANNET_TRY(gannet_slurm_script_write(&jobs->program, jobs->options, request, &job->flight, NULL,
                                       &job->shipment->environment));
  job->shipment->n_open = 1;
  jobs->n += 1;
  return GANNET_OK;
}

static gannet_err pack_part(gannet_slurm_jobs *jobs, const group *g, int i,
                            gannet_slurm_shipment *shipment) {
  gannet_slurm_job *job = NULL;
  gannet_contract_place place = {.element = g->is_array ? i / jobs->options->runs_per_job : -1,
                                 .runs = shipment->runs};
  (void)snprintf(place.shipment, sizeof place.shipment, "%s", shipment->name);
  GANNET_TRY(gannet_slurm_add(jobs, &g->requests[i], &job));
  job->shipment = shipment;
  job->element = place.element;
  gannet_text_list written = {0}; /* into the script of the run */
  const gannet_err err = gannet_slurm_script_write(&jobs->program, jobs->options, &g->requests[i],
                                                   &job->flight, &place, &written);
  gannet_text_list_release(&written);
  GANNET_TRY(err);
  shipment->n_open += 1;
  jobs->n += 1;
  return GANNET_OK;
}

static gannet_err write_script(gannet_slurm_jobs *jobs, const group *g,
                               const gannet_slurm_shipment *shipment) {
  const gannet_slurm_job *first = &jobs->jobs[jobs->n - g->n];
  gannet_slurm_part *parts = NULL;
  GANNET_TRY(gannet_alloc((size_t)g->n, sizeof *parts, &parts));
  for (int i = 0; i < g->n; ++i)
    parts[i] = (gannet_slurm_part){first[i].flight.directory, first[i].flight.nonce};
  const gannet_err err =
      gannet_slurm_script_ship(&jobs->program, jobs->options, g->n, parts, shipment->directory);
  gannet_free(&parts);
  return err;
}

static gannet_err pack_group(gannet_slurm_jobs *jobs, const group *g) {
  const int runs = jobs->options->runs_per_job;
  gannet_slurm_shipment *shipment = NULL;
  char name[GANNET_SLURM_NAME], directory[PATH_MAX];
  if (g->n == 1) return pack_single(jobs, g->requests);
  gannet_slurm_job_name(jobs->campaign, g->requests[0].id, g->requests[0].nonce, name);
  GANNET_TRY(gannet_join_path(jobs->place, name, directory, sizeof directory));
  GANNET_TRY(gannet_make_lasting_directory(directory));
  GANNET_TRY(make(jobs, name, directory, &shipment));
  shipment->runs = runs;
  shipment->n_elements = g->is_array ? (g->n + runs - 1) / runs : 0;
  for (int i = 0; i < g->n; ++i) GANNET_TRY(pack_part(jobs, g, i, shipment));
  return write_script(jobs, g, shipment);
}

/* Asked once, and only when an array would be larger than any cluster refuses. */
static gannet_err find_largest_array(gannet_slurm_jobs *jobs) {
  if (jobs->largest_array > 0) return GANNET_OK;
  jobs->largest_array = jobs->options->array_size;
  if (jobs->largest_array == GANNET_AUTO)
    GANNET_TRY(gannet_slurm_client_array_size(jobs->client, &jobs->largest_array));
  return GANNET_OK;
}

static gannet_err pack_all(gannet_slurm_jobs *jobs, int n, const gannet_request *requests) {
  const int runs = jobs->options->runs_per_job;
  const bool arrays = jobs->options->submit == GANNET_SLURM_ARRAYS;
  int size = runs;
  if (arrays && n > runs) {
    GANNET_TRY(find_largest_array(jobs));
    const int64_t most = (int64_t)runs * jobs->largest_array;
    size = most < n ? (int)most : n;
  }
  for (int at = 0; at < n; at += size) {
    const int left = n - at, take = left < size ? left : size;
    const group g = {take, requests + at, arrays && take > runs};
    GANNET_TRY(pack_group(jobs, &g));
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_pack(gannet_slurm_jobs *jobs, int n, const gannet_request *requests) {
  const int before = jobs->n, shipments = jobs->n_shipments;
  gannet_request *fitting = NULL;
  int n_fitting = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *fitting, &fitting));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_try(&jobs->program, jobs->context, &requests[i], &jobs->ready, &fits);
    if (fits) fitting[n_fitting++] = requests[i];
  }
  if (err == GANNET_OK) err = pack_all(jobs, n_fitting, fitting);
  gannet_free(&fitting);
  if (err == GANNET_OK) return GANNET_OK;
  jobs->n = before; /* none of them was submitted */
  while (jobs->n_shipments > shipments)
    gannet_slurm_shipment_release(&jobs->shipments[--jobs->n_shipments]);
  return err;
}

/* CAMPAIGN/slurm/NAME/job has the id of a shipment that sbatch accepted. */
static gannet_err id_path(const gannet_slurm_shipment *shipment, char *path) {
  return gannet_join_path(shipment->directory, "job", path, PATH_MAX);
}

static gannet_err write_down(gannet_slurm_jobs *jobs, const gannet_slurm_shipment *shipment) {
  char path[PATH_MAX], text[GANNET_SLURM_ID + 2];
  if (!shipment->is_single) {
    GANNET_TRY(id_path(shipment, path));
    const int size = snprintf(text, sizeof text, "%s\n", shipment->job);
    return gannet_file_replace(path, text, (size_t)size);
  }
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (job->shipment != shipment) continue;
    const gannet_contract_attempt attempt = {.attempt = job->flight.attempt,
                                             .nonce = job->flight.nonce,
                                             .started = gannet_clock_epoch(),
                                             .slot = job->flight.slot,
                                             .submitted = job->flight.submitted,
                                             .job = shipment->job,
                                             .durable = true};
    return gannet_contract_mark(job->flight.directory, &attempt);
  }
  return GANNET_OK;
}

void gannet_slurm_adopt(gannet_slurm_jobs *jobs, gannet_slurm_shipment *shipment, const char *id) {
  (void)snprintf(shipment->job, sizeof shipment->job, "%.*s", (int)strcspn(id, "_"), id);
  shipment->stage = GANNET_SLURM_KNOWN;
  for (int i = 0; i < jobs->n; ++i)
    if (jobs->jobs[i].shipment == shipment) {
      set_job(&jobs->jobs[i]);
      jobs->jobs[i].is_left = true;
    }
  if (write_down(jobs, shipment) == GANNET_OK) return;
  gannet_log(jobs->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
  gannet_error_clear(); /* found by name after a crash all the same */
}

static gannet_slurm_shipment *find_shipment(const gannet_slurm_jobs *jobs, const char *name) {
  for (int i = 0; i < jobs->n_shipments; ++i)
    if (strcmp(jobs->shipments[i]->name, name) == 0) return jobs->shipments[i];
  return NULL;
}

/* "" when it was never accepted, or when nobody knows. */
static void read_id(gannet_slurm_shipment *shipment) {
  char path[PATH_MAX], *text = NULL;
  if (id_path(shipment, path) == GANNET_OK && gannet_file_read(path, &text, NULL) == GANNET_OK)
    (void)snprintf(shipment->job, sizeof shipment->job, "%.*s", (int)strspn(text, "0123456789"),
                   text);
  gannet_error_clear();
  gannet_free(&text);
}

/* Of an earlier process: what has no script was never submitted. */
static gannet_slurm_stage stage_of(const gannet_slurm_shipment *shipment) {
  char path[PATH_MAX];
  if (shipment->job[0]) return GANNET_SLURM_KNOWN;
  const bool has_script =
      gannet_join_path(shipment->directory, "job.sh", path, sizeof path) == GANNET_OK &&
      access(path, F_OK) == 0;
  return has_script ? GANNET_SLURM_TO_FIND : GANNET_SLURM_GONE;
}

static gannet_err reopen(gannet_slurm_jobs *jobs, const gannet_contract_place *place,
                         gannet_slurm_shipment **shipment) {
  char directory[PATH_MAX];
  GANNET_TRY(gannet_join_path(jobs->place, place->shipment, directory, sizeof directory));
  GANNET_TRY(make(jobs, place->shipment, directory, shipment));
  (*shipment)->runs = place->runs;
  (*shipment)->n_elements = place->element >= 0; /* how many does not matter any more */
  read_id(*shipment);
  (*shipment)->stage = stage_of(*shipment);
  return GANNET_OK;
}

gannet_err gannet_slurm_rejoin(gannet_slurm_jobs *jobs, gannet_slurm_job *job, const char *id) {
  gannet_contract_place place;
  char name[GANNET_SLURM_NAME];
  gannet_contract_find_place(job->flight.directory, &place);
  if (!place.shipment[0]) {
    gannet_slurm_job_name(jobs->campaign, job->flight.id, job->flight.nonce, name);
    GANNET_TRY(make(jobs, name, job->flight.directory, &job->shipment));
    job->shipment->is_single = true;
    (void)snprintf(job->shipment->job, sizeof job->shipment->job, "%s", id);
    job->shipment->stage = stage_of(job->shipment);
  } else {
    job->element = place.element;
    job->shipment = find_shipment(jobs, place.shipment);
    if (!job->shipment) GANNET_TRY(reopen(jobs, &place, &job->shipment));
  }
  if (job->shipment->stage == GANNET_SLURM_KNOWN) set_job(job);
  return GANNET_OK;
}
