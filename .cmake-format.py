# How cmake-format (PyPI: cmakelang) formats CMakeLists.txt and *.cmake.
line_width = 120
tab_size = 2
# Arguments fill lines as words do, and are not put one on a line.
max_pargs_hwrap = 100
max_subgroups_hwrap = 8
max_rows_cmdline = 6
max_lines_hwrap = 8
# Comments stay as they are.
enable_markup = False
