#pragma once

// Defines a function from a library that only some commands need. The library is opened on the first call. If the
// program were linked to the library, every start would load about forty files: the library and its dependencies. The
// compiler checks the signature against the library's own header.
#define LATE(library, result, name, parameters, arguments)                       \
  result name parameters {                                                       \
    static void *place;                                                          \
    return ((result(*) parameters)late_found(&place, library, #name)) arguments; \
  }

// Looks up a function in a library. Ends the program if the function is not found.
void *late_function(const char *library, const char *name);

// Returns whether a library can be opened. Used by commands that also work without the library.
int late_is_there(const char *library);

// Looks up a function as late_function does, and caches it in `place`. Several threads may use the same `place` at
// once.
static inline void *late_found(void **place, const char *library, const char *name) {
  void *function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (!function) {
    function = late_function(library, name);
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
  }
  return function;
}
