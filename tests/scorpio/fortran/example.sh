#!/bin/sh
# example.sh PAGE COMMAND...: the command must print what the page shows, from "pattern 1" to "write 1".
page=$1
shift
shown=$(sed -n '/^pattern 1: /,/^write 1: /p' "$page")
printed=$("$@") || exit
[ -n "$shown" ] && [ "$printed" = "$shown" ] && exit
printf 'printed:\n%s\n%s shows:\n%s\n' "$printed" "$page" "$shown"
exit 1
