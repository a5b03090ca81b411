// A loop that is blocked for 80 ms, once, and what node itself saw of it.
// SPDX-License-Identifier: MIT
const { monitorEventLoopDelay } = require('perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 1 });

function blockTheLoop() {
	const end = process.hrtime.bigint() + 80000000n;

	while (process.hrtime.bigint() < end)
		;
}

delay.enable();
setTimeout(blockTheLoop, 50);
setTimeout(() => {
	delay.disable();
	console.log(delay.max);
}, 200);
