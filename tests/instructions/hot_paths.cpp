// hot_paths FILE: calls of the library that programs make very often, each in a function path_NAME of its
// own, so that callgrind can count what the calls of one path take. instructions.py runs it, on one rank,
// which waits for nobody.
#include <concilio/file.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

// The library times each long call, and only some of the short ones. By this clock, which it takes for the C
// library's, every call takes as long as HOT_PATHS_STEP_NS says, however fast the machine is and whatever
// else runs on it.
int64_t step_ns = 10'000;
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, timespec* now) {
  constexpr int64_t second_ns = 1'000'000'000;
  static std::atomic<int64_t> last_ns = second_ns;
  const int64_t now_ns = last_ns.fetch_add(step_ns) + step_ns;
  *now = {now_ns / second_ns, now_ns % second_ns};
  return 0;
}

namespace {

constexpr int calls = 20;  // of each path that are counted; instructions.py divides by it

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "hot_paths: %s\n", what);
  std::exit(1);
}
#define OK(call) require((call) == MPI_SUCCESS, #call " failed")

const char* path_name = nullptr;
MPI_File file = MPI_FILE_NULL;
MPI_Datatype tile = MPI_BYTE;
MPI_Info all_hints = MPI_INFO_NULL;
std::vector<char> data(1 << 20, 'c');

int64_t counter(const char* name) {
  int64_t value = -1;
  require(concilio_file_counter && concilio_file_counter(file, name, &value) == MPI_SUCCESS,
          "the program does not run under Concilio");
  return value;
}

void open(std::initializer_list<std::pair<const char*, const char*>> hints) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [name, text] : hints) MPI_Info_set(info, name, text);
  OK(MPI_File_open(MPI_COMM_WORLD, path_name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
}
void close() {
  OK(MPI_File_close(&file));
}

// A view of pieces with holes between them.
void view_of_pieces(int bytes, int extent) {
  MPI_Type_vector(1, bytes, extent, MPI_BYTE, &tile);
  MPI_Datatype resized;
  MPI_Type_create_resized(tile, 0, extent, &resized);
  MPI_Type_free(&tile);
  MPI_Type_commit(&resized);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, resized, "native", MPI_INFO_NULL));
  MPI_Type_free(&resized);
}
// The same, and no two calls of this in a path give the same view. The first has the longest range, so that
// the later ones have their buffers already.
void view_of_new_pattern() {
  constexpr int patterns = 2 * calls;  // as many as twice() makes
  static int made = 0;
  view_of_pieces(8, 16 + patterns - made++ % patterns);
}
// A view of pieces that lie irregularly.
void irregular_view(int pieces, int bytes) {
  std::vector<MPI_Aint> places;
  for (int i = 0; i < pieces; ++i) places.push_back(MPI_Aint{4} * i * bytes + (i * i) % 3 * bytes);
  MPI_Type_create_hindexed_block(pieces, bytes, places.data(), MPI_BYTE, &tile);
  MPI_Type_commit(&tile);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  MPI_Type_free(&tile);
}

// Structs of 64 parts of a file, as HDF5 makes one of chunks and PnetCDF of pending requests. The parts are
// of one datatype, or each of its own, and no two structs are alike.
std::vector<MPI_Datatype> structs_of_parts(bool of_one_type) {
  constexpr int parts = 64;
  std::vector<MPI_Datatype> made(2 * calls);  // as many as twice() takes
  for (int k = 0; k < 2 * calls; ++k) {
    MPI_Aint places[parts];
    int lengths[parts];
    MPI_Datatype types[parts];
    for (int i = 0; i < parts; ++i) {
      places[i] = MPI_Aint{1024} * i + (i > k ? 64 : 0);
      lengths[i] = 1;
      if (of_one_type && i > 0)
        types[i] = types[0];
      else
        MPI_Type_vector(4, 8, 16 + i % 2, MPI_BYTE, &types[i]);
    }
    MPI_Type_create_struct(parts, lengths, places, types, &made[static_cast<size_t>(k)]);
    MPI_Type_commit(&made[static_cast<size_t>(k)]);
    for (int i = 0; i < (of_one_type ? 1 : parts); ++i) MPI_Type_free(&types[i]);
  }
  return made;
}
std::vector<MPI_Datatype> structs_of_alike, structs_of_others;
// A view of the last of them.
void view_of_next(std::vector<MPI_Datatype>& structs) {
  OK(MPI_File_set_view(file, 0, MPI_BYTE, structs.back(), "native", MPI_INFO_NULL));
  MPI_Type_free(&structs.back());
  structs.pop_back();
}

