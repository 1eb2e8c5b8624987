// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metadata, out and in. TX when all went well, ABORTED when the kernel refused
 * the size.
 */
#include "cases.h"

const volatile __u32 meta_size = 4;

static __always_inline int set_meta(struct xdp_md *ctx, __u32 size)
{
	void *end;
	__u8 *pos;
	__u32 i;

	if (bpf_xdp_adjust_meta(ctx, -(int)size))
		return XDP_ABORTED;

	end = (void *)(long)ctx->data;
	pos = (void *)(long)ctx->data_meta;
	for (i = 0; i < 256; i++) {
		if (i >= size || (void *)(pos + i + 1) > end)
			break;
		pos[i] = 0xc0 + i;
	}
	return XDP_TX;
}

#define SET_META(name, size)                \
	SEC("xdp")                          \
	int name(struct xdp_md *ctx)        \
	{                                   \
		return set_meta(ctx, size); \
	}

SET_META(meta_set_4, 4)
SET_META(meta_set_8, 8)
SET_META(meta_set_16, 16)
SET_META(meta_set_32, 32)
SET_META(meta_set_rodata, meta_size)
/* Not a multiple of 4: refused everywhere. */
SET_META(meta_set_6, 6)

/* Put the length and the first four bytes of the metadata that came with the
 * packet into its payload.
 */
SEC("xdp")
int meta_read(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	__u32 *meta = (void *)(long)ctx->data_meta;
	__u32 *out = pkt_args(ctx, 2 * sizeof(*out));

	if (!out)
		return XDP_PASS;
	out[0] = data - (void *)meta;
	if ((void *)(meta + 1) <= data)
		out[1] = *meta;
	return XDP_TX;
}

/* Take four bytes of metadata away, from the front: none left is an error. */
SEC("xdp")
int meta_shrink_4(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_meta(ctx, 4) ? XDP_ABORTED : XDP_TX;
}

/* The kernel moves the metadata along with the head. */
SEC("xdp")
int meta_then_push_4(struct xdp_md *ctx)
{
	int ret = set_meta(ctx, 8);

	if (ret != XDP_TX)
		return ret;
	if (bpf_xdp_adjust_head(ctx, -4))
		return XDP_DROP;
	fill_head(ctx, 4, 0xa0);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";
