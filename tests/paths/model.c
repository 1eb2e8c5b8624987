// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <string.h>
#include <linux/bpf.h>

#include "model.h"

#define ETH_HLEN 14

int pkt_adjust_head(struct pkt *p, int delta)
{
	int start = (int)p->start + delta, end = p->start + p->len;

	if (start < (int)(PKT_FRAME + p->meta_len) || start > end - ETH_HLEN)
		return -1;
	if (p->meta_len)
		memmove(p->buf + start - p->meta_len, p->buf + p->start - p->meta_len, p->meta_len);
	p->start = start;
	p->len = end - start;
	return 0;
}

/* What the tail may grow by: to the end of the last buffer. */
static int tail_room(const struct pkt *p)
{
	int room = PKT_HEADROOM + PKT_LINEAR_END - (int)(p->start + p->len);

	while (room < 0)
		room += PKT_FRAG;
	return room;
}

int pkt_adjust_tail(struct pkt *p, int delta)
{
	int len = (int)p->len + delta;

	if (len < ETH_HLEN)
		return -1;
	if (delta > 0) {
		p->grew = true;
		if (p->deny_growth || delta > tail_room(p))
			return -1;
		memset(pkt_data(p) + p->len, 0, delta);
	}
	p->len = len;
	return 0;
}

int pkt_adjust_meta(struct pkt *p, int delta)
{
	int meta_len = (int)p->meta_len - delta;

	if ((int)p->start - meta_len < PKT_FRAME || meta_len < 0)
		return -1;
	if ((meta_len & 3) || meta_len > (int)p->meta_max)
		return -1;
	p->meta_len = meta_len;
	return 0;
}

__u8 *pkt_at(struct pkt *p, __u32 off, __u32 len)
{
	return off + len > p->len ? NULL : pkt_data(p) + off;
}

void pkt_fill_head(struct pkt *p, __u32 len, __u8 first)
{
	__u32 i;

	for (i = 0; i < len && i < p->len; i++)
		pkt_data(p)[i] = first + i;
}

__u16 csum(const void *data, __u32 len, __u32 sum)
{
	const __u8 *p = data;
	__u32 i;

	for (i = 0; i + 1 < len; i += 2)
		sum += p[i] << 8 | p[i + 1];
	if (len & 1)
		sum += p[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

__u32 reflect(const struct env *env, struct pkt *pkt)
{
	__u8 tmp[6], *p = pkt_data(pkt);

	(void)env;
	memcpy(tmp, p, 6);
	memcpy(p, p + 6, 6);
	memcpy(p + 6, tmp, 6);
	return XDP_TX;
}
