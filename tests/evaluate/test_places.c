/* test: serial labels unit */
/* Which cores and GPUs a simulation gets, and how much one needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/places/place_words.h"

enum { NODES = 3, CORES = 7, GPUS = 4, MOST = 16 };

static gannet_core cores[NODES][CORES];
static char gpus[NODES][GPUS][GANNET_DEVICE_SIZE];
static gannet_node nodes[NODES];
static const gannet_inventory inventory = {
    .gpu_from = "SLURM_GPUS_ON_NODE", .n_nodes = NODES, .node = nodes};
static const gannet_inventory listed = {.gpu_from = "GANNET_GPUS", .n_nodes = NODES, .node = nodes};

/* Node 0 is here and has two threads on each core; the others are only known by number. */
static int set_up(void **state) {
  (void)state;
  if (setenv("SLURM_JOB_ID", "3", 1) || setenv("SLURM_GPUS_ON_NODE", "4", 1)) return -1;
  for (int i = 0; i < NODES; ++i) {
    nodes[i] = (gannet_node){.is_here = i == 0,
                             .n_cores = CORES - i,
                             .n_gpus = GPUS,
                             .n_devices = GPUS,
                             .core = cores[i],
                             .gpu = gpus[i],
                             .memory = 100};
    (void)snprintf(nodes[i].host, sizeof nodes[i].host, "n%d", i + 1);
    for (int c = 0; c < CORES && i == 0; ++c)
      cores[i][c] = (gannet_core){.n = 2, .thread = {c, c + 16}};
    for (int g = 0; g < GPUS; ++g) (void)snprintf(gpus[i][g], sizeof gpus[i][g], "%d", g);
  }
  return 0;
}

static gannet_resources resources(void) {
  static char *automatic[] = {"auto", NULL};
  return (gannet_resources){.nodes = 1, .devices = {1, automatic}};
}

/* Random needs come and go: no two places share a core or a GPU, and the same course gives the same
 * places. */
static void places_are_disjoint(void **state) {
  (void)state;
  const gannet_resources given = resources();
  int log[2][4000], n_log[2] = {0, 0};
  for (int again = 0; again < 2; ++again) {
    gannet_places *places = NULL;
    gannet_place place[MOST];
    int used_core[NODES][CORES] = {{0}}, used_gpu[NODES][GPUS] = {{0}};
    unsigned random = 1;
    memset(place, 0, sizeof place);
    assert_ok(gannet_places_create(&inventory, &given, false, &places));
    for (int step = 0; step < 1000; ++step) {
      random = random * 1103515245u + 12345u;
      gannet_place *p = &place[random >> 16 & (MOST - 1)];
      const bool gives_back = p->n_nodes > 0;
      bool taken = false;
      const int n = 1 + (int)(random >> 10 & 1);
      const gannet_need need = {.nodes = n,
                                .cores = n * (1 + (int)(random >> 8 & 3)),
                                .gpus = n * (int)(random >> 12 & 1),
                                .tasks = n};
      if (!gives_back) assert_ok(gannet_place_take(places, &need, p, &taken));
      if (!gives_back && !taken) continue;
      const int by = gives_back ? -1 : 1;
      for (int i = 0; i < p->n_nodes; ++i) {
        for (int k = 0; k < p->cores; ++k) {
          const int core = p->core[i * p->cores + k];
          assert_in_range(core, 0, nodes[p->node[i]].n_cores - 1);
          used_core[p->node[i]][core] += by;
          assert_in_range(used_core[p->node[i]][core], 0, 1);
          if (n_log[again] < 4000) log[again][n_log[again]++] = core;
        }
        for (int k = 0; k < p->gpus; ++k) {
          used_gpu[p->node[i]][p->gpu[i * p->gpus + k]] += by;
          assert_in_range(used_gpu[p->node[i]][p->gpu[i * p->gpus + k]], 0, 1);
        }
      }
      if (gives_back) gannet_place_give_back(places, p);
    }
    for (int i = 0; i < MOST; ++i)
      if (place[i].n_nodes > 0) gannet_place_give_back(places, &place[i]);
    gannet_places_destroy(&places);
  }
  assert_true(n_log[0] > 500 && n_log[0] == n_log[1]);
  assert_memory_equal(log[0], log[1], sizeof(int) * (size_t)n_log[0]);
}

static int count(const gannet_resources *given, bool only_here, gannet_need need) {
  int n = 0;
  assert_ok(gannet_places_count(&inventory, given, only_here, &need, 1000, &n));
  return n;
}

