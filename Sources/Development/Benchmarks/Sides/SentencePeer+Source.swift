extension SentencePeer {
  /// Takes a log and the number of passes. Prints the number of understood sentences, the
  /// nanoseconds of processor time, and a sum of coordinates that keeps the compiler from omitting
  /// work.
  static let source = """
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>

    /* What a plain parser does: find lines, check the sum, read the fields of the types it knows. It keeps
       nothing from one sentence to the next. */
    typedef struct { int64_t value; int64_t scale; } decimal;
    typedef struct { int hours, minutes, seconds, micros; } clock_time;
    typedef struct { int day, month, year; } calendar_date;

    static int hex(char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'A' && c <= 'F') return c - 'A' + 10;
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      return -1;
    }

    static int is_whole(const char *line, size_t length) {
      if (length < 9 || line[0] != '$') return 0;
      uint8_t sum = 0;
      size_t i = 1;
      while (i < length && line[i] != '*') {
        if (line[i] < 0x20 || line[i] > 0x7e) return 0;
        sum ^= (uint8_t)line[i++];
      }
      if (i + 3 > length) return 0;
      int high = hex(line[i + 1]), low = hex(line[i + 2]);
      return high >= 0 && low >= 0 && sum == (high << 4 | low);
    }

    static const char *next(const char *f) {
      while (*f && *f != ',' && *f != '*') f++;
      return *f == ',' ? f + 1 : f;
    }

    static int read_decimal(const char *f, decimal *d) {
      int64_t value = 0, scale = 0, sign = 1;
      if (*f == '-') { sign = -1; f++; }
      for (; *f && *f != ',' && *f != '*'; f++) {
        if (*f >= '0' && *f <= '9') {
          if (value > (INT64_MAX - 9) / 10) return 0;
          value = value * 10 + (*f - '0');
          if (scale) scale *= 10;
        } else if (*f == '.' && !scale) {
          scale = 1;
        } else {
          return 0;
        }
      }
      d->value = sign * value;
      d->scale = scale ? scale : 1;
      return 1;
    }

    static int read_int(const char *f) {
      int v = 0;
      while (*f >= '0' && *f <= '9') v = v * 10 + (*f++ - '0');
      return v;
    }

    static int two(const char *f) { return (f[0] - '0') * 10 + f[1] - '0'; }

    static int read_time(const char *f, clock_time *t) {
      for (int i = 0; i < 6; i++) if (f[i] < '0' || f[i] > '9') return 0;
      t->hours = two(f); t->minutes = two(f + 2); t->seconds = two(f + 4); t->micros = 0;
      if (f[6] == '.') {
        int weight = 100000;
        for (f += 7; *f >= '0' && *f <= '9'; f++) { t->micros += weight * (*f - '0'); weight /= 10; }
      }
      return 1;
    }

    static double degrees(const decimal *d, char way) {
      int64_t whole = d->value / (d->scale * 100);
      double minutes = (double)(d->value - whole * 100 * d->scale) / (double)d->scale;
      double v = (double)whole + minutes / 60;
      return way == 'S' || way == 'W' ? -v : v;
    }

    typedef struct {
      clock_time time; calendar_date date; char valid, north, east;
      decimal latitude, longitude, speed, course, altitude, geoid, hdop, pdop, vdop;
      int quality, satellites, mode, ids[12], total, index, view, sky[4][4];
    } sentence;

    static double sum;

    static int parse(const char *line, sentence *s) {
      const char *f = next(line);
      const char *type = line + 3;
      if (!memcmp(type, "RMC", 3)) {
        read_time(f, &s->time); f = next(f);
        s->valid = *f; f = next(f);
        read_decimal(f, &s->latitude); f = next(f); s->north = *f; f = next(f);
        read_decimal(f, &s->longitude); f = next(f); s->east = *f; f = next(f);
        read_decimal(f, &s->speed); f = next(f);
        read_decimal(f, &s->course); f = next(f);
        s->date.day = two(f); s->date.month = two(f + 2); s->date.year = two(f + 4);
        sum += degrees(&s->latitude, s->north) + degrees(&s->longitude, s->east);
      } else if (!memcmp(type, "GGA", 3)) {
        read_time(f, &s->time); f = next(f);
        read_decimal(f, &s->latitude); f = next(f); s->north = *f; f = next(f);
        read_decimal(f, &s->longitude); f = next(f); s->east = *f; f = next(f);
        s->quality = read_int(f); f = next(f);
        s->satellites = read_int(f); f = next(f);
        read_decimal(f, &s->hdop); f = next(f);
        read_decimal(f, &s->altitude); f = next(next(f));
        read_decimal(f, &s->geoid);
        sum += degrees(&s->latitude, s->north) + degrees(&s->longitude, s->east);
      } else if (!memcmp(type, "GLL", 3)) {
        read_decimal(f, &s->latitude); f = next(f); s->north = *f; f = next(f);
        read_decimal(f, &s->longitude); f = next(f); s->east = *f; f = next(f);
        read_time(f, &s->time); f = next(f);
        s->valid = *f;
        sum += degrees(&s->latitude, s->north) + degrees(&s->longitude, s->east);
      } else if (!memcmp(type, "GSA", 3)) {
        f = next(f); s->mode = read_int(f); f = next(f);
        for (int i = 0; i < 12; i++) { s->ids[i] = read_int(f); f = next(f); }
        read_decimal(f, &s->pdop); f = next(f);
        read_decimal(f, &s->hdop); f = next(f);
        read_decimal(f, &s->vdop);
      } else if (!memcmp(type, "GSV", 3)) {
        s->total = read_int(f); f = next(f);
        s->index = read_int(f); f = next(f);
        s->view = read_int(f); f = next(f);
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 4; j++) { s->sky[i][j] = read_int(f); f = next(f); }
      } else if (!memcmp(type, "VTG", 3)) {
        read_decimal(f, &s->course); f = next(next(next(next(f))));
        read_decimal(f, &s->speed);
      } else {
        return 0;
      }
      return 1;
    }

    static double now(void) {
      struct timespec t;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
      return t.tv_sec * 1e9 + t.tv_nsec;
    }

    int main(int argc, char **argv) {
      FILE *file = fopen(argv[1], "rb");
      int rounds = atoi(argv[2]);
      fseek(file, 0, SEEK_END);
      long size = ftell(file);
      rewind(file);
      char *text = malloc(size + 1);
      size = fread(text, 1, size, file);
      text[size] = 0;
      long parsed = 0;
      static sentence s;
      double start = now();
      for (int r = 0; r < rounds; r++) {
        char line[256];
        size_t length = 0;
        for (long i = 0; i < size; i++) {
          char c = text[i];
          if (c == '$') length = 0;
          if (c == '\\n') {
            line[length] = 0;
            if (is_whole(line, length)) parsed += parse(line, &s);
            length = 0;
          } else if (length < sizeof line - 1) {
            line[length++] = c;
          }
        }
      }
      double time = now() - start;
      printf("%ld %.0f %.1f\\n", parsed, time, sum);
      return 0;
    }
    """
}
