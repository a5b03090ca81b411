// Five holders of one sync.Mutex, in Go's own profile: A, B, C, D, E hold 1, 5,
// 2, 3, 4 units of 20 ms, all waiting from the start, as in the schedule "five"
// of test/e2e/victim_schedules.c.
//
// prints a line per holder, "FUNCTION COST HEAD CHARGED", in nanoseconds: what
// its hold cost the others; how long the first of them waited, but not from
// before the last unlock; and what Go's mutex profile charges its unlock.
//
// SPDX-License-Identifier: MIT
package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

const unit = 20 * time.Millisecond

var lock sync.Mutex

// One function a holder, so that the profile tells them apart.

//go:noinline
func unlock_A() { lock.Unlock() }

//go:noinline
func unlock_B() { lock.Unlock() }

//go:noinline
func unlock_C() { lock.Unlock() }

//go:noinline
func unlock_D() { lock.Unlock() }

//go:noinline
func unlock_E() { lock.Unlock() }

// Times are written by the holder's own goroutine, read when all have ended.
type holder struct {
	name             string
	unlock           func()
	hold             time.Duration
	asked, got, gave time.Time
}

var holders = []*holder{
	{name: "unlock_A", unlock: unlock_A, hold: 1 * unit},
	{name: "unlock_B", unlock: unlock_B, hold: 5 * unit},
	{name: "unlock_C", unlock: unlock_C, hold: 2 * unit},
	{name: "unlock_D", unlock: unlock_D, hold: 3 * unit},
	{name: "unlock_E", unlock: unlock_E, hold: 4 * unit},
}

func (h *holder) lock() {
	h.asked = time.Now()
	lock.Lock()
	h.got = time.Now()
}

// Holds the lock for so long from a moment on.
func (h *holder) holdSince(begun time.Time) {
	for time.Since(begun) < h.hold {
	}
	h.gave = time.Now()
	h.unlock()
}

// How Go versions call the state of a goroutine that sleeps for a mutex.
var asleep = regexp.MustCompile(`\[(semacquire|sync\.Mutex\.Lock)`)

func sleepers() int {
	stacks := make([]byte, 1<<16)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return len(asleep.FindAll(stacks, -1))
}

// The first one holds from when all others are waiting, in order.
func run() {
	var ended sync.WaitGroup

	holders[0].lock()
	for i, h := range holders[1:] {
		h := h
		ended.Add(1)
		go func() {
			h.lock()
			h.holdSince(h.got)
			ended.Done()
		}()
		for sleepers() <= i {
			runtime.Gosched()
		}
	}
	holders[0].holdSince(holders[len(holders)-1].asked)
	ended.Wait()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// What the i-th hold cost those behind it, who waited from the start.
func cost(i int) time.Duration {
	var sum time.Duration

	for _, other := range holders[i+1:] {
		sum += holders[i].gave.Sub(later(other.asked, holders[i].got))
	}
	return sum
}

// How long the one behind the i-th waited since the unlock before.
func head(i int) time.Duration {
	if i+1 == len(holders) {
		return 0
	}
	begun := holders[i+1].asked
	if i > 0 {
		begun = later(begun, holders[i-1].gave)
	}
	return holders[i].gave.Sub(begun)
}

// Go counts cycles; how many make a second only the text of a profile says.
func cyclesPerSecond() float64 {
	var text bytes.Buffer
	var rate float64

	pprof.Lookup("mutex").WriteTo(&text, 1)
	_, err := fmt.Fscanf(&text, "--- mutex:\ncycles/second=%g", &rate)
	if err != nil {
		panic(err)
	}
	return rate
}

func isBelow(record runtime.BlockProfileRecord, function string) bool {
	frames := runtime.CallersFrames(record.Stack())
	for {
		frame, more := frames.Next()
		if frame.Function == function || !more {
			return frame.Function == function
		}
	}
}

// What Go's profile charges a function.
func charged(function string) time.Duration {
	var cycles int64

	records := make([]runtime.BlockProfileRecord, 64)
	n, complete := runtime.MutexProfile(records)
	if !complete {
		panic("more records than there are unlocks")
	}
	for _, record := range records[:n] {
		if isBelow(record, function) {
			cycles += record.Cycles
		}
	}
	return time.Duration(float64(cycles) * 1e9 / cyclesPerSecond())
}

func main() {
	runtime.SetMutexProfileFraction(1)
	run()
	for i, h := range holders {
		fmt.Println(h.name, int64(cost(i)), int64(head(i)),
			int64(charged("main."+h.name)))
	}
}
