# Completion of gavel for fish. gavel itself says what may follow; files are offered too.
function __gavel_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l before $words[2..-1]
    if string match -q -- '-*' $cur
        set -a before $cur
    end
    $words[1] $before --generate-bash-completion 2>/dev/null
end
complete -c gavel -a '(__gavel_complete)'
