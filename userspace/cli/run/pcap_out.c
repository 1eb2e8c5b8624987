// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Packets after the run, as a nanosecond pcap file. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "out_file.h"
#include "pcap_out.h"

#define SNAPLEN 262144
#define NSEC_PER_SEC 1000000000ULL

struct pcap_out {
	struct out_file *file;
	pcap_t *pcap;
	pcap_dumper_t *dumper; /* on a stream of its own, which it closes */
};

static int open_dumper(struct pcap_out *out)
{
	int fd = dup(fileno(out_file__stream(out->file)));
	FILE *stream;

	stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return out_file__failed(out->file, errno);
	}
	out->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
							 PCAP_TSTAMP_PRECISION_NANO);
	out->dumper = out->pcap ? pcap_dump_fopen(out->pcap, stream) : NULL;
	if (out->dumper)
		return 0;
	fclose(stream);
	return out_file__failed(out->file, ENOMEM);
}

struct pcap_out *pcap_out__open(const char *path)
{
	struct pcap_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->file = out_file__open(path);
	if (!out->file || open_dumper(out)) {
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
	if (!ferror(pcap_dump_file(out->dumper)))
		return 0;
	return out_file__failed(out->file, errno ? errno : EIO);
}

int pcap_out__commit(struct pcap_out *out)
{
	if (pcap_dump_flush(out->dumper))
		return out_file__failed(out->file, errno ? errno : EIO);
	return out_file__commit(out->file);
}

void pcap_out__close(struct pcap_out *out)
{
	if (!out)
		return;
	if (out->dumper)
		pcap_dump_close(out->dumper);
	if (out->pcap)
		pcap_close(out->pcap);
	out_file__close(out->file);
	free(out);
}
