# A loop that one callback blocks for 500 ms, and asyncio's own log of it, which
# is written in the same turn: when the next turn begins is printed as well.
# SPDX-License-Identifier: MIT
import asyncio
import logging
import time


def block_the_loop():
    begun = time.monotonic()
    asyncio.get_running_loop().call_soon(tell_since, begun)
    while time.monotonic() < begun + 0.5:
        pass


def tell_since(begun):
    print(f"turn {(time.monotonic() - begun) * 1e9:.0f}")


async def main():
    loop = asyncio.get_running_loop()
    loop.slow_callback_duration = 0.4
    await asyncio.sleep(0.05)
    loop.call_soon(block_the_loop)
    await asyncio.sleep(0.7)


logging.basicConfig()
asyncio.run(main(), debug=True)
