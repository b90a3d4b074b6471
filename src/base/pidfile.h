/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that holds the process's number. */
#ifndef PITH_BASE_PIDFILE_H
#define PITH_BASE_PIDFILE_H

#include <stddef.h>

/* 0, or ERR_SYS and a sentence in err. */
int pidfile_write(const char *path, char *err, size_t cap);

#endif
