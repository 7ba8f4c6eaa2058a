// concilio report: what `concilio run --report` has written, as text or as a page for a browser.
#include <fmt/format.h>

#include <memory>

#include "base/system/read_file.h"
#include "subcommands.h"
#include "summary/page.h"
#include "summary/summary.h"

namespace concilio::tools {

namespace {

int show_report(const std::string& path, const std::string& page) {
  const auto text = read_all(path);
  const auto report = text ? parse_report(*text) : Result<Report>(text.error());
  if (!report) {
    complain(fmt::format("report: {}: {}", path, report.error().message));
    return exit_usage;
  }
  if (report->records.unreadable_lines > 0)
    complain(fmt::format("report: {}: {} lines could not be read", path, report->records.unreadable_lines));
  if (page.empty()) {
    const std::vector<FileRecord> files = by_name(report->records.files);
    fmt::print("{}{}", render_summary(files), render_details(files));
    return 0;
  }
  const Status written = write_page(page, *report);
  if (written.ok()) return 0;
  complain("report: " + written.error().message);
  return exit_failure;
}

}  // namespace

Subcommand add_report(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("report", "Show a run's report as text, or as a page for a browser");
  auto path = std::make_shared<std::string>(), page = std::make_shared<std::string>();
  parser->add_option("report", *path, "What concilio run --report or CONCILIO_REPORT has written")
      ->required()
      ->type_name("FILE.json");
  parser
      ->add_option("-o,--output", *page,
                   "Write a page that a browser shows, without a network; else text to stdout")
      ->type_name("FILE.html");
  return {parser, [=] { return show_report(*path, *page); }};
}

}  // namespace concilio::tools
