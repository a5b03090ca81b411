# stallshim: build, test, install. `make help` lists what there is.
# SPDX-License-Identifier: MIT

PREFIX ?= /usr/local
CC     ?= cc
BUILD  ?= build
CFLAGS ?= -O2 -g
WARN   := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Werror
BASE   := -std=gnu11 -D_GNU_SOURCE -Ilib -Ishim -MMD -MP $(WARN)
Q      := $(if $(V),,@)

# The shim: nothing but libc, nothing visible but the hooks, no lazy binding.
SHIM_CFLAGS  := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-plt \
	-fexceptions -fasynchronous-unwind-tables -fno-omit-frame-pointer
SHIM_LDFLAGS := -shared -Wl,-z,initfirst -Wl,-z,now -Wl,-z,relro \
	-Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=shim/stallshim.map
COMMAND_LIBS := -ldw -lelf -liberty

SHIM_SRC    := $(wildcard shim/*.c lib/base/*.c lib/sigsafe/*.c lib/setup/*.c)
COMMAND_SRC := $(wildcard lib/base/*.c lib/report/*.c lib/command/*.c)
SHIM_OBJ    := $(SHIM_SRC:%.c=$(BUILD)/shim.o/%.o)
COMMAND_OBJ := $(COMMAND_SRC:%.c=$(BUILD)/command.o/%.o)

all: $(BUILD)/libstallshim.so $(BUILD)/stallshim

$(BUILD)/libstallshim.so: $(SHIM_OBJ) shim/stallshim.map
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(SHIM_LDFLAGS) -o $@ $(SHIM_OBJ) $(LDFLAGS)

$(BUILD)/stallshim: $(COMMAND_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(COMMAND_LIBS)

$(BUILD)/shim.o/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(BASE) $(CFLAGS) $(SHIM_CFLAGS) -c -o $@ $<

# What may run in a signal handler is compiled with malloc and friends poisoned.
$(BUILD)/shim.o/lib/sigsafe/%.o: SHIM_CFLAGS += -include lib/sigsafe/poison.h

$(BUILD)/command.o/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(BASE) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf $(BUILD)

.PHONY: all clean
-include $(SHIM_OBJ:.o=.d) $(COMMAND_OBJ:.o=.d)
