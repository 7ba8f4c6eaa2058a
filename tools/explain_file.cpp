// Reads facts that a run, or an earlier call of `concilio explain`, has written.
#include <fmt/format.h>

#include <cerrno>
#include <sstream>

#include "base/system/read_file.h"
#include "explain_options.h"
#include "plan/show/facts_json.h"

namespace concilio::tools {

namespace {

using nlohmann::json;

constexpr const char* mark = "planning by facts ";
constexpr const char* remedy =
    "give a file that `concilio explain --json` or a run with CONCILIO_LOG=debug has written";

// The JSON objects in a text: the text is one object, or a log that has an object behind each mark.
std::vector<json> objects_in(const std::string& text) {
  std::vector<json> out;
  json all = json::parse(text, nullptr, false);
  if (!all.is_discarded()) {
    out.push_back(all.is_object() && all.contains("facts") ? all["facts"] : std::move(all));
    return out;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    json one = json::parse(line.substr(at + std::string_view(mark).size()), nullptr, false);
    if (!one.is_discarded()) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Result<plan::Facts> facts_in_file(const std::string& path, int index, std::vector<std::string>& notes) {
  const auto text = read_all(path);
  if (!text || text->empty()) {
    const int why = text ? ENODATA : text.error().system_errno;
    return Error::from_errno(why, fmt::format("cannot read facts from {}", path));
  }
  const std::vector<json> objects = objects_in(*text);
  if (objects.empty())
    return Error{ErrorKind::argument, 0, fmt::format("{} holds no facts; {}", path, remedy)};
  if (index >= static_cast<int>(objects.size()))
    return Error{ErrorKind::argument, 0,
                 fmt::format("--call {}: {} holds the facts of {} call{}, numbered from 0", index, path,
                             objects.size(), objects.size() == 1 ? "" : "s")};
  Result<plan::Facts> facts = plan::facts_from_json(objects[static_cast<size_t>(index)]);
  if (facts.ok()) {
    const json& given = objects[static_cast<size_t>(index)];
    if (given.contains("fixed_realms") && given["fixed_realms"] != 0)
      notes.push_back(
          fmt::format("{}: an earlier call or the program had fixed {} realms, which the facts do not "
                      "contain; the run may have had another plan",
                      path, given["fixed_realms"].dump()));
    return facts;
  }
  return Error{ErrorKind::argument, 0, fmt::format("{}: {}; {}", path, facts.error().message, remedy)};
}

}  // namespace concilio::tools
