// A profile: what `concilio probe` measured for one storage from some hosts, in a form that the library
// reads.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/facts/prices.h"

namespace concilio::plan {

// The parameters of memory-conscious collective I/O (section 3.1 of that paper) as measured; 0: not measured.
struct Parameters {
  int64_t aggregators_per_node = 0;  // N_ah
  int64_t domain_bytes = 0;          // Msg_ind
  int64_t group_bytes = 0;           // Msg_group
  int64_t memory_min_bytes = 0;      // Mem_min
};

struct Profile {
  std::vector<std::string> hosts;  // names of the hosts that took part; "*": made for any host
  std::string mount;               // where the file system is mounted
  std::string file_system;         // its type, "ext4"
  std::string throttle;            // CONCILIO_THROTTLE of the measurement; empty: real storage
  std::string made;                // the time, for people to read
  Prices prices{};
  Parameters parameters;
};

// The version of the JSON. Profiles of other versions cannot be used.
inline constexpr int profile_version = 1;
// A profile has some 20 KiB; a larger file is not a profile.
inline constexpr int64_t most_profile_bytes = 1 << 20;

// `measurements` are stored too, for people to read; null: none.
std::string profile_as_text(const Profile& profile, const nlohmann::json& measurements);
// The error has the kind `argument` and says what is wrong: no JSON, another version, or something missing.
Result<Profile> parse_profile(std::string_view text);

}  // namespace concilio::plan
