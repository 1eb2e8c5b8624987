// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Says which capability is missing, since EPERM alone helps nobody. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "caps.h"
#include "log.h"

const int xtr_caps_load[] = { CAP_BPF, CAP_NET_ADMIN, -1 };
/* CAP_SYS_ADMIN: to read the BTF of a loaded program. */
const int xtr_caps_splice[] = { CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON, CAP_SYS_ADMIN, -1 };
/* Without, many programs are refused for comparing or leaking pointers. */
const int xtr_caps_verifier[] = { CAP_PERFMON, -1 };
const int xtr_caps_netns[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN, -1 };
const int xtr_caps_afxdp[] = { CAP_NET_ADMIN, CAP_NET_RAW, -1 };

static const char *cap_name(int cap)
{
	switch (cap) {
	case CAP_BPF:
		return "CAP_BPF";
	case CAP_NET_ADMIN:
		return "CAP_NET_ADMIN";
	case CAP_NET_RAW:
		return "CAP_NET_RAW";
	case CAP_PERFMON:
		return "CAP_PERFMON";
	case CAP_SYS_ADMIN:
		return "CAP_SYS_ADMIN";
	}
	return "another capability";
}

/* The thread's effective capabilities, one bit each; -1 where they can't be read. */
static __u64 effective_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capget, &header, data))
		return ~0ULL;
	return (__u64)data[1].effective << 32 | data[0].effective;
}

static bool have_cap(__u64 effective, int cap)
{
	/* CAP_SYS_ADMIN includes what was split off from it. */
	if ((cap == CAP_BPF || cap == CAP_PERFMON) && effective & 1ULL << CAP_SYS_ADMIN)
		return true;
	return effective & 1ULL << cap;
}

bool xtr_caps__missing(const int *caps)
{
	__u64 effective = effective_caps();

	for (; *caps >= 0; caps++)
		if (!have_cap(effective, *caps))
			return true;
	return false;
}

int xtr_caps__explain(const char *what, const int *caps)
{
	__u64 effective = effective_caps();
	char missing[128] = "";
	size_t len = 0;

	for (; *caps >= 0; caps++)
		if (!have_cap(effective, *caps))
			len += snprintf(missing + len, sizeof(missing) - len, "%s%s",
					len ? ", " : "", cap_name(*caps));
	if (len)
		pr_err("%s: not permitted, missing %s: run it as root", what, missing);
	else
		pr_err("%s: the kernel refuses it (EPERM) though no capability is missing: "
		       "a container, a user namespace or a locked-down kernel?",
		       what);
	return -EPERM;
}
