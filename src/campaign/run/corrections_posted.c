/* Requests of corrections in files, for the process that has the campaign. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/partition.h"
#include "campaign/run/corrections.h"

static const int64_t longest_request = 1 << 20; /* bytes */

static gannet_err request_path(const char *directory, uint64_t key, const char *end, char *path) {
  char name[60];
  (void)snprintf(name, sizeof name, "requests/%016" PRIx64 ".%s", key, end);
  return gannet_join_path(directory, name, path, PATH_MAX);
}

gannet_err gannet_corrections_post(const char *directory,
                                   const gannet_correction_request *request) {
  char path[PATH_MAX], folder[PATH_MAX], *text = NULL;
  GANNET_TRY(gannet_join_path(directory, "requests", folder, sizeof folder));
  GANNET_TRY(gannet_make_directory(folder));
  GANNET_TRY(request_path(directory, request->note.key, "json", path));
  GANNET_TRY(gannet_correction_request_text(request, &text));
  const gannet_err err = gannet_file_replace(path, text, strlen(text));
  gannet_free(&text);
  return err;
}

gannet_err gannet_corrections_look(const char *directory, uint64_t key, bool *has_answer,
                                   char *answer) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  *has_answer = false;
  GANNET_TRY(request_path(directory, key, "answer", path));
  if (access(path, F_OK)) return GANNET_OK;
  GANNET_TRY(gannet_file_read(path, &text, &size));
  (void)unlink(path);
  *has_answer = true;
  const bool is_made = text[0] == '+';
  (void)snprintf(answer, GANNET_ANSWER_SIZE, "%s", text[0] ? text + 1 : "");
  gannet_free(&text);
  GANNET_REQUIRE(is_made, GANNET_ERR_INPUT, "%s", answer);
  return GANNET_OK;
}

bool gannet_corrections_withdraw(const char *directory, uint64_t key) {
  char path[PATH_MAX];
  if (request_path(directory, key, "json", path) == GANNET_OK) return unlink(path) == 0;
  gannet_error_clear();
  return false;
}

/* A request that was found. */
typedef struct {
  double when;
  uint64_t key;
  char *text;
} found_request;

/* Find the earliest request. Rank 0 only. A file that cannot be read waits for the next look.
 *
 * earliest  out  text = NULL when there is none
 */
static gannet_err find_earliest(const gannet_campaign *campaign, found_request *earliest) {
  char folder[PATH_MAX], path[PATH_MAX];
  struct dirent *entry;
  *earliest = (found_request){.when = INFINITY};
  if (campaign->ignores_requests) return GANNET_OK;
  GANNET_TRY(gannet_campaign_path(campaign, "requests", folder));
  DIR *open = opendir(folder);
  if (!open) return GANNET_OK;
  while ((entry = readdir(open))) {
    char *end = NULL;
    found_request one = {.key = strtoull(entry->d_name, &end, 16)};
    gannet_correction_request request = {0};
    if (end != entry->d_name + 16 || strcmp(end, ".json") != 0) continue;
    if (gannet_join_path(folder, entry->d_name, path, sizeof path) != GANNET_OK ||
        gannet_file_read_within(path, longest_request, GANNET_ERR_INPUT, &one.text, NULL) !=
            GANNET_OK) {
      gannet_error_clear();
      continue;
    }
    if (gannet_correction_request_parse(one.text, &request) == GANNET_OK)
      one.when = request.note.when;
    else
      gannet_error_clear(); /* it gets an answer, too */
    gannet_correction_request_release(&request);
    const bool is_earlier =
        one.when < earliest->when || (one.when == earliest->when && one.key < earliest->key);
    if (!earliest->text || is_earlier) {
      gannet_free(&earliest->text);
      *earliest = one;
    } else {
      gannet_free(&one.text);
    }
  }
  (void)closedir(open);
  return GANNET_OK;
}

/* Write the answer to a request, then remove the request, so that whoever asked always finds one of
 * the two. Where files cannot be written or removed, no further request is looked for, and the
 * campaign goes on. */
static void answer_request(gannet_campaign *campaign, uint64_t key, bool is_refused,
                           const char *answer) {
  char path[PATH_MAX], text[GANNET_ANSWER_SIZE + 4];
  (void)snprintf(text, sizeof text, "%c%s", is_refused ? '-' : '+', answer);
  gannet_err err = request_path(campaign->directory, key, "answer", path);
  if (err == GANNET_OK) err = gannet_file_replace(path, text, strlen(text));
  if (err == GANNET_OK && gannet_corrections_withdraw(campaign->directory, key)) return;
  if (err == GANNET_OK) err = gannet_raise_errno("remove the request of", path);
  gannet_log(campaign->context, GANNET_LOG_WARNING,
             "%s: corrections of a campaign that runs are not taken any more",
             gannet_error_message());
  gannet_error_clear();
  campaign->ignores_requests = true;
}

static gannet_err make_found(gannet_campaign *campaign, const char *text, char *answer) {
  gannet_correction_request request = {0};
  gannet_err err = gannet_correction_request_parse(text, &request);
  if (err == GANNET_OK) err = gannet_corrections_make(campaign, &request, answer);
  gannet_correction_request_release(&request);
  if (err == GANNET_ERR_INPUT)
    (void)snprintf(answer, GANNET_ANSWER_SIZE, "%s", gannet_error_detail());
  return err;
}

/* Make one request on all ranks. Collective.
 *
 * found  inout  on rank 0 with the text, which the other ranks get
 * size   in     bytes of the text with its terminating zero
 */
static gannet_err take_one(gannet_campaign *campaign, found_request *found, int size, int *n) {
  const gannet_context *context = campaign->context;
  char answer[GANNET_ANSWER_SIZE] = "";
  gannet_err err = GANNET_OK;
  if (context->rank != 0) err = gannet_alloc((size_t)size, 1, &found->text);
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY(gannet_bytes_broadcast(context->comm, 0, (size_t)size, found->text));
  err = make_found(campaign, found->text, answer);
  const bool is_refused = err == GANNET_ERR_INPUT; /* on all ranks alike */
  if (is_refused) gannet_error_clear();
  if (!is_refused) GANNET_TRY(gannet_agree(context->comm, err));
  *n += !is_refused;
  err = gannet_agree(context->comm, gannet_ledger_sync(&campaign->ledger));
  if (err == GANNET_OK && context->rank == 0)
    answer_request(campaign, found->key, is_refused, answer);
  return err;
}

gannet_err gannet_corrections_take(gannet_campaign *campaign, int *n) {
  const gannet_context *context = campaign->context;
  *n = 0;
  for (;;) {
    found_request found = {0};
    gannet_err err = GANNET_OK;
    if (context->rank == 0) err = find_earliest(campaign, &found);
    int size = err == GANNET_OK && found.text ? (int)strlen(found.text) + 1 : err ? -1 : 0;
    GANNET_TRY_MPI(MPI_Bcast(&size, 1, MPI_INT, 0, context->comm));
    if (size < 0) return gannet_agree(context->comm, err);
    if (size > 0) err = take_one(campaign, &found, size, n);
    gannet_free(&found.text);
    if (size == 0 || err != GANNET_OK) return err;
  }
}
