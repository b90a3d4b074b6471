/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process as a whole has. Whoever wrote the pidfile removes it. */
#include "base/process.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"

int process_write_pidfile(const char *path, char *err, size_t cap)
{
	FILE *f = fopen(path, "we");
	if (f && fprintf(f, "%ld\n", (long)getpid()) > 0 && fclose(f) == 0)
		return 0;
	snprintf(err, cap, "pidfile: cannot write %s: %m", path);
	return ERR_SYS;
}

void process_raise_files(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}
