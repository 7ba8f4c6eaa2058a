#include "plan/facts/profile.h"

#include <fmt/format.h>

#include "plan/facts/prices_json.h"

namespace concilio {
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

Error refuse(const std::string& what) {
  return {ErrorKind::argument, 0, what};
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
  const json in = json::parse(text, nullptr, false);
  if (in.is_discarded()) return refuse("it is no JSON");
  if (!in.is_object() || !in.contains(version_name)) return refuse("it is no profile of concilio probe");
  const json& version = in[version_name];
  if (version != profile_version) {
    return refuse(fmt::format("it has version {}, not {}",
                              version.dump(-1, ' ', false, json::error_handler_t::replace), profile_version));
  }
  Profile profile;
  const auto hosts = in.find("hosts");
  if (hosts == in.end() || !hosts->is_array() || hosts->empty()) return refuse("it names no hosts");
  for (const json& host : *hosts) {
    if (!host.is_string()) return refuse("it names a host that is no text");
    profile.hosts.push_back(host.get<std::string>());
  }
  for (const TextField& field : text_fields) {
    const auto value = in.find(field.name);
    if (value == in.end() || !value->is_string()) return refuse(fmt::format("it has no \"{}\"", field.name));
    profile.*field.member = value->get<std::string>();
  }
  const auto prices = in.find("prices");
  if (prices == in.end()) return refuse("it has no prices");
  auto read = prices_from_json(*prices);
  if (!read) return read.error();
  profile.prices = *read;
  const auto parameters = in.find("parameters");
  if (parameters == in.end() || !parameters->is_object()) return refuse("it has no parameters");
  for (const ParameterField& field : parameter_fields) {
    const auto value = parameters->find(field.name);
    if (value == parameters->end() || !value->is_number_integer() || value->get<int64_t>() < 0)
      return refuse(fmt::format("its parameter \"{}\" is no number that is not negative", field.name));
    profile.parameters.*field.member = value->get<int64_t>();
  }
  return profile;
}

}  // namespace concilio
