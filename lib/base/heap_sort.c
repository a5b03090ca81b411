/*
 * Heap sort. The heap's root is the record that comes last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/heap_sort.h"

#include <string.h>

struct heap {
	char *records;
	size_t n;
	size_t size;
	bool (*is_before)(const void *a, const void *b);
};

static void *at(const struct heap *heap, size_t i)
{
	return heap->records + i * heap->size;
}

static void swap(const struct heap *heap, size_t i, size_t j)
{
	char kept[HEAP_SORT_MAX_BYTES];

	memcpy(kept, at(heap, i), heap->size);
	memcpy(at(heap, i), at(heap, j), heap->size);
	memcpy(at(heap, j), kept, heap->size);
}

/* The child of i that comes last, or n: it has none. */
static size_t last_child(const struct heap *heap, size_t i)
{
	size_t child = 2 * i + 1;

	if (child >= heap->n)
		return heap->n;
	if (child + 1 < heap->n &&
	    heap->is_before(at(heap, child), at(heap, child + 1)))
		child++;
	return child;
}

static void sift_down(const struct heap *heap, size_t i)
{
	size_t child;

	while ((child = last_child(heap, i)) < heap->n) {
		if (!heap->is_before(at(heap, i), at(heap, child)))
			return;
		swap(heap, i, child);
		i = child;
	}
}

void heap_sort(void *records, size_t n, size_t size,
	       bool (*is_before)(const void *a, const void *b))
{
	struct heap heap = { records, n, size, is_before };
	size_t i;

	for (i = n / 2; i > 0; i--)
		sift_down(&heap, i - 1);
	while (heap.n > 1) {
		swap(&heap, 0, --heap.n);
		sift_down(&heap, 0);
	}
}
