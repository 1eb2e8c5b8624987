# SPDX-License-Identifier: GPL-2.0-only
# The kernel series: check it in a VM. Included by the top Makefile.

KERNEL ?= 6.1
KERNELS := 6.1 6.12 7.3

kernel-build := build/kernel
kernel-programs := $(kernel-build)/test_run_state $(kernel-build)/test_run_bench
kernel-cflags := -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror
# The suite and the programs it loads; see the file suites
kernel-suite := $(BUILD)/tests/paths/suite bpf

.PHONY: kernel-check kernel-check-all kernel-programs

kernel-check: $(kernel-programs) $(kernel-suite)
	$(Q)kernel-patches/check $(KERNEL)

# All kernels, the debug kernels, 10 000 cycles, the whole suite, each patch by itself
kernel-check-all: $(kernel-programs) $(kernel-suite)
	$(Q)failed=; for kernel in $(KERNELS); do \
		kernel-patches/check --all $$kernel || failed="$$failed $$kernel"; \
		kernel-patches/each-patch $$kernel || failed="$$failed $$kernel:each-patch"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

kernel-programs: $(kernel-programs)

$(kernel-build):
	$(Q)mkdir -p $@

$(kernel-build)/%.bpf.o: tests/kernel/%.bpf.c | $(kernel-build)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(kernel-build)/%.skel.h: $(kernel-build)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $* > $@

$(kernel-build)/test_run_state: $(kernel-build)/dispatcher_monitor.skel.h

$(kernel-build)/test_run_%: tests/kernel/test_run_%.c tests/kernel/xdp_prog.h | $(kernel-build)
	$(call say,CC,$@)
	$(Q)$(CC) $(kernel-cflags) -isystem $(kernel-build) -o $@ $< -lbpf -lpthread
