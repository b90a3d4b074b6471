/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a command beyond how to call it: what COMMAND tells, from commands/<name>.json through utils/gen-commands.
 *
 * struct resp_command.docs points to one of these. All of it is constant. */
#ifndef PITH_ADMIN_COMMANDS_H
#define PITH_ADMIN_COMMANDS_H

#include <stdint.h>

#include "resp/resp.h"

enum command_acl {
	ACL_KEYSPACE = 1 << 0, ACL_READ = 1 << 1, ACL_WRITE = 1 << 2, ACL_STRING = 1 << 3, ACL_DNS = 1 << 4, ACL_ADMIN = 1 << 5,
	ACL_FAST = 1 << 6, ACL_SLOW = 1 << 7, ACL_BLOCKING = 1 << 8, ACL_DANGEROUS = 1 << 9, ACL_CONNECTION = 1 << 10,
	ACL_PUBSUB = 1 << 11,
};

enum command_arg_flags { ARG_OPTIONAL = 1, ARG_MULTIPLE = 2, ARG_MULTIPLE_TOKEN = 4 };

struct command_arg {
	const char *name, *type, *token, *display; /* token, display: NULL when there is none */
	uint8_t flags;
	int8_t key_spec;                           /* -1: no key */
	uint8_t n_args;
	const struct command_arg *args;
};

enum command_key_flags {
	KEY_RO = 1 << 0, KEY_RW = 1 << 1, KEY_OW = 1 << 2, KEY_RM = 1 << 3, KEY_ACCESS = 1 << 4, KEY_UPDATE = 1 << 5, KEY_INSERT = 1 << 6,
	KEY_DELETE = 1 << 7,
};

struct command_key_spec {
	uint16_t flags;
	int8_t pos, last, step, limit; /* last: relative to the first; negative: from the end */
};

struct command_docs {
	const char *summary, *since, *group, *complexity;
	uint32_t acl;
	uint8_t n_args, n_keys, n_tips;
	const struct command_arg *args;
	const struct command_key_spec *keys;
	const char *const *tips;
};

#endif
