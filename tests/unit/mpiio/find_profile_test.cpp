// A profile is read at MPI_File_open, where memory may run out: then that open fails, the process goes on,
// and the next open reads the profile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>

#include "base/log.h"
#include "base/settings/profile_path.h"
#include "base/system/process.h"
#include "mpiio/settings/profile.h"
#include "store/place/mount.h"

namespace {

// So many allocations succeed before one fails; negative: none fails.
std::atomic<int64_t> until_failure{-1};

void* allocated(size_t bytes) {
  if (until_failure >= 0 && until_failure-- == 0) return nullptr;
  return std::malloc(bytes > 0 ? bytes : 1);
}

}  // namespace

void* operator new(size_t bytes) {
  if (void* block = allocated(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return allocated(bytes);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  std::free(block);
}

namespace concilio::mpiio::find_profile_test {
namespace {

namespace fs = std::filesystem;

class FindProfile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  // Looks for the profile while the n-th allocation of that fails, for n = 1, 2, ... until there are fewer.
  // Each time std::bad_alloc must be thrown, and in the end the profile be found, or not. If it cannot be
  // used, the copy of the error that says so may lack memory, which throws nothing. setting_of(n) is
  // CONCILIO_PROFILE.
  template <typename SettingOf>
  void expect_without_memory(bool found_in_the_end, SettingOf&& setting_of) {
    int n = 0, throws = 0;
    for (bool failed = true; failed;) {
      Config config = Config::defaults();
      config.take(Key::profile, setting_of(++n), Config::Origin::environment);
      std::shared_ptr<const plan::Profile> found;
      bool thrown = false;
      until_failure = n - 1;
      try {
        found = find_profile(config, folder_);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      failed = until_failure.exchange(-1) < 0;
      EXPECT_TRUE(thrown == failed || (failed && !found_in_the_end)) << "allocation " << n;
      throws += thrown;
      EXPECT_EQ(found != nullptr, !thrown && found_in_the_end) << "allocation " << n;
    }
    EXPECT_GT(throws, 1) << "no allocation failed";
  }

  const fs::path folder_ = fs::temp_directory_path() / ("concilio_profile_" + std::to_string(getpid()));
};

std::string profile_of(const std::string& host) {
  plan::Profile profile;
  profile.hosts = {"elsewhere", host};
  profile.prices = plan::builtin_prices({});
  return plan::profile_as_text(profile, {{"raw", {1, {2, 3}}}});
}

TEST_F(FindProfile, IsReadAgainAfterAnOpenWithoutMemory) {
  const auto mount = store::mount_of(folder_);
  ASSERT_TRUE(mount) << mount.error().message;
  write(profile_path(folder_, host_name(), mount->point, ""), profile_of(host_name()));
  setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  expect_without_memory(true, [](int) { return "auto"; });
}

TEST_F(FindProfile, CannotBeUsedAndMemoryRunsOut) {
  set_log_level(LogLevel::error);  // it would be said hundreds of times
  const std::string whole = profile_of(host_name());
  const std::string texts[] = {
      whole.substr(0, whole.size() / 2),
      std::string(200, '['),
      R"([{"a": [[1], 2]}])",
      R"({"concilio_profile": [[1], {"a": [2]}]})",
      profile_of("nowhere"),
      R"({"concilio_profile": 1, "hosts": [["a"]], "hosts": ["*"], "mount": {"b": [1]}})"};
  for (size_t i = 0; i < std::size(texts); ++i) {
    SCOPED_TRACE(texts[i]);
    const fs::path file = folder_ / std::to_string(i);
    write(file, texts[i]);
    // A profile is read once, so it needs another name each time.
    expect_without_memory(false, [&](int n) {
      const std::string name = file.string() + "." + std::to_string(n);
      fs::create_symlink(file, name);
      return name;
    });
  }
}

}  // namespace
}  // namespace concilio::mpiio::find_profile_test
