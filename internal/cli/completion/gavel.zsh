#compdef gavel
# Completion of gavel for zsh. gavel itself says what may follow; where it says nothing, zsh offers files.
_gavel() {
	local -a before offered
	before=("${(@)words[2,CURRENT-1]}")
	if [[ "${words[CURRENT]}" == -* ]]; then
		before+=("${words[CURRENT]}")
	fi
	offered=("${(@f)$("${(Q)words[1]}" "${(@)before}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n "${offered[1]}" ]]; then
		compadd -a offered
	else
		_files
	fi
}
if [[ "${funcstack[1]}" == _gavel ]]; then
	_gavel "$@"
else
	compdef _gavel gavel
fi
