#include <page.h>

// The compiler reads the files: there is no step that would have to run before it.
#define PAGE_FILE(name)                                \
  struct cpage_file cpage_##name(void) {               \
    return (struct cpage_file){name, sizeof name};     \
  }

static const unsigned char html[] = {
#embed "page/index.html"
};
static const unsigned char script[] = {
#embed "page/page.js"
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
