/* Arrays of strings, which callers free one by one. */
#include "callers.h"

void test_strings(void) {
  char first[] = "Calcium", second[] = "", third[] = "Sodium and more";
  char *written[3], **found;
  int n, i, file;
  iogroup_t group;
  written[0] = first;
  written[1] = second;
  written[2] = third;
  make_group(&group);
  file = scorpio_open_file(path_of("strings.h5"), &group, SCORPIO_FILE_CREATE);
  EXPECT(scorpio_write_str_array(written, 3, file, "Mineral names", &group) == 0);
  EXPECT(scorpio_read_str_array(&found, &n, file, "Mineral names", &group) == 0);
  EXPECT(n == 3);
  for (i = 0; i < n; ++i) {
    EXPECT(strcmp(found[i], written[i]) == 0);
    free(found[i]);
  }
  free(found);
  EXPECT(scorpio_close_file(file, &group) == 0);
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}