static void as_many_run_as_fit(void **state) {
  (void)state;
  gannet_resources given = resources();
  assert_int_equal(count(&given, false, (gannet_need){.nodes = 1, .cores = 2}), 3 + 3 + 2);
  assert_int_equal(count(&given, true, (gannet_need){.nodes = 1, .cores = 2}), 3);
  assert_int_equal(count(&given, false, (gannet_need){.nodes = 1, .cores = 1, .gpus = 2}), 6);
  assert_int_equal(count(&given, false, (gannet_need){.nodes = 2, .cores = 8}), 1);
  assert_int_equal(count(&given, false, (gannet_need){.nodes = 1, .cores = 1, .memory = 30}), 9);
  assert_int_equal(count(&given, false, (gannet_need){.nodes = 1, .cores = 8}), 0);
  given.reserved_cores = 2;
  assert_int_equal(count(&given, true, (gannet_need){.nodes = 1, .cores = 2}), 2);
  given.reserved_cores = 20;
  assert_int_equal(count(&given, true, (gannet_need){.nodes = 1, .cores = 1}), 0);
}

static void oversubscribing_takes_the_least_used(void **state) {
  (void)state;
  gannet_resources given = resources();
  gannet_places *places = NULL;
  gannet_place place[3];
  bool taken;
  const gannet_need need = {.nodes = 1, .cores = 4, .tasks = 1};
  given.oversubscribe = true;
  assert_ok(gannet_places_create(&inventory, &given, true, &places));
  for (int i = 0; i < 3; ++i) {
    assert_ok(gannet_place_take(places, &need, &place[i], &taken));
    assert_true(taken);
  }
  assert_int_equal(place[0].core[0], 0);
  int shared = 0; /* of 4 + 4 cores among 7, one is shared */
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) shared += place[0].core[i] == place[1].core[k];
  assert_in_range(shared, 1, 4);
  for (int i = 0; i < 3; ++i) gannet_place_give_back(places, &place[i]);
  gannet_places_destroy(&places);
}

static void words_tell_the_place(void **state) {
  (void)state;
  gannet_resources given = resources();
  gannet_places *places = NULL;
  gannet_place place;
  gannet_place_words words;
  bool taken, may_use[GANNET_PROCESSORS_MOST];
  given.gpus = "1";
  assert_ok(gannet_places_create(&inventory, &given, false, &places));
  const gannet_need small = {.nodes = 1, .cores = 2, .gpus = 1, .tasks = 2};
  assert_ok(gannet_place_take(places, &small, &place, &taken));
  gannet_place_describe(&inventory, &given, &place, GANNET_STARTS_BY_MPIRUN, &words);
  assert_string_equal(words.shown, "cores 0-1,16-17, gpus 0");
  assert_string_equal(words.launcher, "mpirun -n 2 --host n1:2");
  assert_int_equal(gannet_place_processors(&inventory, &place, may_use), 4);
  assert_true(may_use[1] && may_use[17] && !may_use[2]);
  gannet_place_give_back(places, &place);
  const gannet_need large = {.nodes = 2, .cores = 8, .gpus = 2, .tasks = 4};
  assert_ok(gannet_place_take(places, &large, &place, &taken));
  gannet_place_describe(&inventory, &given, &place, GANNET_STARTS_BY_SRUN, &words);
  assert_string_equal(words.launcher,
                      "srun --exact --nodes=2 --nodelist=n1,n2 --ntasks=4 "
                      "--cpus-per-task=2 --gpus=2 --gpus-per-node=1");
  assert_string_equal(words.shown, "n1,n2: 8 cores, 2 gpus");
  gannet_place_give_back(places, &place);
  /* A step that left out its share of memory and GPUs would have those of the job. */
  const gannet_need plain = {.nodes = 1, .cores = 3, .tasks = 1};
  nodes[0].memory_of_core = 100.5 * 1048576;
  assert_ok(gannet_place_take(places, &plain, &place, &taken));
  gannet_place_describe(&inventory, &given, &place, GANNET_STARTS_BY_SRUN, &words);
  assert_string_equal(words.launcher,
                      "srun --exact --nodes=1 --nodelist=n1 --ntasks=1 --cpus-per-task=3 --gpus=0 "
                      "--gpus-per-node=0 --mem=301M");
  gannet_place_give_back(places, &place);
  gannet_places_destroy(&places);
}

