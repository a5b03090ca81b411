/*
 * Hashing for the tables of the recording. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/units.h"

/* Fibonacci hashing: the high bits of value x 2^64 / golden ratio. */
static inline uint64_t hash_mix(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15);
}

/* The hash of what hash is of and value, in this order. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	return hash_mix((hash ^ hash >> 32) + value);
}

/* A slot in [0, capacity) for value. */
static inline uint32_t hash_slot(uint64_t value, uint32_t capacity)
{
	return (uint32_t)((hash_mix(value) >> 32) * capacity >> 32);
}

#endif
