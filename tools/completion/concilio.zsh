#compdef concilio
# Completion of concilio's command line in zsh, from: concilio completion zsh
_concilio() {
  local -a lines
  lines=(${(f)"$($words[1] completion words -- "${(@)words[2,CURRENT]}" 2> /dev/null)"})
  if (( $#lines )); then
    lines=("${(@)lines//:/\\:}")
    lines=("${(@)lines/$'\t'/:}")
    _describe concilio lines
  else
    _files
  fi
}
# As a file of $fpath it is called for each completion; what is evaluated once says for which command it is.
if [[ $funcstack[1] == _concilio ]]; then
  _concilio "$@"
else
  compdef _concilio concilio
fi
