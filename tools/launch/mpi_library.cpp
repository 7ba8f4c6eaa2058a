#include "launch/mpi_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

#include "system/process.h"

namespace concilio::tools {

namespace {

constexpr double listing_timeout_seconds = 20;
constexpr int version_timeout_ms = 20'000;

Interface interface_of_name(std::string_view name) {
  struct Sign {
    const char* prefix;
    Interface interface;
  };
  // MPICH's common ABI is libmpi.so.12, Debian's name for it libmpich.so.12.
  static constexpr Sign signs[] = {{"libmpi_abi.so", Interface::abi},
                                   {"libmpi.so.40", Interface::openmpi},
                                   {"libmpich.so.12", Interface::mpich},
                                   {"libmpi.so.12", Interface::mpich}};
  for (const Sign& sign : signs) {
    if (name.starts_with(sign.prefix)) return sign.interface;
  }
  return Interface::other;
}

bool is_mpi_name(std::string_view name) {
  return name.starts_with("libmpi_abi.so") || name.starts_with("libmpich.so") ||
         name.starts_with("libmpi.so");
}

// "libmpi.so.40.30.4" -> "libmpi.so.40": the name that programs ask for.
std::string soname_of(std::string_view name) {
  const size_t version = name.find(".so.");
  if (version == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, name.find('.', version + 4)));
}

std::string_view first_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// A line of the list that the dynamic loader writes: "name => path (address)".
struct ListedLibrary {
  std::string_view name;
  std::string_view path;  // empty if the loader did not find it
};

std::vector<ListedLibrary> lines_of_listing(std::string_view listing) {
  std::vector<ListedLibrary> all;
  for (size_t begin = 0; begin < listing.size();) {
    const size_t end = std::min(listing.find('\n', begin), listing.size());
    std::string_view line = listing.substr(begin, end - begin);
    begin = end + 1;
    ListedLibrary library{first_word(line), {}};
    if (first_word(line) == "=>") {
      // A path may have spaces. Behind it is the address.
      const std::string_view path = line.substr(std::min<size_t>(1, line.size()), line.rfind(" (") - 1);
      if (path.starts_with('/')) library.path = path;
    }
    all.push_back(library);
  }
  return all;
}

// Runs in the child process: writes what the library says of itself to `out`.
[[noreturn]] void say_version(const char* path, int out) {
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, descriptor);
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  using GetLibraryVersion = int (*)(char*, int*);
  const auto ask =
      library ? reinterpret_cast<GetLibraryVersion>(dlsym(library, "MPI_Get_library_version")) : nullptr;
  char text[8192 + 1] = "";  // MPI_MAX_LIBRARY_VERSION_STRING is 256 to 8192
  int length = 0;
  if (ask && ask(text, &length) == 0 && length > 0 && write(out, text, static_cast<size_t>(length)) > 0)
    _exit(0);
  _exit(1);
}

std::string read_until_end(int descriptor, int timeout_ms) {
  std::string text;
  char part[4096];
  pollfd ready{descriptor, POLLIN, 0};
  while (poll(&ready, 1, timeout_ms) > 0) {
    const ssize_t got = read(descriptor, part, sizeof part);
    if (got <= 0) break;
    text.append(part, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

std::string MpiLibrary::described() const {
  std::string who = name;
  if (version && !version->number.empty())
    who = fmt::format("{} {}", family_name(version->family), version->number);
  if (interface == Interface::abi) who = fmt::format("the MPI standard's ABI of {}", who);
  return fmt::format("{} ({})", who, path.empty() ? name : path);
}

std::optional<MpiLibrary> mpi_library_of_listing(std::string_view listing) {
  std::optional<MpiLibrary> found;
  for (const auto& [name, path] : lines_of_listing(listing)) {
    if (!is_mpi_name(name)) continue;
    MpiLibrary library;
    library.name = soname_of(name);
    library.path = path;
    library.interface = interface_of_name(name);
    // A library whose MPI is known comes before one whose MPI is not known.
    if (!found || found->interface == Interface::other) found = library;
  }
  return found;
}

std::string address_sanitizer_of_listing(std::string_view listing) {
  for (const auto& [name, path] : lines_of_listing(listing)) {
    if (name.starts_with("libasan.so")) return std::string(path);
  }
  return {};
}

std::string listing_of_file(const std::string& path, const std::string& interpreter,
                            const Environment& environment) {
  // Libraries that are preloaded into all programs are not those of the file.
  Environment bare = environment;
  bare.unset("LD_PRELOAD");
  const std::string file = std::filesystem::absolute(path).string();
  const auto listing = capture({interpreter, "--list", file}, bare, listing_timeout_seconds);
  if (!listing) return "";
  if (listing->exit_status == 0 || interpreter.find("musl") != std::string::npos) return listing->output;
  // If a library is missing, glibc's loader lists the others only when it is asked in the way of ldd, which
  // musl's does not know.
  bare.set("LD_TRACE_LOADED_OBJECTS", "1");
  const auto traced = capture({interpreter, file}, bare, listing_timeout_seconds);
  return traced ? traced->output : "";
}

std::optional<MpiLibrary> mpi_library_of_file(const std::string& path, const Environment& environment) {
  const auto interpreter = interpreter_of("/proc/self/exe");
  if (!interpreter || interpreter->empty()) return std::nullopt;
  return mpi_library_of_listing(listing_of_file(path, *interpreter, environment));
}

std::optional<MpiLibrary> mpi_library_at(const std::string& path) {
  MpiLibrary library;
  library.name = soname_of(std::filesystem::path(path).filename().string());
  if (!is_mpi_name(library.name)) return std::nullopt;
  library.path = path;
  library.interface = interface_of_name(library.name);
  return library;
}

std::optional<MpiVersion> version_of_library(const std::string& path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) say_version(path.c_str(), ends[1]);
  close(ends[1]);
  const std::string text = child > 0 ? read_until_end(ends[0], version_timeout_ms) : std::string();
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);  // the child has said all, or has failed
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return version_of_text(text);
}

}  // namespace concilio::tools
