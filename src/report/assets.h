/* The texts of the page, taken into the program when it is compiled. */
#ifndef GANNET_REPORT_ASSETS_H
#define GANNET_REPORT_ASSETS_H

#include <stddef.h>

typedef struct {
  const char *text; /* not terminated */
  size_t size;
} report_asset;

/* Local. */
report_asset report_asset_page(void);
report_asset report_asset_style(void);
report_asset report_asset_tools(void);
report_asset report_asset_search(void);
report_asset report_asset_model(void);
report_asset report_asset_course(void);
report_asset report_asset_main(void);
report_asset report_asset_library(void);

#endif
