/* Elementary functions written so that a loop over them becomes vector code: no branches, no calls,
 * no tables. Coefficients: minimax fits (Lawson's algorithm, 40 digits) of the functions named.
 * For files that are compiled for it (GANNET_VECTORISED).
 */
#ifndef GANNET_NETWORK_VECTOR_MATH_H
#define GANNET_NETWORK_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* c[0] + c[1] x + ... by Horner on even and odd powers: half the latency of the plain scheme. */
static inline double polynomial(const double *c, int terms, double x) {
  const double x2 = x * x;
  const int top_even = (terms - 1) & ~1, top_odd = (terms & ~1) - 1;
  double even = c[top_even], odd = c[top_odd];
  for (int i = top_even - 2; i >= 0; i -= 2) even = even * x2 + c[i];
  for (int i = top_odd - 2; i >= 1; i -= 2) odd = odd * x2 + c[i];
  return even + x * odd;
}

/* Adding it to a double smaller than 2^51 leaves the nearest whole number in the low bits. */
static const double to_whole = 0x1.8p52;

/* exp(x) = 2^k (1 + p): p = exp(r) - 1 with |r| <= log(2)/2, accurate relative to p. -700 < x <= 0.
 */
static inline void split_exp(double x, double *scale, double *p) {
  /* (exp(r) - 1 - r)/r^2, relative error of exp(r) - 1 below 4e-18 */
  static const double c[] = {0.50000000000000129311,     0.16666666666666691503,
                             0.041666666666514194482,    0.0083333333333116451286,
                             0.0013888888947282093813,   0.00019841269908355650097,
                             0.000024801489703944240743, 2.7557223984588576592e-6,
                             2.763135581956514674e-7,    2.511552069060076529e-8};
  const double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
  const double shifted = x * 0x1.71547652b82fep+0 + to_whole;
  const double k = shifted - to_whole;
  const double r = (x - k * log2_high) - k * log2_low;
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52; /* the low bits of shifted hold k: this is the double 2^k */
  memcpy(scale, &bits, sizeof bits);
  *p = r + r * r * polynomial(c, 10, r);
}

/* erf(a) and exp(-a^2) for a >= 0.
 *
 *   a <= 1: a P(a^2);  a > 1: 1 - exp(-a^2) R(t),  R = erfcx,  t = (a-3)/(a+3)
 *
 * [Shepherd and Laframboise 1981, Math. Comp. 36:249], R fitted on 1..6 to the error of erf, which
 * is 1 to rounding beyond 6.
 */
static inline void erf_parts(double a, double *value, double *gauss) {
  static const double small[] = {
      1.1283791670955125656,     -0.37612638903183519377,     0.11283791670944178385,
      -0.026866170643110495673,  0.0052239776061108112504,    -0.0008548325928961241401,
      0.00012055293566732257075, -0.000014924712113804936416, 1.6447129331286897952e-6,
      -1.6206297190088243162e-7, 1.3710911093032670638e-8,    -7.7793432244925408153e-10};
  static const double large[] = {
      0.17900115118135082894,     -0.32623356004600965751,   0.24560380166451660919,
      -0.15011593629424790721,    0.071665850972523942833,   -0.024392320726333906329,
      0.0042703903860228421395,   0.0007132950363767281036,  -0.00058083897685861591666,
      0.000076729398937855372975, 0.00010320518011275182682, 0.000015286676322636084165};
  const double inside = a > 26 ? 26 : a; /* exp(-26^2) is the end of the range of split_exp */
  const double clipped = a > 6 ? 6 : a;
  double scale, p;
  split_exp(-inside * inside, &scale, &p);
  *gauss = scale + scale * p;
  const double near = a * polynomial(small, 12, a * a);
  const double t = (clipped - 3) / (clipped + 3);
  const double far = 1 - *gauss * polynomial(large, 12, t);
  *value = a > 1 ? far : near;
}

/* tanh(a) and 1 - tanh(a)^2 for a >= 0: with e = exp(-2a) - 1, -e/(2+e) and 4 (1+e)/(2+e)^2. */
static inline void tanh_parts(double a, double *value, double *slope) {
  const double inside = a > 350 ? 350 : a;
  double scale, p;
  split_exp(-2 * inside, &scale, &p);
  const double e = (scale - 1) + scale * p;
  const double inverse = 1 / (2 + e);
  *value = -e * inverse;
  *slope = 4 * (scale + scale * p) * inverse * inverse;
}

/* sin(x) and cos(x): x = k pi + r with |r| <= pi/2, pi in three parts (Cody and Waite); absolute
 * error grows with |x| beyond 1e5. */
static inline void sin_parts(double x, double *sine, double *cosine) {
  static const double s[] = {-0.1666666666666666574,     0.0083333333333332117109,
                             -0.00019841269841215230751, 2.7557319212123638798e-6,
                             -2.5052106959488395279e-8,  1.605894389762293745e-10,
                             -7.643096633984885699e-13,  2.7222439917268300317e-15};
  static const double c[] = {0.041666666666665828873,    -0.0013888888888829836688,
                             0.000024801587285741328613, -2.7557317064264165384e-7,
                             2.0876592367130793688e-9,   -1.1463629345234436151e-11,
                             4.6160690407498012144e-14};
  const double shifted = x * 0x1.45f306dc9c883p-2 + to_whole;
  const double k = shifted - to_whole;
  const double r = ((x - k * 0x1.921fb544p+1) - k * 0x1.0b4611a6p-33) - k * 0x1.3198a2e037073p-68;
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << 63) | 0x3ff0000000000000u; /* (-1)^k */
  double sign;
  memcpy(&sign, &bits, sizeof sign);
  const double r2 = r * r;
  *sine = sign * (r + r * r2 * polynomial(s, 8, r2));
  *cosine = sign * ((1 - 0.5 * r2) + r2 * r2 * polynomial(c, 7, r2));
}

/* asin(t) for 0 <= t <= 1: r + r z P(z) with z = r^2 for t <= 1/2, and pi/2 - 2
 * asin(sqrt((1-t)/2)). */
static inline double arcsine(double t) {
  /* (asin(r)/r - 1)/r^2 in r^2, relative error of asin below 2e-17 */
  static const double c[] = {
      0.16666666666665375796,  0.075000000003446050232, 0.04464285682221398407,
      0.030381959383833655498, 0.022371752243524224187, 0.017359790792135213083,
      0.013884399680585322949, 0.012174615037643461589, 0.0065049403542546620169,
      0.019590464280750616592, -0.01632064641379040174, 0.031977580723247396843};
  const double half_pi = 1.57079632679489661923;
  const double z = t > 0.5 ? (1 - t) / 2 : t * t;
  const double root = sqrt(z);
  const double r = t > 0.5 ? root : t;
  const double near = r + r * z * polynomial(c, 12, z);
  return t > 0.5 ? half_pi - 2 * near : near;
}

/* exp(x) for -700 < x <= 0. */
static inline double decaying_exp(double x) {
  double scale, p;
  split_exp(x < -690 ? -690 : x, &scale, &p);
  return scale + scale * p;
}

#endif
