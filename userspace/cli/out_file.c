// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "out_file.h"

struct out_file {
	char *path;
	char *temp; /* the file's name until it is complete; NULL: it has none */
	int fd; /* of a file without a name (O_TMPFILE), else -1 */
	bool in_place; /* a device, pipe or symbolic link, written to directly */
	FILE *stream;
};

int out_file__failed(const struct out_file *out, int err)
{
	cli_error("%s: cannot write it: %s", out->path, strerror(err));
	return -err;
}

static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

bool out_file__same(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) || stat(b, &y))
		return !strcmp(a, b);
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino && !S_ISCHR(x.st_mode);
}

/* The report would be in its midst. */
static bool is_stdout(const char *path)
{
	struct stat st, out;

	return !stat(path, &st) && !fstat(STDOUT_FILENO, &out) && st.st_dev == out.st_dev &&
	       st.st_ino == out.st_ino && !S_ISCHR(st.st_mode);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : slash - path);
}

/* A file that has no name yet is gone with the process, whatever ends it. */
static int open_nameless(struct out_file *out)
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
static int open_named(struct out_file *out)
{
	return open(out->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
}

static int open_file(struct out_file *out)
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

static int open_stream(struct out_file *out)
{
	int fd, err;

	fd = open_file(out);
	if (fd < 0)
		return -errno;
	out->stream = fdopen(fd, "w");
	if (out->stream)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

struct out_file *out_file__open(const char *path)
{
	struct out_file *out;
	int err = -ENOMEM;

	/* What has no name would be found out at the end. */
	if (!*path || is_stdout(path)) {
		cli_error("'%s': cannot write it: %s", path,
			  *path ? "the report goes there" : "there is no file name");
		return NULL;
	}
	out = calloc(1, sizeof(*out));
	if (!out)
		return NULL;
	out->fd = -1;
	out->path = strdup(path);
	if (!out->path || asprintf(&out->temp, "%s.%d.tmp", path, (int)getpid()) < 0) {
		out->temp = NULL;
		goto out;
	}
	out->in_place = is_special(path);
	err = open_stream(out);
out:
	if (err) {
		cli_error("%s: cannot write it: %s", path, strerror(-err));
		out_file__close(out);
		return NULL;
	}
	return out;
}

FILE *out_file__stream(const struct out_file *out)
{
	return out->stream;
}

/* Links cannot replace a file, renaming can. */
static int give_name(struct out_file *out)
{
	char self[64];

	if (out->fd >= 0) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
		if (linkat(AT_FDCWD, self, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW))
			return -errno;
	}
	return rename(out->temp, out->path) ? -errno : 0;
}

int out_file__commit(struct out_file *out)
{
	int err = 0;

	if (fflush(out->stream) || ferror(out->stream))
		err = errno ? -errno : -EIO;
	if (!err && !out->in_place)
		err = give_name(out);
	if (err)
		return out_file__failed(out, -err);
	free(out->temp);
	out->temp = NULL;
	return 0;
}

void out_file__close(struct out_file *out)
{
	if (!out)
		return;
	if (out->stream)
		fclose(out->stream);
	if (out->fd >= 0)
		close(out->fd);
	if (out->temp && !out->in_place)
		unlink(out->temp);
	free(out->temp);
	free(out->path);
	free(out);
}
