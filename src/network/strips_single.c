#define REAL float
#define TABLE strips_single
#include "network/strips_body.h"
#include "network/strips_impl.h"
