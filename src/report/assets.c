#include "report/assets.h"

#include "base/embed.h"

#define EMBED(name, file)                                                         \
  GANNET_EMBED(report_##name, REPORT_ASSETS "/" file);                            \
  report_asset report_asset_##name(void) {                                        \
    return (report_asset){report_##name##_begin,                                  \
                          (size_t)(report_##name##_end - report_##name##_begin)}; \
  }

EMBED(page, "page.html")
EMBED(style, "report.css")
EMBED(tools, "tools.js")
EMBED(search, "search.js")
EMBED(model, "model.js")
EMBED(course, "course.js")
EMBED(main, "main.js")
EMBED(library, "echarts.min.js")
