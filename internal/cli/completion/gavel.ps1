# Completion of gavel for PowerShell. gavel itself says what may follow.
Register-ArgumentCompleter -Native -CommandName gavel -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $before = @($words | Select-Object -Skip 1)
    if ($wordToComplete -and $before.Count -gt 0 -and -not $wordToComplete.StartsWith('-')) {
        $before = @($before | Select-Object -SkipLast 1)
    }
    & $words[0] @before --generate-bash-completion 2>$null |
        Where-Object { $_ -like "$wordToComplete*" } |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
