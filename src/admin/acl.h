/* SPDX-License-Identifier: BSD-3-Clause */
/* Users of the RESP port: who may come in, and what each may do. Redis's ACLs, rule for rule, but selectors.
 *
 * Key patterns are matched against the key as operators see it (DESIGN §5), canonical and without case, however a command wrote it.
 * Stricter than Redis in one thing: commands that reach keys which no argument names (DNS.PURGE, FLUSHALL, DNS.RESOLVE …) want a user
 * with all keys, and KEYS, SCAN and RANDOMKEY show a user only the keys that he may read. So a tenant sees his own zone and nothing else.
 * Thread: the admin thread's own. */
#ifndef PITH_ADMIN_ACL_H
#define PITH_ADMIN_ACL_H

#include "resp/resp.h"

struct acl_users;
struct acl_user;
struct admin;
struct conf;

/* The users: the default one, and those of the configuration's `user` lines or its aclfile. NULL: err says why. */
struct acl_users *acl_users_new(const struct conf *c, char *err, size_t cap);
void acl_users_free(struct acl_users *a);
/* requirepass has changed: it is the default user's password. False: no memory. */
bool acl_set_default_password(struct acl_users *a, const char *password);

const struct acl_user *acl_default(const struct acl_users *a);
const struct acl_user *acl_find(const struct acl_users *a, const char *name, size_t len);
const char *acl_name(const struct acl_user *u);
/* Anybody may be him: on, and without a password. */
bool acl_is_open(const struct acl_user *u);
bool acl_has_no_password(const struct acl_user *u);
/* Is he on, and is this one of his passwords? In a time that does not tell how nearly it was. */
bool acl_accepts(const struct acl_user *u, const struct resp_arg *password);

/* ---- what is allowed ---- */

enum acl_verdict { ACL_OK, ACL_NO_COMMAND, ACL_NO_KEY, ACL_NO_CHANNEL };
/* object: the argument that was refused, NULL when no single one was. */
enum acl_verdict acl_check(const struct admin *a, const struct acl_user *u, const struct resp_command *c, unsigned argc,
			   const struct resp_arg *argv, const struct resp_arg **object);
/* May he read every key there is? */
bool acl_reads_all(const struct acl_user *u);
/* May he read this key, given as canonical text? */
bool acl_reads(const struct acl_user *u, const char *key, size_t len);

/* ---- changing and showing ---- */

/* Applies n rules to the user (made when there is none), all or none: 0; ERR_BAD, ERR_NOMEM: err names the rule. */
int acl_set_user(struct acl_users *a, const char *name, size_t len, unsigned n, const struct resp_arg *rules, char *err, size_t cap);
/* True when there was such a user. Whoever uses him must have let go of him. */
bool acl_del_user(struct acl_users *a, const char *name, size_t len);
/* In the order of their names. */
const struct acl_user *acl_first(const struct acl_users *a);
const struct acl_user *acl_next(const struct acl_user *u);
/* "user name on #… ~* &* +@all" into t. */
void acl_describe(const struct acl_user *u, struct resp_out *t);
/* The reply of ACL GETUSER. */
void acl_reply(const struct acl_user *u, struct resp_out *o);

/* ---- acl_file.c ---- */

/* All users from the file: a set of their own. NULL: err says why, and in which line. */
struct acl_users *acl_load(const struct conf *c, char *err, size_t cap);
/* Writes all users into aclfile: by a temporary file, fsync, rename. 0, or ERR_SYS and err says why. */
int acl_save(const struct acl_users *a, const char *path, char *err, size_t cap);

/* ---- cmd_acl.c ---- */

struct acl_log;
/* A client was refused: for ACL LOG. object: what. */
void acl_log_add(struct admin *a, struct resp_client *c, enum acl_verdict why, const char *object, size_t len);
/* A login failed. */
void acl_log_auth(struct admin *a, struct resp_client *c, const char *user, size_t len, const char *command);
void acl_log_free(struct admin *a);

#endif
