/* SPDX-License-Identifier: BSD-3-Clause */
/* Which Pith this is: --version and INFO say it. */
#ifndef PITH_BASE_VERSION_H
#define PITH_BASE_VERSION_H

#define PITH_VERSION "0.1.0"

#endif
