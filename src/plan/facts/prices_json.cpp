#include "plan/facts/prices_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace concilio {
namespace {

using nlohmann::json;

json curve_json(const Curve& curve) {
  json out = json::array();
  for (int64_t i = 0; i < curve.points; ++i) out.push_back({curve.point[i].x, curve.point[i].y});
  return out;
}

// What a visitor is shown: the name and the place of every number and curve. Writing and reading are
// visitors, so that neither forgets one.
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

struct Writer {
  json out = json::object();
  void operator()(const std::string& name, const Curve& curve) { out[name] = curve_json(curve); }
  void operator()(const std::string& name, double number) { out[name] = number; }
};

struct Reader {
  const json& in;
  std::string complaint{};

  void operator()(const std::string& name, Curve& curve) {
    const json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array()) return complain(name, "is no list of points");
    if (value->size() > Curve::most_points)
      return complain(name, fmt::format("has more than {} points", Curve::most_points));
    for (const json& point : *value) {
      if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number())
        return complain(name, "has a point that is not [x, y]");
      curve.add({point[0].get<double>(), point[1].get<double>()});
    }
    if (!curve.valid()) complain(name, "needs points of growing x, and y that are not negative");
  }
  void operator()(const std::string& name, double& number) {
    const json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0)
      return complain(name, "is no number that is not negative");
    number = value->get<double>();
  }

 private:
  const json* find(const std::string& name) {
    const auto place = in.find(name);
    if (place != in.end()) return &*place;
    complain(name, "is missing");
    return nullptr;
  }
  void complain(const std::string& name, const std::string& what) {
    if (complaint.empty()) complaint = fmt::format("\"{}\" {}", name, what);
  }
};

}  // namespace

json prices_as_json(const Prices& prices) {
  Writer writer;
  visit_all(prices, writer);
  writer.out["from_memory"] = prices.from_memory;
  return writer.out;
}

Result<Prices> prices_from_json(const json& in) {
  const auto refuse = [](const std::string& what) {
    return Error{ErrorKind::argument, 0, "prices: " + what};
  };
  if (!in.is_object()) return refuse("no object");
  Prices prices{};
  Reader reader{in};
  visit_all(prices, reader);
  if (!reader.complaint.empty()) return refuse(reader.complaint);
  const auto from_memory = in.find("from_memory");
  if (from_memory == in.end() || !from_memory->is_boolean())
    return refuse("\"from_memory\" is no true or false");
  prices.from_memory = from_memory->get<bool>();
  // What is divided by.
  for (double Prices::*rate : {&Prices::window_bytes_per_second, &Prices::network_bytes_per_second}) {
    if (prices.*rate <= 0) return refuse("bytes per second must be positive");
  }
  if (prices.read.at_once.served < 1 || prices.write.at_once.served < 1)
    return refuse("at_once_served must be 1 or more");
  return prices;
}

}  // namespace concilio
