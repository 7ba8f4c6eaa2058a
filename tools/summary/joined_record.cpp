#include "summary/joined_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "base/system/process.h"
#include "base/system/read_file.h"
#include "base/text/json_document.h"
#include "base/text/json_place.h"
#include "base/text/record_words.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view part_name = "rank-";

std::vector<std::string> parts_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().filename().string().starts_with(part_name)) paths.push_back(entry.path());
  }
  return paths;
}

// What the first line of a part says.
struct Head {
  int64_t rank = 0, ranks = 0;
  std::string host;
};
Result<Head> read_head(std::string_view line) {
  const Result<JsonDocument> document = JsonDocument::parse(line);
  if (!document) return document.error();
  return read_json([&] {
    const JsonPlace in = JsonPlace::document(document->value(), "it");
    return Head{in.at("rank").whole_number(), in.at("ranks").whole_number(1), in.at("host").text()};
  });
}

struct Part {
  Head head;
  std::string path;
};

// The lines of a part behind the first, whole ones alone. Where storage had no room for the last, the part
// ends like one that is full.
struct Lines {
  std::string text;
  bool full = false;
};
Result<Lines> lines_of(const Part& part) {
  auto text = read_all(part.path);
  if (!text) return text.error();
  const size_t begin = text->find('\n') + 1, end = text->rfind('\n') + 1;
  Lines lines{text->substr(begin, end - begin), end < text->size()};
  if (lines.full) lines.text += full_record_line;
  lines.full = lines.full || lines.text.ends_with(full_record_line);
  return lines;
}

// In the order of their ranks. What is no part, such as an empty file, is left out.
std::vector<Part> all_parts(const std::string& folder) {
  std::vector<Part> parts;
  for (const std::string& path : parts_in(folder)) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    if (auto head = read_head(line)) parts.push_back({std::move(*head), path});
  }
  std::ranges::sort(parts, {}, [](const Part& part) { return part.head.rank; });
  return parts;
}

}  // namespace

Result<JoinedRecord> JoinedRecord::begin(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  // Folders that an earlier command left are removed, if their locks are free. Such a lock may hold on its
  // own node alone, so each node looks after its own folders.
  auto folder = TemporaryFolder::make(fs::absolute(parent.empty() ? "." : parent),
                                      fmt::format(".concilio-record.{}.", host_name()));
  if (!folder) return folder.error();
  if (!std::ofstream(path, std::ios::app))
    return Error::from_errno(errno, fmt::format("--record: cannot write {}", path));
  // An old record is not kept: it would be taken for that of this run.
  std::error_code stays;
  if (fs::is_regular_file(fs::symlink_status(path, stays))) fs::remove(path, stays);
  return JoinedRecord(path, std::move(*folder));
}

bool JoinedRecord::has_parts() const {
  return !all_parts(folder()).empty();
}

Result<JoinedRecord::Joined> JoinedRecord::join() const {
  const std::vector<Part> parts = all_parts(folder());
  Joined joined;
  std::map<std::string, size_t> nodes;
  for (const Part& part : parts) {
    if (part.head.ranks != parts.front().head.ranks)
      return Error{
          ErrorKind::argument, 0,
          "--record: several programs have recorded their calls; start concilio run for one of them alone"};
    joined.ranks = std::max(joined.ranks, part.head.ranks);
    nodes.try_emplace(part.head.host, nodes.size());
  }
  std::ofstream file(path_, std::ios::trunc);
  int64_t lines = 0;
  file << fmt::format("{{\"concilio_record\":{},\"ranks\":{},\"nodes\":{}}}\n", record_version, joined.ranks,
                      std::max<size_t>(1, nodes.size()));
  auto part = parts.begin();
  for (int64_t rank = 0; rank < joined.ranks; ++rank) {
    if (part == parts.end() || part->head.rank != rank) {
      joined.absent.push_back(rank);
      file << fmt::format("{{\"rank\":{}}}\n", rank);
      ++lines;
      continue;
    }
    const auto its = lines_of(*part);
    if (!its) return its.error();
    if (its->full) joined.full.push_back(rank);
    file << fmt::format("{{\"rank\":{},\"node\":{}}}\n", rank, nodes[part->head.host]) << its->text;
    lines += 1 + std::ranges::count(its->text, '\n');
    ++part;
  }
  file << fmt::format("{{\"lines\":{}}}\n", lines + 1);
  file.close();
  if (!file) return Error::from_errno(errno, fmt::format("--record: cannot write {}", path_));
  return joined;
}

}  // namespace concilio::tools
