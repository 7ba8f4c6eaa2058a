// concilio report: what `concilio run --report` has written, as text, as a page for a browser or as a trace.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/system/read_file.h"
#include "subcommands.h"
#include "summary/page.h"
#include "summary/report_json.h"
#include "summary/summary.h"
#include "summary/trace.h"
#include "system/write_text.h"

namespace concilio::tools {

namespace {

struct ReportOptions {
  std::string report, page, trace, json;
};

int show_report(const ReportOptions& options) {
  const std::string& path = options.report;
  const auto text = read_all(path);
  const auto report = text ? parse_report(*text) : Result<Report>(text.error());
  if (!report) {
    complain(fmt::format("report: {}: {}", path, report.error().message));
    return exit_usage;
  }
  if (report->records.unreadable_lines > 0)
    complain(fmt::format("report: {}: {} lines could not be read", path, report->records.unreadable_lines));
  if (options.page.empty() && options.trace.empty() && options.json.empty()) {
    const std::vector<FileRecord> files = by_name(report->records.files);
    fmt::print("{}{}", render_summary(files), render_details(files));
    return 0;
  }
  Status written;
  if (!options.page.empty()) written = write_page(options.page, *report);
  if (written && !options.trace.empty()) written = write_trace(options.trace, *report);
  if (written && !options.json.empty()) written = write_or_print(options.json, summary_as_json(*report));
  if (written) return 0;
  complain("report: " + written.error().message);
  return exit_failure;
}

}  // namespace

Subcommand add_report(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("report", "Show a run's report as text, or as a page for a browser");
  auto options = std::make_shared<ReportOptions>();
  parser->add_option("report", options->report, "What concilio run --report or CONCILIO_REPORT has written")
      ->required()
      ->type_name("FILE.json");
  parser
      ->add_option("-o,--output", options->page,
                   "Write a page that a browser shows, without a network; else text to stdout")
      ->type_name("FILE.html");
  parser
      ->add_option("--trace", options->trace,
                   "Write a trace of the ranks' times, which ui.perfetto.dev shows; else text to stdout")
      ->type_name("FILE.json");
  parser
      ->add_option("--json", options->json,
                   "Print what the text says as JSON to stdout, or write it to FILE if it is given")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  return {parser, [=] { return show_report(*options); }};
}

}  // namespace concilio::tools
