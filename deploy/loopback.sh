#!/bin/sh
# Brings up the deployment of docs/scaling.md on this machine, on loopback alone: three
# servers of etcd, two bots on them with interactions over HTTP, and a load balancer
# (haproxy) before the two. SIGTERM or Ctrl-C takes everything down again; the data stays
# in the folder.
#
#   DISCORD_TOKEN=... PUBLIC_KEY=... deploy/loopback.sh FOLDER
#
# TENGEN is the program (./tengen), PORT the first of eleven ports (23790). The load
# balancer listens on PORT+8; for the real thing it does so with a certificate, and its
# address is the application's Interactions Endpoint URL.
set -eu
dir=${1:?a folder for data and logs}
tengen=${TENGEN:-./tengen}
port=${PORT:-23790}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
pids=""
down() {
	trap - EXIT INT TERM
	# shellcheck disable=SC2086 # a list
	kill $pids 2>/dev/null || true
	wait
	exit 0
}
trap down EXIT INT TERM

# Three servers of etcd, with the compaction and the quota of docs/scaling.md.
cluster="e0=http://127.0.0.1:$((port + 3)),e1=http://127.0.0.1:$((port + 4)),e2=http://127.0.0.1:$((port + 5))"
for i in 0 1 2; do
	etcd --name "e$i" --data-dir "$dir/e$i" \
		--listen-client-urls "http://127.0.0.1:$((port + i))" --advertise-client-urls "http://127.0.0.1:$((port + i))" \
		--listen-peer-urls "http://127.0.0.1:$((port + 3 + i))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 3 + i))" \
		--initial-cluster "$cluster" --initial-cluster-token tengen --initial-cluster-state new \
		--auto-compaction-mode periodic --auto-compaction-retention 5m --quota-backend-bytes 8589934592 \
		--logger zap --log-level warn >"$dir/e$i.log" 2>&1 &
	pids="$pids $!"
done

# Two bots. The first has the archive of the finished games; the second asks the first.
for i in 0 1; do
	archive=""
	[ "$i" = 1 ] || archive="$dir/archive"
	cat >"$dir/bot$i.yaml" <<YAML
discord:
  transport: http
http:
  address: 127.0.0.1:$((port + 6 + i))
  public_key: "${PUBLIC_KEY:-}"
  drain: 2s
store:
  engine: etcd
  etcd:
    endpoints: [http://127.0.0.1:$port, http://127.0.0.1:$((port + 1)), http://127.0.0.1:$((port + 2))]
    archive: "$archive"
    quota_megabytes: 8192
operations:
  address: 127.0.0.1:$((port + 9 + i))
YAML
	# shellcheck disable=SC2086 # STANDIN is options or nothing, for tests
	"$tengen" run --config "$dir/bot$i.yaml" ${STANDIN:+--stand-in $STANDIN} >"$dir/bot$i.log" 2>&1 &
	pids="$pids $!"
	[ "$i" = 1 ] || echo $! >"$dir/bot0.pid"
done

# The load balancer asks each bot whether it is ready. If one bot cannot be reached, the
# request goes to the other: the store knows each interaction by its id.
cat >"$dir/haproxy.cfg" <<CFG
defaults
	mode http
	timeout connect 500ms
	timeout client 10s
	timeout server 5s
	option redispatch
	retries 2
	retry-on conn-failure empty-response
frontend discord
	bind 127.0.0.1:$((port + 8))
	default_backend bots
backend bots
	balance roundrobin
	option httpchk GET /readyz
	default-server check inter 500ms fall 2 rise 1
	server bot0 127.0.0.1:$((port + 6)) port $((port + 9))
	server bot1 127.0.0.1:$((port + 7)) port $((port + 10))
CFG
haproxy -db -f "$dir/haproxy.cfg" >"$dir/haproxy.log" 2>&1 &
pids="$pids $!"
echo "etcd on ports $port to $((port + 2)), bots on $((port + 6)) and $((port + 7)), load balancer on http://127.0.0.1:$((port + 8))/interactions; logs in $dir"
wait
