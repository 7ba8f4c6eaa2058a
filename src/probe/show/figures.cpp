#include "probe/show/figures.h"

namespace concilio::probe {

namespace {

struct LineOf {
  const char* name;
  Quantity quantity;
};

constexpr double mega = 1e6;

// Throughput in MB/s, from samples of seconds or of bytes per second.
Series throughput(const Measurements& found, Quantity quantity) {
  const bool seconds = std::string_view(quantity_row(quantity).y) == "seconds";
  Series points;
  for (const Sample& sample : found[quantity]) {
    if (sample.y > 0 && sample.x > 0)
      points.push_back({sample.x, (seconds ? sample.x / sample.y : sample.y) / mega});
  }
  return points;
}

// Times in microseconds.
Series times(const Measurements& found, Quantity quantity) {
  Series points;
  for (const Sample& sample : found[quantity]) {
    if (sample.y > 0 && sample.x > 0) points.push_back({sample.x, sample.y * mega});
  }
  return points;
}

using Values = Series (*)(const Measurements&, Quantity);

void add(std::vector<Figure>& figures, Figure figure, const Measurements& found, Values values,
         std::initializer_list<LineOf> lines) {
  for (const LineOf& line : lines) {
    Series points = values(found, line.quantity);
    if (points.size() > 1) figure.lines.push_back({line.name, std::move(points)});
  }
  if (!figure.lines.empty()) figures.push_back(std::move(figure));
}

}  // namespace

std::vector<Figure> figures_of(const Measurements& found) {
  using Q = Quantity;
  std::vector<Figure> figures;
  add(figures, {"Bandwidth of one client by size of request", "request", "MB/s", true, {}}, found, throughput,
      {{"write, sequential", Q::write_adjoining},
       {"write, scattered", Q::write_scattered},
       {"read, sequential", Q::read_adjoining},
       {"read, scattered", Q::read_scattered}});
  add(figures, {"The same without the page cache", "request", "MB/s", true, {}}, found, throughput,
      {{"write, sequential", Q::write_direct},
       {"write, scattered", Q::write_direct_scattered},
       {"read, sequential", Q::read_direct},
       {"read, scattered", Q::read_direct_scattered}});
  add(figures, {"Bandwidth by number of ranks that access one file", "ranks", "MB/s", false, {}}, found,
      throughput,
      {{"write, 1 MiB", Q::write_clients_large},
       {"write, 4 KiB", Q::write_clients_small},
       {"read, 1 MiB", Q::read_clients_large},
       {"read, 4 KiB", Q::read_clients_small}});
  add(figures,
      {"Requests of 4 KiB by how many are submitted together: time of one", "requests", "us", false, {}},
      found, times,
      {{"write, together", Q::write_at_once},
       {"write, one by one", Q::write_list},
       {"read, together", Q::read_at_once},
       {"read, one by one", Q::read_list}});
  add(figures, {"Memory and network", "piece or message", "MB/s", true, {}}, found, throughput,
      {{"copy of pieces", Q::copy},
       {"message between nodes", Q::message},
       {"through shared memory", Q::node_copy},
       {"window, written", Q::write_window}});
  return figures;
}

}  // namespace concilio::probe
