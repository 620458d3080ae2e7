#define REAL float
#define BITS uint32_t
#define ROOT sqrtf
#define TO_WHOLE 0x1.8p23F
#define WAVE_TERMS 6

/* Interpolation in r^2 at Chebyshev points; errors below 3e-10. */
static const float sine_powers[WAVE_TERMS] = {3.141592653536132031F,   -5.167712764593000019F,
                                              2.550163317938426908F,   -0.5992521865315829804F,
                                              0.08205035020147247515F, -0.00702830385520309599F};
static const float cosine_powers[WAVE_TERMS] = {0.9999999997791540319F, -4.934802136928945637F,
                                                4.058709154763134254F,  -1.335211949390550338F,
                                                0.23493706859508651F,   -0.02439593209755044447F};

#define TABLE gannet_strips_single
#include "network/strips/dispatch.h"
