// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Small files that are needed whole: objects and map dumps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "log.h"

static int read_stream(FILE *stream, char **data, size_t *size)
{
	size_t room = 0, used = 0;
	char *buf = NULL, *bigger;

	do {
		room = room ? 2 * room : 64 * 1024;
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
	errno = 0;
	err = read_stream(stream, data, size);
	if (err)
		pr_err("%s: cannot read it: %s", path, strerror(-err));
	fclose(stream);
	return err;
}
