// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Packets from a pcap or pcapng file, through libpcap.
 *
 * The file is opened once, and each lane's reader has its own offset into that
 * one file (pread below a stdio stream): lanes cannot disturb each other, and
 * a file that is replaced in the meantime is never mixed with its successor.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "seekable.h"
#include "source_priv.h"

#define STREAM_BUF (128 * 1024)

struct pcap_source {
	struct xtr_source base;
	struct xtr_seekable file;
	int explained; /* one lane has told what is wrong with the file */
};

struct pcap_reader {
	struct xtr_reader base;
	pcap_t *pcap;
	char *stream_buf;
	struct pcap_pkthdr *hdr; /* of a packet that waits; NULL: read one */
	const u_char *data;
	int err; /* sticky */
};

/* ---- a stream with an offset of its own -------------------------------- */

struct stream {
	int fd;
	off_t at;
};

static ssize_t stream_read(void *cookie, char *buf, size_t len)
{
	struct stream *stream = cookie;
	ssize_t n;

	do {
		n = pread(stream->fd, buf, len, stream->at);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		stream->at += n;
	return n;
}

static int stream_close(void *cookie)
{
	free(cookie);
	return 0;
}

static FILE *stream_open(int fd, char *buf)
{
	static const cookie_io_functions_t fns = { .read = stream_read, .close = stream_close };
	struct stream *stream = calloc(1, sizeof(*stream));
	FILE *file;

	if (!stream)
		return NULL;
	stream->fd = fd;
	file = fopencookie(stream, "r", fns);
	if (!file) {
		free(stream);
		return NULL;
	}
	setvbuf(file, buf, _IOFBF, STREAM_BUF);
	/* libpcap reads twice a packet; only one thread does so. */
	__fsetlocking(file, FSETLOCKING_BYCALLER);
	return file;
}

/* ---- readers ----------------------------------------------------------- */

static void pcap_reader_close(struct xtr_reader *base)
{
	struct pcap_reader *reader = (struct pcap_reader *)base;

	if (reader->pcap)
		pcap_close(reader->pcap);
	free(reader->stream_buf);
	free(reader);
}

static struct pcap_reader *reader_open(int fd, char *errbuf)
{
	struct pcap_reader *reader = xtr_reader__alloc(sizeof(*reader));
	FILE *file;

	if (!reader)
		goto nomem;
	reader->stream_buf = malloc(STREAM_BUF);
	file = reader->stream_buf ? stream_open(fd, reader->stream_buf) : NULL;
	if (!file)
		goto nomem;
	reader->pcap =
		pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, errbuf);
	if (!reader->pcap) {
		fclose(file);
		pcap_reader_close(&reader->base);
		errno = EBADMSG;
		return NULL;
	}
	return reader;

nomem:
	snprintf(errbuf, PCAP_ERRBUF_SIZE, "out of memory");
	if (reader)
		pcap_reader_close(&reader->base);
	errno = ENOMEM;
	return NULL;
}

static struct xtr_reader *pcap_reader_open(struct xtr_source *base, const struct xtr_share *share)
{
	struct pcap_source *source = (struct pcap_source *)base;
	char errbuf[PCAP_ERRBUF_SIZE];
	struct pcap_reader *reader;

	(void)share;
	__atomic_store_n(&source->explained, 0, __ATOMIC_RELAXED);
	reader = reader_open(source->file.fd, errbuf);
	if (!reader) {
		pr_err("cannot read %s: %s; was it changed since it was opened?", source->file.name,
		       errbuf);
		return NULL;
	}
	return &reader->base;
}

/* All lanes read the same file: the first one that fails speaks for all. */
static int explain(struct pcap_reader *reader)
{
	struct pcap_source *source = (struct pcap_source *)reader->base.source;

	if (!__atomic_exchange_n(&source->explained, 1, __ATOMIC_RELAXED))
		pr_err("cannot read packet %llu of %s: %s; the file is damaged or was cut off: "
		       "capture it again, or keep its sound part (editcap writes it to a new file)",
		       (unsigned long long)xtr_reader__number(&reader->base), source->file.name,
		       pcap_geterr(reader->pcap));
	reader->err = -EBADMSG;
	return reader->err;
}

/* Makes sure that a packet waits. 1, 0 at the end, negative errno. */
static int fetch(struct pcap_reader *reader)
{
	int err;

	if (reader->err)
		return reader->err;
	if (reader->hdr)
		return 1;
	err = pcap_next_ex(reader->pcap, &reader->hdr, &reader->data);
	if (err == 1)
		return 1;
	reader->hdr = NULL;
	return err == PCAP_ERROR_BREAK ? 0 : explain(reader);
}

/* Counts the waiting packet and lets it go. */
static void pass(struct pcap_reader *reader, enum xtr_fit fit)
{
	struct xtr_source_stats *stats = &reader->base.stats;

	if ((fit == XTR_FIT_OURS || fit == XTR_FIT_OTHERS) &&
	    reader->hdr->caplen < reader->hdr->len && !stats->truncated++)
		stats->first_truncated = xtr_reader__number(&reader->base);
	xtr_reader__pass(&reader->base, fit);
	reader->hdr = NULL;
}

