/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_SEEKABLE_H
#define XTR_SEEKABLE_H

/*
 * A file that can be read at any place and any number of times. What can be
 * read only once (a pipe) is first copied to a file without a name in TMPDIR.
 */
struct xtr_seekable {
	int fd;
	char *name; /* for messages, in quotes */
};

/*
 * @path may be "-", standard input. @what it is ("capture") and the @kind of
 * file wanted ("pcap or pcapng file") are for messages. 0 or a negative errno,
 * explained in the log.
 */
int xtr_seekable__open(struct xtr_seekable *file, const char *path, const char *what,
		       const char *kind);

void xtr_seekable__close(struct xtr_seekable *file);

#endif /* XTR_SEEKABLE_H */
