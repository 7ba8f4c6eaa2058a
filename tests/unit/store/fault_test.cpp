#include "store/wrappers/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "store/memory.h"
#include "store/wrappers/stack.h"
#include "store/wrappers/trace.h"

namespace concilio::store::fault_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr OpenMode create{true, true, true, false};

FaultPlan plan_of(const char* text) {
  Result<FaultPlan> plan = parse_faults(text);
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return {};
  }
  return *plan;
}

std::unique_ptr<StoreFile> open_with(const char* text) {
  const auto store = make_fault_store(make_memory_store(), plan_of(text));
  Result<std::unique_ptr<StoreFile>> file = store->open("file", create);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return nullptr;
  }
  return std::move(*file);
}

ErrorKind kind_of(const Status& status) {
  return status ? ErrorKind::none : status.error().kind;
}

TEST(ParseFaults, EveryPartIsTaken) {
  const FaultPlan plan = plan_of("write:3:ENOSPC; read:*:EIO@2;any:7:eintr;preallocate:1:short;;");
  ASSERT_EQ(plan.size(), 4u);
  EXPECT_EQ(plan[0].operation, StoreOperation::write);
  EXPECT_EQ(plan[0].number, 3);
  EXPECT_EQ(plan[0].effect, Fault::Effect::fail);
  EXPECT_EQ(plan[0].system_errno, ENOSPC);
  EXPECT_EQ(plan[0].rank, -1);
  EXPECT_EQ(plan[1].operation, StoreOperation::read);
  EXPECT_EQ(plan[1].number, 0);
  EXPECT_EQ(plan[1].rank, 2);
  EXPECT_EQ(plan[2].operation, std::nullopt);
  EXPECT_EQ(plan[2].effect, Fault::Effect::interrupt);
  EXPECT_EQ(plan[3].operation, StoreOperation::preallocate);
  EXPECT_EQ(plan[3].effect, Fault::Effect::shorten);
}

TEST(ParseFaults, NothingIsNoFaults) {
  EXPECT_TRUE(plan_of("").empty());
}

TEST(ParseFaults, MalformedPlansSayWhatWouldBeRight) {
  for (const char* bad :
       {"write", "write:3", "wrote:3:EIO", "write:0:EIO", "write:-1:EIO", "write:x:EIO", "write:3:EWHAT",
        "write:3:EIO@", "write:3:EIO@-1", "write:3:EIO:4", ":::", "write::EIO"}) {
    const Result<FaultPlan> plan = parse_faults(bad);
    ASSERT_FALSE(plan) << bad;
    EXPECT_EQ(plan.error().kind, ErrorKind::argument);
    EXPECT_THAT(plan.error().message, HasSubstr(bad));
    EXPECT_THAT(plan.error().message, HasSubstr("write:3:ENOSPC"));
  }
}

// Three requests, of which the second is two transfers.
std::vector<Transfer> scattered(std::byte* data) {
  return {{0, data, 2}, {10, data, 2}, {12, data, 3}, {20, data, 2}};
}

TEST(Faults, EachRequestAtOnceIsAnOperation) {
  for (const int64_t k : {1, 2, 3}) {
    const auto file = open_with(("write:" + std::to_string(k) + ":ENOSPC").c_str());
    std::byte data[4] = {std::byte{7}};
    const Status written = file->write_at_once(scattered(data));
    ASSERT_FALSE(written) << k;
    EXPECT_EQ(written.error().kind, ErrorKind::no_space);
    const char* wanted[] = {"cannot write 2 bytes at offset 0 of", "cannot write 5 bytes at offset 10 of",
                            "cannot write 2 bytes at offset 20 of"};
    EXPECT_THAT(written.error().message, HasSubstr(wanted[k - 1]));
    EXPECT_EQ(*file->size(), k == 3 ? 15 : 22) << "the others are made";
    EXPECT_TRUE(file->write_at_once(scattered(data)));
  }
}

TEST(Faults, ReadsAtOnceFailOneByOne) {
  const auto file = open_with("read:2:EIO");
  std::byte data[4] = {};
  ASSERT_TRUE(file->write_at_once(scattered(data)));
  const Result<int64_t> got = file->read_at_once(scattered(data));
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("cannot read 5 bytes at offset 10 of"));
  EXPECT_EQ(*file->read_at_once(scattered(data)), 9);
}

TEST(Trace, RequestsAtOnceAreToldOneByOne) {
  std::vector<std::string> seen;
  const auto store = make_trace_store(make_memory_store(), [&seen](const StoreEvent& event, bool succeeded) {
    if (event.operation != StoreOperation::write) return;
    EXPECT_TRUE(succeeded);
    EXPECT_EQ(event.requests, 1);
    EXPECT_EQ(event.at_once, 3);
    seen.push_back(std::to_string(event.bytes) + "@" + std::to_string(event.offset));
  });
  const auto file = store->open("file", create);
  ASSERT_TRUE(file);
  std::byte data[4] = {};
  ASSERT_TRUE((*file)->write_at_once(scattered(data)));
  EXPECT_THAT(seen, ElementsAre("2@0", "5@10", "2@20"));
}

