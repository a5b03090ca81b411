#!/usr/bin/env bats
# The live log: what it says, and that it does no harm wherever it is written.
#
# SPDX-License-Identifier: MIT

load lib

setup() {
	log=$RESULTS/log
}

teardown() {
	end_background
}

# stall_lines FILE: the lines of stalls that have ended.
stall_lines() {
	grep -c ' stalled for ' "$1" || true
}

# lost_lines: those that could not be written.
lost_lines() {
	local lost

	lost=$(sed -n 's/^# lost=\([0-9]*\): log lines that could not.*/\1/p' \
		"$(result stall.txt)")
	echo "${lost:-0}"
}

# The victim stalls twenty times; where the machine is busy more often, and
# perhaps before it does what it is to do.
twenty_lost() {
	(($(lost_lines) >= 20))
}

@test "10 stalls with a limit of 5 are 5 lines, and 'suppressed 5'" {
	under_shim STALLSHIM_LOG="$log,5/min" "$(victim loops)" io:15000:10
	cat "$log"
	[[ $(stall_lines "$log") = 5 ]]
	[[ $(grep -c 'suppressed 5$' "$log") = 1 ]]
	[[ $(wc -l <"$log") = 6 ]]
	[[ $(header "$(result stall.txt)" stalls) = 10 ]]
	grep 'lost=5: log lines suppressed' "$(result stall.txt)"
	"$STALLSHIM" report "$(result rec)" | grep '5 x log lines suppressed'
}

@test "a line tells process, thread, length, cause, events and code" {
	under_shim STALLSHIM_LOG="$log" "$(victim loops)" io:15000:1
	cat "$log"
	grep -E '^stallshim: 20[0-9-]*T[0-9:]*Z loops \([0-9]+\): io \([0-9]+\) stalled for [0-9.]+ms, (on CPU|not scheduled), 0 events, at [^ ]+\+0x[0-9a-f]+ < ' "$log"
	[[ $(stat -c %a "$log") = 600 ]]
}

@test "addr2line takes the places in a line" {
	need addr2line
	under_shim STALLSHIM_LOG="$log" "$(victim loops)" io:30000:1
	grep -o ' loops+0x[0-9a-f]*' "$log" | sed 's/.*+//' |
		addr2line -f -e "$(victim loops)" | tee /dev/stderr |
		grep -x turn
}

@test "a program that is started by a link is called by the link's name" {
	cp "$(victim loops)" "$RESULTS/loops.real"
	ln -s loops.real "$RESULTS/started"
	under_shim STALLSHIM_LOG="$log" "$RESULTS/started" io:15000:1
	grep -E "( at| <) started[+]0x" "$log"
	! grep 'loops\.real' "$log"
}

@test "a stall is told while it lasts, ever more seldom" {
	in_background under_shim STALLSHIM_LOG="$log" "$(victim loops)" \
		quick:0:5 long:4500000:2
	wait_until 30 grep 'is stalled, for 2.* so far' "$log"
	kill -0 "$program"
	job_ends 0
	cat "$log"
	# A busy machine stalls others, for milliseconds.
	[[ $(grep -c ' long ([0-9]*) stalled for [0-9.]*s,' "$log") = 2 ]]
	# The second run: after 1 s, 2 s and 4 s.
	between 3 6 "$(grep -c 'so far' "$log")"
}