/* SLURM would give all GPUs of the job to each step, and chooses none of a list. */
static void gpus_of_a_list_are_named_in_the_step(void **state) {
  (void)state;
  gannet_resources given = resources();
  gannet_places *places = NULL;
  gannet_place first, second;
  gannet_place_words words;
  bool taken;
  given.gpus = "1 + refine";
  assert_ok(gannet_places_create(&listed, &given, false, &places));
  const gannet_need small = {.nodes = 1, .cores = 1, .gpus = 1, .tasks = 1};
  assert_ok(gannet_place_take(places, &small, &first, &taken));
  /* It is told one list, so it has the GPUs of its first node also where others would be free. */
  const gannet_need large = {.nodes = 2, .cores = 4, .gpus = 4, .tasks = 2};
  assert_ok(gannet_place_take(places, &large, &second, &taken));
  for (int k = 0; k < 4; ++k) assert_int_equal(second.gpu[k], 1 + k % 2);
  gannet_place_describe(&listed, &given, &second, GANNET_STARTS_BY_SRUN, &words);
  assert_string_equal(words.launcher,
                      "srun --exact --nodes=2 --nodelist=n1,n2 --ntasks=2 --cpus-per-task=2 "
                      "--gpus=0 --gpus-per-node=0 env CUDA_VISIBLE_DEVICES=1,2 "
                      "ROCR_VISIBLE_DEVICES=1,2 ZE_AFFINITY_MASK=1,2 HIP_VISIBLE_DEVICES=0,1");
  assert_string_equal(words.shown, "n1,n2: 4 cores, gpus 1,2");
  assert_int_equal(setenv("SLURM_GPUS_PER_TASK", "1", 1), 0);
  gannet_place_describe(&listed, &given, &first, GANNET_STARTS_BY_SRUN, &words);
  assert_int_equal(unsetenv("SLURM_GPUS_PER_TASK"), 0);
  assert_non_null(
      strstr(words.launcher, " --gpus=0 --gpus-per-node=0 --gpus-per-task=0 env CUDA_"));
  /* A job without GPUs: those that the system shows are named as well. */
  assert_int_equal(unsetenv("SLURM_GPUS_ON_NODE"), 0);
  gannet_place_describe(&inventory, &given, &first, GANNET_STARTS_BY_SRUN, &words);
  assert_non_null(strstr(words.launcher, " --cpus-per-task=1 env CUDA_VISIBLE_DEVICES=0 ROCR_"));
  gannet_place_give_back(places, &first);
  gannet_place_give_back(places, &second);
  gannet_places_destroy(&places);
}

/* A list that was cut would be a list of other nodes. */
static void all_nodes_are_named(void **state) {
  enum { MANY = 500 };
  static gannet_node many[MANY];
  static gannet_place_words words;
  const gannet_inventory large = {.n_nodes = MANY, .node = many};
  gannet_resources given = resources();
  gannet_places *places = NULL;
  gannet_place place;
  bool taken;
  (void)state;
  for (int i = 0; i < MANY; ++i) {
    many[i] = (gannet_node){.is_here = i == 0, .n_cores = 1};
    (void)snprintf(many[i].host, sizeof many[i].host, "partition-node-%04d", i);
  }
  const gannet_need all = {.nodes = MANY, .cores = MANY, .tasks = MANY};
  assert_ok(gannet_places_create(&large, &given, false, &places));
  assert_ok(gannet_place_take(places, &all, &place, &taken));
  gannet_place_describe(&large, &given, &place, GANNET_STARTS_BY_SRUN, &words);
  assert_string_equal(strrchr(words.hosts, ','), ",partition-node-0499");
  assert_non_null(strstr(words.launcher, ",partition-node-0499 --ntasks=500 "));
  gannet_place_give_back(places, &place);
  gannet_places_destroy(&places);
}

static void lists_of_slurm_are_read(void **state) {
  (void)state;
  static const struct {
    const char *list;
    int n;
    const char *first, *last;
  } good[] = {{"n1", 1, "n1", "n1"},
              {"n[01-03,7],login", 5, "n01", "login"},
              {"r[1-2]c[08-10].x", 6, "r1c08.x", "r2c10.x"},
              {"", 0, NULL, NULL}};
  static const char *const bad[] = {"n[", "n[a]", "n[3-1]", "n[1", "n[1-99999999]", "n1]"};
  static const char *const bad_counts[] = {"", "x", "4(x", "4(x2", "4,,2", "-1"};
  int number[4];
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    gannet_text_list hosts = {0};
    assert_ok(gannet_hosts_expand(good[i].list, &hosts));
    assert_int_equal(hosts.n, good[i].n);
    if (hosts.n > 0) assert_string_equal(hosts.item[0], good[i].first);
    if (hosts.n > 0) assert_string_equal(hosts.item[hosts.n - 1], good[i].last);
    gannet_text_list_release(&hosts);
  }
  /* An allocation in many pieces. */
  char scattered[4000] = "n[1";
  gannet_text_list all = {0};
  for (int i = 1; i < 500; ++i) (void)sprintf(scattered + strlen(scattered), ",%d", 2 * i + 1);
  assert_ok(gannet_hosts_expand(strcat(scattered, "]x"), &all));
  assert_int_equal(all.n, 500);
  assert_string_equal(all.item[499], "n999x");
  gannet_text_list_release(&all);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    gannet_text_list hosts = {0};
    assert_int_equal(gannet_hosts_expand(bad[i], &hosts), GANNET_ERR_INPUT);
    gannet_text_list_release(&hosts);
  }
  assert_ok(gannet_counts_expand("4(x2),2", 4, number));
  assert_int_equal(number[1], 4);
  assert_int_equal(number[3], 2);
  for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; ++i)
    assert_int_equal(gannet_counts_expand(bad_counts[i], 4, number), GANNET_ERR_INPUT);
}

