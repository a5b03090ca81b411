# A loop of asyncio in the selector that is named, which waits in the call that
# Python's selectors wait in. tick() is in the library that is named.
# SPDX-License-Identifier: MIT
import asyncio
import ctypes
import selectors
import sys

library, selector = sys.argv[1:]
tick = ctypes.CDLL(library).framework_tick
tick.restype = ctypes.c_bool


async def main():
    while not tick():
        await asyncio.sleep(0.005)


loop = asyncio.SelectorEventLoop(getattr(selectors, selector)())
loop.run_until_complete(main())
# Python itself would tidy up first, which may take as long as a stall.
ctypes.CDLL(None).exit(0)
