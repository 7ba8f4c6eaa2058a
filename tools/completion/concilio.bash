# Completion of concilio's command line in bash, from: concilio completion bash
_concilio() {
  local IFS=$'\n'
  # shellcheck disable=SC2207  # Candidates are lines, and IFS splits lines.
  COMPREPLY=($("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null | cut -f 1))
}
# Where there is no candidate, names of files are.
complete -o default -F _concilio concilio
