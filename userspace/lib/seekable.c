// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "seekable.h"

/* An unlinked file on disk (a memfd would hold the whole set in memory). */
static int open_spool(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		/* Not every file system has O_TMPFILE. */
		snprintf(name, sizeof(name), "%s/xdp-testrun-XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	if (fd < 0) {
		fd = -errno;
		pr_err("cannot make a temporary file in %s: %s; set TMPDIR to a directory with "
		       "room for the packets",
		       dir, strerror(-fd));
	}
	return fd;
}

static int write_all(int fd, const char *buf, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, buf, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		buf += n;
		len -= n;
	}
	return 0;
}

static int copy_all(int from, int to, const char *name)
{
	char buf[65536];
	ssize_t n;
	int err;

	for (;;) {
		n = read(from, buf, sizeof(buf));
		if (!n)
			return 0;
		if (n < 0) {
			err = -errno;
			pr_err("cannot read %s: %s", name, strerror(-err));
			return err;
		}
		err = write_all(to, buf, n);
		if (err) {
			pr_err("cannot spool %s: %s; set TMPDIR to a directory with room for the "
			       "packets",
			       name, strerror(-err));
			return err;
		}
	}
}

/* Replaces a file that can be read only once by a copy. */
static int spool(struct xtr_seekable *file)
{
	int fd, err;

	fd = open_spool();
	if (fd < 0)
		return fd;
	err = copy_all(file->fd, fd, file->name);
	if (!err && lseek(fd, 0, SEEK_SET))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	close(file->fd);
	file->fd = fd;
	return 0;
}

static int open_file(struct xtr_seekable *file, const char *path, const char *what)
{
	int err;

	if (strcmp(path, "-")) {
		file->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (asprintf(&file->name, "'%s'", path) < 0)
			file->name = NULL;
	} else {
		file->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		file->name = strdup("standard input");
	}
	if (file->fd < 0) {
		err = -errno;
		pr_err("cannot open %s '%s': %s; %s", what, path, strerror(-err),
		       strcmp(path, "-") ? "check the path and its permissions"
					 : "standard input is closed: name a file or pipe one in");
		return err;
	}
	if (!file->name) {
		pr_err("cannot open %s '%s': out of memory", what, path);
		return -ENOMEM;
	}
	return 0;
}

/* Sees to it that @file is a regular file, to be read from its start. */
static int make_seekable(struct xtr_seekable *file, const char *kind)
{
	struct stat st;

	if (fstat(file->fd, &st)) {
		pr_err("cannot examine %s: %s", file->name, strerror(errno));
		return -errno;
	}
	if (S_ISDIR(st.st_mode)) {
		pr_err("cannot read %s: it is a directory; name a %s in it", file->name, kind);
		return -EISDIR;
	}
	if (S_ISREG(st.st_mode) && lseek(file->fd, 0, SEEK_CUR) == 0)
		return 0;
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) {
		pr_err("cannot read %s: it is a device; name or pipe in a %s", file->name, kind);
		return -EBADMSG;
	}
	return spool(file);
}

int xtr_seekable__open(struct xtr_seekable *file, const char *path, const char *what,
		       const char *kind)
{
	int err;

	*file = (struct xtr_seekable){ .fd = -1 };
	err = open_file(file, path, what);
	if (!err)
		err = make_seekable(file, kind);
	if (err)
		xtr_seekable__close(file);
	return err;
}

void xtr_seekable__close(struct xtr_seekable *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->name);
	*file = (struct xtr_seekable){ .fd = -1 };
}
