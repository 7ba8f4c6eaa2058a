#include "plan/facts/profile.h"

#include <fmt/format.h>

#include "base/text/json_document.h"
#include "base/text/json_place.h"
#include "plan/facts/prices_json.h"

namespace concilio::plan {
namespace {

using nlohmann::json;

constexpr const char* version_name = "concilio_profile";

struct TextField {
  const char* name;
  std::string Profile::*member;
};
constexpr TextField text_fields[] = {{"mount", &Profile::mount},
                                     {"file_system", &Profile::file_system},
                                     {"throttle", &Profile::throttle},
                                     {"made", &Profile::made}};

struct ParameterField {
  const char* name;
  int64_t Parameters::*member;
};
constexpr ParameterField parameter_fields[] = {
    {"aggregators_per_node", &Parameters::aggregators_per_node},
    {"domain_bytes", &Parameters::domain_bytes},
    {"group_bytes", &Parameters::group_bytes},
    {"memory_min_bytes", &Parameters::memory_min_bytes},
};

Error no_profile(const std::string& what) {
  return {ErrorKind::argument, 0, what};
}

Profile read_profile(const JsonPlace& in) {
  Profile profile;
  const JsonPlace hosts = in.at("hosts");
  for (const JsonPlace& host : hosts.list()) profile.hosts.push_back(host.text());
  if (profile.hosts.empty()) hosts.refuse("is empty");
  for (const TextField& field : text_fields) profile.*field.member = in.at(field.name).text();
  profile.prices = read_prices(in.at("prices"));
  for (const ParameterField& field : parameter_fields)
    profile.parameters.*field.member = in.at("parameters").at(field.name).whole_number();
  return profile;
}

}  // namespace

std::string profile_as_text(const Profile& profile, const json& measurements) {
  json out = {{version_name, profile_version},
              {"hosts", profile.hosts},
              {"prices", prices_as_json(profile.prices)},
              {"parameters", json::object()}};
  for (const TextField& field : text_fields) out[field.name] = profile.*field.member;
  for (const ParameterField& field : parameter_fields)
    out["parameters"][field.name] = profile.parameters.*field.member;
  if (!measurements.is_null()) out["measurements"] = measurements;
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Profile> parse_profile(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(text);
  if (!document) return document.error();
  const json& in = document->value();
  if (!in.is_object() || !in.contains(version_name)) return no_profile("it is no profile of concilio probe");
  const json& version = in[version_name];
  if (version != profile_version) {
    return no_profile(fmt::format("it has version {}, not {}",
                                  version.dump(-1, ' ', false, json::error_handler_t::replace),
                                  profile_version));
  }
  return read_json([&] { return read_profile(JsonPlace::document(in, "it")); });
}

}  // namespace concilio::plan
