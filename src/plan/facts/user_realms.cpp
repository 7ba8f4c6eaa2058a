// All realms repeat with the period E, and none owns bytes before its displacement. So they own every byte
// exactly once if and only if their first tiles own every byte of [0, E) exactly once and nothing else: every
// later tile begins at E or behind, and a piece of a first tile behind E would coincide with the repetition
// of the owner of the byte one period before it.
#include "plan/facts/user_realms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <vector>

#include "base/checked.h"

namespace concilio::plan {
namespace {

// Windows are cut at multiples of the alignment, so a larger one would only make them uneven.
constexpr int64_t greatest_alignment = 1 << 20;

template <typename... Args>
Error refuse(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::datatype, 0, fmt::format(format, std::forward<Args>(args)...)};
}

Status check_type(size_t i, const GivenRealm& realm, int64_t period) {
  const pattern::DataType& type = realm.type;
  const pattern::Nest& nest = *type.nest;
  if (realm.displacement < 0) return refuse("realm {}'s displacement is {}", i, realm.displacement);
  if (type.size() == 0) return refuse("realm {}'s type has no bytes", i);
  if (nest.lower() < 0)
    return refuse("realm {}'s type begins {} bytes before its displacement", i, -nest.lower());
  if (!nest.monotone()) {
    return refuse(
        "realm {}'s type goes back in the file or has a byte twice: give its blocks in ascending order", i);
  }
  if (type.extent <= 0) return refuse("realm {}'s type has extent {}", i, type.extent);
  if (nest.upper() - nest.lower() > type.extent) {
    return refuse(
        "realm {}'s type reaches over {} bytes, but repeats every {}: make its extent larger with "
        "MPI_Type_create_resized",
        i, nest.upper() - nest.lower(), type.extent);
  }
  if (type.extent != period) {
    return refuse(
        "realm {}'s type has extent {}, realm 0's {}: give all the same extent with "
        "MPI_Type_create_resized",
        i, type.extent, period);
  }
  const std::optional<int64_t> end = checked_add(realm.displacement, nest.upper());
  if (!end || !checked_add(*end, period)) return refuse("realm {} begins beyond all file offsets", i);
  return {};
}

Status check_types(std::span<const GivenRealm> realms) {
  if (realms.empty()) return refuse("there are no realms");
  int64_t pieces = 0;
  for (size_t i = 0; i < realms.size(); ++i) {
    if (auto status = check_type(i, realms[i], realms[0].type.extent); !status) return status;
    pieces += std::min(realms[i].type.nest->pieces(), most_given_pieces + 1);
    if (pieces > most_given_pieces) {
      return refuse(
          "realms 0 to {} have more than {} pieces in {} bytes: describe larger pieces or a shorter "
          "period",
          i, most_given_pieces, realms[0].type.extent);
    }
  }
  return {};
}

struct Piece {
  int64_t begin = 0, end = 0;
  size_t realm = 0;
};

// The pieces of one realm's first tile.
class Tile {
 public:
  Tile(const pattern::Access& access, int64_t bytes, size_t realm)
      : cursor_(access), bytes_(bytes), realm_(realm) {}
  std::optional<Piece> next() {
    if (i_ == chunk_.count) {
      if (cursor_.position() >= bytes_) return {};
      chunk_ = cursor_.next(bytes_ - cursor_.position());
      i_ = 0;
    }
    const int64_t begin = chunk_.offset(i_++);
    return Piece{begin, begin + chunk_.length, realm_};
  }

 private:
  pattern::Cursor cursor_;
  pattern::Chunk chunk_;
  int64_t i_ = 0, bytes_;
  size_t realm_;
};

// The pieces of all first tiles, ascending.
class Tiles {
 public:
  Tiles(std::span<const GivenRealm> realms, std::span<const pattern::Access> owned) {
    tiles_.reserve(realms.size());
    for (size_t i = 0; i < realms.size(); ++i) {
      tiles_.emplace_back(owned[i], realms[i].type.size(), i);
      if (const auto piece = tiles_.back().next()) waiting_.push(*piece);
    }
  }
  std::optional<Piece> next() {
    if (waiting_.empty()) return {};
    const Piece piece = waiting_.top();
    waiting_.pop();
    if (const auto follower = tiles_[piece.realm].next()) waiting_.push(*follower);
    return piece;
  }

