#!/bin/sh
# Brings up the deployment of docs/scaling.md on this machine, on loopback alone: PostgreSQL
# twice (a primary and a standby, whose failover is pg_auto_failover's), its monitor, two bots
# with interactions over HTTP, and a load balancer (haproxy) before them.
#
#   DISCORD_TOKEN=... PUBLIC_KEY=... deploy/loopback.sh FOLDER
#   deploy/loopback.sh FOLDER kill WHAT     # kill -9, as if the machine had died
#   deploy/loopback.sh FOLDER start WHAT    # and again
#   deploy/loopback.sh FOLDER state         # who is the primary
#
# WHAT is monitor, n1, n2, bot1, bot2 or balancer. SIGTERM or Ctrl-C ends everything; only the
# folder stays. TENGEN is the program (./tengen), PORT the first of eight ports (23790): monitor,
# n1, n2, bot1, bot2, the bots' /readyz, and the load balancer. For the real thing the balancer
# has a certificate, and its address is the application's Interactions Endpoint URL.
#
# Debian: apt-get install postgresql pg-auto-failover-cli postgresql-15-auto-failover haproxy
set -eu
dir=${1:?a folder for data and logs}
order=${2:-up}
what=${3:-}
tengen=$(realpath "${TENGEN:-./tengen}")
port=${PORT:-23790}
pg=/usr/lib/postgresql/15/bin
monitor="postgres://autoctl_node@127.0.0.1:$port/pg_auto_failover"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# PostgreSQL refuses to run as root. What pg_auto_failover writes beside the data stays in the folder.
as=""
owner=$(id -un)
if [ "$(id -u)" = 0 ]; then
	owner=postgres
	as="setpriv --reuid postgres --regid postgres --clear-groups"
	chown postgres "$dir"
fi
auto() {
	# shellcheck disable=SC2086 # a command or nothing
	(cd "$dir" && $as env PATH="$pg:$PATH" HOME="$dir" XDG_CONFIG_HOME="$dir/auto/config" XDG_DATA_HOME="$dir/auto/share" \
		XDG_RUNTIME_DIR="$dir/auto/run" LC_ALL=C "$@")
}

# run starts a program in a process group of its own, which is all that dies with its machine.
run() {
	name=$1
	shift
	"$@" >>"$dir/$name.log" 2>&1 &
	echo $! >"$dir/$name.pid"
}

start() {
	case $1 in
	monitor | n1 | n2) run "$1" setsid "$0" "$dir" exec "$1" ;;
	# shellcheck disable=SC2086 # STANDIN is options or nothing, for tests
	bot*) run "$1" setsid "$tengen" run --config "$dir/$1.yaml" ${STANDIN:+--stand-in $STANDIN} ;;
	balancer) run balancer setsid haproxy -db -f "$dir/haproxy.cfg" ;;
	esac
}

# gone says whether all of a process group have ended. Those that nobody has waited for yet do not count.
gone() { ! pgrep -g "$1" -r D,R,S,T >/dev/null; }

# stop sends a signal to a program, or to its whole group (-), and waits until all of the group have ended.
stop() {
	[ -f "$dir/$3.pid" ] || return 0
	group=$(cat "$dir/$3.pid")
	kill "-$1" "$2$group" 2>/dev/null || true
	n=0
	until gone "$group"; do
		n=$((n + 1))
		[ $n != 100 ] || kill -KILL "-$group" 2>/dev/null || true
		sleep 0.1
	done
	rm -f "$dir/$3.pid"
}

down() {
	status=$?
	trap - EXIT INT TERM
	for name in balancer bot1 bot2 monitor n2 n1; do # the monitor before the servers: it would promote one
		stop TERM "" $name
	done
	# A server that was killed leaves a small segment of shared memory, which its next start removes.
	for left in "$dir"/*/postmaster.pid; do
		[ ! -f "$left" ] || ipcrm -m "$(awk 'NR == 7 { print $2 }' "$left")" 2>/dev/null || true
	done
	exit "$status"
}

case $order in
exec) auto pg_autoctl run --pgdata "$dir/$what" && exit ;; # start calls it
kill) stop KILL - "$what" && exit ;;
start) start "$what" && exit ;;
state) auto pg_autoctl show state --pgdata "$dir/monitor" && exit ;;
up)
	trap down EXIT
	trap 'exit 0' INT TERM
	;;
esac

# The monitor notices within seconds that a server is gone. Its defaults are 20 s to notice and 30 s to promote.
mkdir -p "$dir/auto/config" "$dir/auto/share" "$dir/auto/run"
[ -z "$as" ] || chown -R postgres "$dir/auto"
auto pg_autoctl create monitor --pgdata "$dir/monitor" --pgport "$port" --hostname 127.0.0.1 \
	--auth trust --no-ssl >"$dir/monitor.log" 2>&1
auto tee -a "$dir/monitor/postgresql.conf" >/dev/null <<CONF
pgautofailover.startup_grace_period = 2s
pgautofailover.health_check_period = 1s
pgautofailover.health_check_timeout = 1s
pgautofailover.health_check_max_retries = 1
pgautofailover.health_check_retry_delay = 500ms
pgautofailover.node_considered_unhealthy_timeout = 3s
pgautofailover.primary_demote_timeout = 3s
CONF
auto pg_autoctl config set --pgdata "$dir/monitor" postgresql.listen_addresses 127.0.0.1 >>"$dir/monitor.log" 2>&1
start monitor
for i in 1 2; do
	auto pg_autoctl create postgres --pgdata "$dir/n$i" --pgport $((port + i)) --hostname 127.0.0.1 --name "n$i" \
		--dbname games --monitor "$monitor" --listen 127.0.0.1 --auth trust --no-ssl >"$dir/n$i.log" 2>&1
	# Files in place of /dev/shm: a server that is killed leaves nothing there.
	echo "dynamic_shared_memory_type = mmap" | auto tee -a "$dir/n$i/postgresql.conf" >/dev/null
	start "n$i"
done

# The bots' role may make its schema and nothing more.
until auto psql -q -h 127.0.0.1 -p $((port + 1)) -U "$owner" -d games \
	-c "CREATE ROLE bot LOGIN; GRANT CREATE ON DATABASE games TO bot" >>"$dir/n1.log" 2>&1; do
	sleep 0.2
done

for i in 1 2; do
	cat >"$dir/bot$i.yaml" <<YAML
discord:
  transport: http
http:
  address: 127.0.0.1:$((port + 2 + i))
  public_key: "${PUBLIC_KEY:-}"
  drain: 2s
store:
  engine: postgres
  postgres:
    address: postgres://bot@127.0.0.1:$((port + 1)),127.0.0.1:$((port + 2))/games?sslmode=disable
operations:
  address: 127.0.0.1:$((port + 4 + i))
YAML
	start "bot$i"
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
	bind 127.0.0.1:$((port + 7))
	default_backend bots
backend bots
	balance roundrobin
	option httpchk GET /readyz
	default-server check inter 500ms fall 2 rise 1
	server bot1 127.0.0.1:$((port + 3)) port $((port + 5))
	server bot2 127.0.0.1:$((port + 4)) port $((port + 6))
CFG
start balancer
echo "PostgreSQL on ports $((port + 1)) and $((port + 2)), bots on $((port + 3)) and $((port + 4)), load balancer on http://127.0.0.1:$((port + 7))/interactions; logs in $dir"
while :; do sleep 1; done
