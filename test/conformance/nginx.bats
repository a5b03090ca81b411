#!/usr/bin/env bats
# nginx under the shim: a master that lives by signals and workers that are
# loops. Same files, same reaction to HUP, USR1 and QUIT.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib

setup() {
	need nginx curl
}

teardown() {
	# The workers end with their master, if it is asked to.
	[[ -z ${program-} ]] || kill -TERM "$program" 2>/dev/null || true
	wait_until 10 has_ended "${program:-0}"
	end_background
}

# configure GREETING: /greeting answers it, everything else is a file.
configure() {
	cat >"$directory/nginx.conf" <<-EOF
		daemon off;
		user root;
		worker_processes 2;
		pid $directory/pid;
		error_log $directory/error.log notice;
		events { worker_connections 64; }
		http {
			access_log $directory/access.log;
			client_body_temp_path $directory/body;
			proxy_temp_path $directory/proxy;
			fastcgi_temp_path $directory/fastcgi;
			uwsgi_temp_path $directory/uwsgi;
			scgi_temp_path $directory/scgi;
			server {
				listen unix:$directory/socket;
				root $directory/files;
				location = /greeting { return 200 "$1\n"; }
				location = /match {
					if (\$args ~ "^(a+)+\$") { return 204; }
					return 200;
				}
			}
		}
	EOF
}

start_nginx() {
	directory=$BATS_TEST_TMPDIR/$1
	mkdir -p "$directory/files"
	for size in 1 4096 100000 3000000; do
		head -c "$size" </dev/zero | tr '\0' "${size:0:1}" \
			>"$directory/files/$size"
	done
	configure hello
	in_background "$1" nginx -p "$directory" -c "$directory/nginx.conf" \
		2>/dev/null
	wait_until 20 greets hello
}

get() {
	curl -sS --max-time 20 --unix-socket "$directory/socket" \
		"http://localhost/$1"
}

greets() {
	[[ $(get greeting) = "$1" ]]
}

fetch_files() {
	for size in 1 4096 100000 3000000 missing; do
		get "$size" | cksum
	done
}

fetch_from_many() {
	local fetching=()

	for client in 1 2 3 4 5 6; do
		fetch_files >"$directory/client.$client" 3>&- &
		fetching+=($!)
	done
	wait "${fetching[@]}"
	cat "$directory"/client.*
}

quit() {
	kill -QUIT "$program"
	status_of_job
}

serve() {
	start_nginx "$1"
	fetch_from_many
	quit
}

@test "nginx serves the same files to six clients and quits alike" {
	same_both_ways serve
	ls "$RESULTS"/nginx.*.stall.txt
}

# The expression is a slow one: it is given up after ten million steps.
@test "nginx: a request that an expression is matched with keeps a worker" {
	start_nginx under_shim
	ceiling=$(elapsed_ns get "match?$(printf 'a%.0s' {1..24})b")
	quit
	text=$RESULTS/all
	cat "$RESULTS"/nginx.*.stall.txt >"$text"
	grep '^# loop' "$text"
	[[ $(header "$text" wait) = epoll_wait ]]
	between 50000000 "$ceiling" "$(total_ns "$text" ngx_http_regex_exec)"
}

reload() {
	start_nginx "$1"
	configure goodbye
	kill -HUP "$program"
	wait_until 20 greets goodbye
	get greeting
	quit
}

@test "HUP makes nginx read its configuration again" {
	same_both_ways reload
}

reopen_logs() {
	start_nginx "$1"
	mv "$directory/access.log" "$directory/access.old"
	kill -USR1 "$program"
	wait_until 20 test -e "$directory/access.log"
	# The workers reopen it a moment after the master.
	wait_until 20 logs_request
	quit
}

logs_request() {
	get greeting
	grep -c greeting "$directory/access.log"
}

@test "USR1 makes nginx reopen its logs" {
	same_both_ways reopen_logs
}
