// Concilio's kernel on the GPU that is not there: its text runs on the CPU, thread by thread, on the other
// mapping of the device's memory.
#pragma once

#include "device.h"

namespace gpu {

// What the stand-ins for compilers make of the kernel's text.
inline constexpr char kernel_code[] = "code of concilio_move_pieces";

// These return a driver's codes.
int load_module(void** module, const void* code);
int unload_module(void* module);
int find_function(void** function, void* module, const char* name);
// Where the device reaches memory of the host that is registered from there on: at addresses that the CPU
// does not have.
int device_address(void** address, void* host);
struct Size {
  unsigned x, y, z;
};
int launch(void* function, const Size& grid, const Size& block, Stream& stream, void** arguments);

}  // namespace gpu

// For tests: how many modules are loaded, and how often a kernel was launched.
extern "C" int gpu_modules();
extern "C" int gpu_launches();
