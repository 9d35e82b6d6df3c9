# Completion of gavel for bash. gavel itself says what may follow; where it says nothing, bash offers files.
_gavel() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	local words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	if [[ $cur == -* ]]; then
		words+=("$cur")
	fi
	local IFS=$'\n'
	# shellcheck disable=SC2207 # mapfile is not in macOS's bash
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]/#\~/$HOME}" "${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _gavel gavel
