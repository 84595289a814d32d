#!/bin/sh
# Prints the size of the stripped program, and its idle memory with 10,000 stored games
# against a stand-in for Discord. Run it in the root of the repository.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
CGO_ENABLED=0 go build -trimpath -tags grpcnotrace -ldflags "-s -w" -o "$out/tengen" ./cmd/tengen
printf 'program: %s bytes, stripped\n' "$(wc -c <"$out/tengen")"
if [ -d /dev/shm ]; then TMPDIR=/dev/shm; export TMPDIR; fi # in memory, so that filling the store does not wait for a disk
status=0
go test -count=1 -run '^TestIdleMemory$' -v ./cmd/tengen -args -tengen "$out/tengen" >"$out/log" || status=$?
grep -e 'resident' -e FAIL -e 'stored' "$out/log"
exit $status
