# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
#   make                 the command (build/xdp-testrun), the library, the BPF objects
#   make check           installs what is missing, builds, runs all tests
#   make install-deps    just installs what is missing, with apt-get
#   make check-native    the tests that need no kernel of our own
#   make check-sanitize  the tests under ASan and UBSan, and under TSan
#   make lint            clang-format, cppcheck, shellcheck
#   make install         DESTDIR= PREFIX=
#   make uninstall       the same variables
#   V=1 shows the commands, SAN=address,undefined builds with sanitizers.

VERSION := 0.1.0
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man

CLANG ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
PKG_CONFIG ?= pkg-config
SAN ?=
BUILD ?= build$(if $(SAN),-$(firstword $(subst $(comma), ,$(SAN))))
comma := ,

PACKAGES := libbpf libxdp libpcap json-c libelf
ifneq ($(filter-out install-deps check clean help uninstall,$(or $(MAKECMDGOALS),all)),)
  ifneq ($(shell scripts/check-deps >&2 && echo ok),ok)
    $(error something is missing, see above)
  endif
endif

CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -pthread \
	-D_GNU_SOURCE -DXTR_VERSION='"$(VERSION)"' \
	-DXTR_NETNS_SCRIPTS='"$(CURDIR)/netns-scripts"' \
	-Iuserspace/include -Iuserspace/lib -Ibpf/harness -I$(BUILD) \
	$(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
LDLIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) -pthread -lm
ifneq ($(SAN),)
  override CFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer
  override LDFLAGS += -fsanitize=$(SAN)
endif
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
# v3: 32-bit jumps; all the kernels we name have them.
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter \
	$(if $(MULTIARCH),-isystem /usr/include/$(MULTIARCH)) -I$(BUILD)/bpf

ifeq ($(V),1)
  Q :=
  say = @:
else
  Q := @
  say = @printf '  %-8s %s\n' $(1) $(2)
endif

LIB_SRC := $(wildcard userspace/lib/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_SRC := $(wildcard userspace/cli/*.c userspace/cli/*/*.c)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
HARNESS_OBJ := $(patsubst bpf/harness/%.c,$(BUILD)/harness/%.o,$(wildcard bpf/harness/*.bpf.c))
SAMPLES := $(patsubst bpf/samples/%.c,$(BUILD)/bpf/%.o,$(wildcard bpf/samples/*.bpf.c))
CASES := $(patsubst bpf/cases/%.c,$(BUILD)/bpf/cases/%.o,$(wildcard bpf/cases/*.bpf.c))
STATIC := $(BUILD)/libxdptestrun.a
SHARED := $(BUILD)/libxdptestrun.so.$(VERSION)
MAN := $(wildcard docs/*.8)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all bpf check check-native check-sanitize clean help install install-deps lint uninstall

all: $(BUILD)/xdp-testrun $(STATIC) $(SHARED) bpf
bpf: $(SAMPLES) $(CASES)

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

# ---- BPF ---------------------------------------------------------------------

$(BUILD)/harness/%.bpf.o: bpf/harness/%.bpf.c $(wildcard bpf/harness/*.h)
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BUILD)/harness.bpf.o: $(HARNESS_OBJ)
	$(call say,BPFLINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(BUILD)/harness.skel.h: $(BUILD)/harness.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name harness > $@

$(BUILD)/maglev: bpf/samples/maglev.c
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 -Wall -Wextra -Werror $< -o $@

$(BUILD)/bpf/maglev.h: $(BUILD)/maglev
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$< > $@

$(BUILD)/bpf/xdp_lb.bpf.o: $(BUILD)/bpf/maglev.h
$(BUILD)/bpf/%.bpf.o: bpf/samples/%.bpf.c $(wildcard bpf/samples/*.h)
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BUILD)/bpf/cases/%.bpf.o: bpf/cases/%.bpf.c $(wildcard bpf/cases/*.h)
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

# Samples that are part of the command, for bench.
BENCH_SKEL := $(patsubst %,$(BUILD)/xdp_%.skel.h,lb drop tx)
$(BENCH_SKEL): $(BUILD)/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $* > $@

# ---- library and command -----------------------------------------------------

$(LIB_OBJ): $(BUILD)/harness.skel.h
$(BUILD)/userspace/cli/bench/target.o: $(BENCH_SKEL)
$(CLI_OBJ): override CFLAGS += -Iuserspace/cli
$(BUILD)/userspace/lib/netns.o: $(wildcard netns-scripts/*)

$(BUILD)/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(STATIC): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(SHARED): $(LIB_OBJ) userspace/lib/libxdptestrun.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libxdptestrun.so.$(SOVERSION) \
		-Wl,--version-script=userspace/lib/libxdptestrun.map -Wl,-z,defs \
		$(if $(SAN),-Wl$(comma)-z$(comma)undefs) $(LIB_OBJ) $(LDLIBS) -o $@
	$(Q)ln -sf $(@F) $(BUILD)/libxdptestrun.so.$(SOVERSION)
	$(Q)ln -sf $(@F) $(BUILD)/libxdptestrun.so

# Made at installation: the build does not know yet what PREFIX will be then.
PC_IN := userspace/lib/xdptestrun.pc.in
PC_SED = sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|'

$(BUILD)/xdp-testrun: $(CLI_OBJ) $(STATIC)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

install: all
	install -D -m 755 $(BUILD)/xdp-testrun $(DESTDIR)$(BINDIR)/xdp-testrun
	install -D -m 644 $(STATIC) $(DESTDIR)$(LIBDIR)/libxdptestrun.a
	install -D -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/libxdptestrun.so.$(VERSION)
	ln -sf libxdptestrun.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libxdptestrun.so.$(SOVERSION)
	ln -sf libxdptestrun.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libxdptestrun.so
	install -D -m 644 userspace/include/xdptestrun.h $(DESTDIR)$(PREFIX)/include/xdptestrun.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(PC_SED) $(PC_IN) > $(DESTDIR)$(LIBDIR)/pkgconfig/xdptestrun.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/xdptestrun.pc
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man8 $(MAN)

# With the variables of the installation; leaves folders alone, others use them.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/xdp-testrun \
		$(DESTDIR)$(LIBDIR)/libxdptestrun.a \
		$(DESTDIR)$(LIBDIR)/libxdptestrun.so \
		$(DESTDIR)$(LIBDIR)/libxdptestrun.so.$(SOVERSION) \
		$(DESTDIR)$(LIBDIR)/libxdptestrun.so.$(VERSION) \
		$(DESTDIR)$(LIBDIR)/pkgconfig/xdptestrun.pc \
		$(DESTDIR)$(PREFIX)/include/xdptestrun.h \
		$(MAN:docs/%=$(DESTDIR)$(MANDIR)/man8/%)

clean:
	rm -rf build build-*

# ---- tests -------------------------------------------------------------------

-include tests/tests.mk
-include kernel-patches/kernel.mk
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d)
