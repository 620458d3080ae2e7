#define REAL double
#define TABLE strips_double
#include "network/strips_body.h"
#include "network/strips_impl.h"
