#include <fmt/format.h>
#include <mpi.h>
#include <scorpio.h>

#include "scorpio/method.h"

namespace concilio::bench::scorpio {

namespace {

datatype_t type_of(const Dataset& dataset) {
  return dataset.type == Type::integer ? SCORPIO_INTEGER : SCORPIO_DOUBLE;
}

std::string failure(const char* call) {
  return fmt::format("{}: {}", call, scorpio_last_error());
}

class ScorpioMethod final : public Method {
 public:
  ScorpioMethod(const Workload& workload, int group_ranks, int64_t buffer_bytes)
      : workload_(workload), group_ranks_(group_ranks), buffer_bytes_(buffer_bytes) {}

  std::string name() const override {
    return group_ranks_ == automatic_groups ? "scorpio:auto" : fmt::format("scorpio:{}", group_ranks_);
  }

  std::string init() override {
    iogroup_conf_t conf = {};
    conf.preferredGroupSize = group_ranks_;
    conf.commIncoming = MPI_COMM_WORLD;
    if (scorpio_IOgroup_init(&conf, &group_) == FAILURE) return failure("scorpio_IOgroup_init");
    if (buffer_bytes_ > 0 && scorpio_set_buffer_bytes(buffer_bytes_, &group_) == FAILURE)
      return failure("scorpio_set_buffer_bytes");
    return {};
  }

  std::string open_input(const std::string& path) override {
    input_ = scorpio_open_file(path.c_str(), &group_, SCORPIO_FILE_READONLY);
    return input_ == FAILURE ? failure("scorpio_open_file") : "";
  }

  std::string read(const Dataset& dataset, void* data) override {
    const int dimensions = static_cast<int>(workload_.extents.size());
    const int64_t* all = workload_.extents.data();
    const Part& part = workload_.part;
    const int status =
        workload_.blocks
            ? scorpio_read_dataset_block_64(data, type_of(dataset), dimensions, all, part.extents.data(),
                                            part.starts.data(), input_, dataset.name.c_str(), &group_)
            : scorpio_read_dataset_64(
                  data, type_of(dataset), dimensions, all, part.extents.data(), input_, dataset.name.c_str(),
                  &group_,
                  workload_.uniform ? SCORPIO_UNIFORM_CONTIGUOUS_READ : SCORPIO_NONUNIFORM_CONTIGUOUS_READ);
    return status == FAILURE ? failure("scorpio read") : "";
  }

  std::string open_output(const std::string& path) override {
    if (group_ranks_ == automatic_groups && scorpio_set_expected_bytes(workload_.bytes(), &group_) == FAILURE)
      return failure("scorpio_set_expected_bytes");
    output_ = scorpio_open_file(path.c_str(), &group_, SCORPIO_FILE_CREATE);
    return output_ == FAILURE ? failure("scorpio_open_file") : "";
  }

  std::string write(const Dataset& dataset, const void* data) override {
    const int dimensions = static_cast<int>(workload_.extents.size());
    const int64_t* all = workload_.extents.data();
    const Part& part = workload_.part;
    const int status =
        workload_.blocks
            ? scorpio_write_dataset_block_64(data, type_of(dataset), dimensions, all, part.extents.data(),
                                             part.starts.data(), output_, dataset.name.c_str(), &group_)
            : scorpio_write_dataset_64(
                  data, type_of(dataset), dimensions, all, part.extents.data(), output_, dataset.name.c_str(),
                  &group_,
                  workload_.uniform ? SCORPIO_UNIFORM_CONTIGUOUS_WRITE : SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE);
    return status == FAILURE ? failure("scorpio write") : "";
  }

  std::string close() override {
    if (scorpio_close_file(output_, &group_) == FAILURE || scorpio_close_file(input_, &group_) == FAILURE)
      return failure("scorpio_close_file");
    return {};
  }

  std::string finish() override {
    return scorpio_IOgroup_cleanup(&group_) == FAILURE ? failure("scorpio_IOgroup_cleanup") : "";
  }

  Groups groups() const override { return {group_.numIOgroups, group_.localsize}; }
  int64_t peak_buffer_bytes() const override { return scorpio_peak_buffer_bytes(&group_); }

 private:
  const Workload& workload_;
  int group_ranks_;
  int64_t buffer_bytes_;
  iogroup_t group_ = {};
  int input_ = FAILURE, output_ = FAILURE;
};

}  // namespace

std::unique_ptr<Method> make_scorpio_method(const Workload& workload, int group_ranks, int64_t buffer_bytes) {
  return std::make_unique<ScorpioMethod>(workload, group_ranks, buffer_bytes);
}

}  // namespace concilio::bench::scorpio