class FaultsInAFile : public testing::Test {
 protected:
  FaultsInAFile()
      : plan_(std::filesystem::temp_directory_path() / ("concilio_plan_" + std::to_string(getpid()))) {}
  ~FaultsInAFile() override {
    for (const std::string& name : {plan_, plan_ + ".struck"}) std::filesystem::remove(name);
  }
  void write(const std::string& text) const { std::ofstream(plan_) << text; }
  std::string struck() const {
    std::ifstream record(plan_ + ".struck");
    return {std::istreambuf_iterator<char>(record), {}};
  }

  const std::string plan_;
};

TEST_F(FaultsInAFile, EachStoreReadsItAnewAndEachStrikeIsRecorded) {
  StrikeSink sink;
  for (const char* plan : {"sync:*:EIO\n", "sync:1:EIO;size:1:EIO", "", "write:1:EIO"}) {
    write(plan);
    const auto faults = read_faults("@" + plan_, sink);
    ASSERT_TRUE(faults) << plan;
    const auto file = make_fault_store(make_memory_store(), *faults, sink)->open("file", create);
    ASSERT_TRUE(file);
    (void)(*file)->sync();
    (void)(*file)->size();
  }
  EXPECT_EQ(struck(), "sync\nsync\nsize\n");
}

TEST_F(FaultsInAFile, PlanThatIsNotThereIsNamed) {
  StrikeSink sink;
  const auto faults = read_faults("@" + plan_, sink);
  ASSERT_FALSE(faults);
  EXPECT_EQ(faults.error().kind, ErrorKind::argument);
  EXPECT_THAT(faults.error().message, HasSubstr(plan_));
}

TEST(FaultsOfRank, OwnOnesAndThoseOfAll) {
  const FaultPlan plan = plan_of("write:1:EIO;write:2:EIO@0;write:3:EIO@1");
  EXPECT_EQ(faults_of_rank(plan, 0).size(), 2u);
  EXPECT_EQ(faults_of_rank(plan, 1)[1].number, 3);
  EXPECT_EQ(faults_of_rank(plan, -1).size(), 1u);
}

TEST(FaultStore, OnlyTheNthOfItsKindFails) {
  const auto file = open_with("write:2:ENOSPC");
  std::byte byte{1};
  EXPECT_TRUE(file->write({0, &byte, 1}));
  EXPECT_TRUE(file->sync());
  const Status failed = file->write({5, &byte, 1});
  EXPECT_EQ(kind_of(failed), ErrorKind::no_space);
  EXPECT_EQ(failed.error().message,
            "cannot write 1 bytes at offset 5 of file (injected fault): No space left on device");
  EXPECT_EQ(*file->size(), 1) << "the failed write does nothing";
  EXPECT_TRUE(file->write({5, &byte, 1}));
}

TEST(FaultStore, FileIsClosedThoughItsClosingFails) {
  const auto store = make_fault_store(make_memory_store(), plan_of("close:1:EDQUOT"));
  auto first = store->open("file", create), second = store->open("file", create);
  ASSERT_TRUE(first && second);
  const Status closed = (*first)->close();
  EXPECT_EQ(kind_of(closed), ErrorKind::quota);
  EXPECT_THAT(closed.error().message, HasSubstr("file"));
  EXPECT_TRUE((*second)->close());
}

TEST(FaultStore, StarFailsEveryOne) {
  const auto file = open_with("lock:*:ENOLCK");
  EXPECT_EQ(kind_of(file->lock(0, 1, LockMode::shared, 0)), ErrorKind::unsupported);
  EXPECT_EQ(kind_of(file->lock(0, 1, LockMode::shared, 0)), ErrorKind::unsupported);
  EXPECT_TRUE(file->unlock(0, 1));
}

TEST(FaultStore, AnyCountsOperationsOfEveryKind) {
  const auto file = open_with("any:4:EIO");  // the first is the open
  EXPECT_TRUE(file->sync());
  EXPECT_TRUE(file->size());
  EXPECT_FALSE(file->layout());
  EXPECT_TRUE(file->layout());
}

