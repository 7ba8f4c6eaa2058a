// The environment as a value. It is read once when the command starts, and passed to functions and to child
// processes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace concilio::tools {

class Environment {
 public:
  Environment() = default;
  explicit Environment(const char* const* entries);  // "NAME=VALUE" each; a null pointer ends the list

  std::optional<std::string> get(const std::string& name) const;
  bool has(const std::string& name) const { return variables_.count(name) != 0; }
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }
  void unset(const std::string& name) { variables_.erase(name); }
  // Appends `value` to the value of `name`, with `separator` between the two.
  void append(const std::string& name, const std::string& value, char separator);
  std::vector<std::string> entries() const;

  // The executable file that a shell would run for `word`. A word with a slash is a path, any other is looked
  // for in PATH.
  std::optional<std::string> find_executable(const std::string& word) const;
  // An absolute path: ranks may have other working folders.
  std::string temporary_folder() const;

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace concilio::tools
