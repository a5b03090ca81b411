/*
 * A call frame program: its instructions, up to an instruction of the function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/cfa_program.h"

#include <dwarf.h>
#include <string.h>

#include "sigsafe/walk/cfa_rules.h"

#define MAX_REMEMBERED 3

struct machine {
	const struct cfa_program *program;
	struct bytes code;
	uintptr_t at; /* the instruction that rules are for */
	struct rules rules;
	struct rules initial; /* after the common instructions */
	struct rules remembered[MAX_REMEMBERED];
	unsigned remembers;
};

static uint64_t number(struct machine *m)
{
	return bytes_uleb(&m->code);
}

static int64_t factored(struct machine *m)
{
	return (int64_t)bytes_uleb(&m->code) * m->program->data_factor;
}

static int64_t factored_signed(struct machine *m)
{
	return bytes_sleb(&m->code) * m->program->data_factor;
}

static void advance(struct machine *m, uint64_t delta)
{
	m->at += delta * m->program->code_factor;
}

static bool restore(struct machine *m, uint64_t reg)
{
	struct rule *rule = rules_of(&m->rules, reg);

	if (rule)
		*rule = *rules_of(&m->initial, reg);
	return true;
}

static bool remember(struct machine *m)
{
	if (m->remembers == MAX_REMEMBERED)
		return false;
	m->remembered[m->remembers++] = m->rules;
	return true;
}

static bool recall(struct machine *m)
{
	if (!m->remembers)
		return false;
	m->rules = m->remembered[--m->remembers];
	return true;
}

static struct bytes block(struct machine *m)
{
	return bytes_part(&m->code, number(m));
}

static bool advance_by(struct machine *m, uint8_t operation)
{
	switch (operation) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		m->at = bytes_pointer(&m->code, m->program->encoding);
		return true;
	case DW_CFA_advance_loc1:
		advance(m, bytes_number(&m->code, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(m, bytes_number(&m->code, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(m, bytes_number(&m->code, 4));
		return true;
	case DW_CFA_remember_state:
		return remember(m);
	case DW_CFA_restore_state:
		return recall(m);
	case DW_CFA_GNU_args_size:
		number(m);
		return true;
	default:
		return false;
	}
}

static bool define_cfa(struct machine *m, uint8_t operation)
{
	struct rule *cfa = &m->rules.cfa;
	uint64_t reg;

	switch (operation) {
	case DW_CFA_def_cfa:
		reg = number(m);
		rule_set(cfa, reg, (int64_t)number(m));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = number(m);
		rule_set(cfa, reg, factored_signed(m));
		return true;
	case DW_CFA_def_cfa_register:
		rule_set_register(cfa, number(m));
		return true;
	case DW_CFA_def_cfa_offset:
		rule_set_offset(cfa, (int64_t)number(m));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		rule_set_offset(cfa, factored_signed(m));
		return true;
	case DW_CFA_def_cfa_expression:
		rule_set_expression(cfa, block(m));
		return true;
	default:
		return false;
	}
}

static bool define_register(struct machine *m, uint8_t operation)
{
	uint64_t reg = number(m);

	switch (operation) {
	case DW_CFA_offset_extended:
		rules_save_at(&m->rules, reg, factored(m));
		return true;
	case DW_CFA_offset_extended_sf:
		rules_save_at(&m->rules, reg, factored_signed(m));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		rules_save_at(&m->rules, reg, -factored(m));
		return true;
	case DW_CFA_restore_extended:
		return restore(m, reg);
	case DW_CFA_undefined:
		rules_set(&m->rules, reg, RULE_UNDEFINED);
		return true;
	case DW_CFA_same_value:
		rules_set(&m->rules, reg, RULE_SAME);
		return true;
	case DW_CFA_expression:
		rules_save_by(&m->rules, reg, block(m));
		return true;
	case DW_CFA_register:
	case DW_CFA_val_offset:
		number(m);
		break;
	case DW_CFA_val_offset_sf:
		factored_signed(m);
		break;
	case DW_CFA_val_expression:
		block(m);
		break;
	default:
		return false;
	}
	rules_set(&m->rules, reg, RULE_STRANGE);
	return true;
}

/* False: there is no such instruction. */
static bool step(struct machine *m)
{
	uint8_t operation = bytes_u8(&m->code);
	uint8_t low = operation & 0x3f;

	switch (operation & 0xc0) {
	case DW_CFA_advance_loc:
		advance(m, low);
		return true;
	case DW_CFA_offset:
		rules_save_at(&m->rules, low, factored(m));
		return true;
	case DW_CFA_restore:
		return restore(m, low);
	default:
		break;
	}
	return advance_by(m, operation) || define_cfa(m, operation) ||
	       define_register(m, operation);
}

/* The rules for pc, or for the code's end. */
static bool run(struct machine *m, struct bytes code, uintptr_t pc)
{
	m->code = code;
	while (m->code.at < m->code.end) {
		if (!step(m) || m->code.is_bad)
			return false;
		if (m->at > pc)
			break;
	}
	return true;
}

unwind_row cfa_program_row(const struct cfa_program *program, uintptr_t pc)
{
	struct machine m = { .program = program, .at = program->start };

	if (!run(&m, program->common, pc))
		return ROW_STRANGE;
	m.initial = m.rules;
	if (!run(&m, program->function, pc))
		return ROW_STRANGE;
	return rules_row(&m.rules, program->is_signal_frame);
}