TEST(FaultStore, EveryOperationCanFail) {
  const auto store = make_fault_store(make_memory_store(), plan_of("any:*:EIO"));
  EXPECT_EQ(store->open("file", create).error().kind, ErrorKind::io);
  EXPECT_EQ(kind_of(store->remove("file")), ErrorKind::io);
  const auto file = open_with(
      "read:*:EIO;write:*:EIO;lock:*:EIO;unlock:*:EIO;sync:*:EIO;size:*:EIO;resize:*:EIO;"
      "preallocate:*:EIO;layout:*:EIO");
  std::byte byte{};
  EXPECT_EQ(file->read({0, &byte, 1}).error().kind, ErrorKind::io);
  EXPECT_EQ(kind_of(file->write({0, &byte, 1})), ErrorKind::io);
  EXPECT_EQ(kind_of(file->lock(0, 1, LockMode::shared, 0)), ErrorKind::io);
  EXPECT_EQ(kind_of(file->unlock(0, 1)), ErrorKind::io);
  EXPECT_EQ(kind_of(file->sync()), ErrorKind::io);
  EXPECT_EQ(file->size().error().kind, ErrorKind::io);
  EXPECT_EQ(kind_of(file->resize(1)), ErrorKind::io);
  EXPECT_EQ(kind_of(file->preallocate(1)), ErrorKind::io);
  EXPECT_EQ(file->layout().error().kind, ErrorKind::io);
}

TEST(FaultHook, HalvesTheNthCallAndInterruptsAnother) {
  const SyscallHook hook = make_fault_hook(plan_of("write:2:short;read:1:eintr;write:1:EIO"));
  ASSERT_TRUE(hook);
  EXPECT_EQ(hook(StoreOperation::write, 100).most_bytes, INT64_MAX);
  EXPECT_EQ(hook(StoreOperation::write, 100).most_bytes, 50);
  EXPECT_EQ(hook(StoreOperation::write, 100).most_bytes, INT64_MAX);
  EXPECT_EQ(hook(StoreOperation::read, 100).system_errno, EINTR);
  EXPECT_EQ(hook(StoreOperation::read, 100).system_errno, 0);
}

TEST(FaultHook, NoHookWhereNothingIsToHook) {
  EXPECT_FALSE(make_fault_hook(plan_of("write:*:EIO")));
}

TEST(TraceStore, TellsOfEachOperationWhatItWas) {
  std::vector<std::string> lines;
  const auto store = make_trace_store(
      make_fault_store(make_memory_store(), plan_of("sync:1:EIO")),
      [&lines](const StoreEvent& event, bool succeeded) {
        lines.push_back(std::string(operation_name(event.operation)) + " " + std::string(event.path) + " " +
                        std::to_string(event.offset) + " " + std::to_string(event.bytes) + " " +
                        std::to_string(event.requests) + (succeeded ? "" : " failed"));
      });
  const auto file = store->open("f", create);
  ASSERT_TRUE(file);
  std::byte data[100] = {};
  const Transfer transfers[] = {{5, data, 0}, {10, data, 5}, {15, data, 5}, {30, data, 1}, {31, data, 0}};
  ASSERT_TRUE((*file)->write(transfers));
  ASSERT_TRUE((*file)->read({0, data, 100}));
  EXPECT_FALSE((*file)->sync());
  ASSERT_TRUE((*file)->lock(3, 4, LockMode::shared, 0));
  ASSERT_TRUE((*file)->resize(9));
  EXPECT_THAT(lines, ElementsAre("open f 0 0 1", "write f 10 11 2", "read f 0 100 1", "sync f 0 0 1 failed",
                                 "lock f 3 4 1", "resize f 0 9 1"));
}

class Stack : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("CONCILIO_FAULT");
    std::filesystem::remove(path_);
  }
  Result<std::unique_ptr<StoreFile>> open(const char* faults, int rank) {
    setenv("CONCILIO_FAULT", faults, 1);
    return make_store(Config::from_environment(), rank)->open(path_, create);
  }
  std::string path_ = std::filesystem::temp_directory_path() / ("concilio_stack_" + std::to_string(getpid()));
};

TEST_F(Stack, WithoutFaultsNothingFails) {
  const auto file = open("", 0);
  ASSERT_TRUE(file);
  std::byte byte{};
  EXPECT_TRUE((*file)->write({0, &byte, 1}));
}

TEST_F(Stack, FaultStrikesItsRankAlone) {
  EXPECT_TRUE(open("open:1:EACCES@3", 0));
  const auto file = open("open:1:EACCES@3", 3);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::access);
}

TEST_F(Stack, ShortTransfersGoUnnoticed) {
  const auto file = open("any:*:short;write:5:EIO", 0);
  ASSERT_TRUE(file);
  std::vector<std::byte> data(1000, std::byte{7}), got(1000);
  ASSERT_TRUE((*file)->write({0, data.data(), 1000}));
  ASSERT_TRUE((*file)->read({0, got.data(), 1000}));
  EXPECT_EQ(got, data);
}

TEST_F(Stack, MalformedPlanFailsEveryOpen) {
  const auto file = open("write:EIO", 0);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("CONCILIO_FAULT: fault 'write:EIO'"));
}

}  // namespace
}  // namespace concilio::store::fault_test
