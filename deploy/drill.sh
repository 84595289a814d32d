#!/bin/sh
# Restores the database to a time, from a base backup and the archive of the log, beside what
# runs, and looks whether the games are whole. docs/scaling.md says how to make both.
#
#   deploy/drill.sh BASE LOG '2026-11-27 06:30:00+00' FOLDER
#
# The server is in FOLDER/data, which must not exist, and listens at a socket in FOLDER alone. In the end
# FOLDER/games.jsonl has all games as they were at that time (tengen store export), and the server
# has ended. TENGEN is the program (./tengen); DATABASE, ROLE and SCHEMA are games, bot and tengen.
set -eu
base=$(realpath "${1:?the folder of a base backup}")
log=$(realpath "${2:?the folder of the archived log}")
time=${3:?a time}
dir=${4:?a folder}
tengen=$(realpath "${TENGEN:-./tengen}")
pg=/usr/lib/postgresql/15/bin
mkdir -p "$dir"
dir=$(realpath "$dir")
[ ! -e "$dir/data" ] || { echo "$dir/data exists already" >&2; exit 2; }

as=""
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
	as="setpriv --reuid postgres --regid postgres --clear-groups"
fi
cp -a "$base" "$dir/data"
echo "local all all trust" >"$dir/data/drill_hba.conf"
touch "$dir/data/recovery.signal"
rm -f "$dir/data/standby.signal"
chmod -R go= "$dir/data"
[ -z "$as" ] || chown -R postgres "$dir" # and not the folders of the backup

# What the backup's own settings say of other servers does not hold here.
$as "$pg/pg_ctl" start -w -t 86400 -s -D "$dir/data" -l "$dir/data/drill.log" -o "\
-c listen_addresses= -c unix_socket_directories='$dir' -c port=5432 -c hba_file='$dir/data/drill_hba.conf' \
-c archive_mode=off -c synchronous_standby_names= -c primary_conninfo= -c primary_slot_name= -c ssl=off \
-c restore_command='cp \"$log/%f\" \"%p\"' -c recovery_target_time='$time' -c recovery_target_action=promote" ||
	{ tail "$dir/data/drill.log" >&2; exit 1; }
trap '$as "$pg/pg_ctl" stop -s -m fast -D "$dir/data"' EXIT
until [ "$($as "$pg/psql" -h "$dir" -U "${ROLE:-bot}" -d "${DATABASE:-games}" -Atc 'SELECT pg_is_in_recovery()')" = f ]; do
	sleep 0.2
done
place="pg:host=$dir user=${ROLE:-bot} dbname=${DATABASE:-games}#${SCHEMA:-tengen}"
"$tengen" store check --data "$place"
"$tengen" store export --data "$place" "$dir/games.jsonl"
