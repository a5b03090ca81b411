# stallshim: build, test, install. `make help` lists what there is.
# SPDX-License-Identifier: MIT

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BUILD  ?= build
CFLAGS ?= -O2 -g
WERROR ?= -Werror
WARN   := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes $(WERROR)
BASE   := -std=gnu11 -D_GNU_SOURCE -Ilib -Ishim -MMD -MP
Q      := $(if $(V),,@)

# MACHINE=aarch64: built with Debian's cross compiler, for the libraries that
# scripts/bootstrap unpacks, and run by emulation where something has to be run.
ifeq ($(MACHINE),aarch64)
export SYSROOT ?= /opt/stallshim/aarch64
export EMULATOR := scripts/emulate
# Paths that the tests find are true ones; what they walk is bound already.
UNIT_LDFLAGS := -Wl,-z,now -Wl,--dynamic-linker=$(SYSROOT)/lib/ld-linux-aarch64.so.1
CC      := aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)
CXX     := aarch64-linux-gnu-g++ --sysroot=$(SYSROOT)
AR      := aarch64-linux-gnu-ar
endif

# SAN=address,undefined or SAN=thread: the unit tests under a sanitizer.
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)

# The shim: nothing but libc, nothing visible but the hooks, no lazy binding.
# The command is compiled the same way, so that there is one set of objects.
SHIM_CFLAGS  := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-plt \
	-fexceptions -fasynchronous-unwind-tables -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer
SHIM_LDFLAGS := -shared -Wl,-z,initfirst -Wl,-z,now -Wl,-z,relro \
	-Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=shim/stallshim.map
COMMAND_LIBS := -ldw -lelf -liberty
# Victims keep the frames their tests look for.
VICTIM_CFLAGS := -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf
UNIT_LIBS    := -lcriterion $(COMMAND_LIBS) -lm

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(addsuffix /*.c,$(1))))
SIGSAFE     := lib/sigsafe $(patsubst %/,%,$(wildcard lib/sigsafe/*/))
SHIM_OBJ    := $(call object,shim lib/base $(SIGSAFE) lib/setup)
COMMAND_OBJ := $(call object,lib/base lib/report lib/command)
LIB_OBJ     := $(call object,lib/base $(SIGSAFE) lib/setup lib/report)

