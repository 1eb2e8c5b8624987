// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Small files that are needed whole: objects and map dumps. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "log.h"

#define MAX_SIZE (1UL << 30)

static int read_stream(FILE *stream, char **data, size_t *size)
{
	size_t room = 0, used = 0;
	char *buf = NULL, *bigger;

	errno = 0;
	do {
		room = room ? 2 * room : 64 * 1024;
		if (room > MAX_SIZE) {
			free(buf);
			return -EFBIG;
		}
		bigger = realloc(buf, room);
		if (!bigger) {
			free(buf);
			return -ENOMEM;
		}
		buf = bigger;
		used += fread(buf + used, 1, room - used - 1, stream);
	} while (used == room - 1);
	if (ferror(stream)) {
		int err = errno ? -errno : -EIO;

		free(buf);
		return err;
	}
	buf[used] = '\0';
	*data = buf;
	*size = used;
	return 0;
}

static bool is_device(FILE *stream)
{
	struct stat st;

	return !fstat(fileno(stream), &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

int xtr_file__read(const char *path, char **data, size_t *size)
{
	FILE *stream;
	int err;

	errno = 0;
	stream = fopen(path, "re");
	if (!stream) {
		err = errno ? -errno : -ENOMEM;
		pr_err("%s: cannot open it: %s", path, strerror(-err));
		return err;
	}
	/* A device may have no end. */
	if (is_device(stream))
		err = -EINVAL;
	else
		err = read_stream(stream, data, size);
	if (err)
		pr_err("%s: cannot read it: %s", path,
		       err == -EINVAL ? "it is a device" : strerror(-err));
	fclose(stream);
	return err;
}
