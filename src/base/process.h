/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process as a whole has: a file with its number, and a limit of descriptors. */
#ifndef PITH_BASE_PROCESS_H
#define PITH_BASE_PROCESS_H

#include <stddef.h>

/* Writes the process's number. 0, or ERR_SYS and a sentence in err. */
int process_write_pidfile(const char *path, char *err, size_t cap);
/* As many descriptors as the hard limit allows. */
void process_raise_files(void);

#endif
