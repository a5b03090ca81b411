//! A loop of tokio: framework_tokio MS [THREADS], with a timer of so many
//! milliseconds. In many threads one of them waits for events, the others park
//! in a futex. What framework.h says holds here, too.
//!
//! SPDX-License-Identifier: MIT
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

const TICKS: u32 = 20;

#[inline(never)]
#[no_mangle]
pub extern "C" fn plant_stall() {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(100) {}
    println!("planted {}", begun.elapsed().as_nanos());
}

async fn ticks(period: Duration) {
    let mut timer = tokio::time::interval(period);
    for tick in 1..=TICKS {
        timer.tick().await;
        if tick == TICKS / 2 {
            plant_stall();
        }
    }
}

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .map(|number| number.parse().expect("a number"))
        .collect();
    let mut builder = Builder::new_current_thread();

    if let Some(&threads) = numbers.get(1) {
        builder = Builder::new_multi_thread();
        builder.worker_threads(threads as usize);
    }
    let runtime = builder.enable_all().build().expect("a runtime");
    let period = Duration::from_millis(numbers[0]);
    runtime
        .block_on(async move { tokio::spawn(ticks(period)).await })
        .expect("all ticks");
}
