#include "simulations/physics.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

#define PI "3.141592653589793"

typedef struct {
  char *text;
  size_t size;
  int used; /* characters needed so far */
} page;

static void add(page *p, const char *format, ...) GANNET_PRINTF(2, 3);

static void add(page *p, const char *format, ...) {
  const size_t used = (size_t)p->used;
  va_list values;
  va_start(values, format);
  p->used += vsnprintf(used < p->size ? p->text + used : NULL, used < p->size ? p->size - used : 0,
                       format, values);
  va_end(values);
}

int gannet_physics_beam(int d, char *text, size_t size) {
  page p = {text, size, 0};
  (void)d;
  add(&p,
      "- {terms: [{coefficient: \"1\", derivative: [x1, x1]}], rhs: \"2.4*x1 + 0.4"
      " + exp(2*x1)*(80*cos(20*x1) - 396*sin(20*x1))"
      " + 16*" PI "*exp(2*x1)*cos(4*" PI
      "*exp(2*x1))"
      " - 64*" PI "*" PI "*exp(4*x1)*sin(4*" PI "*exp(2*x1))\"}\n");
  return p.used;
}

int gannet_physics_cosine_mixture(int d, char *text, size_t size) {
  page p = {text, size, 0};
  for (int i = 1; i <= d; ++i)
    add(&p,
        "- {terms: [{coefficient: \"1\", derivative: [x%d]}], rhs: \"2*x%d"
        " - " PI "/2*sin(5*" PI "*x%d)\"}\n",
        i, i, i);
  return p.used;
}

int gannet_physics_drop_wave(int d, char *text, size_t size) {
  page p = {text, size, 0};
  (void)d;
  add(&p,
      "- {terms: [{coefficient: \"x1\", derivative: [x2]}, "
      "{coefficient: \"-x2\", derivative: [x1]}], rhs: \"0\"}\n");
  return p.used;
}

int gannet_physics_helmholtz(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [");
  for (int i = 1; i <= d; ++i) add(&p, "{coefficient: \"1\", derivative: [x%d, x%d]}, ", i, i);
  add(&p, "{coefficient: \"36\", derivative: []}], rhs: \"36\"}\n");
  return p.used;
}

int gannet_physics_conduction(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [{coefficient: \"-50\", derivative: [x%d]}", d);
  for (int i = 1; i < d; ++i) add(&p, ", {coefficient: \"1\", derivative: [x%d, x%d]}", i, i);
  add(&p, "], rhs: \"0\"}\n");
  return p.used;
}

int gannet_physics_wave(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [{coefficient: \"-1\", derivative: [x%d, x%d]}", d, d);
  for (int i = 1; i < d; ++i) add(&p, ", {coefficient: \"1\", derivative: [x%d, x%d]}", i, i);
  add(&p, "], rhs: \"0\"}\n");
  return p.used;
}

int gannet_physics_drift(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [{coefficient: \"1\", derivative: [x%d]}", d);
  for (int i = 1; i < d; ++i) add(&p, ", {coefficient: \"1/%d\", derivative: [x%d]}", i, i);
  add(&p, "], rhs: \"0\"}\n");
  return p.used;
}

int gannet_physics_heat(int d, char *text, size_t size) {
  page p = {text, size, 0};
  (void)d;
  add(&p,
      "- {terms: [{coefficient: \"1\", derivative: [x1, x1]}, "
      "{coefficient: \"1\", derivative: [x2, x2]}], rhs: \"0\"}\n");
  return p.used;
}

/* h_i multiplied out, so that it exists wherever its denominator is not 0. */
int gannet_physics_michalewicz(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [");
  for (int i = 1; i <= d; ++i)
    add(&p,
        "{coefficient: \"sin(x%d)*sin(%d*x%d*x%d/" PI ")/(cos(x%d)*sin(%d*x%d*x%d/" PI
        ")"
        " + %d*x%d/" PI "*sin(x%d)*cos(%d*x%d*x%d/" PI "))\", derivative: [x%d]}, ",
        i, i, i, i, i, i, i, i, 40 * i, i, i, i, i, i, i);
  add(&p, "{coefficient: \"-1\", derivative: []}], rhs: \"0\"}\n");
  return p.used;
}

int gannet_physics_rastrigin(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [");
  for (int i = 1; i <= d; ++i) add(&p, "{coefficient: \"0.5*x%d\", derivative: [x%d]}, ", i, i);
  add(&p, "{coefficient: \"-1\", derivative: []}], rhs: \"10*(-%d", d);
  for (int i = 1; i <= d; ++i)
    add(&p, " + cos(2*" PI "*x%d) + " PI "*x%d*sin(2*" PI "*x%d)", i, i, i);
  add(&p, ")\"}\n");
  return p.used;
}

int gannet_physics_styblinski_tang(int d, char *text, size_t size) {
  page p = {text, size, 0};
  add(&p, "- {terms: [");
  for (int i = 1; i <= d; ++i)
    add(&p, "%s{coefficient: \"1\", derivative: [x%d]}", i > 1 ? ", " : "", i);
  add(&p, "], rhs: \"");
  for (int i = 1; i <= d; ++i)
    add(&p, "%s2*x%d*x%d*x%d - 16*x%d + 2.5", i > 1 ? " + " : "", i, i, i, i);
  add(&p, "\"}\n");
  return p.used;
}
