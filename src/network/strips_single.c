#define REAL float
#define TABLE strips_single
#include "network/strips_ways.h"
