#!/usr/bin/env bats
# redis-server under the shim: its stalls are seen as long as they are, and it
# answers, saves and ends as it does natively.
#
# SPDX-License-Identifier: MIT

load ../e2e/lib
load redis

setup() {
	need redis-server redis-cli redis-benchmark
}

teardown() {
	end_background
}

# stall_is FLOOR_NS FUNCTION COMMAND...: what the client waited is the ceiling.
# The function gets most of it: the end of a stall may find another at work.
stall_is() {
	local floor=$1 function=$2 ceiling text

	shift 2
	start_redis under_shim
	ceiling=$(elapsed_ns cli "$@")
	stop_redis
	text=$(result stall.txt redis-server)
	grep '^#' "$text"
	between "$floor" "$ceiling" "$(header "$text" longest)"
	between $((floor / 2)) "$ceiling" "$(total_ns "$text" "$function")"
}

@test "DEBUG SLEEP 0.05 is a stall of 50 ms in debugCommand" {
	stall_is 50000000 debugCommand debug sleep 0.05
}

@test "a Lua script that computes for 100 ms is a stall of 100 ms" {
	stall_is 100000000 evalGenericCommand eval \
		'local function now()
			local time = redis.call("time")
			return time[1] * 1000000 + time[2]
		end
		local begun = now()
		repeat until now() - begun >= 100000' 0
}

@test "an idle server is a loop and has not stalled" {
	start_redis under_shim
	cli set key value
	stop_redis
	text=$(result stall.txt redis-server)
	[[ $(header "$text" loops) -ge 1 ]]
	[[ $(header "$text" wait) = epoll_wait ]]
	[[ $(header "$text" turns) -ge 2 ]]
	[[ $(header "$text" stalls) = "$(total_count "$text")" ]]
}

# Every answer of many kinds of command.
ask_everything() {
	start_redis "$1"
	cli <<-'EOF'
		set a 1
		incrby a 41
		get a
		append a x
		incr a
		rpush list 1 2 3
		lrange list 0 -1
		blpop list 1
		blpop nothing 0.05
		hset hash f v g w
		hgetall hash
		zadd sorted 3 c 1 a 2 b
		zrange sorted 0 -1 withscores
		multi
		set b 2
		get b
		exec
		eval "return {KEYS[1], ARGV[1]}" 1 k v
		expire a 100
		persist a
		dbsize
	EOF
	redis-benchmark -s "$directory/socket" -n 20000 -c 20 -P 4 -q \
		-t set,get,incr,lpush,mset >/dev/null
	echo "benchmark $?"
	cli mget counter:__rand_int__ key:__rand_int__
	cli llen mylist
	stop_redis
}

@test "redis answers the same under load" {
	same_both_ways ask_everything
}

is_saving() {
	cli info persistence | grep "rdb_bgsave_in_progress:$1"
}

# redis ends its saving child by SIGUSR1 and takes that for no error.
save_twice() {
	start_redis "$1"
	cli debug populate 1000
	cli bgsave
	wait_until 20 is_saving 0
	[[ -s $directory/dump.rdb ]]
	cli config set rdb-key-save-delay 1000000
	cli bgsave
	wait_until 20 is_saving 1
	cli flushall
	wait_until 20 is_saving 0
	cli info persistence | grep -E 'rdb_last_bgsave_status|rdb_saves'
	stop_redis
}

@test "a saving child finishes, or dies of redis' own SIGUSR1" {
	same_both_ways save_twice
}
