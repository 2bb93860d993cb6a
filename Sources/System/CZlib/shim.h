#pragma once
#include <zlib.h>

// A macro in zlib, which passes the version and the size of the structure along. 16 asks for gzip.
static inline int czlib_begin_unpacking(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
