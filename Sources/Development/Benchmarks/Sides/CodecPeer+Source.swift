extension CodecPeer {
  /// Takes a method, the file of columns and the number of passes. Verifies that decoding returns
  /// the encoded values. Prints the bytes, and the nanoseconds of encoding and decoding for one
  /// pass.
  static let source = """
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    #include <zstd.h>
    #ifdef WITH_FLAC
    #include <FLAC/stream_decoder.h>
    #include <FLAC/stream_encoder.h>
    #endif

    typedef struct { uint32_t count, columns, axes; int64_t *values; } chunk;
    static uint8_t planes[1 << 20], back[1 << 20], stored[1 << 21];
    static int level;
    static ZSTD_CCtx *packer;
    static ZSTD_DCtx *unpacker;

    static double now(void) {
      struct timespec t;
      clock_gettime(CLOCK_MONOTONIC, &t);
      return t.tv_sec * 1e9 + t.tv_nsec;
    }

    /* Zigzag steps in byte planes behind the first value and the number of planes. */
    static size_t lay_out(const int64_t *v, uint32_t n) {
      uint64_t all = 0;
      for (uint32_t i = 1; i < n; i++) {
        int64_t s = v[i] - v[i - 1];
        all |= (uint64_t)s << 1 ^ (uint64_t)(s >> 63);
      }
      int width = 0;
      while (width < 8 && all >> 8 * width) width++;
      memcpy(planes, v, 8);
      planes[8] = width;
      for (uint32_t i = 1; i < n; i++) {
        int64_t s = v[i] - v[i - 1];
        uint64_t z = (uint64_t)s << 1 ^ (uint64_t)(s >> 63);
        for (int p = 0; p < width; p++) planes[9 + p * (n - 1) + i - 1] = z >> 8 * p;
      }
      return 9 + (size_t)width * (n - 1);
    }

    static void read_back(const uint8_t *from, int64_t *v, uint32_t n) {
      int width = from[8];
      memcpy(v, from, 8);
      for (uint32_t i = 1; i < n; i++) {
        uint64_t z = 0;
        for (int p = 0; p < width; p++) z |= (uint64_t)from[9 + p * (n - 1) + i - 1] << 8 * p;
        v[i] = v[i - 1] + (int64_t)(z >> 1 ^ -(z & 1));
      }
    }

    static size_t zstd_column(const int64_t *v, uint32_t n, uint8_t *to) {
      size_t raw = lay_out(v, n);
      return ZSTD_compressCCtx(packer, to, 1 << 20, planes, raw, level);
    }

    #ifdef WITH_FLAC
    typedef struct { const uint8_t *bytes; size_t length, place; int64_t *values; uint32_t count, done; } pipe_end;
    static FLAC__StreamEncoderWriteStatus put(const FLAC__StreamEncoder *e, const FLAC__byte *b,
                                              size_t n, uint32_t s, uint32_t f, void *p) {
      pipe_end *to = p;
      memcpy((uint8_t *)to->bytes + to->length, b, n);
      to->length += n;
      return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
    }
    static FLAC__StreamDecoderReadStatus get(const FLAC__StreamDecoder *d, FLAC__byte *b, size_t *n,
                                             void *p) {
      pipe_end *from = p;
      size_t left = from->length - from->place;
      if (*n > left) *n = left;
      memcpy(b, from->bytes + from->place, *n);
      from->place += *n;
      return *n ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    }
    static FLAC__StreamDecoderWriteStatus take(const FLAC__StreamDecoder *d, const FLAC__Frame *f,
                                               const FLAC__int32 *const b[], void *p) {
      pipe_end *to = p;
      for (uint32_t c = 0; c < f->header.channels; c++)
        for (uint32_t i = 0; i < f->header.blocksize; i++)
          to->values[(size_t)c * to->count + to->done + i] = b[c][i];
      to->done += f->header.blocksize;
      return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
    }
    static void complain(const FLAC__StreamDecoder *d, FLAC__StreamDecoderErrorStatus s, void *p) {}

    static size_t flac_encode(const chunk *c, uint8_t *to) {
      static FLAC__int32 axes[8][1 << 16];
      const FLAC__int32 *lists[8];
      for (uint32_t a = 0; a < c->axes; a++) {
        lists[a] = axes[a];
        for (uint32_t i = 0; i < c->count; i++)
          axes[a][i] = c->values[(size_t)(c->columns - c->axes + a) * c->count + i];
      }
      FLAC__StreamEncoder *e = FLAC__stream_encoder_new();
      pipe_end end = {to, 0, 0, 0, 0, 0};
      FLAC__stream_encoder_set_channels(e, c->axes);
      FLAC__stream_encoder_set_bits_per_sample(e, 16);
      FLAC__stream_encoder_set_sample_rate(e, 100);
      FLAC__stream_encoder_set_compression_level(e, 8);
      FLAC__stream_encoder_set_streamable_subset(e, 0);
      FLAC__stream_encoder_set_blocksize(e, c->count);
      FLAC__stream_encoder_set_do_md5(e, 0);
      if (FLAC__stream_encoder_init_stream(e, put, 0, 0, 0, &end)) exit(3);
      if (!FLAC__stream_encoder_process(e, lists, c->count)) exit(3);
      FLAC__stream_encoder_finish(e);
      FLAC__stream_encoder_delete(e);
      return end.length;
    }

    static void flac_decode(const uint8_t *from, size_t length, const chunk *c, int64_t *to) {
      FLAC__StreamDecoder *d = FLAC__stream_decoder_new();
      pipe_end end = {from, length, 0, to, c->count, 0};
      if (FLAC__stream_decoder_init_stream(d, get, 0, 0, 0, 0, take, 0, complain, &end)) exit(4);
      FLAC__stream_decoder_process_until_end_of_stream(d);
      FLAC__stream_decoder_delete(d);
      if (end.done != c->count) exit(4);
    }
    #endif

    int main(int words, char **word) {
      int is_flac = !strcmp(word[1], "flac"), repeats = atoi(word[3]);
      level = !strcmp(word[1], "zstd-3") ? 3 : 19;
      packer = ZSTD_createCCtx();
      unpacker = ZSTD_createDCtx();
      FILE *file = fopen(word[2], "rb");
      uint32_t number;
      if (!file || fread(&number, 4, 1, file) != 1) return 2;
      chunk *chunks = calloc(number, sizeof *chunks);
      for (uint32_t c = 0; c < number; c++) {
        if (fread(&chunks[c], 4, 3, file) != 3) return 2;
        size_t values = (size_t)chunks[c].count * chunks[c].columns;
        if (chunks[c].count > 1 << 16 || values > 1 << 18) return 2;
        chunks[c].values = malloc(values * 8);
        if (fread(chunks[c].values, 8, values, file) != values) return 2;
      }
      static int64_t again[1 << 18];
      double encoding = 0, decoding = 0;
      size_t bytes = 0;
      for (int r = 0; r < repeats; r++)
        for (uint32_t k = 0; k < number; k++) {
          chunk *c = &chunks[k];
          uint32_t plain = is_flac ? c->columns - c->axes : c->columns;
          size_t lengths[64], at = 0, sound = 0;
          double start = now();
          for (uint32_t column = 0; column < plain; column++) {
            lengths[column] = zstd_column(c->values + (size_t)column * c->count, c->count, stored + at);
            at += lengths[column];
          }
    #ifdef WITH_FLAC
          if (is_flac) sound = flac_encode(c, stored + at);
    #endif
          encoding += now() - start;
          bytes += at + sound;
          start = now();
          at = 0;
          for (uint32_t column = 0; column < plain; column++) {
            ZSTD_decompressDCtx(unpacker, back, sizeof back, stored + at, lengths[column]);
            read_back(back, again + (size_t)column * c->count, c->count);
            at += lengths[column];
          }
    #ifdef WITH_FLAC
          if (is_flac) flac_decode(stored + at, sound, c, again + (size_t)plain * c->count);
    #endif
          decoding += now() - start;
          if (memcmp(again, c->values, (size_t)c->count * c->columns * 8)) return 5;
        }
      printf("%zu %.0f %.0f\\n", bytes / repeats, encoding / repeats, decoding / repeats);
      return 0;
    }

    """
}
