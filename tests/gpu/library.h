// Loads a GPU driver as programs do that are not linked with it.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

class GpuLibrary {
 public:
  // The library stays loaded.
  explicit GpuLibrary(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  template <typename... Args>
  int call(const char* function, Args... args) const {
    return reinterpret_cast<int (*)(Args...)>(dlsym(handle_, function))(args...);
  }

 private:
  void* handle_;
};
