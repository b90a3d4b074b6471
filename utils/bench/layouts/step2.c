/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 2: one list of records with two 16-bit offsets in place of three lists, and flags in bits (listed.h). */
#include "listed.h"

static struct item *make2(struct row *row, const struct item_key *key, struct source *s)
{
	return listed_make(row, key, s, false);
}

const struct layout layout_step2 = { .make = make2, .has_key = listed_has_key, .answer = listed_answer, .drop = listed_drop };
