#include "exec/storage/storage.h"

#include <gtest/gtest.h>

#include <memory>

#include "store/posix/posix.h"

namespace concilio::exec::storage_test {
namespace {

// Who gives up several locks because one was refused need not know which of them opened the file.
TEST(Storage, NothingIsUnlockedInAFileThatCannotBeOpened) {
  const auto store = store::make_posix_store();
  Counters counters;
  Storage storage(*store, "/no-such-folder/file", {}, counters);
  const Status locked = storage.lock(0, 10, store::LockMode::shared, 0);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::no_such_file);
  EXPECT_TRUE(storage.unlock(0, 10));
}

}  // namespace
}  // namespace concilio::exec::storage_test
