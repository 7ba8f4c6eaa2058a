// A profile: what `concilio probe` measured of one storage from some hosts, as the library finds it again.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/facts/prices.h"

namespace concilio {

// The parameters of memory-conscious collective I/O (section 3.1 of the paper) as measured; 0: not measured.
struct Parameters {
  int64_t aggregators_per_node = 0;  // N_ah
  int64_t domain_bytes = 0;          // Msg_ind
  int64_t group_bytes = 0;           // Msg_group
  int64_t memory_min_bytes = 0;      // Mem_min
};

struct Profile {
  std::vector<std::string> hosts;  // that took part, by name; "*": made for any
  std::string mount;               // where the file system is mounted
  std::string file_system;         // its type, "ext4"
  std::string throttle;            // CONCILIO_THROTTLE of the measurement; empty: real storage
  std::string made;                // when, as people read it
  Prices prices{};
  Parameters parameters;
};

// Of the JSON. Profiles of another one are of no use.
inline constexpr int profile_version = 1;
// A profile has some 20 KiB; what is larger is none.
inline constexpr int64_t most_profile_bytes = 1 << 20;

// `measurements`: kept along for people; null: none.
std::string profile_as_text(const Profile& profile, const nlohmann::json& measurements);
// Kind `argument`, with what is wrong: no JSON, another version, something missing.
Result<Profile> parse_profile(std::string_view text);

}  // namespace concilio
