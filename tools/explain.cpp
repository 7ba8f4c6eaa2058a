// concilio explain: prints the plan that Concilio would make for an access pattern, and why, without moving
// any data.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "explain_options.h"
#include "plan/facts/wishes.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/plan.h"
#include "plan/show/explain.h"
#include "plan/show/facts_json.h"
#include "sim/density.h"
#include "sim/gather.h"
#include "sim/pattern.h"
#include "sim/picture.h"
#include "subcommands.h"

namespace concilio::tools {

namespace {

// What the command explains: the facts and the plan of one call.
struct Subject {
  std::string title, note;
  plan::Facts facts;
  plan::Plan plan;
  sim::Raster raster;  // only if a picture is wanted
};

Error wrong(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

// Ranks that do not ask alike are gone through one by one.
constexpr int64_t most_unlike_ranks = 10'000'000;
// Of more nodes a picture would show nothing.
constexpr size_t most_nodes_of_picture = 20'000;

Result<Subject> from_pattern(const ExplainOptions& options, const Config& config) {
  const Result<sim::Machine> machine = machine_of(options, config);
  if (!machine) return machine.error();
  const int64_t ranks = ranks_of(options);
  const Result<int64_t> bytes = bytes_per_rank_of(options, ranks);
  if (!bytes) return bytes.error();
  const Result<sim::Pattern> pattern = sim::make_pattern(options.pattern, {static_cast<int>(ranks), *bytes});
  if (!pattern) return pattern.error();
  if (!pattern->alike && ranks > most_unlike_ranks)
    return wrong(fmt::format("{} ranks: at most {}, except with patterns whose ranks ask alike: {}", ranks,
                             most_unlike_ranks, sim::names_of_alike()));
  if (!options.picture_file.empty() && machine->ranks_of_node.size() > most_nodes_of_picture)
    return wrong(
        fmt::format("--picture: {} nodes are more than a picture can show, which is {}; leave it out",
                    machine->ranks_of_node.size(), most_nodes_of_picture));
  const int call = std::max(0, options.call);
  if (call >= pattern->calls)
    return wrong(fmt::format("--call {}: {} has {} call{}, numbered from 0", call, options.pattern,
                             pattern->calls, pattern->calls == 1 ? "" : "s"));
  const Operation operation = options.read ? Operation::read : Operation::write;
  const plan::Wishes wishes = plan::wishes_of(config, operation);
  Subject subject;
  subject.title = "pattern " + options.pattern;
  if (pattern->calls > 1) subject.title += fmt::format(", call {} of {}", call, pattern->calls);
  subject.note = pattern->note;
  subject.facts = sim::gather(*pattern, call, *machine, operation, wishes);
  if (call > 0 && realm_policy_row(chosen_policy(subject.facts)).of_file) {
    // Some policies keep the realms of the first call on the file for all later calls.
    subject.facts.fixed = plan::plan(sim::gather(*pattern, 0, *machine, operation, wishes)).fixed;
  }
  subject.plan = plan::plan(subject.facts);
  if (!options.picture_file.empty() && subject.facts.digest.bytes > 0) {
    const pattern::Interval range{subject.facts.digest.first, subject.facts.digest.end};
    subject.raster =
        sim::raster_of(*pattern, call, *machine, range, sim::picture_columns(ranks), sim::picture_rows);
  }
  return subject;
}

// Options that describe what a file of facts already contains.
Status refuse_with_facts(const ExplainOptions& options) {
  const std::pair<bool, const char*> given[] = {{options.ranks >= 0, "--ranks"},
                                                {options.nodes >= 0, "--nodes"},
                                                {options.ranks_per_node >= 0, "--ranks-per-node"},
                                                {!options.bytes_per_rank.empty(), "--bytes-per-rank"},
                                                {options.mib_per_rank >= 0, "--mib-per-rank"},
                                                {options.read, "--read"}};
  for (const auto& [is_given, name] : given) {
    if (is_given)
      return wrong(fmt::format("{}: leave it out, since the facts in {} contain it", name, options.pattern));
  }
  return {};
}

Result<Subject> from_file(const ExplainOptions& options, const Config& config) {
  std::vector<std::string> notes;
  if (const Status status = refuse_with_facts(options); !status) return status.error();
  Result<plan::Facts> facts = facts_in_file(options.pattern, std::max(0, options.call), notes);
  if (!facts) return facts.error();
  for (const std::string& note : notes) complain("explain: " + note);
  Subject subject;
  subject.title = "facts of " + options.pattern;
  subject.facts = std::move(*facts);
  if (const Status status = take_over_machine(options, config, subject.facts); !status) return status.error();
  if (subject.facts.buckets.empty() && needs_buckets(subject.facts)) {
    complain(
        "explain: the facts do not say how the bytes are distributed over the file, because their call did "
        "not need it; a run would gather that, and may choose another plan");
  }
  subject.plan = plan::plan(subject.facts);
  if (!options.picture_file.empty() && subject.facts.digest.bytes > 0)
    subject.raster =
        sim::raster_of(subject.facts, sim::picture_columns(subject.facts.digest.ranks), sim::picture_rows);
  return subject;
}

Result<Subject> subject_of(const ExplainOptions& options, const Config& config) {
  if (config.text(Key::realms) == "user")
    return wrong(
        "the realms of the policy 'user' are given by a program (concilio_file_set_realms); choose another "
        "policy, see --help");
  if (sim::names_pattern(options.pattern)) return from_pattern(options, config);
  if (std::ifstream(options.pattern)) return from_file(options, config);
  const Result<sim::Pattern> unknown = sim::make_pattern(options.pattern, {});
  return wrong(unknown.error().message + "; and there is no file of facts of that name");
}

Status write_picture(const std::string& path, const Subject& subject) {
  if (!path.ends_with(".svg"))
    return wrong(
        fmt::format("--picture {}: the picture is in SVG; give the file a name that ends in .svg", path));
  if (subject.raster.rows.empty())
    return wrong("--picture: no rank asks for any bytes, so there is nothing to draw");
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << sim::picture_of(subject.facts, subject.plan, subject.raster, subject.title);
  file.close();
  if (!file) return Error::from_errno(errno, fmt::format("--picture {}: cannot write it", path));
  return {};
}

void print(const Subject& subject, bool as_json) {
  if (as_json) {
    nlohmann::json out = nlohmann::json::parse(explain_json(subject.facts, subject.plan));
    out["title"] = subject.title;
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}{}{}\n{}", subject.title, subject.note.empty() ? "" : ": ", subject.note,
             explain_text(subject.facts, subject.plan));
}

int explain(const ExplainOptions& options) {
  const auto refuse = [](const Error& error) {
    complain("explain: " + error.message);
    return exit_usage;
  };
  const Result<Config> config = settings_of(options);
  if (!config) return refuse(config.error());
  const Result<Subject> subject = subject_of(options, *config);
  if (!subject) return refuse(subject.error());
  print(*subject, options.json);
  if (options.picture_file.empty()) return 0;
  const Status written = write_picture(options.picture_file, *subject);
  return written ? 0 : refuse(written.error());
}

std::string footer() {
  std::string text = "Patterns, the same as those of concilio bench:\n";
  for (const sim::PatternRow& row : sim::pattern_rows()) text += sim::lines_of(row.words);
  text +=
      "A file of facts is what --json, or a run with CONCILIO_LOG=debug, has written.\n\nRealm policies:\n";
  for (const plan::RealmPolicyRow& row : plan::realm_policy_rows()) {
    if (row.policy != plan::RealmPolicy::user) text += fmt::format("  {:<12} {}\n", row.name, row.summary);
  }
  text += "Methods:\n";
  for (int i = 0; i < plan::method_count; ++i) {
    const auto method = static_cast<plan::Method>(i);
    text += fmt::format("  {:<12} {}\n", method_name(method), method_summary(method));
  }
  text += "Placements:\n";
  for (const plan::PlacementRow& row : plan::placement_rows())
    text += fmt::format("  {:<12} {}\n", row.name, row.summary);
  return text +
         "\nSizes are numbers of bytes, or for example 64K or 4MiB. Settings in the environment are not "
         "read.";
}

// CLI11's own check would write of ranges of floating-point numbers in its message.
std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const bool good = digits && text.size() <= 15 && text.find_first_not_of('0') != std::string::npos;
  return good ? "" : fmt::format("'{}' is not a whole number from 1 to 999999999999999", text);
}

void add_machine_options(CLI::App& parser, ExplainOptions& options) {
  const auto count = [&](const char* name, int64_t& value, const char* help) {
    parser.add_option(name, value, help)->check(whole_number)->type_name("COUNT");
  };
  count("-n,--ranks", options.ranks, "Number of ranks (default: 4, or the number of nodes)");
  count("--nodes", options.nodes,
        "Number of nodes, which get equal numbers of consecutive ranks (default: 1)");
  count("--ranks-per-node", options.ranks_per_node, "Instead of --nodes or --ranks");
  count("--cores-per-node", options.cores_per_node, "Cores of a node (default: one for each rank)");
  parser
      .add_option("--bytes-per-rank", options.bytes_per_rank,
                  "Bytes that each rank moves in a call (default: 64M divided by the ranks, but at least 1M)")
      ->type_name("SIZE");
  parser.add_option("--mib-per-rank", options.mib_per_rank, "The same in MiB")
      ->check(CLI::PositiveNumber)
      ->type_name("MIB");
  parser
      .add_option("--call", options.call,
                  "Number of the call, from 0, of a pattern that has several (default: 0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("INDEX");
  parser.add_flag("--read", options.read, "Explain a read (default: a write)");
  parser
      .add_option("--memory-normal", options.memory_normal,
                  "Available memory of the nodes, from a normal distribution")
      ->type_name("MEAN,SD[,SEED]");
  parser
      .add_option(
          "--storage", options.storage,
          "local, memory, network, parallel or unknown (default: local; parallel if there are several nodes)")
      ->type_name("KIND");
  parser
      .add_option("--profile", options.profile,
                  "Use the prices that concilio probe has measured instead of the built-in ones")
      ->type_name("FILE");
}

// Options that are abbreviations of hints.
struct Shortcut {
  const char* option;
  const char* hint;
  const char* type;
  const char* help;
};
constexpr Shortcut shortcuts[] = {
    {"--memory-per-node", "concilio_node_memory", "SIZE,...",
     "Available memory of each node; a short list is repeated (default: more than enough)"},
    {"--memory-limit", "concilio_memory_limit", "SIZE", "Limit of the internal memory of a rank"},
    {"--stripe", "striping_unit", "SIZE", "Size of the file's stripes"},
    {"--targets", "striping_factor", "COUNT", "Number of storage targets that the file is striped over"},
    {"--policy", "concilio_realms", "NAME", "How the file is divided into realms of aggregators, see below"},
    {"--placement", "concilio_placement", "NAME", "Which ranks are aggregators, see below"},
    {"--groups", "concilio_groups", "auto|off", "Aggregation groups"},
    {"--group-bytes", "concilio_group_bytes", "SIZE", "Least data of an aggregation group (Msg_group)"},
    {"--domain-bytes", "concilio_domain_bytes", "SIZE", "Data of a leaf of the partition tree (Msg_ind)"},
    {"--memory-min", "concilio_memory_min", "SIZE",
     "Memory that a node must have for an aggregator (Mem_min)"},
    {"--aggregators", "cb_nodes", "COUNT", "Number of aggregators"},
    {"--aggregators-per-node", "concilio_aggregators_per_node", "COUNT",
     "Greatest number of aggregators on a node (N_ah)"},
    {"--alignment", "romio_cb_fr_alignment", "SIZE", "Realms begin and end at multiples of this"},
    {"--window", "cb_buffer_size", "SIZE", "Size of an aggregator's window (collective buffer)"},
    {"--method", "concilio_method", "NAME", "The method to use, whatever it costs, see below"},
};

}  // namespace

Subcommand add_explain(CLI::App& app) {
  CLI::App* parser = app.add_subcommand(
      "explain", "Print the plan for an access pattern, and the reasons for it, without running anything");
  auto options = std::make_shared<ExplainOptions>();
  parser->add_option("pattern", options->pattern, "A pattern or a file of facts, see below")
      ->required()
      ->type_name("PATTERN");
  add_machine_options(*parser, *options);
  options->shortcut_values.resize(std::size(shortcuts));
  for (size_t i = 0; i < std::size(shortcuts); ++i) {
    const Shortcut& shortcut = shortcuts[i];
    options->shortcuts.emplace_back(shortcut.option, shortcut.hint);
    parser->add_option(shortcut.option, options->shortcut_values[i], shortcut.help)->type_name(shortcut.type);
  }
  parser->add_option("--hint", options->hints, "Any hint that a program could set, see concilio hints")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  parser->add_flag("--json", options->json, "As JSON");
  parser->add_option("--picture", options->picture_file, "Draw the plan as an SVG picture")
      ->type_name("FILE.svg");
  parser->footer(footer());
  return {parser, [=] { return explain(*options); }};
}

}  // namespace concilio::tools
