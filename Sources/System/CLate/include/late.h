#pragma once

// A function of a library that only some commands need. The first call opens the library: otherwise each start
// would load some forty files for it and for what it needs. The compiler compares the form with that in the library's
// own header.
#define LATE(library, result, name, parameters, arguments)              \
  result name parameters {                                              \
    static result(*volatile function) parameters;                       \
    if (!function) *(void **)&function = late_function(library, #name); \
    return function arguments;                                          \
  }

// The function of a library; ends the program if there is none.
void *late_function(const char *library, const char *name);
