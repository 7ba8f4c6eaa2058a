#include "random_realms.h"

#include <concilio/file.h>

#include <algorithm>
#include <vector>

namespace oracle {
namespace {

// Which blocks of a period a realm owns.
struct Blocks {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
};

// Blocks of one length for each realm by turns, or blocks of any length for any realm.
std::vector<Blocks> partition(Random& random, int64_t count, MPI_Aint& period) {
  std::vector<Blocks> realms(static_cast<size_t>(count));
  const bool regular = random.chance(40);
  const int64_t rounds = random.between(1, regular ? 3 : 8);
  const int64_t most = std::max<int64_t>(1, random.magnitude(5000));
  period = 0;
  for (int64_t i = 0; i < rounds * count; ++i) {
    // At least one for each realm.
    Blocks& owner =
        realms[static_cast<size_t>(regular || i < count ? i % count : random.between(0, count - 1))];
    const int64_t length = regular ? most : random.between(1, most);
    owner.lengths.push_back(static_cast<int>(length));
    owner.places.push_back(period);
    period += length;
  }
  return realms;
}

MPI_Datatype type_of(const Blocks& blocks, MPI_Aint period) {
  MPI_Datatype plain, type;
  MPI_Type_create_hindexed(static_cast<int>(blocks.lengths.size()), blocks.lengths.data(),
                           blocks.places.data(), MPI_BYTE, &plain);
  MPI_Type_create_resized(plain, 0, period, &type);
  MPI_Type_free(&plain);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

std::string give_random_realms(MPI_File file, int ranks, Random random) {
  if (!concilio_file_set_realms) return "concilio_file_set_realms is not there";
  MPI_Aint period = 0;
  const int64_t count = random.chance(10) ? 0 : random.between(1, std::min(ranks, 8));
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Offset> displacements;
  if (count > 0) {
    for (Blocks& blocks : partition(random, count, period)) {
      // The offset is partly in the type and partly in the displacement.
      displacements.push_back(random.between(0, blocks.places.front()));
      for (MPI_Aint& place : blocks.places) place -= static_cast<MPI_Aint>(displacements.back());
      types.push_back(type_of(blocks, period));
    }
  }
  const int code =
      concilio_file_set_realms(file, static_cast<int>(count), types.data(), displacements.data());
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
  if (code == CONCILIO_SUCCESS) return {};
  char text[400] = "";
  concilio_file_error_message(file, text, sizeof text);
  return std::string(concilio_error_text(code)) + ": " + text;
}

}  // namespace oracle
