#include "plan/facts/prices_json.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace concilio::plan {
namespace {

using nlohmann::json;

json curve_json(const Curve& curve) {
  json out = json::array();
  for (int64_t i = 0; i < curve.points; ++i) out.push_back({curve.point[i].x, curve.point[i].y});
  return out;
}

// Shows a visitor the name and the place of every number and curve. Writing and reading are both visitors, so
// that neither forgets one.
template <typename P, typename Visitor>
void visit_requests(P& requests, const std::string& prefix, Visitor& visit) {
  visit(prefix + "adjoining", requests.adjoining);
  visit(prefix + "scattered", requests.scattered);
  visit(prefix + "window", requests.window);
  visit(prefix + "clients_small", requests.clients_small);
  visit(prefix + "clients_large", requests.clients_large);
  visit(prefix + "at_once_served", requests.at_once.served);
  visit(prefix + "at_once_submit_seconds", requests.at_once.submit_seconds);
}

template <typename P, typename Visitor>
void visit_all(P& prices, Visitor& visit) {
  visit_requests(prices.read, "read_", visit);
  visit_requests(prices.write, "write_", visit);
  visit("window_bytes_per_second", prices.window_bytes_per_second);
  visit("window_piece_seconds", prices.window_piece_seconds);
  visit("lock_seconds", prices.lock_seconds);
  visit("copy", prices.copy);
  visit("map_seconds", prices.map_seconds);
  visit("map_read_page_seconds", prices.map_read_page_seconds);
  visit("map_write_page_seconds", prices.map_write_page_seconds);
  visit("synchronise_seconds", prices.synchronise_seconds);
  visit("oversubscribed_seconds", prices.oversubscribed_seconds);
  visit("message", prices.message);
  visit("network_bytes_per_second", prices.network_bytes_per_second);
  visit("datatype_piece_seconds", prices.datatype_piece_seconds);
}

// Of prices of a target, which no measurement tells. Each may be missing.
constexpr std::pair<const char*, double Prices::*> numbers_of_target[] = {
    {"requests_of_target", &Prices::requests_of_target},
    {"node_bytes_per_second", &Prices::node_bytes_per_second},
};

struct Writer {
  json out = json::object();
  void operator()(const std::string& name, const Curve& curve) { out[name] = curve_json(curve); }
  void operator()(const std::string& name, double number) { out[name] = number; }
};

struct Reader {
  const JsonPlace& in;

  void operator()(const std::string& name, Curve& curve) {
    const JsonPlace place = in.at(name);
    const auto points = place.list();
    if (points.size() > Curve::most_points)
      place.refuse(fmt::format("has more than {} points", Curve::most_points));
    for (const JsonPlace& point : points) {
      const auto numbers = point.list_of(2, "[x, y]");
      curve.add({numbers[0].number(), numbers[1].number()});
    }
    if (!curve.valid()) place.refuse("needs points of growing x, and y that are not negative");
  }
  void operator()(const std::string& name, double& number) { number = in.at(name).number_from_0(); }
};

}  // namespace

json prices_as_json(const Prices& prices) {
  Writer writer;
  visit_all(prices, writer);
  writer.out["from_memory"] = prices.from_memory;
  if (prices.of_target) {
    writer.out["of_target"] = true;
    for (const auto& [name, number] : numbers_of_target) writer(name, prices.*number);
  }
  return writer.out;
}

Prices read_prices(const JsonPlace& in) {
  Prices prices{};
  Reader reader{in};
  visit_all(prices, reader);
  prices.from_memory = in.at("from_memory").truth();
  const auto of_target = in.find("of_target");
  prices.of_target = of_target && of_target->truth();
  for (const auto& [name, number] : numbers_of_target) {
    if (const auto given = in.find(name)) prices.*number = given->number_from_0();
  }
  // These are divisors.
  if (prices.window_bytes_per_second <= 0) in.at("window_bytes_per_second").refuse("is not positive");
  if (prices.network_bytes_per_second <= 0) in.at("network_bytes_per_second").refuse("is not positive");
  if (prices.requests_of_target < 1) in.at("requests_of_target").refuse("is less than 1");
  if (prices.read.at_once.served < 1) in.at("read_at_once_served").refuse("is less than 1");
  if (prices.write.at_once.served < 1) in.at("write_at_once_served").refuse("is less than 1");
  return prices;
}

}  // namespace concilio::plan