 private:
  struct Later {
    bool operator()(const Piece& a, const Piece& b) const {
      return a.begin != b.begin ? a.begin > b.begin : a.realm > b.realm;
    }
  };
  std::vector<Tile> tiles_;
  std::priority_queue<Piece, std::vector<Piece>, Later> waiting_;
};

Error owned_twice(std::span<const pattern::Access> owned, int64_t byte) {
  std::vector<size_t> owners;
  for (size_t i = 0; i < owned.size(); ++i) {
    if (owned[i].data_before(byte + 1) > owned[i].data_before(byte)) owners.push_back(i);
  }
  if (owners.size() < 2) return refuse("byte {} is owned twice", byte);
  return refuse("realms {} and {} both own byte {}", owners[0], owners[1], byte);
}

// The stretches between one border and the next, met in ascending order.
class Stretches {
 public:
  explicit Stretches(int64_t period) : borders_(period) {}
  void add(const Piece& piece) {
    if (count_ > 0 && last_.realm == piece.realm) {
      last_.end = piece.end;
      return;
    }
    close();
    borders_ = std::gcd(borders_, piece.begin);
    last_ = piece;
    ++count_;
  }
  void finish(FixedRealms& fixed) {
    if (count_ > 1 && last_.realm == first_.realm) {
      // The last stretch continues with the first one of the next period.
      last_.end += first_.end;
    } else if (count_ > 1) {
      shortest_ = std::min(shortest_, first_.end);
    }
    shortest_ = std::min(shortest_, last_.end - last_.begin);
    fixed.piece_bytes = shortest_;
    fixed.alignment = std::min(borders_ & -borders_, greatest_alignment);
  }

 private:
  void close() {
    if (count_ == 1) first_ = last_;
    if (count_ > 1) shortest_ = std::min(shortest_, last_.end - last_.begin);
  }
  int64_t borders_, shortest_ = INT64_MAX, count_ = 0;
  Piece first_, last_;
};

}  // namespace

Result<FixedRealms> check_realms(std::span<const GivenRealm> realms) {
  if (auto status = check_types(realms); !status) return status.error();
  FixedRealms fixed;
  fixed.policy = RealmPolicy::user;
  for (const GivenRealm& realm : realms)
    fixed.owned.push_back(pattern::Access::of(realm.type, realm.displacement));
  const int64_t period = realms[0].type.extent;
  Tiles tiles(realms, fixed.owned);
  Stretches stretches(period);
  int64_t covered = 0;  // all bytes before it are owned exactly once
  while (const auto piece = tiles.next()) {
    if (piece->begin > covered && covered < period) break;
    if (piece->begin < covered) return owned_twice(fixed.owned, piece->begin);
    if (piece->end > period) {
      const auto follower = tiles.next();
      const int64_t repeated = std::max(piece->begin, period);
      return owned_twice(fixed.owned, follower ? std::min(follower->begin, repeated) : repeated);
    }
    stretches.add(*piece);
    covered = piece->end;
  }
  if (covered < period) return refuse("no realm owns byte {}", covered);
  stretches.finish(fixed);
  if (realms.size() == 1) fixed.owned = {pattern::Access::contiguous(0)};
  return fixed;
}

Status check_count(int64_t realms, std::span<const int64_t> candidates) {
  const int64_t most = std::accumulate(candidates.begin(), candidates.end(), int64_t{0});
  if (realms <= most) return {};
  const bool alike =
      std::adjacent_find(candidates.begin(), candidates.end(), std::not_equal_to<>()) == candidates.end();
  const std::string nodes = candidates.size() == 1 ? "on one node"
                            : alike ? fmt::format("{} nodes with {} each", candidates.size(), candidates[0])
                                    : fmt::format("on {} nodes", candidates.size());
  return refuse("{} realms, but only {} ranks can aggregate ({}): give at most {}", realms, most, nodes,
                most);
}

}  // namespace concilio::plan