/* Where one of the answers lacks a node, nothing is concluded. */
static void words_of_scontrol_are_read(void **state) {
  static const struct {
    const char *job, *state;
    bool is_known;
    gannet_node_availability availability;
  } cases[] = {
      {"n[1-3]", "MIXED", true, GANNET_NODE_AVAILABLE},
      {"n[1-3]", "IDLE+CLOUD", true, GANNET_NODE_AVAILABLE},
      {"n[1-3]", "ALLOCATED*", true, GANNET_NODE_UNAVAILABLE},
      {"n[1-3]", "MIXED+DRAIN", true, GANNET_NODE_UNAVAILABLE},
      {"n[1-3]", "IDLE+NOT_RESPONDING", true, GANNET_NODE_UNAVAILABLE},
      {"n1,n3", "IDLE", true, GANNET_NODE_REMOVED},
      {"n1\nJobId=2 NodeList=n[2-3] ", "MIXED", true, GANNET_NODE_AVAILABLE},
      {"(null)", "MIXED", false, GANNET_NODE_NOT_ASKED},
      {"n[1-", "MIXED", false, GANNET_NODE_NOT_ASKED},
      {"n[1-3]", "", false, GANNET_NODE_NOT_ASKED},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_inventory asked = inventory;
    char job[200], about[400];
    bool is_known = !cases[i].is_known;
    for (int n = 0; n < NODES; ++n) nodes[n].availability = GANNET_NODE_NOT_ASKED;
    (void)snprintf(job, sizeof job,
                   "JobId=1 ReqNodeList=n9 ExcNodeList=(null) NodeList=%s BatchHost=n1\n",
                   cases[i].job);
    (void)snprintf(about, sizeof about,
                   "NodeName=n1 CPUTot=2 State=MIXED ThreadsPerCore=1\nNodeName=n22 State=DOWN\n"
                   "NodeName=n2 State=%s \nNodeName=n3 State=IDLE\n",
                   cases[i].state);
    assert_ok(gannet_inventory_read_scontrol(job, about, &asked, &is_known));
    assert_int_equal(is_known, cases[i].is_known);
    assert_int_equal(nodes[1].availability, cases[i].availability);
    if (is_known) assert_string_equal(nodes[1].state, cases[i].state);
    assert_int_equal(nodes[0].availability,
                     is_known ? GANNET_NODE_AVAILABLE : GANNET_NODE_NOT_ASKED);
  }
}

static void needs_follow_the_variables(void **state) {
  (void)state;
  const gannet_variable variables[] = {
      {.name = "refine", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 4},
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = variables};
  const double at[] = {3, 0};
  gannet_problem *problem = NULL;
  gannet_resources given = resources();
  gannet_complaints found = {0};
  gannet_needs needs;
  gannet_need need;
  assert_ok(gannet_problem_create(&spec, &problem));
  given.cores = "8*refine + 1";
  given.gpus = "refine > 2";
  given.tasks = "3";
  given.nodes = 2;
  assert_true(gannet_resources_are_given(&given));
  assert_ok(gannet_needs_create(&given, problem, &found, &needs));
  assert_int_equal(found.count, 0);
  assert_int_equal(needs.least.cores, 12); /* 9, a multiple of 4 tasks */
  assert_int_equal(needs.most.cores, 36);
  assert_null(gannet_needs_at(&needs, at, &need));
  assert_int_equal(need.cores, 28);
  assert_int_equal(need.tasks, 4);
  assert_int_equal(need.gpus, 2);
  gannet_needs_release(&needs);
  given.cores = "2 + 4*x";
  assert_ok(gannet_needs_create(&given, problem, &found, &needs));
  assert_int_equal(found.count, 1);
  assert_non_null(strstr(found.text, "'2 + 4*x' is -2"));
  gannet_needs_release(&needs);
  gannet_complaints_release(&found);
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(places_are_disjoint, set_up),
      cmocka_unit_test_setup(as_many_run_as_fit, set_up),
      cmocka_unit_test_setup(oversubscribing_takes_the_least_used, set_up),
      cmocka_unit_test_setup(words_tell_the_place, set_up),
      cmocka_unit_test_setup(gpus_of_a_list_are_named_in_the_step, set_up),
      cmocka_unit_test(all_nodes_are_named),
      cmocka_unit_test(lists_of_slurm_are_read),
      cmocka_unit_test_setup(words_of_scontrol_are_read, set_up),
      cmocka_unit_test(needs_follow_the_variables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