static int pcap_reader_next(struct xtr_reader *base, struct xtr_packet_info *info, void *buf,
			    size_t cap)
{
	struct pcap_reader *reader = (struct pcap_reader *)base;
	enum xtr_fit fit;
	int err;

	while ((err = fetch(reader)) > 0) {
		fit = xtr_reader__fit(base, reader->data, reader->hdr->caplen);
		if (fit != XTR_FIT_OURS) {
			pass(reader, fit);
			continue;
		}
		if (reader->hdr->caplen > cap)
			return -ENOSPC;
		info->index = base->stats.packets;
		/* Asked for nanoseconds, libpcap keeps them in tv_usec. */
		info->ts_ns = (__u64)reader->hdr->ts.tv_sec * 1000000000 + reader->hdr->ts.tv_usec;
		info->len = reader->hdr->caplen;
		info->meta_len = 0;
		memcpy(buf, reader->data, reader->hdr->caplen);
		pass(reader, fit);
		return 1;
	}
	return err;
}

static void pcap_source_free(struct xtr_source *base)
{
	struct pcap_source *source = (struct pcap_source *)base;

	xtr_seekable__close(&source->file);
	free(source);
}

static const struct xtr_source_ops pcap_ops = {
	.open = pcap_reader_open,
	.next = pcap_reader_next,
	.close = pcap_reader_close,
	.free = pcap_source_free,
};

/* ---- opening ----------------------------------------------------------- */

struct magic {
	__u8 bytes[4];
	__u8 len;
	const char *hint;
};

/* Compressed captures are what people most often hand over by mistake. */
static const char *hint_for(int fd)
{
	static const struct magic magics[] = {
		{ { 0x1f, 0x8b }, 2, "it is compressed: decompress it with gunzip first" },
		{ { 0x28, 0xb5, 0x2f, 0xfd },
		  4,
		  "it is compressed: decompress it with unzstd first" },
		{ { 0xfd, '7', 'z', 'X' }, 4, "it is compressed: decompress it with unxz first" },
		{ { 'B', 'Z', 'h' }, 3, "it is compressed: decompress it with bunzip2 first" },
	};
	__u8 head[4] = { 0 };
	size_t i;

	if (pread(fd, head, sizeof(head), 0) < (ssize_t)sizeof(head))
		return "the file is too short for a capture: capture it again";
	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (!memcmp(head, magics[i].bytes, magics[i].len))
			return magics[i].hint;
	return "give a pcap or pcapng file as tcpdump or wireshark write it";
}

static int not_ethernet(const struct pcap_source *source, int dlt)
{
	const char *name = pcap_datalink_val_to_name(dlt);
	const char *text = pcap_datalink_val_to_description(dlt);

	pr_err("cannot use %s: its link type is %s (%d, %s), XDP programs see Ethernet frames; "
	       "capture on an Ethernet interface (not \"any\"), or rewrite the link layer "
	       "(tcprewrite --dlt=enet)",
	       source->file.name, name ? name : "unknown", dlt,
	       text ? text : "not known to libpcap");
	return -EPROTOTYPE;
}

/* Finds out before the run what can be found out: kind, link type, a first packet. */
static int check_first(struct pcap_source *source, struct pcap_reader *reader)
{
	int err;

	if (pcap_datalink(reader->pcap) != DLT_EN10MB)
		return not_ethernet(source, pcap_datalink(reader->pcap));
	reader->base.source = &source->base;
	err = fetch(reader);
	if (err)
		return err < 0 ? err : 0;
	pr_err("cannot use %s: there is no packet in it; check the capture filter",
	       source->file.name);
	return -ENODATA;
}

static int check(struct pcap_source *source)
{
	char errbuf[PCAP_ERRBUF_SIZE] = "";
	struct pcap_reader *reader;
	struct stat st;
	int err;

	if (!fstat(source->file.fd, &st) && !st.st_size) {
		pr_err("cannot use %s: it is empty (0 bytes); was anything captured?",
		       source->file.name);
		return -ENODATA;
	}
	reader = reader_open(source->file.fd, errbuf);
	if (!reader) {
		err = -errno;
		pr_err("cannot use %s as a capture: %s; %s", source->file.name, errbuf,
		       hint_for(source->file.fd));
		return err;
	}
	err = check_first(source, reader);
	pcap_reader_close(&reader->base);
	return err;
}

struct xtr_source *xtr_source__open_pcap(const char *path)
{
	struct pcap_source *source;
	int err;

	source = calloc(1, sizeof(*source));
	if (!source) {
		pr_err("cannot open capture '%s': out of memory", path);
		return NULL;
	}
	source->base.ops = &pcap_ops;
	err = xtr_seekable__open(&source->file, path, "capture", "pcap or pcapng file");
	if (!err)
		err = check(source);
	if (err) {
		pcap_source_free(&source->base);
		errno = -err;
		return NULL;
	}
	return &source->base;
}
