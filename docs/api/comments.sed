# Makes Doxygen's comments of the plain ones that the headers have: a filter for docs/api/Doxyfile.
# Lines of comments are plain text: what Doxygen takes for commands and tags stands for itself.
/^ *(\/\/|\/?\*)/s/[@<]/\\&/g
# The first comment of a file is about the file.
1s|^/\*( \|$)|/** @file\n *\1|
1s|^// |/// @file\n/// |
# Titles of sections are not about what follows them.
/^\/\* --- .* --- \*\/$/b
# A comment on lines of its own is about what follows it; one at the end of a line, about what stands before it.
s|^( *)/\*( \|$)|\1/**\2|
s|^( *)//( \|$)|\1///\2|
s|([;,{]) +/\* |\1 /**< |
s|^( *[A-Za-z_0-9]+( = [^,]*)?) +/\* |\1 /**< |
s|([;,{}]) +// |\1 ///< |
