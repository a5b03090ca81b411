# A PostgreSQL server of a test's own, on a socket. It refuses to run as root:
# what it touches is in a directory of its own that anybody may enter.
# `load postgres`, after lib.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034

PATH=$PATH:/usr/lib/postgresql/15/bin
NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# Once for a file of tests: an empty cluster, to be copied.
make_cluster() {
	cluster=$(mktemp -d /tmp/stallshim-postgres.XXXXXX)
	chmod 755 "$cluster"
	mkdir "$cluster/new" "$cluster/results"
	cp "$SHIM" "$cluster"
	chown -R 65534 "$cluster"
	natively "${NOBODY[@]}" initdb --no-sync -A trust -U postgres \
		-D "$cluster/new" >/dev/null
	cat >>"$cluster/new/postgresql.conf" <<-'EOT'
		listen_addresses = ''
		fsync = off
		max_parallel_workers_per_gather = 2
		deadlock_timeout = 100ms
		log_min_messages = fatal
		logging_collector = off
	EOT
	export cluster
}

remove_cluster() {
	rm -rf "${cluster:?}"
}

# start_postgres RUNNER: RUNNER is natively or under_shim.
start_postgres() {
	SHIM=$cluster/libstallshim.so
	RESULTS=$cluster/results
	directory=$cluster/$1
	rm -rf "$directory"
	cp -a "$cluster/new" "$directory"
	in_background "$1" STALLSHIM_STALL="${STALL:-1ms}" "${NOBODY[@]}" postgres \
		-D "$directory" -k "$directory" 2>"$directory/log"
	wait_until 30 query 'select 1'
}

# query SQL...: each in one session, as unaligned rows.
query() {
	local sql arguments=()

	for sql; do
		arguments+=(-c "$sql")
	done
	psql -X -q -A -t -h "$directory" -U postgres postgres "${arguments[@]}"
}

# stop_postgres SIGNAL: INT is a fast shutdown, QUIT an immediate one.
stop_postgres() {
	kill -"$1" "$program"
	status_of_job
}