FIXTURE_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard \
	test/unit/*fixture*.c $(if $(SAN)$(MACHINE),test/unit/plain_main.c)))
UNIT     := $(patsubst test/%.c,$(BUILD)/%,$(wildcard test/unit/test_*.c))
VICTIMS  := $(patsubst test/e2e/victim_%,$(BUILD)/victims/%,$(basename \
	$(wildcard test/e2e/victim_*.c test/e2e/victim_*.cc))) $(patsubst \
	test/e2e/%.c,$(BUILD)/victims/%.so,$(wildcard test/e2e/plugin_*.c)) \
	$(BUILD)/victims/walk_storm_address
BENCH    := $(patsubst test/%.c,$(BUILD)/%,$(wildcard test/bench/*.c))

MANUAL   := $(addprefix $(BUILD)/,stallshim.1 stallshim-loops.7)

all: $(addprefix $(BUILD)/,libstallshim.so stallshim) $(MANUAL) ## build it

$(BUILD)/libstallshim.so: $(SHIM_OBJ)
# What test/e2e/naive.bats tests the tests of walks with.
NAIVE := $(patsubst %,$(BUILD)/naive_%/libstallshim.so,libunwind backtrace locked)
$(NAIVE): $(patsubst %/lib/sigsafe/walk/stack.o,%/test/e2e/naive_walk.o,$(SHIM_OBJ))
$(NAIVE): $(BUILD)/naive_%/libstallshim.so: $(BUILD)/obj/test/e2e/naive_%.o
$(BUILD)/naive_locked/libstallshim.so: $(BUILD)/obj/test/e2e/naive_libunwind.o
$(patsubst %,$(BUILD)/naive_%/libstallshim.so,libunwind locked): LDFLAGS += -lunwind
%/libstallshim.so: shim/stallshim.map
	@echo "  LD      $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHIM_LDFLAGS) -o $@ $(filter %.o,$^) $(LDFLAGS)

$(BUILD)/stallshim: $(COMMAND_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(COMMAND_LIBS)
$(MANUAL): $(BUILD)/%: lib/command/%.in scripts/make-manual $(BUILD)/stallshim
	$(Q)scripts/make-manual $(BUILD)/stallshim $< >$@

$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(BASE) $(WARN) $(SHIM_CFLAGS) $(POISON) $(CFLAGS) \
		$(SANFLAGS) -c -o $@ $<

# Where these functions are defined no loop is taken for a call of them.
OWN_BYTES := -fno-builtin -fno-tree-loop-distribute-patterns
$(BUILD)/obj/shim/bytes.o $(BUILD)/obj/test/unit/test_bytes.o: \
	SHIM_CFLAGS += $(OWN_BYTES)
$(BUILD)/victims/exports: VICTIM_CFLAGS += $(OWN_BYTES)

# What may run in a signal handler is compiled with malloc and friends poisoned.
$(BUILD)/obj/lib/sigsafe/%.o: POISON := -include lib/sigsafe/poison.h
$(BUILD)/lib.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)$(AR) rcsP $@ $^

$(BUILD)/unit/%: $(BUILD)/obj/test/unit/%.o $(FIXTURE_OBJ) $(BUILD)/lib.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -o $@ $^ $(LDFLAGS) \
		$(UNIT_LDFLAGS) $(UNIT_LIBS)

# program FLAGS: a program of one file, and of a library if it names one.
define program
@mkdir -p $(@D)
@echo "  CCLD    $@"
$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) -pthread $(1) -o $@ \
	$(filter %.c %.o %.a,$^) $(LDLIBS) -ldl -lrt -lm
endef

$(BUILD)/victims/%: test/e2e/victim_%.c
	$(call program,$(VICTIM_CFLAGS))
# Bound at the start: what binds a function takes half a page itself.
$(addprefix $(BUILD)/victims/,carved exhausted little_left room small_end \
	small_stacks): VICTIM_CFLAGS += -Wl,-z,now
$(BUILD)/victims/signal_own: VICTIM_CFLAGS += -rdynamic
$(BUILD)/victims/recovers_cpp: VICTIM_CFLAGS += -fnon-call-exceptions
$(addprefix $(BUILD)/victims/,loop wait_race plugin_uring.so): \
	LDLIBS := -luring
# A part of it far above all libraries.
$(BUILD)/victims/parted: VICTIM_CFLAGS += -fno-pie -no-pie -mcmodel=large \
	-Wl,--section-start=far_part=0x600000000000
$(BUILD)/victims/plugin_rows.so: $(BUILD)/obj/test/unit/rows_fixture.o \
		$(BUILD)/lib.a
$(BUILD)/victims/plugin_%.so: test/e2e/plugin_%.c
	$(call program,-fPIC -shared)
$(BUILD)/bench/%: test/bench/%.c
	$(call program)
$(BUILD)/demo_server: scripts/demo_server.c
	$(call program)

# The fuzzer of the reader and its seeds: scripts/fuzz says what CC and SAN are.
$(BUILD)/fuzz/%: $(BUILD)/obj/test/fuzz/%.o $(call object,lib/base lib/report)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LDFLAGS) $(COMMAND_LIBS)
$(BUILD)/fuzz/fuzz_reader: LDFLAGS += -fsanitize=fuzzer

# These measure parts of the shim, not a program under it.
$(addprefix $(BUILD)/bench/,contention walk): $(BUILD)/bench/%: \
		test/bench/%.c $(BUILD)/lib.a
	$(call program,-fno-omit-frame-pointer)
$(BUILD)/bench/walk: LDLIBS := -no-pie -l:libunwind.a -llzma

define program_cc
@mkdir -p $(@D)
@echo "  CXXLD   $@"
$(Q)$(CXX) -MMD -MP -Wall -Wextra $(CFLAGS) $(VICTIM_CFLAGS) $(1) -o $@ $<
endef

$(BUILD)/victims/%: test/e2e/victim_%.cc
	$(call program_cc)
$(BUILD)/victims/%_address: test/e2e/victim_%.cc
	$(call program_cc,-fsanitize=address)

# Where `setup` is asked for as well it comes first, with make -j too.
SETUP := $(filter setup,$(MAKECMDGOALS))
$(SHIM_OBJ) $(COMMAND_OBJ) $(LIB_OBJ) $(VICTIMS) $(BENCH) \
	$(BUILD)/demo_server check lint soak: | $(SETUP)

unit: $(UNIT) ## build the unit tests (SAN=address,undefined SAN=thread)
victims: $(VICTIMS) ## build the programs of the end-to-end tests
setup: ## install what a bare Debian 12 lacks, saying what and why
	scripts/bootstrap
demo: all $(BUILD)/demo_server ## watch a small server with two planted faults
	BUILD=$(BUILD) scripts/demo
check: ## all tests and checks
	BUILD=$(BUILD) scripts/run-tests
lint: ## the checks of the source alone
	BUILD=$(BUILD) scripts/run-tests lint
soak: ## the end-to-end tests again and again, on busy processors
	BUILD=$(BUILD) scripts/soak
bench: all $(BENCH) ## what the shim costs, against the same without it
	BUILD=$(BUILD) scripts/bench

install: all ## PREFIX=/usr/local DESTDIR=
	install -Dm755 -t $(DESTDIR)$(LIBDIR) $(BUILD)/libstallshim.so
	install -Dm755 -t $(DESTDIR)$(PREFIX)/bin $(BUILD)/stallshim
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(filter %.1,$(MANUAL))
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/man/man7 $(filter %.7,$(MANUAL))
uninstall: ## with the same PREFIX and DESTDIR
	rm -f $(DESTDIR)$(LIBDIR)/libstallshim.so $(addprefix $(DESTDIR)$(PREFIX)/, \
		bin/stallshim share/man/man1/stallshim.1 \
		share/man/man7/stallshim-loops.7)
clean: ## remove what was built
	rm -rf $(BUILD)
help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' Makefile | expand -t 14

.PHONY: all unit victims setup demo check lint soak bench install uninstall clean help
.DELETE_ON_ERROR:
.SECONDARY:
-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/obj/*/*/*.d $(BUILD)/obj/*/*/*/*.d $(BUILD)/*/*.d)
