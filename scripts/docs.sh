#!/usr/bin/env bash
# usage: scripts/docs.sh
#
# Writes anew what is generated: docs/cli.md from the commands, the keys in docs/formats.md and docs/schemas
# from the types, the metrics in docs/glossary.md from the protocols, and internal/server/openapi.json from the routes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
go run ./cmd/gavel docs markdown >docs/cli.md
go run ./scripts/docs
go test ./internal/server -run TestOpenAPI -update
