// The functions of scorpio_util.h, with which programs write a log.
#include <scorpio_util.h>

#include <iterator>

extern "C" {

int scorpio_debug = 0;
scorpio_debuginfo_t scorpio_debuginfo = {};

void scorpio_debuglog_init(int rank) {
  scorpio_debuginfo.rank = rank;
}

void scorpio_printmsg(scorpio_loglevel_t scorpio_loglevel, const char* format, ...) {
  if (scorpio_loglevel > scorpio_debug) return;
  const char* const names[] = {"", "SCORPIO_ERROR", "SCORPIO_WARNING", "SCORPIO_INFO", "SCORPIO_VERBOSE"};
  const auto level = static_cast<size_t>(scorpio_loglevel);
  // The message is written in one piece, as all ranks of a node may be writing.
  char text[4 * MAXSTR];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  fprintf(stderr, "rank %d: %s: %s (%s:%d): %s\n", scorpio_debuginfo.rank,
          level < std::size(names) ? names[level] : "", scorpio_debuginfo.function, scorpio_debuginfo.file,
          scorpio_debuginfo.line, text);
  fflush(stderr);
}

}  // extern "C"
