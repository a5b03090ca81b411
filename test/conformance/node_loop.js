// A program whose loop is blocked for 80 ms, once, by blockTheLoop.
// SPDX-License-Identifier: MIT
function blockTheLoop() {
	const end = process.hrtime.bigint() + 80000000n;
	let turns = 0;

	while (process.hrtime.bigint() < end)
		turns++;
	return turns;
}

let ticks = 0;
const ticking = setInterval(() => {
	if (++ticks === 5)
		blockTheLoop();
	if (ticks < 10)
		return;
	clearInterval(ticking);
	console.log(`${ticks} ticks`);
}, 5);
