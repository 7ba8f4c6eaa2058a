#include "probe/show/measurements_json.h"

#include <fmt/format.h>

#include <cmath>

namespace concilio::probe {

using nlohmann::json;

json json_of(const Measurements& found) {
  json series = json::object();
  for (const Quantity quantity : all_quantities()) {
    if (found[quantity].empty()) continue;
    json points = json::array();
    for (const Sample& sample : found[quantity]) points.push_back({sample.x, sample.y});
    const QuantityRow& row = quantity_row(quantity);
    series[row.name] = {{"x", row.x}, {"y", row.y}, {"points", points}};
  }
  return {{"ranks", found.ranks},
          {"nodes", found.nodes},
          {"cores_per_node", found.cores_per_node},
          {"file_bytes", found.file_bytes},
          {"throttled", found.throttled},
          {"series", series}};
}

Result<Measurements> measurements_of(const json& from) {
  // The JSON library throws on what is not of the type that is asked for.
  try {
    Measurements found;
    found.ranks = from.at("ranks");
    found.nodes = from.at("nodes");
    found.cores_per_node = from.at("cores_per_node");
    found.file_bytes = from.at("file_bytes");
    found.throttled = from.at("throttled");
    const json& series = from.at("series");
    for (const Quantity quantity : all_quantities()) {
      const char* name = quantity_row(quantity).name;
      if (!series.contains(name)) continue;
      for (const json& point : series.at(name).at("points")) {
        const Sample sample{point.at(0), point.at(1)};
        const bool grows = found[quantity].empty() || sample.x > found[quantity].back().x;
        if (!grows || !std::isfinite(sample.y) || sample.y < 0)
          return Error{ErrorKind::argument, 0, fmt::format("measurements: {} is no series of samples", name)};
        found[quantity].push_back(sample);
      }
    }
    return found;
  } catch (const json::exception& error) {
    return Error{ErrorKind::argument, 0, fmt::format("measurements: {}", error.what())};
  }
}

}  // namespace concilio::probe
