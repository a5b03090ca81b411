/*
 * The rules at one instruction, and the row they make.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/cfa_rules.h"

#include <dwarf.h>

/* ROW_REGISTERS: rows do not follow it. */
static unsigned place(uint64_t reg)
{
	return reg < REGISTER_COUNT ? row_register_of[reg] : ROW_REGISTERS;
}

struct rule *rules_of(struct rules *rules, uint64_t reg)
{
	if (reg == RETURN_COLUMN)
		return &rules->saved[ROW_RETURN];
	return place(reg) == ROW_REGISTERS ? NULL : &rules->saved[place(reg)];
}

/* What does not fit is nothing a row could say. */
static struct rule rule_with(enum rule_kind kind, uint64_t base, int64_t offset)
{
	int64_t words = offset / (int64_t)ROW_WORD;
	bool fits = words <= RULE_MAX_OFFSET && words >= -RULE_MAX_OFFSET;

	if (base > UINT8_MAX || offset % (int64_t)ROW_WORD)
		return rule_of(RULE_STRANGE, 0, 0);
	return rule_of(fits ? kind : RULE_FAR, (uint8_t)base,
		       fits ? (int)words : 0);
}

void rules_set(struct rules *rules, uint64_t reg, enum rule_kind kind)
{
	struct rule *rule = rules_of(rules, reg);

	if (rule)
		*rule = rule_with(kind, 0, 0);
}

void rules_save_at(struct rules *rules, uint64_t reg, int64_t offset)
{
	struct rule *rule = rules_of(rules, reg);

	if (rule)
		*rule = rule_with(RULE_OFFSET, 0, offset);
}

/* Expressions that begin with the value of a register plus a number. */
static bool takes_base(struct bytes *expression, uint8_t *base, int64_t *offset)
{
	uint8_t operation = bytes_u8(expression);

	*base = (uint8_t)(operation - DW_OP_breg0);
	*offset = bytes_sleb(expression);
	return operation >= DW_OP_breg0 && operation <= DW_OP_breg31;
}

static bool is_at_end(const struct bytes *bytes)
{
	return !bytes->is_bad && bytes->at == bytes->end;
}

void rules_save_by(struct rules *rules, uint64_t reg, struct bytes expression)
{
	struct rule *rule = rules_of(rules, reg);
	int64_t offset;
	uint8_t base;

	if (!rule)
		return;
	if (takes_base(&expression, &base, &offset) && is_at_end(&expression))
		*rule = rule_with(RULE_BASED, base, offset);
	else
		*rule = rule_with(RULE_STRANGE, 0, 0);
}

void rule_set(struct rule *cfa, uint64_t reg, int64_t offset)
{
	*cfa = rule_with(RULE_OFFSET, reg, offset);
}

/* What was strange stays so: the other half is not known. */
void rule_set_register(struct rule *cfa, uint64_t reg)
{
	if (cfa->kind == RULE_FAR && reg <= UINT8_MAX)
		cfa->base = (uint8_t)reg;
	else if (cfa->kind != RULE_STRANGE)
		rule_set(cfa, reg, rule_offset(cfa) * (int64_t)ROW_WORD);
}

void rule_set_offset(struct rule *cfa, int64_t offset)
{
	if (cfa->kind != RULE_STRANGE)
		rule_set(cfa, cfa->base, offset);
}

/*
 * SP + 8 + ((PC & 15) >= n) * 8, as linkers write it for .plt where a call
 * leaves its return address on the stack. Returns n, or 0: it is another
 * expression.
 */
static uint8_t linkage_threshold(struct bytes expression)
{
	static const uint8_t linkage[] = { DW_OP_breg0 + REGISTER_SP,
					   8,
					   DW_OP_breg0 + RETURN_COLUMN,
					   0,
					   DW_OP_lit15,
					   DW_OP_and,
					   /* n */ 0,
					   DW_OP_ge,
					   DW_OP_lit3,
					   DW_OP_shl,
					   DW_OP_plus };
	uint8_t threshold = 0;

	if (expression.end - expression.at != sizeof(linkage))
		return 0;
	for (size_t i = 0; i < sizeof(linkage); i++) {
		uint8_t byte = bytes_u8(&expression);

		if (!linkage[i] && i > 4)
			threshold = (uint8_t)(byte - DW_OP_lit0);
		else if (byte != linkage[i])
			return 0;
	}
	return threshold <= 15 ? threshold : 0;
}

/* What is done to base + offset to get the CFA. */
static enum rule_kind rest_of(struct bytes *expression)
{
	if (bytes_u8(expression) != DW_OP_deref)
		return RULE_STRANGE;
	if (is_at_end(expression))
		return RULE_BASED;
	if (bytes_u8(expression) == DW_OP_plus_uconst &&
	    bytes_uleb(expression) == ROW_WORD && is_at_end(expression))
		return RULE_KEPT;
	return RULE_STRANGE;
}

void rule_set_expression(struct rule *cfa, struct bytes expression)
{
	uint8_t threshold = linkage_threshold(expression);
	int64_t offset;
	uint8_t base;

	if (threshold)
		*cfa = rule_of(RULE_LINKAGE, REGISTER_SP, threshold);
	else if (takes_base(&expression, &base, &offset))
		*cfa = rule_with(rest_of(&expression), base, offset);
	else
		*cfa = rule_with(RULE_STRANGE, 0, 0);
}

