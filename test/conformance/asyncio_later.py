# A loop whose ninth turn waits for a semaphore, for a second. CPython has
# specialised its functions by then, and waits from other frames than before.
# SPDX-License-Identifier: MIT
import asyncio
import ctypes
import threading
import time

libc = ctypes.CDLL(None)
answered = ctypes.create_string_buffer(64)
libc.sem_init(answered, 0, 0)
loop = asyncio.new_event_loop()


def answer():
    time.sleep(1)
    libc.sem_post(answered)


def turn(n):
    if n < 8:
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            pass
        loop.call_later(0.02, turn, n + 1)
        return
    threading.Thread(target=answer).start()
    libc.sem_wait(answered)
    loop.call_later(0.02, loop.stop)


loop.call_later(0.02, turn, 0)
loop.run_forever()
print("done")
