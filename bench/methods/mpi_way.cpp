// Moves a pattern's bytes through MPI-IO.
#include <cstring>

#include "job/agree.h"
#include "job/library.h"
#include "methods/way.h"

namespace concilio::bench {

namespace {

// What the library told this rank of the calls of a repetition.
class Told {
 public:
  Told() { predicted_.fill(0); }

  void add_call(MPI_File file) {
    ++calls_;
    if (const int taken = library_method_index(last_method(file)); taken >= 0) methods_ |= 1u << taken;
    PerMethod call;
    call.fill(-1);
    for (const concilio_candidate& candidate : last_candidates(file)) {
      const int index = library_method_index(candidate.method);
      if (index >= 0 && candidate.legal) call[static_cast<size_t>(index)] = candidate.predicted_seconds;
    }
    for (size_t i = 0; i < call.size(); ++i)
      predicted_[i] = call[i] < 0 || predicted_[i] < 0 ? -1 : predicted_[i] + call[i];
  }

  // Ranks without data are told nothing.
  void agree_into(Took& took) {
    if (calls_ == 0) predicted_.fill(-1);
    MPI_Allreduce(predicted_.data(), took.predicted.data(), static_cast<int>(predicted_.size()), MPI_DOUBLE,
                  MPI_MAX, MPI_COMM_WORLD);
    took.methods = over_ranks(methods_, MPI_UNSIGNED, MPI_BOR);
  }

 private:
  int calls_ = 0;
  unsigned methods_ = 0;
  PerMethod predicted_;
};

class MpiWay : public Way {
 public:
  MpiWay(const std::string& method, RankData& data, const WaySettings& settings)
      : data_(data), settings_(settings) {
    if (method != "auto" && method != "mpi") settings_.hints.emplace_back("concilio_method", method);
  }

  std::string open() override {
    return agree(open_file({data_.users(), data_.path_of(settings_.path), settings_.write, settings_.hints},
                           data_.access_of_view(), file_));
  }

  Took move(Operation operation) override {
    Took took;
    Told told;
    const bool own_views = !data_.access_of_view();
    for (const Access& access : data_.accesses()) {
      MPI_Status status;
      std::memset(&status, 0, sizeof status);
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      int code = own_views ? set_view(file_, access) : MPI_SUCCESS;
      if (code == MPI_SUCCESS)
        code = transfer(file_, {operation, settings_.calls}, access, data_.buffer_of(access), status);
      took.seconds += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
      took.failure = agree(failure_of(code, access, status, name_of(operation)));
      if (!took.failure.empty()) return took;
      if (access.count > 0) told.add_call(file_);
    }
    told.agree_into(took);
    if (operation == Operation::write && settings_.sync) {
      const double start = MPI_Wtime();
      took.failure = sync();
      took.seconds += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    }
    return took;
  }

  std::string sync() override {
    const int code = MPI_File_sync(file_);
    return agree(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_sync"));
  }

  std::string close() override {
    const int code = file_ == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&file_);
    return agree(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_close"));
  }

 private:
  RankData& data_;
  WaySettings settings_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

int library_method_index(const std::string& name) {
  for (size_t i = 0; i < library_methods.size(); ++i) {
    if (name == library_methods[i]) return static_cast<int>(i);
  }
  return -1;
}

std::unique_ptr<Way> make_mpi_way(const std::string& method, RankData& data, const WaySettings& settings) {
  return std::make_unique<MpiWay>(method, data, settings);
}

}  // namespace concilio::bench