static bool is_kind(const struct rule *rule, enum rule_kind kind)
{
	return rule->kind == kind;
}

static bool is_at(const struct rule *rule, enum rule_kind kind, int offset)
{
	return is_kind(rule, kind) && rule_offset(rule) == offset;
}

/* Do the rules find everything in the ucontext_t of a signal? */
static bool lead_to_context(const struct rules *rules)
{
	for (int i = 0; i < RULE_COUNT; i++) {
		size_t at = SIGRETURN_CONTEXT + row_register_in_context[i];

		if (!is_at(&rules->saved[i], RULE_BASED,
			   (int)(at / ROW_WORD)) ||
		    rules->saved[i].base != REGISTER_SP)
			return false;
	}
	return is_at(&rules->cfa, RULE_BASED,
		     rule_offset(&rules->saved[ROW_SP])) &&
	       rules->cfa.base == REGISTER_SP;
}

/* As a row has it, or -1: it can't. */
static int up_to_most(int words)
{
	return words < 0 || words > ROW_MAX_SAVED ? -1 : words;
}

/* Where the register is saved, as a row has it; -1: elsewhere. */
static int saved_at(const struct rules *rules, const struct rule *rule)
{
	bool is_realigned = is_kind(&rules->cfa, RULE_BASED);

	if (is_kind(rule, RULE_SAME))
		return 0;
	if (!is_realigned && is_kind(rule, RULE_OFFSET) && rule_offset(rule))
		return up_to_most(-rule_offset(rule));
	if (is_realigned && is_kind(rule, RULE_BASED) &&
	    rule->base == rules->cfa.base)
		return up_to_most(1 - rule_offset(rule));
	return -1;
}

/* The row without its saved registers. */
static unwind_row cfa_row(const struct rule *cfa)
{
	unsigned base = place(cfa->base);
	enum row_kind kind = ROW_PLAIN;
	int offset = rule_offset(cfa);

	if (base >= ROW_REGISTERS)
		return ROW_STRANGE;
	if (is_kind(cfa, RULE_BASED)) {
		kind = ROW_REALIGNED;
		offset = -offset;
	} else if (is_kind(cfa, RULE_KEPT)) {
		kind = ROW_KEPT;
	} else if (is_kind(cfa, RULE_LINKAGE)) {
		kind = ROW_PLT;
	} else if (!is_kind(cfa, RULE_OFFSET)) {
		return ROW_STRANGE;
	}
	return offset < 0 ? ROW_STRANGE
			  : row_pack(kind, base, (uint32_t)offset);
}

/* In a register that rows follow, or next to the CFA. */
static bool finds_return_address(const struct rules *rules)
{
	return !RETURN_IS_ON_STACK ||
	       is_at(&rules->saved[ROW_RETURN], RULE_OFFSET, -1);
}

/*
 * Where calls leave the return address in a register, a linkage table pushes
 * two words, that address the second, and goes to the resolver of lazy binding.
 * Whose rules count from there, as if it had been called.
 */
#define PUSHED 2

static bool is_resolver(const struct rules *rules)
{
	return !RETURN_IS_ON_STACK && is_kind(&rules->cfa, RULE_OFFSET) &&
	       is_at(&rules->saved[ROW_RETURN], RULE_OFFSET, PUSHED - 1);
}

static void move_by(struct rule *rule, int words)
{
	rule->above = (rule->above + (uint32_t)words) & 0xfffffu;
}

static struct rules counted_from_caller(const struct rules *resolvers)
{
	struct rules rules = *resolvers;

	move_by(&rules.cfa, PUSHED);
	for (int i = 0; i < RULE_COUNT; i++)
		if (is_kind(&rules.saved[i], RULE_OFFSET))
			move_by(&rules.saved[i], -PUSHED);
	/* At its end it has taken them from the stack. */
	if (!rule_offset(&rules.cfa))
		rules.saved[ROW_RETURN].kind = RULE_SAME;
	return rules;
}

static unwind_row row_of(const struct rules *rules, bool is_signal_frame)
{
	const struct rule *saved = rules->saved;
	unwind_row row = cfa_row(&rules->cfa);

	if (is_kind(&saved[ROW_RETURN], RULE_UNDEFINED))
		return ROW_OUTERMOST;
	if (is_signal_frame)
		return lead_to_context(rules) ? ROW_SIGNAL : ROW_STRANGE;
	if (!row || !finds_return_address(rules) ||
	    !is_kind(&saved[ROW_SP], RULE_SAME))
		return ROW_STRANGE;
	for (unsigned i = ROW_FP; i < ROW_REGISTERS; i++) {
		int n = saved_at(rules, &saved[i]);

		if (n < 0)
			return ROW_STRANGE;
		row |= row_pack_saved(i, (uint32_t)n);
	}
	return row;
}

unwind_row rules_row(const struct rules *rules, bool is_signal_frame)
{
	struct rules corrected;

	if (!is_resolver(rules))
		return row_of(rules, is_signal_frame);
	corrected = counted_from_caller(rules);
	return row_of(&corrected, is_signal_frame);
}
