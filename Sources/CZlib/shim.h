#pragma once
#include <zlib.h>

// zlib's initializers are macros that say the header's version and the stream's size. 16 more than the window's bits ask for
// gzip's head and tail in place of zlib's.

static inline int portcullis_gzip_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 16 + MAX_WBITS, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY);
}
static inline int portcullis_gunzip_begin(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
