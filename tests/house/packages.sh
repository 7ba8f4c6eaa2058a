#!/bin/bash
# Runs scripts/packages.sh as on machines that lack something, by a PATH that contains few programs.
set -u
source ../../scripts/packages.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
expect() {
  if [ "$2" != "$3" ]; then printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3"; failed=1; fi
}

concilio_packages="
some   here          bash
some   not-here      concilio-no-such-command
some   header-here   header:stdio.h
some   no-header     header:concilio/no/such.h
some   module-here   python:json.decoder
some   no-module     python:json.no_such_module
other  not-asked     concilio-no-such-command
"
expect "what is missing" "no-header no-module not-here" "$(missing_packages some | tr '\n' ' ' | sed 's/ $//')"
expect "nothing asked for" "" "$(missing_packages neither)"

# Without apt-get it must name what is missing, and end with status 2.
for command in bash cat sort tr sed id g++ awk; do
  path=$(command -v $command) && ln -s "$path" "$folder/$command"
done
said=$(PATH=$folder install_missing some 2>&1)
expect "status without apt-get" 2 $?
case $said in *no-header*not-here*) ;; *) expect "names without apt-get" "no-header ... not-here" "$said" ;; esac

# Without root and sudo it must do the same, and name the command to ask for.
printf '#!/bin/bash\necho 1000\n' > "$folder/id.new" && chmod +x "$folder/id.new" && mv -f "$folder/id.new" "$folder/id"
printf '#!/bin/bash\necho apt-get was called\n' > "$folder/apt-get" && chmod +x "$folder/apt-get"
said=$(PATH=$folder install_missing some 2>&1)
expect "status without root" 2 $?
case $said in *"apt-get install"*not-here*) ;; *) expect "names without root" "apt-get install ... not-here" "$said" ;; esac

expect "nothing missing" "Nothing is missing." "$(concilio_packages='some here bash' && install_missing some)"
exit $failed
