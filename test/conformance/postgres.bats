#!/usr/bin/env bats
# PostgreSQL under the shim: processes that wake one another by SIGUSR1 and
# SIGURG, and end by signals. Same answers, same rows, same end.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load cases
load postgres

setup_file() {
	need setpriv psql postgres pgbench
	make_cluster
}

teardown_file() {
	remove_cluster
}

# Its children end with it, if it is asked to.
teardown() {
	[[ -z ${program-} ]] || kill -INT "$program" 2>/dev/null || true
	wait_until 20 has_ended "${program:-0}"
	end_background
}

bank() {
	start_postgres "$1"
	pgbench -i -q -s 1 -h "$directory" -U postgres postgres 2>/dev/null
	pgbench -n -c 8 -j 2 -t 100 --random-seed=1 -h "$directory" \
		-U postgres postgres 2>/dev/null |
		grep -E 'processed|failed'
	query 'select sum(abalance) from pgbench_accounts' \
		'select sum(tbalance) from pgbench_tellers' \
		'select sum(bbalance) from pgbench_branches' \
		'select count(*), sum(delta) from pgbench_history' \
		'select md5(string_agg(aid || $$ $$ || abalance, $$,$$
			order by aid)) from pgbench_accounts'
	stop_postgres INT
}

@test "pgbench: eight clients move the same money" {
	same_both_ways bank
	ls "$cluster"/results/postgres.*.stall.txt
}

# The waits of a query, in pg_sleep(), are not those of its session for the next
# one: the session is kept by them as by a computation.
@test "a query that computes and one that sleeps keep their session" {
	STALL=50ms start_postgres under_shim
	query 'select 1' 'select 2' 'select pg_sleep(0.2)' 'select 3' \
		'select count(*) from generate_series(1, 3000000)' 'select 4'
	stop_postgres INT
	text=$BATS_TEST_TMPDIR/all
	cat "$cluster"/results/postgres.*.stall.txt >"$text"
	grep '^# loop' "$text"
	between 200000000 400000000 "$(total_ns "$text" pg_sleep)"
	(($(total_ns "$text" ExecMakeTableFunctionResult) > 50000000))
}

# case NAME COMMAND...: a line "NAME: what it printed; status".
case_of() {
	local name=$1 said status=0

	shift
	said=$("$@" 2>&1) || status=$?
	echo "$name: $(tr '\n' '|' <<<"$said") status $status"
}

# has_session WHERE: some session is as WHERE says.
has_session() {
	[[ $(query "select count(*) from pg_stat_activity where
		pid <> pg_backend_pid() and backend_type = 'client backend'
		and $1") != 0 ]]
}

# while_sleeping SQL: what a session that sleeps for long has to say to it.
while_sleeping() {
	local said=$BATS_TEST_TMPDIR/said sleeping status=0

	query 'select pg_sleep(60)' >"$said" 2>&1 3>&- &
	sleeping=$!
	wait_until 20 has_session "wait_event = 'PgSleep'"
	query "$1" >/dev/null
	wait "$sleeping" || status=$?
	cat "$said"
	return "$status"
}

# Two sessions that want each other's row: one is refused, the other goes on.
deadlock() {
	local one two

	query 'create table pair as select 1 as id, 0 as n union select 2, 0'
	query 'begin' 'update pair set n = n + 1 where id = 1' \
		'select pg_advisory_lock_shared(1)' 'select pg_sleep(0.5)' \
		'update pair set n = n + 1 where id = 2' 'commit' \
		>/dev/null 2>"$BATS_TEST_TMPDIR/one" 3>&- &
	one=$!
	query 'begin' 'update pair set n = n + 1 where id = 2' \
		'select pg_sleep(0.5)' \
		'update pair set n = n + 1 where id = 1' 'commit' \
		>/dev/null 2>"$BATS_TEST_TMPDIR/two" 3>&- &
	two=$!
	wait "$one" "$two" || true
	cat "$BATS_TEST_TMPDIR"/{one,two} | grep -c '^ERROR:  deadlock detected'
	query 'select id, n from pair order by id'
}

# A session that listens is told by another.
notify() {
	query 'listen news' 'select pg_sleep(0.3)' "notify news, 'here'" |
		sed 's/PID [0-9]*/PID/'
}

# It waits for an advisory lock until the one that holds it lets go.
advisory() {
	local holder

	query 'select pg_advisory_lock(7)' 'select pg_sleep(0.5)' \
		>/dev/null 3>&- &
	holder=$!
	wait_until 20 has_session "wait_event = 'PgSleep'"
	query "set lock_timeout = '50ms'" 'select pg_advisory_lock(7)' || true
	query 'select pg_advisory_lock(7)'
	wait "$holder"
}

reload() {
	query "alter system set work_mem = '7MB'" 'select pg_reload_conf()'
	wait_until 20 has_work_mem 7MB
	query 'show work_mem'
}

has_work_mem() {
	[[ $(query 'show work_mem') = "$1" ]]
}

parallel_sum() {
	query 'create table many as select i from generate_series(1,300000) i' \
		'analyze many' 'set parallel_setup_cost = 0' \
		'set parallel_tuple_cost = 0' \
		'explain (costs off) select sum(i) from many' \
		'select sum(i) from many'
}

# The server goes through recovery when a session is killed.
crash() {
	query 'create table kept as select 1 as n'
	query 'select pg_backend_pid(), pg_sleep(60)' >/dev/null 2>&1 3>&- &
	wait_until 20 has_session "wait_event = 'PgSleep'"
	kill -KILL "$(query "select pid from pg_stat_activity
		where wait_event = 'PgSleep'")"
	wait_until 20 query 'select 1'
	query 'select n from kept'
}

# end_case SIGNAL: how the server ends of it.
end_case() {
	printf '%s: ' "$1" # not by case_of: in a subshell it is no child
	stop_postgres "$1"
}

every_case() {
	start_postgres "$1"
	case_of timeout query "set statement_timeout = '80ms'" \
		'select pg_sleep(20)'
	case_of cancel while_sleeping "select pg_cancel_backend(pid)
		from pg_stat_activity where wait_event = 'PgSleep'"
	case_of terminate while_sleeping "select pg_terminate_backend(pid)
		from pg_stat_activity where wait_event = 'PgSleep'"
	case_of deadlock deadlock
	case_of notify notify
	case_of advisory advisory
	case_of reload reload
	case_of parallel parallel_sum
	case_of vacuum query 'vacuum (full, analyze) pair' 'checkpoint'
	case_of switch query 'select pg_switch_wal() is not null'
	case_of crash crash
	end_case INT
}

cases() {
	every_case "$1" >"$BATS_TEST_TMPDIR/$1.cases"
}

@test "cancels, timeouts, deadlocks, notices, reloads and a crash" {
	cases natively
	cases under_shim
	cat "$BATS_TEST_TMPDIR/under_shim.cases"
	compare_cases "PostgreSQL: signals and waits" \
		"$BATS_TEST_TMPDIR"/{natively,under_shim}.cases
}

end_by() {
	local signal

	for signal in TERM INT QUIT; do
		start_postgres "$1"
		end_case "$signal"
	done
}

@test "smart, fast and immediate shutdown end it the same way" {
	same_cases "PostgreSQL: ends" end_by
}
