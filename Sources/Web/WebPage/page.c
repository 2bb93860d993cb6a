#include <page.h>

// The compiler embeds the files, so no separate build step is needed.
#define PAGE_FILE(name)                                \
  struct cpage_file cpage_##name(void) {               \
    return (struct cpage_file){name, sizeof name};     \
  }

static const unsigned char html[] = {
#embed "page/index.html"
};
// The script's files, in order: texts and elements, the gateway, drawing, views.
static const unsigned char script[] = {
#embed "page/script/head.js" suffix(,)
#embed "page/script/figures.js" suffix(,)
#embed "page/script/elements.js" suffix(,)
#embed "page/script/kept.js" suffix(,)
#embed "page/script/state.js" suffix(,)
#embed "page/script/calls.js" suffix(,)
#embed "page/script/link.js" suffix(,)
#embed "page/script/access.js" suffix(,)
#embed "page/script/outbox.js" suffix(,)
#embed "page/script/drawing/canvas.js" suffix(,)
#embed "page/script/drawing/strips.js" suffix(,)
#embed "page/script/drawing/chart.js" suffix(,)
#embed "page/script/drawing/chart-marks.js" suffix(,)
#embed "page/script/drawing/maps.js" suffix(,)
#embed "page/script/drawing/grid-map.js" suffix(,)
#embed "page/script/drawing/profile.js" suffix(,)
#embed "page/script/drawing/tile-map.js" suffix(,)
#embed "page/script/views/pair.js" suffix(,)
#embed "page/script/views/now.js" suffix(,)
#embed "page/script/views/recording.js" suffix(,)
#embed "page/script/views/boards.js" suffix(,)
#embed "page/script/views/hazards.js" suffix(,)
#embed "page/script/views/tasks.js" suffix(,)
#embed "page/script/views/survey.js" suffix(,)
#embed "page/script/views/walks.js" suffix(,)
#embed "page/script/views/walk.js" suffix(,)
#embed "page/script/views/walk-marks.js" suffix(,)
#embed "page/script/views/walk-cards.js" suffix(,)
#embed "page/script/participants.js" suffix(,)
#embed "page/script/views/map.js" suffix(,)
#embed "page/script/views/health.js" suffix(,)
#embed "page/script/frame.js"
};
static const unsigned char style[] = {
#embed "page/page.css"
};
static const unsigned char icon[] = {
#embed "page/icon.svg"
};

PAGE_FILE(html)
PAGE_FILE(script)
PAGE_FILE(style)
PAGE_FILE(icon)
