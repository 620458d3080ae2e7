/* The functions that registry.c lists, one per file of this room. */
#ifndef GANNET_ACQUISITION_REGISTRY_H
#define GANNET_ACQUISITION_REGISTRY_H

#include "acquisition/acquisition.h"

extern const gannet_acq_type gannet_acq_admm;
extern const gannet_acq_type gannet_acq_ei;
extern const gannet_acq_type gannet_acq_es;
extern const gannet_acq_type gannet_acq_kg;
extern const gannet_acq_type gannet_acq_lcb;
extern const gannet_acq_type gannet_acq_log_aei;
extern const gannet_acq_type gannet_acq_log_ei;
extern const gannet_acq_type gannet_acq_mes;
extern const gannet_acq_type gannet_acq_optimism;
extern const gannet_acq_type gannet_acq_pes;
extern const gannet_acq_type gannet_acq_pi;
extern const gannet_acq_type gannet_acq_thompson;
extern const gannet_acq_type gannet_acq_thompson_pointwise;

#endif
