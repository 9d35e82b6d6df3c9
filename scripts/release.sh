#!/usr/bin/env bash
# usage: scripts/release.sh check | build | snapshot | files | licences
#
# What a release is made of, by .goreleaser.yaml.
#
#   check     the configuration is one that goreleaser takes
#   build     the binaries for all six targets, into dist/
#   snapshot  archives, packages and checksums too; an image where there is docker, an SBOM where there is syft
#   files     completion scripts, the man page and the licences of all modules, into dist-files/ (goreleaser calls this
#             before it packs)
#   licences  prints those licences
#
# Exit status: 77 if goreleaser is not in PATH and cannot be fetched, else its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

goreleaser=github.com/goreleaser/goreleaser/v2@v2.12.7

# found prints the path of goreleaser; where there is none it is built, once, below the user's cache.
found() {
	local bin=${XDG_CACHE_HOME:-$HOME/.cache}/gavel-ci/goreleaser
	command -v goreleaser && return
	if [[ ! -x $bin/goreleaser ]] && ! GOBIN=$bin timeout 15m go install "$goreleaser" >&2; then
		echo "release.sh: $goreleaser cannot be fetched" >&2
		return 77
	fi
	echo "$bin/goreleaser"
}

files() {
	local shell
	mkdir -p dist-files
	for shell in bash zsh fish powershell; do
		go run ./cmd/gavel completion "$shell" >"dist-files/gavel.$shell"
	done
	{
		printf 'gavel 1\n=======\n\n# NAME\n\ngavel - which open-weight model can you trust as a judge?\n\n'
		sed -n '/^## /,$p' docs/cli.md
	} | go run github.com/cpuguy83/go-md2man/v2 | gzip -9n >dist-files/gavel.1.gz
	licences >dist-files/THIRD_PARTY_LICENSES
}

# licences prints the licences of the modules that the binaries of a release hold, and Go's own, from where the go
# command keeps modules. Files of licences, and of what they ask to be handed on, are known by their names.
licences() {
	local system module folder texts
	local name='\([^/]*-license\|licen[cs]es?\|copying\|copyright\|notice\|patents\|third_party_licenses\)\([-.][^/]*\)?'
	local each='{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}'
	{
		printf 'Go\t%s\n' "$(go env GOROOT)"
		for system in linux darwin windows; do
			GOOS=$system CGO_ENABLED=0 go list -deps -f "$each" gavel/internal/cli
		done | sort -u
	} | while IFS=$'\t' read -r module folder; do
		texts=$(cd "$folder" && find . -maxdepth 2 -type f ! -name '*.go' -iregex "\./$name\(/$name\)?" | sort)
		if [[ ! $texts ]]; then
			echo "release.sh: $module: no licence found: its files have other names than expected" >&2
			return 1
		fi
		printf '=%.0s' {1..78}
		printf '\n%s\n\n' "$module"
		while read -r text; do
			cat "$folder/$text"
			echo
		done <<<"$texts"
	done
}

case ${1-} in
check) tool=$(found) && "$tool" check ;;
build) tool=$(found) && "$tool" build --snapshot --clean ;;
snapshot)
	tool=$(found)
	skip=publish
	command -v docker >/dev/null || skip+=,docker
	command -v syft >/dev/null || skip+=,sbom
	"$tool" release --snapshot --clean --skip="$skip"
	;;
files) files ;;
licences) licences ;;
*)
	sed -n '2,13s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
