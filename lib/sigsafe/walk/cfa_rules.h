/*
 * The rules that a call frame program has set up at one instruction, as far as
 * they can become a row. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_CFA_RULES_H
#define SIGSAFE_WALK_CFA_RULES_H

#include "sigsafe/walk/dwarf_bytes.h"
#include "sigsafe/walk/unwind_row.h"

enum rule_kind {
	RULE_SAME,    /* it has the caller's value; the CFA: no rule yet */
	RULE_OFFSET,  /* saved at CFA + offset; the CFA: is base + offset */
	RULE_FAR,     /* the same, but the offset is more than a row can say */
	RULE_BASED,   /* saved at base + offset; the CFA: is the word there */
	RULE_KEPT,    /* the CFA: 8 more than the word at base + offset */
	RULE_LINKAGE, /* the CFA of a procedure linkage table */
	RULE_UNDEFINED, /* it has no value */
	RULE_STRANGE	/* anything else */
};

/* Small, as several sets of rules lie on the host's stack. */
struct rule {
	uint32_t kind : 4;
	uint32_t base : 8;   /* DWARF number of a register */
	uint32_t above : 20; /* rule_offset() above the least that fits */
};

/* Frames of 4 MiB. */
#define RULE_MAX_OFFSET ((1 << 19) - 1)

/* In words; the linkage table's threshold. */
static inline int rule_offset(const struct rule *rule)
{
	return (int)rule->above - RULE_MAX_OFFSET;
}

static inline struct rule rule_of(enum rule_kind kind, uint8_t base, int offset)
{
	return (struct rule){
		.kind = kind & 0xfu,
		.base = base,
		.above = (uint32_t)(offset + RULE_MAX_OFFSET) & 0xfffffu,
	};
}

_Static_assert(sizeof(struct rule) == 4, "a word");

/* Registers that have rules: a row's, and the return address if on the stack.
 */
#define RULE_COUNT (ROW_REGISTERS + 1)

struct rules {
	struct rule cfa;
	struct rule saved[RULE_COUNT];
};

/* The rule of a register, by its DWARF number; NULL: no caller needs it. */
struct rule *rules_of(struct rules *rules, uint64_t reg);

void rules_set(struct rules *rules, uint64_t reg, enum rule_kind kind);
void rules_save_at(struct rules *rules, uint64_t reg, int64_t offset);
void rules_save_by(struct rules *rules, uint64_t reg, struct bytes expression);

/* The CFA by a register and an offset, one of these anew, or an expression. */
void rule_set(struct rule *cfa, uint64_t reg, int64_t offset);
void rule_set_register(struct rule *cfa, uint64_t reg);
void rule_set_offset(struct rule *cfa, int64_t offset);
void rule_set_expression(struct rule *cfa, struct bytes expression);

unwind_row rules_row(const struct rules *rules, bool is_signal_frame);

#endif
