#include "probe/show/measurements_json.h"

#include "base/text/json_place.h"

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

namespace {

Measurements read_measurements(const JsonPlace& in) {
  Measurements found;
  found.ranks = in.at("ranks").whole_number();
  found.nodes = in.at("nodes").whole_number();
  found.cores_per_node = in.at("cores_per_node").whole_number();
  found.file_bytes = in.at("file_bytes").whole_number();
  found.throttled = in.at("throttled").truth();
  const JsonPlace series = in.at("series");
  for (const Quantity quantity : all_quantities()) {
    const auto of_quantity = series.find(quantity_row(quantity).name);
    if (!of_quantity) continue;
    for (const JsonPlace& point : of_quantity->at("points").list()) {
      const auto numbers = point.list_of(2, "[x, y]");
      const Sample sample{numbers[0].number(), numbers[1].number_from_0()};
      const bool grows = found[quantity].empty() || sample.x > found[quantity].back().x;
      if (!grows) point.refuse("is not greater than the one before it");
      found[quantity].push_back(sample);
    }
  }
  return found;
}

}  // namespace

Result<Measurements> measurements_of(const json& from) {
  return read_json([&] { return read_measurements(JsonPlace(from, "measurements")); });
}

}  // namespace concilio::probe
