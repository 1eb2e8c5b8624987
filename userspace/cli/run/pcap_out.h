/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_PCAP_OUT_H
#define XTR_PCAP_OUT_H

#include <stddef.h>

#include <xdptestrun.h>

/*
 * A capture file with one record per packet, whatever its verdict. The file
 * appears under its name when all is written; a broken run leaves nothing.
 */
struct pcap_out;

/* NULL after a message. */
struct pcap_out *pcap_out__open(const char *path);

/* An xtr_outcomes_fn; @ctx is the file. A packet without bytes is an empty record. */
int pcap_out__write(void *ctx, const struct xtr_outcome *outcomes, size_t count);

/* Gives the file its name and closes it. 0 or a negative errno after a message. */
int pcap_out__commit(struct pcap_out *out);

/* Closes it; what was not committed is gone. */
void pcap_out__close(struct pcap_out *out);

#endif /* XTR_PCAP_OUT_H */
