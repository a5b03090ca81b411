/*
 * Symbols: names and lines, from this very program and from files beside it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "report/demangle.h"
#include "report/symbols.h"

/* Neither may be inlined, and where one calls the other must be known. */
__attribute__((noinline)) static uintptr_t here(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) uintptr_t inlined_caller(void)
{
	uintptr_t address = here();

	__asm__ volatile("" ::: "memory");
	return address;
}

__attribute__((noinline)) static uintptr_t outer_caller(unsigned *line)
{
	uintptr_t address;

	*line = __LINE__ + 1;
	address = inlined_caller();
	__asm__ volatile("" ::: "memory");
	return address;
}

/*
 * A function without a size, and behind it one without a symbol. In front of
 * it, as aarch64's assembler has a symbol of its own where code begins,
 * nothing.
 */
__asm__(".text\n"
	".type symbols_unsized,%function\n"
	"nop\n"
	".balign 16\n"
	"symbols_unsized: nop\n"
	".balign 16\n"
	".cfi_startproc\n"
	"nop\n"
	".balign 16\n"
	".cfi_endproc\n");

extern const char symbols_unsized[] __attribute__((visibility("hidden")));

int symbols_test_table[8];

static struct symbols *symbols;
static struct module self;
static char self_path[4096];

static void set_up(void)
{
	struct link_map *map;
	ssize_t length =
		readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);

	cr_assert_gt(length, 0);
	cr_assert_eq(dlinfo(dlopen(NULL, RTLD_NOW), RTLD_DI_LINKMAP, &map), 0);
	self = (struct module){
		.path = self_path,
		.name = "test_symbols",
		.bias = map->l_addr,
		.bias_is_known = true,
	};
	symbols = symbols_open();
}

static void tear_down(void)
{
	symbols_close(symbols);
}

TestSuite(symbols, .init = set_up, .fini = tear_down);

/* The stack of one frame, named by way of a process. */
static const struct stack *name(struct frame *frame)
{
	static struct stack stack;
	static struct sample sample;
	struct process *process = process_new("by hand");

	stack = (struct stack){ .frames = frame, .depth = 1 };
	sample.stack = &stack;
	process->samples[SAMPLE_STALL].list = &sample;
	process->samples[SAMPLE_STALL].count = 1;
	symbols_name_all(symbols, process);
	process_free(process);
	return &stack;
}

Test(symbols, a_function_is_named_with_its_callers_that_were_inlined)
{
	unsigned line;
	struct frame frame = { &self, outer_caller(&line), NULL };
	const struct stack *stack = name(&frame);

	cr_assert_eq(stack->calls_count, 2);
	cr_assert_str_eq(stack->calls[0].function, "inlined_caller");
	cr_assert_str_eq(stack->calls[0].source, "test_symbols.c");
	cr_assert_str_eq(stack->calls[1].function, "outer_caller");
	cr_assert_str_eq(stack->calls[1].source, "test_symbols.c");
	cr_assert_eq(stack->calls[1].line, line);
}

/* libc's debug symbols have one function for each of kill's three labels. */
Test(symbols, an_assembler_function_of_several_names_is_one_call)
{
	uintptr_t address = (uintptr_t)dlsym(RTLD_DEFAULT, "kill");
	struct module libc = { .name = "libc.so.6", .bias_is_known = true };
	struct frame frame = { &libc, address + 1, NULL };
	const struct stack *stack;
	Dl_info info;

	cr_assert(dladdr((void *)address, &info));
	libc.path = info.dli_fname;
	libc.bias = (uintptr_t)info.dli_fbase;
	stack = name(&frame);
	cr_assert_eq(stack->calls_count, 1);
	cr_assert(strstr(stack->calls[0].function, "kill"));
}

Test(symbols, a_symbol_without_a_size_ends_where_another_function_begins)
{
	struct frame in = { .address = (uintptr_t)symbols_unsized + 8,
			    .module = &self };
	struct frame behind = { .address = (uintptr_t)symbols_unsized + 24,
				.module = &self };
	const struct stack *stack = name(&in);

	cr_assert_str_eq(stack->calls[0].function, "symbols_unsized");
	stack = name(&behind);
	cr_assert_null(strstr(stack->calls[0].function, "symbols_unsized"));
}

Test(symbols, a_text_module_finds_its_bias_by_its_segment)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_PHDR);
	const ElfW(Phdr) *segment = (const void *)header;
	struct module module = self;
	unsigned line;
	struct frame frame = { &module, outer_caller(&line), NULL };

	while (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
		segment++;
	module.bias = 0;
	module.bias_is_known = false;
	module.text_start = (self.bias + segment->p_vaddr) & -4096ul;
	module.text_offset = segment->p_offset & -4096ul;
	cr_assert_str_eq(name(&frame)->calls[1].function, "outer_caller");
}

Test(symbols, another_build_id_is_not_trusted)
{
	unsigned line;
	struct frame frame = { &self, outer_caller(&line), NULL };
	const struct stack *stack;
	char expected[64];

	self.build_id_bytes = BUILD_ID_BYTES;
	memset(self.build_id, 0x5a, BUILD_ID_BYTES);
	stack = name(&frame);
	snprintf(expected, sizeof(expected), "test_symbols+0x%jx",
		 (uintmax_t)(frame.address - 1 - self.bias));
	cr_assert_str_eq(stack->calls[0].function, expected);
	cr_assert_eq(symbols_object(symbols, 0)->state, OBJECT_OTHER);
	cr_assert_null(symbols_object(symbols, 1));
}

