# Completion of concilio's command line in fish, from: concilio completion fish
complete -c concilio -a '(concilio completion words -- (commandline -opc)[2..-1] (commandline -ct) 2> /dev/null)'
