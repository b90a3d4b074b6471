/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that holds the process's number: what init scripts and operators read. Whoever wrote it removes it. */
#include "base/pidfile.h"

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"

int pidfile_write(const char *path, char *err, size_t cap)
{
	FILE *f = fopen(path, "we");
	if (f && fprintf(f, "%ld\n", (long)getpid()) > 0 && fclose(f) == 0)
		return 0;
	snprintf(err, cap, "pidfile: cannot write %s: %m", path);
	return ERR_SYS;
}