Test(symbols, a_file_that_is_gone_leaves_the_name_of_the_text)
{
	struct module module = { .path = "/nonexistent/app",
				 .name = "app",
				 .bias_is_known = true };
	struct frame frame = { &module, 0x1235, "_ZN5cache5flushEv" };

	cr_assert_str_eq(name(&frame)->calls[0].function, "cache::flush");
	frame.function = NULL;
	cr_assert_str_eq(name(&frame)->calls[0].function, "app+0x1234");
	cr_assert_eq(symbols_object(symbols, 0)->state, OBJECT_MISSING);
}

Test(symbols, code_without_a_module_is_its_address)
{
	struct frame frame = { NULL, 0x7f0000001001, NULL };

	cr_assert_str_eq(name(&frame)->calls[0].function, "0x7f0000001000");
}

Test(symbols, the_vdso_has_names)
{
	struct module module = { .path = "[vdso]",
				 .name = "[vdso]",
				 .bias = getauxval(AT_SYSINFO_EHDR),
				 .bias_is_known = true };
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	struct frame frame = { &module, 1, NULL };

	NOT_EMULATED(NO_VDSO);
	cr_assert_not_null(vdso);
	frame.address += (uintptr_t)dlsym(vdso, "__vdso_clock_gettime");
	cr_assert(strstr(name(&frame)->calls[0].function, "clock_gettime"));
}

Test(symbols, a_lock_is_named_by_its_variable)
{
	struct lock first = { .module = &self,
			      .address = (uintptr_t)&symbols_test_table[0] };
	struct lock third = { .module = &self,
			      .address = (uintptr_t)&symbols_test_table[2] };
	struct lock *locks[] = { &first, &third };
	struct process *process = process_new("by hand");

	process->locks = locks;
	process->locks_count = 2;
	symbols_name_all(symbols, process);
	cr_assert_str_eq(first.name, "symbols_test_table");
	cr_assert_str_eq(third.name, "symbols_test_table+0x8");
	process_free(process);
}

#define assert_demangled(symbol, expected)                                     \
	cr_assert_str_eq(demangle(&arena, symbol), expected)

Test(demangle, names_are_those_of_the_source)
{
	struct arena arena = { NULL };

	assert_demangled("parse_config", "parse_config");
	assert_demangled("_ZN5cache5flushEiPKc", "cache::flush");
	assert_demangled("_ZN4core3fmt5write17h0123456789abcdefE",
			 "core::fmt::write");
	assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
	assert_demangled("parse_config.cold", "parse_config");
	assert_demangled("parse_config.constprop.0.isra.0", "parse_config");
	assert_demangled("_ZN5cache5flushEv.part.0", "cache::flush");
	assert_demangled("clock_gettime@@GLIBC_2.17", "clock_gettime");
	assert_demangled("main.main", "main.main");
	arena_free(&arena);
}

/*
 * A1<P<S0_, S0_> >, where each S refers to two of what is before it: so each
 * level of it doubles the name.
 */
static const char *doubled(char *symbol, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *to = stpcpy(symbol, "_Z1fI1A1PIS0_S0_E");

	for (int i = 0; i < levels; i++)
		to += sprintf(to, "S1_IS%c_S%c_E", digits[i + 2],
			      digits[i + 2]);
	stpcpy(to, "Evd");
	return symbol;
}

Test(demangle, a_name_that_would_fill_the_memory_stays_mangled)
{
	struct arena arena = { NULL };
	char symbol[512];

	assert_demangled(doubled(symbol, 3), "f<>");
	alarm(10);
	doubled(symbol, 30);
	assert_demangled(symbol, symbol);
	arena_free(&arena);
}

Test(demangle, a_name_forges_no_line_of_a_report)
{
	struct arena arena = { NULL };

	assert_demangled("slow\nStalls: 99", "slow\\012Stalls: 99");
	assert_demangled("\033[2Jred", "\\033[2Jred");
	assert_demangled("\302\233red", "\\302\\233red");
	assert_demangled("l\303\244nge", "l\303\244nge");
	arena_free(&arena);
}

Test(demangle, long_names_lose_their_template_arguments)
{
	struct arena arena = { NULL };

	assert_demangled("_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsI"
			 "cESaIcEEElSt4lessIS5_ESaISt4pairIKS5_lEEEixEOS5_",
			 "std::map<>::operator[]");
	assert_demangled("_ZN97_$LT$core..future..from_generator..GenFuture"
			 "$LT$T$GT$$u20$as$u20$core..future..future..Future"
			 "$GT$4poll17h60820cdf3035e5e9E",
			 "<core::future::from_generator::GenFuture<> as "
			 "core::future::future::Future>::poll");
	assert_demangled("_ZStltIcSt11char_traitsIcESaIcEEbRKNSt7__cxx1112"
			 "basic_stringIT_T0_T1_EESA_",
			 "std::operator< <>");
	assert_demangled(
		"_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$"
		"vtable.shim$u7d$$u7d$17ha25ddf5c5af9b491E",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}");
	arena_free(&arena);
}
