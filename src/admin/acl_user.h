/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of ACLs share: a user's own fields. */
#ifndef PITH_ADMIN_ACL_USER_H
#define PITH_ADMIN_ACL_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admin/acl.h"

enum acl_access { ACL_KEY_READ = 1, ACL_KEY_WRITE = 2 };

struct acl_text {
	char *p;
	size_t len;
	unsigned access;  /* of a key pattern */
};

struct acl_texts {
	struct acl_text *at;
	unsigned n;
};

struct acl_user {
	struct acl_user *next;
	char *name;
	bool on, nopass, all_keys, all_channels;
	uint8_t *allowed;            /* a bit for each command's id */
	struct acl_texts passwords;  /* SHA-256 in hex */
	struct acl_texts keys, channels;
	struct acl_texts rules;      /* on commands, in their order; none is -@all */
};

struct acl_users {
	struct acl_user *first;
};

/* Only the default user, as requirepass says. */
struct acl_users *acl_users_new_plain(const struct conf *c, char *err, size_t cap);
/* A category's bit, ACL_ALL for "all", 0 when there is none of that name. */
enum { ACL_ALL = 1 << 30 };
uint32_t acl_category(const struct resp_arg *name);

#endif
