#define REAL double
#define TABLE strips_double
#include "network/strips_ways.h"
