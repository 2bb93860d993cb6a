#pragma once

// A function of a library that only some commands need. The first call opens the library: otherwise each start
// would load some forty files for it and for what it needs. The compiler compares the form with that in the library's
// own header.
#define LATE(library, result, name, parameters, arguments)                       \
  result name parameters {                                                       \
    static void *place;                                                          \
    return ((result(*) parameters)late_found(&place, library, #name)) arguments; \
  }

// The function of a library; ends the program if there is none.
void *late_function(const char *library, const char *name);

// Whether a library can be opened, for a command that does without.
int late_is_there(const char *library);

// The same as late_function, kept at a place that several threads may ask for at once.
static inline void *late_found(void **place, const char *library, const char *name) {
  void *function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (!function) {
    function = late_function(library, name);
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
  }
  return function;
}
