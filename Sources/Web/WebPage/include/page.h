#ifndef FOOTBRIDGE_PAGE_H
#define FOOTBRIDGE_PAGE_H

#include <stddef.h>

// One of the page's files, with the same contents as in the folder `page`.
struct cpage_file {
  const unsigned char *bytes;
  size_t count;
};

struct cpage_file cpage_html(void);
struct cpage_file cpage_script(void);
struct cpage_file cpage_style(void);
struct cpage_file cpage_icon(void);

#endif
