#include "probe/show/report.h"

#include "probe/show/figures.h"
#include "probe/show/measurements_json.h"
#include "probe/show/tables.h"

namespace concilio::probe {

std::string report_of(const plan::Profile& profile, const Measurements& found) {
  std::string text = tables_of(profile, found);
  for (const Figure& figure : figures_of(found)) text += "\n" + text_of(figure);
  return text;
}

Result<Stored> stored_in(const std::string& text) {
  auto profile = plan::parse_profile(text);
  if (!profile) return profile.error();
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.contains("measurements")) return Error{ErrorKind::argument, 0, "it has no measurements"};
  auto found = measurements_of(json["measurements"]);
  if (!found) return found.error();
  return Stored{std::move(*profile), std::move(*found)};
}

}  // namespace concilio::probe
