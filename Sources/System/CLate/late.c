#include <dlfcn.h>
#include <late.h>
#include <stdio.h>
#include <stdlib.h>

void *late_function(const char *library, const char *name) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *function = opened ? dlsym(opened, name) : NULL;
  if (!function) {
    fprintf(stderr, "error: %s\n       install your distribution's package for this library\n", dlerror());
    exit(1);
  }
  return function;
}

int late_is_there(const char *library) { return dlopen(library, RTLD_NOW | RTLD_LOCAL) != NULL; }
