/* What a simulation reports: numbers, each by its name.
 *
 * The campaign file, or the caller, says which of them are the objective and the constraints. The
 * others are kept and given back with the evaluation; so are standard deviations and gradients.
 * The models learn from values, and take the standard deviation of an objective or a constraint for
 * the noise of this value. Gradients are only kept.
 */
#ifndef GANNET_QUANTITY_H
#define GANNET_QUANTITY_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name; /* "objective", that of one of several or of a constraint, or any other of up to
                       63 letters, digits and underscores that does not start with a digit */
  double value;     /* in the user's units; NAN = missing */
  double sd;        /* standard deviation of the value, in its units; 0 = not told */
  const double *gradient; /* [n_variables] derivatives of the value by the variables, all in the
                             user's units, NAN where there is none; NULL = not told */
} gannet_quantity;

#ifdef __cplusplus
}
#endif
#endif
