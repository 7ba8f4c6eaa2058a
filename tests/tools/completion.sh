#!/bin/bash
# concilio completion in the shells that there are, and concilio help. Argument: CONCILIO.
concilio=$1
scripts=$(realpath "$(dirname "$0")/../../tools/completion")
. "$(dirname "$0")/common.sh"
PATH=$(dirname "$concilio"):$PATH

# What may follow, as the shells ask for it. follows WORDS... : leaves candidates in out.
follows() { expect 0 "$concilio" completion words -- "$@"; }
follows ''
for word in run bench probe explain study simulate report hints version completion help; do says out "^$word	"; done
says_not out '^-'
says_not out '^words'
follows r
says out '^run	Run an MPI program'
says out '^report	'
says_not out '^bench'
follows run --summ
says out '^--summary	At the end'
[ "$(wc -l <out)" = 1 ] || fail 'not one candidate'
follows run --memory-limit 4M --only '*.h5' --th
says out '^--threads	'
follows run --mpi ''
says out '^openmpi$'
says out '^mpiabi$'
follows run --mpi mpich
[ "$(tr '\n' ' ' <out)" = 'mpich mpich5 ' ] || fail 'not the choices that begin so'
# The options of the study are those of its Python package.
follows study --storage real --re
[ "$(tr '\n' ' ' <out)" = '--resume --report-only ' ] || fail 'not the options of the study'
# The program's own words, and names of files, are the shell's.
for words in 'run mpirun --summ' 'run --report x' 'run --only x' 'no-such-command --x'; do
  # shellcheck disable=SC2086
  follows $words
  [ ! -s out ] || [ "$words" = 'no-such-command --x' ] || fail "'$words' is completed"
done
for command in bench explain report probe study; do
  follows $command --js
  says out '^--json'
done
follows bench scorpio --gri
says out '^--grid	'

# The shells themselves.
for shell in bash zsh fish; do
  expect 0 "$concilio" completion "$shell"
  cp out "completion.$shell"
  cmp "completion.$shell" "$scripts/concilio.$shell" || fail "not what is installed for $shell"
done
expect 2 "$concilio" completion csh
bash -c '. ./completion.bash; COMP_WORDS=("$0" run --mem) COMP_CWORD=2; _concilio; echo "${COMPREPLY[@]}"' "$concilio" >out
[ "$(cat out)" = --memory-limit ] || fail 'bash does not complete'
if command -v fish >/dev/null; then
  HOME=$scratch fish -c 'source completion.fish; complete -C "concilio run --mem"' >out 2>err
  says out '^--memory-limit	Limit of'
fi
if command -v zsh >/dev/null; then
  # The candidates that would be offered; only zsh's line editor can offer them.
  zsh -fc '_describe() { print -rl -- "${(@P)2}" }; compdef() { : }; source ./completion.zsh
    words=("$1" run --mem); CURRENT=3; _concilio' zsh "$concilio" >out 2>err
  says out '^--memory-limit:Limit of'
fi

expect 0 "$concilio" help
says out 'Run an MPI program'
expect 0 "$concilio" help run
says out '--memory-limit'
expect 0 "$concilio" help bench scorpio
says out '--grid'
expect 0 "$concilio" help study
says out '--report-only'
expect 2 "$concilio" help no-such
says err 'there is no command no-such'
# The number of ranks is called the same everywhere.
for command in bench 'bench suite' 'bench scorpio' probe explain study; do
  # shellcheck disable=SC2086
  expect 0 "$concilio" help $command
  says out '-n.*--ranks'
done
finish
