#pragma once
#include <zlib.h>

// inflateInit2 is a macro, because it also passes the version and the size of the structure. 16 selects gzip.
static inline int czlib_begin_unpacking(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