// The next part of a one-dimensional dataset, in the datatype that HDF5 makes of one: elements of 8 bytes,
// how many of them, where they begin, and how long the dataset is.
MPI_Datatype next_part_of_dataset(int bytes) {
  static MPI_Aint begin = 0;
  begin += bytes;
  MPI_Datatype element, elements, placed, part;
  const int one = 1;
  MPI_Type_contiguous(8, MPI_BYTE, &element);
  MPI_Type_vector(bytes / 8, 1, 1, element, &elements);
  MPI_Type_create_hindexed(1, &one, &begin, elements, &placed);
  MPI_Type_create_resized(placed, 0, 1 << 24, &part);
  for (MPI_Datatype* inner : {&element, &elements, &placed}) MPI_Type_free(inner);
  MPI_Type_commit(&part);
  return part;
}
// A transfer as HDF5 makes one: it sets a view of its own for each, and then the view of all bytes again.
template <typename Move>
void with_view_of_part(MPI_Datatype part, const Move& move) {
  OK(MPI_File_set_view(file, 2048, MPI_BYTE, part, "native", MPI_INFO_NULL));
  move();
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  MPI_Type_free(&part);
}

void write_at_all(int bytes) {
  OK(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
}
void read_at_all(int bytes) {
  OK(MPI_File_read_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
}

// Calls until the next ones, twice as many as are counted, are all made apart, without a meeting: each
// stretch of such calls is twice as long as the one before.
template <typename Call>
void until_apart(const Call& call) {
  int64_t run = 0, longest = 0;
  for (int i = 0; i < 2000; ++i) {
    const int64_t before = counter("calls_apart");
    call();
    run = counter("calls_apart") > before ? run + 1 : 0;
    if (run > longest) longest = run;
    if (run == 1 && longest > calls) return;
  }
  require(false, "calls that repeat each other are not made apart");
}

}  // namespace

// The name must not be mangled, and the function must exist.
#define PATH(name) extern "C" __attribute__((noinline, used)) void path_##name()
#define REPEATED for (int i = 0; i < calls; ++i)

PATH(independent_write_8) {
  REPEATED OK(MPI_File_write_at(file, 8 * i, data.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(independent_write_0) {
  REPEATED OK(MPI_File_write_at(file, 8 * i, data.data(), 0, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(shared_write_8) {
  REPEATED OK(MPI_File_write_shared(file, data.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(independent_read_8) {
  REPEATED OK(MPI_File_read_at(file, 8 * i, data.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(independent_write_1048576) {
  REPEATED OK(MPI_File_write_at(file, 0, data.data(), 1 << 20, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(apart_write_8) {
  REPEATED write_at_all(8);
}
PATH(apart_read_8) {
  REPEATED read_at_all(8);
}
PATH(meeting_write_8) {
  REPEATED write_at_all(8);
}
PATH(meeting_write_16384) {
  REPEATED write_at_all(16384);
}
PATH(nonblocking_write_8) {
  REPEATED {
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, 0, data.data(), 8, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}
PATH(split_write_8) {
  REPEATED {
    OK(MPI_File_write_at_all_begin(file, 0, data.data(), 8, MPI_BYTE));
    OK(MPI_File_write_at_all_end(file, data.data(), MPI_STATUS_IGNORE));
  }
}
PATH(strided_write_2_of_8) {
  REPEATED OK(MPI_File_write_at(file, 16 * i, data.data(), 16, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(strided_write_16_of_8) {
  REPEATED OK(MPI_File_write_at(file, 128 * i, data.data(), 128, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(strided_read_16_of_8) {
  REPEATED OK(MPI_File_read_at(file, 128 * i, data.data(), 128, MPI_BYTE, MPI_STATUS_IGNORE));
}
// Two requests that do not look alike.
PATH(strided_reads_by_turns) {
  REPEATED OK(MPI_File_read_at(file, 128 * i, data.data(), i % 2 ? 120 : 128, MPI_BYTE, MPI_STATUS_IGNORE));
}
PATH(gathered_write_2_of_8) {
  REPEATED OK(MPI_File_write_at(file, 16 * i, data.data(), 1, tile, MPI_STATUS_IGNORE));
}
PATH(scattered_read_2_of_8) {
  REPEATED OK(MPI_File_read_at(file, 16 * i, data.data(), 1, tile, MPI_STATUS_IGNORE));
}
PATH(set_view_of_bytes) {
  REPEATED OK(MPI_File_set_view(file, 8 * i, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}
// With an info object that has all hints, as HDF5 gives.
PATH(set_view_with_hints) {
  REPEATED OK(MPI_File_set_view(file, 8 * i, MPI_BYTE, MPI_BYTE, "native", all_hints));
}
PATH(set_view_of_pieces) {
  REPEATED view_of_pieces(64 + i, 2 * (64 + i));
}
PATH(set_view_of_64_alike) {
  REPEATED view_of_next(structs_of_alike);
}
PATH(set_view_of_64_others) {
  REPEATED view_of_next(structs_of_others);
}
PATH(hdf5_write_16384) {
  REPEATED with_view_of_part(next_part_of_dataset(16384), [] { write_at_all(16384); });
}
PATH(hdf5_read_16384) {
  REPEATED with_view_of_part(next_part_of_dataset(16384), [] { read_at_all(16384); });
}
PATH(open_and_close) {
  REPEATED {
    open({});
    close();
  }
}
// The first call on a file, which is all that some programs make, plans.
PATH(first_write_64_of_8) {
  REPEATED {
    open({});
    view_of_pieces(8, 16);
    write_at_all(512);
    close();
  }
}
PATH(list_write_128_of_8) {
  REPEATED write_at_all(1024);
}
PATH(sieve_write_1024_of_8) {
  REPEATED write_at_all(8192);
}
PATH(sieve_read_1024_of_8) {
  REPEATED read_at_all(8192);
}
PATH(two_phase_write_1024_of_8) {
  REPEATED write_at_all(8192);
}
PATH(two_phase_read_1024_of_8) {
  REPEATED read_at_all(8192);
}
PATH(two_phase_write_1024_of_4_in_records) {
  REPEATED write_at_all(4096);
}
// Each call has another pattern than all before, and so makes a plan.
PATH(planned_two_phase_write_1024_of_8) {
  REPEATED {
    view_of_new_pattern();
    write_at_all(8192);
  }
}
PATH(planned_two_phase_read_1024_of_8) {
  REPEATED {
    view_of_new_pattern();
    read_at_all(8192);
  }
}
PATH(two_phase_write_64_of_1024) {
  REPEATED write_at_all(65536);
}
PATH(two_phase_write_1024_of_8_irregular) {
  REPEATED write_at_all(8192);
}

namespace {

// The first time a path is slower: it plans, decodes datatypes and opens the file. instructions.py takes the
// last count of a path.
void twice(void (*path)()) {
  path();
  path();
}

void larger_writes() {
  open({});
  twice(path_independent_write_1048576);
  close();
  open({{"concilio_method", "independent"}, {"concilio_agree", "always"}});
  twice(path_meeting_write_16384);
  close();
}

// An extent of 0: the pieces lie irregularly.
void by_method(const char* method, const char* method_counter, std::initializer_list<void (*)()> paths,
               int piece_bytes, int extent) {
  open({{"concilio_method", method}, {"concilio_agree", "always"}});
  if (extent > 0)
    view_of_pieces(piece_bytes, extent);
  else
    irregular_view(1024, piece_bytes);
  for (const auto path : paths) twice(path);
  require(counter(method_counter) == 2 * calls * static_cast<int64_t>(paths.size()),
          "a call took another method");
  close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  path_name = argv[1];
  const char* const step = std::getenv("HOT_PATHS_STEP_NS");
  if (step != nullptr) step_ns = std::atoll(step);
  // glibc and libstdc++ take shorter ways in a process that never had a second thread. Whether MPI starts one
  // depends on the machine's network, so there is one in any case.
  std::thread([] { pause(); }).detach();
  OK(MPI_Init(&argc, &argv));
  open({});
  twice(path_independent_write_8);
  twice(path_independent_read_8);
  twice(path_independent_write_0);
  twice(path_shared_write_8);
  view_of_pieces(8, 16);
  twice(path_strided_write_2_of_8);
  twice(path_strided_write_16_of_8);
  twice(path_strided_read_16_of_8);
  twice(path_strided_reads_by_turns);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  MPI_Type_vector(2, 8, 64, MPI_BYTE, &tile);
  MPI_Type_commit(&tile);
  twice(path_gathered_write_2_of_8);
  twice(path_scattered_read_2_of_8);
  MPI_Type_free(&tile);
  twice(path_set_view_of_bytes);
  OK(MPI_File_get_info(file, &all_hints));
  twice(path_set_view_with_hints);
  MPI_Info_free(&all_hints);
  twice(path_set_view_of_pieces);
  structs_of_alike = structs_of_parts(true);
  twice(path_set_view_of_64_alike);
  structs_of_others = structs_of_parts(false);
  twice(path_set_view_of_64_others);
  close();
  twice(path_open_and_close);
  twice(path_first_write_64_of_8);
  // Where calls take another time, these paths and larger writes are counted.
  if (step != nullptr) {
    larger_writes();
    MPI_Finalize();
    return 0;
  }
  open({});
  until_apart([] { write_at_all(8); });
  twice(path_apart_write_8);
  until_apart([] { read_at_all(8); });
  twice(path_apart_read_8);
  close();
  // Without a method of its own, a call chooses one by how long others took.
  open({{"concilio_method", "independent"}, {"concilio_agree", "always"}});
  twice(path_hdf5_write_16384);
  twice(path_hdf5_read_16384);
  close();
  open({{"concilio_method", "independent"}, {"concilio_agree", "always"}});
  twice(path_meeting_write_8);
  twice(path_nonblocking_write_8);
  twice(path_split_write_8);
  close();
  by_method("list", "method_list", {path_list_write_128_of_8}, 8, 16);
  by_method("sieve", "method_sieve", {path_sieve_write_1024_of_8, path_sieve_read_1024_of_8}, 8, 16);
  by_method("two_phase", "method_two_phase", {path_two_phase_write_1024_of_8, path_two_phase_read_1024_of_8},
            8, 16);
  by_method("two_phase", "method_two_phase",
            {path_planned_two_phase_write_1024_of_8, path_planned_two_phase_read_1024_of_8}, 8, 16);
  by_method("two_phase", "method_two_phase", {path_two_phase_write_1024_of_4_in_records}, 4, 38);
  by_method("two_phase", "method_two_phase", {path_two_phase_write_64_of_1024}, 1024, 2048);
  by_method("two_phase", "method_two_phase", {path_two_phase_write_1024_of_8_irregular}, 8, 0);
  larger_writes();
  MPI_Finalize();
}
