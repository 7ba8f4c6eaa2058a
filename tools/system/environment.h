// The environment as a value: read once when the command starts, handed on to what asks and to the children.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace concilio::tools {

class Environment {
 public:
  Environment() = default;
  explicit Environment(const char* const* entries);  // "NAME=VALUE"..., ended by a null pointer

  std::optional<std::string> get(const std::string& name) const;
  bool has(const std::string& name) const { return variables_.count(name) != 0; }
  bool has_prefix(const std::string& prefix) const;
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }
  void unset(const std::string& name) { variables_.erase(name); }
  // Adds `value` at the end of what `name` holds, `separator` between the two.
  void append(const std::string& name, const std::string& value, char separator);
  std::vector<std::string> entries() const;

  // The executable file that a shell would run for `word`: a path as it stands, a plain name through PATH.
  std::optional<std::string> find_executable(const std::string& word) const;
  std::string temporary_folder() const;

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace concilio::tools
