// The times in a report as a trace, which ui.perfetto.dev and chrome://tracing show.
#pragma once

#include <string>

#include "summary/records.h"

namespace concilio::tools {

// In Chrome's JSON format. A report has sums over short stretches of time and not every call: so a slice is
// what the calls of a file took in such a stretch, and begins where the stretch begins.
std::string render_trace(const Report& report);

// Writes it to a file.
Status write_trace(const std::string& path, const Report& report);

}  // namespace concilio::tools