@test "so is one in a sleep, and not once it is over" {
	local lines

	in_background under_shim STALLSHIM_LOG="$log" "$(victim log)" sleeps
	wait_until 30 grep 'is stalled, for 1.* so far, blocked in usleep' "$log"
	kill -0 "$program"
	job_ends 0
	cat "$log"
	mapfile -t lines < <(grep -v ' for [0-9.]*ms,' "$log")
	# After 1 s and 2 s, and when it had ended.
	[[ ${#lines[@]} = 3 ]]
	[[ ${lines[1]} = *'is stalled, for 2'*' so far, blocked in usleep,'* ]]
	[[ ${lines[2]} = *' stalled for 3'*', blocked in usleep,'* ]]
}

@test "the log may go to standard error" {
	under_shim STALLSHIM_LOG=stderr STALLSHIM_QUIET=yes \
		"$(victim log)" plain 2>"$RESULTS/stderr"
	(($(stall_lines "$RESULTS/stderr") >= 20))
	[[ $(stall_lines "$RESULTS/stderr") = \
		$(header "$(result stall.txt)" stalls) ]]
}

@test "what has taken standard error's number is not written to" {
	under_shim STALLSHIM_LOG=stderr "$(victim log)" reuse \
		"$RESULTS/taken" 2>"$RESULTS/stderr"
	[[ ! -s $RESULTS/taken ]]
	twenty_lost
	(($(lost_lines) + $(stall_lines "$RESULTS/stderr") == \
		$(header "$(result stall.txt)" stalls)))
}

@test "without a standard error there are no lines, and no harm" {
	under_shim STALLSHIM_LOG=stderr "$(victim log)" plain 2>&-
	twenty_lost
}

@test "a full pipe that nobody reads does not hold the program up" {
	local said

	mkfifo "$RESULTS/pipe"
	exec 7<>"$RESULTS/pipe"
	said=$(LIMIT_S=20 under_shim STALLSHIM_LOG=stderr STALLSHIM_QUIET=yes \
		"$(victim log)" full 2>"$RESULTS/pipe" 7>&-)
	exec 7>&-
	echo "$said"
	[[ $said = *stalled* ]]
	twenty_lost
}

@test "a pipe without a reader brings no SIGPIPE" {
	local said

	said=$(under_shim STALLSHIM_LOG=stderr STALLSHIM_QUIET=yes \
		"$(victim log)" gone 2> >(:))
	echo "$said"
	[[ $said = *stalled* && $said != *pending* && $said != *errno* ]]
}

@test "a file at its limit brings no SIGXFSZ" {
	local said

	said=$(under_shim STALLSHIM_LOG="$log" "$(victim log)" limit)
	echo "$said"
	[[ $said = *stalled* && $said != *pending* && $said != *errno* ]]
	(($(stat -c %s "$log") <= 300))
	# No text either can be that large, but the recording was there before.
	"$STALLSHIM" report "$(result rec)" |
		grep 'log lines that could not be written'
}

@test "a socket that takes nothing does not hold the program up" {
	need python3
	said=$(LIMIT_S=30 under_shim STALLSHIM_LOG=stderr STALLSHIM_QUIET=yes \
		STALLSHIM_ONLY=log python3 -c '
import socket, subprocess, sys
ours, theirs = socket.socketpair()
theirs.setblocking(False)
try:
    while True:
        theirs.send(bytes(100))
except BlockingIOError:
    pass
theirs.setblocking(True)
subprocess.run([sys.argv[1], "plain"], stderr=theirs, check=True, timeout=20)
' "$(victim log)")
	[[ $said = *stalled* ]]
	twenty_lost
}

@test "a symbolic link is not followed, and no directory is made" {
	ln -s "$RESULTS/elsewhere" "$log"
	under_shim STALLSHIM_LOG="$log" "$(victim loops)" io:15000:2
	[[ ! -e $RESULTS/elsewhere ]]
	under_shim STALLSHIM_LOG="$RESULTS/none/log" "$(victim loops)" io:15000:2
	[[ ! -e $RESULTS/none ]]
}

@test "the path is relative to the start, and % stands for things" {
	cd "$RESULTS"
	under_shim STALLSHIM_LOG=log.%e "$(victim loops)" io:15000:2
	[[ $(stall_lines "$RESULTS/log.loops") = 2 ]]
}

@test "a full disk does no harm, and what is lost is counted" {
	under_shim STALLSHIM_LOG=/dev/full "$(victim log)" plain >"$RESULTS/said"
	twenty_lost
	[[ $(grep -cE 'pending|errno' "$RESULTS/said") = 0 ]]
	rm "$RESULTS"/*.txt
	under_shim STALLSHIM_LOG=stderr STALLSHIM_QUIET=yes "$(victim log)" \
		plain >"$RESULTS/said" 2>/dev/full
	twenty_lost
	[[ $(grep -cE 'pending|errno' "$RESULTS/said") = 0 ]]
}

@test "a pipe by name does not hold the program up, nor end it" {
	mkfifo "$log"
	# Nobody reads; then one who goes after a line.
	under_shim STALLSHIM_LOG="$log" "$(victim log)" plain >"$RESULTS/said"
	twenty_lost
	rm "$RESULTS"/*.txt
	timeout 60 head -n 1 "$log" >"$RESULTS/read" 3>&- &
	under_shim STALLSHIM_LOG="$log" "$(victim log)" plain >"$RESULTS/said"
	wait $!
	cat "$RESULTS/said"
	[[ $(stall_lines "$RESULTS/read") = 1 ]]
	(($(lost_lines) >= 10))
	[[ $(grep -cE 'pending|errno' "$RESULTS/said") = 0 ]]
}

# lines_are_those_of_texts: of each process as many as it had stalls, and none
# in another's.
lines_are_those_of_texts() {
	local text pid

	cat "$log"
	[[ $(grep -vc '^stallshim: 20[^ ]*Z python3 ([0-9]*): ' "$log") = 0 ]]
	for text in "$RESULTS"/*.stall.txt; do
		pid=$(header "$text" pid)
		[[ $(grep -c " python3 ($pid): .* stalled for " "$log") = \
			$(header "$text" stalls) ]]
	done
}

# Of a loop in Python, that stalls ten times.
stalls='
import os, select, time
def stall():
	loop = select.epoll()
	for i in range(15):
		loop.poll(0.001)
		if i > 4: time.sleep(0.015)
	loop.poll(0.001)
'

@test "a forked child writes to the same file, at the same time" {
	need python3
	under_shim STALLSHIM_LOG="$log,1000/min" python3 -c "$stalls"'
stall()
child = os.fork()
stall()
if not child: os._exit(0)
os.waitpid(child, 0)
'
	[[ $(find "$RESULTS" -name '*.stall.txt' | wc -l) = 2 ]]
	lines_are_those_of_texts
}

@test "a daemon goes on with its log, wherever it is" {
	need python3
	cd "$RESULTS"
	under_shim STALLSHIM_LOG=log python3 -c "$stalls"'
os.chdir("/")
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 256)
for end in range(3): os.open("/dev/null", os.O_RDWR)
stall()
'
	wait_until 30 result stall.txt
	(($(stall_lines "$log") >= 10))
	lines_are_those_of_texts
}

@test "a thread's first run has a line once it has come back, not before" {
	need python3
	said=$(under_shim STALLSHIM_LOG="$log" python3 -c '
import os, select, sys, time
loop = select.epoll()
loop.poll(0.001)
time.sleep(1.2)
print(os.path.exists(sys.argv[1]))
loop.poll(0.001)
print(os.path.exists(sys.argv[1]))
' "$log")
	cat "$log"
	[[ $said = $'False\nTrue' ]]
	[[ $(grep -c ' stalled for 1[.0-9]*s, blocked in clock_nanosleep,' \
		"$log") = 1 ]]
}
