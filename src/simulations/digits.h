/* A small classifier of hand-written digits, trained when it is first needed, for the problem
 * sensitive-sample.
 *
 *   x [64] in [0, 1] -> u = tanh(W x + a) [24] -> p = softmax(V u + b) [10]
 *
 * Trained on 15 images of each digit; 5 more of each are kept for judging it. Weights are rounded
 * to multiples of 2^-10 afterwards, so that compilers and libraries, which differ in the last bits,
 * agree on the classifier.
 */
#ifndef GANNET_SIMULATIONS_DIGITS_H
#define GANNET_SIMULATIONS_DIGITS_H

#include "base/error.h"

enum {
  GANNET_DIGITS = 10,
  GANNET_DIGIT_IMAGES = 20,
  GANNET_DIGIT_TRAINING = 15, /* the first of the images */
  GANNET_DIGIT_PIXELS = 64,
  GANNET_DIGIT_UNITS = 24
};

/* Shades a (white) to q (black). */
extern const char gannet_digit_images[GANNET_DIGITS][GANNET_DIGIT_IMAGES][GANNET_DIGIT_PIXELS + 1];

typedef struct {
  double w[GANNET_DIGIT_UNITS][GANNET_DIGIT_PIXELS], a[GANNET_DIGIT_UNITS];
  double v[GANNET_DIGITS][GANNET_DIGIT_UNITS], b[GANNET_DIGITS];
} gannet_digit_classifier;

/* Values of the units and the probabilities of the digits. */
typedef struct {
  double u[GANNET_DIGIT_UNITS];
  double p[GANNET_DIGITS];
} gannet_digit_opinion;

/* The classifier, trained at the first call of a process.
 *
 * Local.
 *
 * classifier  out  borrowed until MPI_Finalize
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_MPI.
 * Cost: 0.2 s at the first call.
 */
GANNET_CHECKED gannet_err gannet_digit_classifier_get(const gannet_digit_classifier **classifier);

/* The pixels of an image, in [0, 1].
 *
 * Local.
 *
 * x  out  [GANNET_DIGIT_PIXELS]
 */
void gannet_digit_pixels(int digit, int image, double *x);

/* What a classifier says about pixels x [GANNET_DIGIT_PIXELS].
 *
 * Local.
 */
void gannet_digit_classify(const gannet_digit_classifier *classifier, const double *x,
                           gannet_digit_opinion *opinion);

/* Frobenius norm of the derivatives of the probabilities with respect to all weights.
 *
 * With S = diag(p) - p p^T, the square of it is
 *   |S|^2 (|u|^2 + 1) + |S V diag(1 - u^2)|^2 (|x|^2 + 1).
 *
 * Local.
 */
double gannet_digit_sensitivity(const gannet_digit_classifier *classifier, const double *x);

#endif
