#!/usr/bin/env bats
# MariaDB under the shim: a loop that accepts and a thread for each session,
# with rwlocks and condition variables in between. Same answers, same end.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load cases

NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# It refuses to run as root: all is in a directory that anybody may enter.
setup_file() {
	need mariadbd mariadb mariadb-install-db setpriv
	place=$(mktemp -d /tmp/stallshim-mariadb.XXXXXX)
	export place
	mkdir "$place/new" "$place/results"
	cp "$SHIM" "$place"
	chmod 755 "$place"
	chown -R 65534 "$place"
	natively "${NOBODY[@]}" mariadb-install-db --no-defaults \
		--auth-root-authentication-method=normal \
		--skip-test-db --datadir="$place/new" >/dev/null 2>&1
}

teardown_file() {
	rm -rf "${place:?}"
}

teardown() {
	end_background
}

start_mariadb() {
	SHIM=$place/libstallshim.so
	RESULTS=$place/results
	directory=$place/$1
	rm -rf "$directory"
	cp -a "$place/new" "$directory"
	in_background "$1" STALLSHIM_STALL=1ms "${NOBODY[@]}" mariadbd \
		--no-defaults --datadir="$directory" --skip-networking \
		--socket="$directory/socket" --pid-file="$directory/pid" \
		--innodb-buffer-pool-size=16M --innodb-flush-method=nosync \
		--innodb-lock-wait-timeout=1 >"$directory/log" 2>&1
	wait_until 30 query 'select 1'
}

query() {
	mariadb --no-defaults -N -B -f -u root -S "$directory/socket" \
		-e "$1" 2>&1
}

# Eight sessions move money between accounts, each its own way.
move_money() {
	local session moving=() i from to

	query 'create database bank; use bank; create table account
		(id int primary key, n int) engine=innodb;
		insert into account select seq, 1000 from seq_1_to_20'
	for session in 1 2 3 4 5 6 7 8; do
		for ((i = 0; i < 100; i++)); do
			from=$((1 + i * session % 20))
			to=$((1 + (i * session + 1 + i % 7) % 20))
			echo "update bank.account set" \
				"n = n + if(id = $from, -5, 5)" \
				"where id in ($from, $to);"
		done | mariadb --no-defaults -u root -S "$directory/socket" \
			3>&- &
		moving+=($!)
	done
	wait "${moving[@]}"
	query 'select sum(n), md5(group_concat(id, ":", n order by id))
		from bank.account'
}

sleeps_there() {
	[[ $(query "select count(*) from information_schema.processlist
		where state = 'User sleep'") = 1 ]]
}

# kill_sleeper HOW: what a session that sleeps for long has to say.
kill_sleeper() {
	local said=$BATS_TEST_TMPDIR/said sleeping

	query 'select sleep(60)' >"$said" 3>&- &
	sleeping=$!
	wait_until 20 sleeps_there
	query "select concat('kill $1 ', id) into @kill from
		information_schema.processlist where state = 'User sleep';
		execute immediate @kill"
	wait "$sleeping" || true
	tr '\n' ' ' <"$said"
}

# A row that another session has locked: a time-out, then the row.
wait_for_row() {
	local holding

	query 'begin; update bank.account set n = n where id = 1;
		select sleep(2)' >/dev/null 3>&- &
	holding=$!
	wait_until 20 sleeps_there
	query 'update bank.account set n = 0 where id = 1' | tr '\n' ' '
	wait "$holding"
	query 'update bank.account set n = 7 where id = 1;
		select n from bank.account where id = 1'
}

every_case() {
	start_mariadb "$1"
	echo "money: $(move_money)"
	echo "killed query: $(kill_sleeper query)"
	echo "killed session: $(kill_sleeper '')"
	echo "row: $(wait_for_row)"
	echo "lock: $(query "select get_lock('a', 1), release_lock('a')")"
	echo "statement time: $(query 'set statement max_statement_time=0.1
		for select sleep(20)' | tr '\n' ' ')"
	kill -HUP "$program" # flushes its tables and logs
	echo "after HUP: $(query 'select count(*) from bank.account')"
	kill -TERM "$program"
	printf 'end by TERM: '
	status_of_job
}

@test "MariaDB answers, waits, kills and ends as natively" {
	same_cases MariaDB every_case
	ls "$RESULTS"/mariadbd.*.stall.txt >/dev/null
}
