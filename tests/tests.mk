# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Included by the Makefile.
#   check           installs what is missing, builds, runs everything
#   check-native    unit tests, the shared suite, the command's tests; on the running kernel
#   check-sanitize  unit tests and a small suite under ASan, UBSan and TSan
#   SUITE='GLOB ...' restricts the suite, SCALE=N its number of packets, FULL=1 runs
#   all cases with all numbers of lanes

SUITE_SRC := $(wildcard tests/paths/*.c)
SUITE_OBJ := $(SUITE_SRC:%.c=$(BUILD)/%.o)
UNIT_TESTS := $(patsubst tests/unit/test_%.c,$(BUILD)/tests/unit/test_%,$(wildcard tests/unit/test_*.c))
CLI_TESTS := $(wildcard tests/cli/test-*)
SCALE ?= 1

# GCC warns of what the sanitizers' own branches would do.
$(BUILD)/tests/%.o: override CFLAGS += -DXTR_BPF_DIR_DEFAULT='"$(CURDIR)/$(BUILD)/bpf"' \
	$(if $(SAN),-Wno-array-bounds -Wno-stringop-overflow)
$(SUITE_OBJ): $(BUILD)/harness.skel.h $(BUILD)/bpf/maglev.h

$(BUILD)/tests/paths/suite: $(SUITE_OBJ) $(STATIC)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/tests/unit/test_%: $(BUILD)/tests/unit/test_%.o $(STATIC)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(filter %.o,$^) $(STATIC) $(LDLIBS) -lcmocka -o $@

# Tests of the command's own parts.
CLI_UNIT_TESTS := $(addprefix $(BUILD)/tests/unit/test_,ctx_reads jsonl packet_text pcapng placement)
$(CLI_UNIT_TESTS): $(filter-out %/main.o,$(CLI_OBJ))
$(CLI_UNIT_TESTS:=.o): override CFLAGS += -Iuserspace/cli

.PHONY: tests
tests: all $(BUILD)/tests/paths/suite $(UNIT_TESTS)

# Each test ends with "N passed, N failed, N skipped"; the last line adds them up.
check-native: tests
	$(Q)XTR_BUILD=$(BUILD) XTR_SCALE=$(SCALE) $(if $(FULL),,XTR_BRIEF=1) tests/run-all \
		$(UNIT_TESTS) $(BUILD)/tests/paths/suite $(CLI_TESTS) -- $(SUITE)

install-deps:
	$(Q)scripts/install-deps scripts/packages tests/packages kernel-patches/packages

check: install-deps
	$(Q)$(MAKE) check-native
	$(if $(wildcard kernel-patches/kernel.mk),$(Q)$(MAKE) kernel-check)

# Two lanes have all there is between lanes.
SANITIZE := SCALE=0.02 SUITE='*/2' CLI_TESTS=

check-sanitize:
	$(Q)UBSAN_OPTIONS=halt_on_error=1 $(MAKE) SAN=address,undefined $(SANITIZE) check-native
	$(Q)TSAN_OPTIONS=halt_on_error=1 $(MAKE) SAN=thread $(SANITIZE) check-native

C_FILES := $(wildcard bpf/*/*.[ch] userspace/*/*.[ch] userspace/cli/*/*.[ch] tests/*/*.[ch])
SH_FILES := $(wildcard netns-scripts/* scripts/* tests/run-all tests/cli/test-* run-netns-bench .ci/run)

lint:
	$(Q)clang-format --dry-run --Werror $(C_FILES)
	$(Q)cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability \
		--suppress=missingIncludeSystem --library=scripts/cppcheck.cfg -Iuserspace/include -Iuserspace/lib \
		-Iuserspace/cli -Ibpf/harness userspace tests/paths
	$(Q)shellcheck $$(grep -lE '^#!/bin/(ba)?sh' $(SH_FILES))

-include $(SUITE_OBJ:.o=.d) $(UNIT_TESTS:=.d)
