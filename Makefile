# make                    builds ./gavel
# make test               runs the tests
# make check              the whole check, without servers and browser (scripts/check.sh --help is its head)
# make docs               what is generated anew: docs/cli.md and the man page from the commands, the keys in docs/formats.md and
#                         docs/schemas from the types, the metrics in docs/glossary.md from the protocols
# make release-snapshot   what a release consists of, into dist/, without publishing anything

.PHONY: all gavel test check docs release-snapshot

all: gavel

gavel:
	CGO_ENABLED=0 go build -trimpath -o gavel ./cmd/gavel

test:
	go test ./...

check:
	scripts/check.sh --no-servers

docs:
	go run ./cmd/gavel docs markdown >docs/cli.md
	go run ./cmd/gavel docs man >packaging/gavel.1
	go run ./scripts/formats
	go run ./scripts/glossary

release-snapshot:
	scripts/release.sh snapshot
