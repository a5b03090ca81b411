#!/usr/bin/env bats
# haproxy under the shim: a master and a worker with two loops in threads, which
# blocks nearly all signals. Same answers, same reaction to HUP, USR1, USR2 and
# TERM.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load cases

setup() {
	need haproxy curl
}

# The worker ends with its master, if that is asked to.
teardown() {
	[[ -z ${program-} ]] || kill -TERM "$program" 2>/dev/null || true
	wait_until 20 has_ended "${program:-0}"
	end_background
}

# configure GREETING: /greeting answers it; the rest goes to a second server,
# and to one that is not there.
configure() {
	cat >"$directory/haproxy.cfg" <<-EOT
		global
		    nbthread 2
		    stats socket $directory/stats mode 600 level admin
		defaults
		    mode http
		    timeout connect 500ms
		    timeout client 10s
		    timeout server 300ms
		    retries 1
		frontend front
		    bind unix@$directory/socket
		    http-request return status 200 content-type text/plain \
		string $1 if { path /greeting }
		    use_backend nobody if { path /nobody }
		    default_backend echo
		frontend behind
		    bind unix@$directory/behind
		    http-request wait-for-body time 100ms if { path /slow }
		    http-request return status 200 content-type text/plain \
		lf-string "%[path] %[req.body_len]"
		backend echo
		    server echo unix@$directory/behind
		backend nobody
		    server nobody unix@$directory/nobody
	EOT
}

start_haproxy() {
	directory=$BATS_TEST_TMPDIR/$1
	mkdir -p "$directory"
	configure hello
	run_haproxy "$1"
}

run_haproxy() {
	in_background "$1" STALLSHIM_STALL="${STALL:-1ms}" haproxy -W -S \
		"$directory/master" -f "$directory/haproxy.cfg" \
		2>"$directory/log"
	wait_until 20 greets hello
}

get() {
	curl -sS --max-time 20 -w ' %{http_code}' \
		--unix-socket "$directory/socket" "http://localhost/$1" "${@:2}"
}

greets() {
	[[ $(get greeting) = "$1 200" ]]
}

# Each of six clients asks a hundred times.
ask_from_many() {
	local asking=() client

	for client in 1 2 3 4 5 6; do
		curl -sS --max-time 60 --unix-socket "$directory/socket" \
			"http://localhost/item/[1-100]" \
			>"$directory/client.$client" 3>&- &
		asking+=($!)
	done
	wait "${asking[@]}"
	cat "$directory"/client.* | tr / '\n' | sort | uniq -c | cksum
}

# add_slow_page: a function in Lua that computes for 100 ms is part of it.
add_slow_page() {
	cat >"$directory/slow.lua" <<-'EOT'
		core.register_fetches("slow", function()
			local begun = os.clock()
			repeat until os.clock() >= begun + 0.1
			return "slow"
		end)
	EOT
	sed -i "s|^global|&\n    lua-load $directory/slow.lua|
		s|^frontend front|&\n    http-request return status 200 \
content-type text/plain lf-string %[lua.slow] if { path /lua }|" \
		"$directory/haproxy.cfg"
}

@test "haproxy: a fetch in Lua keeps a thread from turning" {
	directory=$BATS_TEST_TMPDIR/planted
	mkdir "$directory"
	configure hello
	add_slow_page
	STALL=50ms run_haproxy under_shim
	ceiling=$(elapsed_ns get lua)
	kill -TERM "$program"
	status_of_job
	# Ended by a signal it has no names in its texts.
	"$STALLSHIM" report "$RESULTS"/haproxy.*.rec >"$directory/report"
	cat "$directory/report"
	cat "$RESULTS"/haproxy.*.stall.txt >"$directory/all"
	[[ $(header "$directory/all" wait) = epoll_wait ]]
	between 100000000 "$ceiling" "$(total_ns "$directory/all")"
	grep 'lua_resume .*liblua' "$directory/report"
}

is_gone() {
	! kill -0 "$1"
}

every_case() {
	start_haproxy "$1"
	echo "greeting: $(get greeting)"
	echo "proxied: $(get some/thing)"
	echo "body: $(get upload --data "$(head -c 20000 /dev/zero | tr '\0' x)")"
	echo "slow: $(get slow)"
	echo "nobody there: $(get nobody | tail -n 1)"
	echo "six clients: $(ask_from_many)"
	kill -HUP "$(pgrep -P "$program")" # says its state in the log
	echo "after HUP: $(get greeting)"
	configure goodbye
	worker=$(pgrep -P "$program")
	kill -USR2 "$program"
	wait_until 20 greets goodbye
	wait_until 20 is_gone "$worker"
	echo "after USR2: $(get greeting)"
	kill -USR1 "$program"
	echo "end by USR1: $(tail --pid="$program" -f /dev/null)"
	printf 'its status: '
	status_of_job
	start_haproxy "$1"
	worker=$(pgrep -P "$program")
	kill -TERM "$program"
	# Its status is the worker's: 0 or 143, as it happens, natively too.
	status_of_job >"$directory/end"
	grep -qE 'status (0|143)$' "$directory/end" && echo "ends by TERM"
	is_gone "$worker" && echo "and so does its worker"
}

@test "haproxy answers, reloads and ends as natively" {
	same_cases haproxy every_case
	ls "$RESULTS"/haproxy.*.stall.txt >/dev/null
}
