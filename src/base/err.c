/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the words for enum err. */
#include "base/err.h"

const char *err_text(int err)
{
	switch (err) {
	case ERR_OK: return "no error";
	case ERR_NOMEM: return "no memory";
	case ERR_BAD: return "malformed";
	case ERR_SPACE: return "too long for its buffer";
	case ERR_RANGE: return "out of range";
	case ERR_UNKNOWN: return "unknown";
	case ERR_SYS: return "system error";
	case ERR_BUSY: return "too many at once";
	case ERR_TIMEOUT: return "timed out";
	case ERR_REFUSED: return "refused";
	default: return "error";
	}
}
