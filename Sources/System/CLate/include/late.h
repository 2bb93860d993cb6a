#pragma once

// Defines a function of a library that only some commands need. The first call opens the library. If it were linked,
// every start of the program would load about forty files: the library and its dependencies. The compiler checks the
// signature against the library's own header.
#define LATE(library, result, name, parameters, arguments)                       \
  result name parameters {                                                       \
    static void *place;                                                          \
    return ((result(*) parameters)late_found(&place, library, #name)) arguments; \
  }

// Returns a function of a library. Ends the program if the function is not found.
void *late_function(const char *library, const char *name);

// Returns whether a library can be opened, for a command that can do without it.
int late_is_there(const char *library);

// Returns a function like late_function, and caches it in `place`, which several threads may use at the same time.
static inline void *late_found(void **place, const char *library, const char *name) {
  void *function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (!function) {
    function = late_function(library, name);
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
  }
  return function;
}
