// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Packets after the run, as a nanosecond pcap file. */
#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "pcap_out.h"

#define SNAPLEN 262144
#define NSEC_PER_SEC 1000000000ULL

struct pcap_out {
	char *path;
	char *temp; /* the file's name until it is complete; NULL: it has none */
	int fd; /* of a file without a name (O_TMPFILE), else -1 */
	bool in_place; /* a device, pipe or symbolic link, written to directly */
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

static int say_error(const struct pcap_out *out, int err)
{
	cli_error("%s: cannot write it: %s", out->path, strerror(err));
	return -err;
}

static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : slash - path);
}

/* A file that has no name yet is gone with the process, whatever ends it. */
static int open_nameless(struct pcap_out *out)
{
	char *folder = folder_of(out->path);
	int fd;

	if (!folder)
		return -1;
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	free(folder);
	return fd;
}

/* Some file systems have no nameless files. */
static int open_named(struct pcap_out *out)
{
	return open(out->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
}

static int open_file(struct pcap_out *out)
{
	int fd;

	if (out->in_place)
		return open(out->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	fd = open_nameless(out);
	if (fd >= 0) {
		out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return fd;
	}
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -1;
	return open_named(out);
}

static int open_dumper(struct pcap_out *out)
{
	FILE *stream;
	int fd, err;

	fd = open_file(out);
	if (fd < 0)
		return -errno;
	stream = fdopen(fd, "w");
	if (!stream) {
		err = -errno;
		close(fd);
		return err;
	}
	out->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
							 PCAP_TSTAMP_PRECISION_NANO);
	out->dumper = out->pcap ? pcap_dump_fopen(out->pcap, stream) : NULL;
	if (!out->dumper) {
		fclose(stream);
		return -ENOMEM;
	}
	return 0;
}

struct pcap_out *pcap_out__open(const char *path)
{
	struct pcap_out *out = calloc(1, sizeof(*out));
	int err = -ENOMEM;

	if (!out)
		return NULL;
	out->fd = -1;
	out->path = strdup(path);
	if (!out->path || asprintf(&out->temp, "%s.%d.tmp", path, (int)getpid()) < 0) {
		out->temp = NULL;
		goto out;
	}
	out->in_place = is_special(path);
	err = open_dumper(out);
out:
	if (err) {
		cli_error("%s: cannot write it: %s", path, strerror(-err));
		pcap_out__close(out);
		return NULL;
	}
	return out;
}

static void write_packet(struct pcap_out *out, const struct xtr_outcome *outcome)
{
	bool empty = outcome->flags & (XTR_OUTCOME_LOST | XTR_OUTCOME_NO_DATA);
	struct pcap_pkthdr header = {};

	header.ts.tv_sec = outcome->ts_ns / NSEC_PER_SEC;
	/* In a file of this precision tv_usec holds nanoseconds. */
	header.ts.tv_usec = outcome->ts_ns % NSEC_PER_SEC;
	header.caplen = header.len = empty ? 0 : outcome->len;
	pcap_dump((unsigned char *)out->dumper, &header, outcome->data);
}

int pcap_out__write(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct pcap_out *out = ctx;

	for (size_t i = 0; i < count; i++)
		write_packet(out, &outcomes[i]);
	return ferror(pcap_dump_file(out->dumper)) ? say_error(out, errno ? errno : EIO) : 0;
}

/* Links cannot replace a file, renaming can. */
static int give_name(struct pcap_out *out)
{
	char self[64];

	if (out->fd >= 0) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
		if (linkat(AT_FDCWD, self, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW))
			return -errno;
	}
	return rename(out->temp, out->path) ? -errno : 0;
}

int pcap_out__commit(struct pcap_out *out)
{
	int err = 0;

	if (pcap_dump_flush(out->dumper))
		err = -errno;
	if (!err && !out->in_place)
		err = give_name(out);
	if (err)
		return say_error(out, -err);
	free(out->temp);
	out->temp = NULL;
	return 0;
}

void pcap_out__close(struct pcap_out *out)
{
	if (!out)
		return;
	if (out->dumper)
		pcap_dump_close(out->dumper);
	if (out->pcap)
		pcap_close(out->pcap);
	if (out->fd >= 0)
		close(out->fd);
	if (out->temp && !out->in_place)
		unlink(out->temp);
	free(out->temp);
	free(out->path);
	free(out);
}
