/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by utils/gen-commands from src/admin/commands/: change the JSON there, and run it. */
#include "admin/commands_table.h"

#include <stddef.h>

static const struct command_arg args_acl_cat[] = {
	{ "category", "string", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_acl_cat = { "Lists the categories of commands, or the commands of one.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 1, 0, 0, args_acl_cat, NULL, NULL };
static const struct command_arg args_acl_deluser[] = {
	{ "username", "string", NULL, NULL, ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_acl_deluser = { "Removes users, and closes their connections.", "0.1.0", "server", "O(N) where N is the number of connections",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_acl_deluser, NULL, NULL };
static const struct command_arg args_acl_dryrun[] = {
	{ "username", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "command", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "arg", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_acl_dryrun = { "Says whether a user might run a command, without running it.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 3, 0, 0, args_acl_dryrun, NULL, NULL };
static const struct command_arg args_acl_genpass[] = {
	{ "bits", "integer", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_acl_genpass = { "Makes a random password.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 1, 0, 0, args_acl_genpass, NULL, NULL };
static const struct command_arg args_acl_getuser[] = {
	{ "username", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_acl_getuser = { "Shows the rules of a user.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_acl_getuser, NULL, NULL };
static const struct command_docs docs_acl_help = { "Says what the subcommands are.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_acl_list = { "Shows all users as lines of an ACL file.", "0.1.0", "server", "O(N) where N is the number of users",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_acl_load = { "Reads the users anew from the ACL file.", "0.1.0", "server", "O(N) where N is the number of users",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_acl_log_0[] = {
	{ "count", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "reset", "pure-token", "RESET", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_acl_log[] = {
	{ "operation", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_acl_log_0 },
};
static const struct command_docs docs_acl_log = { "Shows what was refused to whom, newest first, or forgets it.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_acl_log, NULL, NULL };
static const struct command_docs docs_acl_save = { "Writes the users into the ACL file.", "0.1.0", "server", "O(N) where N is the number of users",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_acl_setuser[] = {
	{ "username", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "rule", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_acl_setuser = { "Makes or changes a user.", "0.1.0", "server", "O(N) where N is the number of rules",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 2, 0, 0, args_acl_setuser, NULL, NULL };
static const struct command_docs docs_acl_users = { "Lists the names of all users.", "0.1.0", "server", "O(N) where N is the number of users",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_acl_whoami = { "Says who this connection has come in as.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_acl = { "A container for commands about users and what they may do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_acl[] = {
	{ "cat", "acl|cat", cmd_acl_cat, -2, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 0, NULL, 0, &docs_acl_cat },
	{ "deluser", "acl|deluser", cmd_acl_deluser, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 1, NULL, 0, &docs_acl_deluser },
	{ "dryrun", "acl|dryrun", cmd_acl_dryrun, -4, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 2, NULL, 0, &docs_acl_dryrun },
	{ "genpass", "acl|genpass", cmd_acl_genpass, -2, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 3, NULL, 0, &docs_acl_genpass },
	{ "getuser", "acl|getuser", cmd_acl_getuser, 3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 4, NULL, 0, &docs_acl_getuser },
	{ "help", "acl|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 5, NULL, 0, &docs_acl_help },
	{ "list", "acl|list", cmd_acl_list, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 6, NULL, 0, &docs_acl_list },
	{ "load", "acl|load", cmd_acl_load, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 7, NULL, 0, &docs_acl_load },
	{ "log", "acl|log", cmd_acl_log, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 8, NULL, 0, &docs_acl_log },
	{ "save", "acl|save", cmd_acl_save, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 9, NULL, 0, &docs_acl_save },
	{ "setuser", "acl|setuser", cmd_acl_setuser, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_SENSITIVE, 10, NULL, 0, &docs_acl_setuser },
	{ "users", "acl|users", cmd_acl_users, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 11, NULL, 0, &docs_acl_users },
	{ "whoami", "acl|whoami", cmd_acl_whoami, 2, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 12, NULL, 0, &docs_acl_whoami },
};
static const struct command_arg args_auth[] = {
	{ "username", "string", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "password", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_auth = { "Authenticates the connection.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 2, 0, 0, args_auth, NULL, NULL };
static const struct command_arg args_bgsave[] = {
	{ "schedule", "pure-token", "SCHEDULE", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_bgsave = { "Saves a snapshot in the background.", "0.1.0", "server", "O(N) where N is the number of entries",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_bgsave, NULL, NULL };
static const struct command_arg args_client_caching_0[] = {
	{ "yes", "pure-token", "YES", NULL, 0, -1, 0, NULL },
	{ "no", "pure-token", "NO", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_caching[] = {
	{ "mode", "oneof", NULL, NULL, 0, -1, 2, args_client_caching_0 },
};
static const struct command_docs docs_client_caching = { "Refused: keys that were read are not tracked.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_client_caching, NULL, NULL };
static const struct command_docs docs_client_getname = { "Returns this connection's name.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_client_getredir = { "Says that tracking is off, by -1.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_client_help = { "Shows what CLIENT can do.", "0.1.0", "connection", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_client_id = { "Returns this connection's number, never used twice.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const char *const tips_client_info[] = { "nondeterministic_output" };
static const struct command_docs docs_client_info = { "Describes this connection as CLIENT LIST would.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 1, NULL, NULL, tips_client_info };
static const struct command_arg args_client_kill_0_1_1[] = {
	{ "normal", "pure-token", "NORMAL", NULL, 0, -1, 0, NULL },
	{ "master", "pure-token", "MASTER", NULL, 0, -1, 0, NULL },
	{ "replica", "pure-token", "REPLICA", NULL, 0, -1, 0, NULL },
	{ "pubsub", "pure-token", "PUBSUB", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_kill_0_1_5[] = {
	{ "yes", "pure-token", "YES", NULL, 0, -1, 0, NULL },
	{ "no", "pure-token", "NO", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_kill_0_1[] = {
	{ "client-id", "integer", "ID", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "client-type", "oneof", "TYPE", NULL, ARG_OPTIONAL, -1, 4, args_client_kill_0_1_1 },
	{ "username", "string", "USER", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "addr", "string", "ADDR", "ip:port", ARG_OPTIONAL, -1, 0, NULL },
	{ "laddr", "string", "LADDR", "ip:port", ARG_OPTIONAL, -1, 0, NULL },
	{ "skipme", "oneof", "SKIPME", NULL, ARG_OPTIONAL, -1, 2, args_client_kill_0_1_5 },
	{ "maxage", "integer", "MAXAGE", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_arg args_client_kill_0[] = {
	{ "old-format", "string", NULL, "ip:port", 0, -1, 0, NULL },
	{ "new-format", "oneof", NULL, NULL, ARG_MULTIPLE, -1, 7, args_client_kill_0_1 },
};
static const struct command_arg args_client_kill[] = {
	{ "filter", "oneof", NULL, NULL, 0, -1, 2, args_client_kill_0 },
};
static const struct command_docs docs_client_kill = { "Closes connections, by address or by filters.", "0.1.0", "connection", "O(N) where N is the number of connections",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_client_kill, NULL, NULL };
static const struct command_arg args_client_list_0[] = {
	{ "normal", "pure-token", "NORMAL", NULL, 0, -1, 0, NULL },
	{ "master", "pure-token", "MASTER", NULL, 0, -1, 0, NULL },
	{ "replica", "pure-token", "REPLICA", NULL, 0, -1, 0, NULL },
	{ "pubsub", "pure-token", "PUBSUB", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_list[] = {
	{ "client-type", "oneof", "TYPE", NULL, ARG_OPTIONAL, -1, 4, args_client_list_0 },
	{ "client-id", "integer", "ID", NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const char *const tips_client_list[] = { "nondeterministic_output" };
static const struct command_docs docs_client_list = { "Lists connections, one a line.", "0.1.0", "connection", "O(N) where N is the number of connections",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 2, 0, 1, args_client_list, NULL, tips_client_list };
static const struct command_arg args_client_no_evict_0[] = {
	{ "on", "pure-token", "ON", NULL, 0, -1, 0, NULL },
	{ "off", "pure-token", "OFF", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_no_evict[] = {
	{ "enabled", "oneof", NULL, NULL, 0, -1, 2, args_client_no_evict_0 },
};
static const struct command_docs docs_client_no_evict = { "Marks this connection; kept and shown, as connections are never evicted here.", "0.1.0", "connection", "O(1)",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_client_no_evict, NULL, NULL };
static const struct command_arg args_client_no_touch_0[] = {
	{ "on", "pure-token", "ON", NULL, 0, -1, 0, NULL },
	{ "off", "pure-token", "OFF", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_no_touch[] = {
	{ "enabled", "oneof", NULL, NULL, 0, -1, 2, args_client_no_touch_0 },
};
static const struct command_docs docs_client_no_touch = { "Marks this connection; kept and shown, as looking at an entry never counts as a use here.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_client_no_touch, NULL, NULL };
static const struct command_arg args_client_pause_1[] = {
	{ "write", "pure-token", "WRITE", NULL, 0, -1, 0, NULL },
	{ "all", "pure-token", "ALL", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_pause[] = {
	{ "timeout", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "mode", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_client_pause_1 },
};
static const struct command_docs docs_client_pause = { "Lets commands of clients wait for a time, all of them or those that write.", "0.1.0", "connection", "O(1)",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 2, 0, 0, args_client_pause, NULL, NULL };
static const struct command_arg args_client_reply_0[] = {
	{ "on", "pure-token", "ON", NULL, 0, -1, 0, NULL },
	{ "off", "pure-token", "OFF", NULL, 0, -1, 0, NULL },
	{ "skip", "pure-token", "SKIP", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_reply[] = {
	{ "action", "oneof", NULL, NULL, 0, -1, 3, args_client_reply_0 },
};
static const struct command_docs docs_client_reply = { "Chooses whether this connection gets replies.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_client_reply, NULL, NULL };
static const struct command_arg args_client_setinfo_0[] = {
	{ "libname", "string", "LIB-NAME", NULL, 0, -1, 0, NULL },
	{ "libver", "string", "LIB-VER", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_setinfo[] = {
	{ "attr", "oneof", NULL, NULL, 0, -1, 2, args_client_setinfo_0 },
};
static const struct command_docs docs_client_setinfo = { "Says which client library this connection belongs to.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_client_setinfo, NULL, NULL };
static const struct command_arg args_client_setname[] = {
	{ "connection-name", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_client_setname = { "Names this connection.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_client_setname, NULL, NULL };
static const struct command_arg args_client_tracking_0[] = {
	{ "on", "pure-token", "ON", NULL, 0, -1, 0, NULL },
	{ "off", "pure-token", "OFF", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_tracking[] = {
	{ "status", "oneof", NULL, NULL, 0, -1, 2, args_client_tracking_0 },
	{ "option", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_client_tracking = { "Refused: keys that were read are not tracked; OFF is fine.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 2, 0, 0, args_client_tracking, NULL, NULL };
static const struct command_docs docs_client_trackinginfo = { "Says that tracking is off.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_client_unblock_1[] = {
	{ "timeout", "pure-token", "TIMEOUT", NULL, 0, -1, 0, NULL },
	{ "error", "pure-token", "ERROR", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_client_unblock[] = {
	{ "client-id", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "reason", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_client_unblock_1 },
};
static const struct command_docs docs_client_unblock = { "Wakes nobody: no command waits for keys here.", "0.1.0", "connection", "O(1)",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 2, 0, 0, args_client_unblock, NULL, NULL };
static const struct command_docs docs_client_unpause = { "Ends a pause.", "0.1.0", "connection", "O(N) where N is the number of connections",
	ACL_ADMIN | ACL_CONNECTION | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_client = { "A container for commands about connections.", "0.1.0", "connection", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_client[] = {
	{ "caching", "client|caching", cmd_client_caching, 3, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 16, NULL, 0, &docs_client_caching },
	{ "getname", "client|getname", cmd_client_getname, 2, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 17, NULL, 0, &docs_client_getname },
	{ "getredir", "client|getredir", cmd_client_getredir, 2, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 18, NULL, 0, &docs_client_getredir },
	{ "help", "client|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 19, NULL, 0, &docs_client_help },
	{ "id", "client|id", cmd_client_id, 2, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 20, NULL, 0, &docs_client_id },
	{ "info", "client|info", cmd_client_info, 2, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 21, NULL, 0, &docs_client_info },
	{ "kill", "client|kill", cmd_client_kill, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 22, NULL, 0, &docs_client_kill },
	{ "list", "client|list", cmd_client_list, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 23, NULL, 0, &docs_client_list },
	{ "no-evict", "client|no-evict", cmd_client_no_evict, 3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 24, NULL, 0, &docs_client_no_evict },
	{ "no-touch", "client|no-touch", cmd_client_no_touch, 3, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 25, NULL, 0, &docs_client_no_touch },
	{ "pause", "client|pause", cmd_client_pause, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 26, NULL, 0, &docs_client_pause },
	{ "reply", "client|reply", cmd_client_reply, 3, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 27, NULL, 0, &docs_client_reply },
	{ "setinfo", "client|setinfo", cmd_client_setinfo, 4, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 28, NULL, 0, &docs_client_setinfo },
	{ "setname", "client|setname", cmd_client_setname, 3, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 29, NULL, 0, &docs_client_setname },
	{ "tracking", "client|tracking", cmd_client_tracking, -3, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 30, NULL, 0, &docs_client_tracking },
	{ "trackinginfo", "client|trackinginfo", cmd_client_trackinginfo, 2, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 31, NULL, 0, &docs_client_trackinginfo },
	{ "unblock", "client|unblock", cmd_client_unblock, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 32, NULL, 0, &docs_client_unblock },
	{ "unpause", "client|unpause", cmd_client_unpause, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_UNPAUSE, 33, NULL, 0, &docs_client_unpause },
};
static const struct command_docs docs_cluster_help = { "Says what the subcommands are.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_cluster_info = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_cluster_keyslot[] = {
	{ "key", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_cluster_keyslot = { "Says which slot a cluster would keep a key in.", "0.1.0", "cluster", "O(N) where N is the length of the key",
	ACL_SLOW, 1, 0, 0, args_cluster_keyslot, NULL, NULL };
static const struct command_docs docs_cluster_myid = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_cluster_nodes = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_cluster_shards = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_cluster_slots = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_cluster = { "A container for commands about clusters; this server is not part of one.", "0.1.0", "cluster", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_cluster[] = {
	{ "help", "cluster|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 35, NULL, 0, &docs_cluster_help },
	{ "info", "cluster|info", cmd_no_cluster, 2, RESP_CMD_STALE, 36, NULL, 0, &docs_cluster_info },
	{ "keyslot", "cluster|keyslot", cmd_cluster_keyslot, 3, RESP_CMD_STALE, 37, NULL, 0, &docs_cluster_keyslot },
	{ "myid", "cluster|myid", cmd_no_cluster, 2, RESP_CMD_STALE, 38, NULL, 0, &docs_cluster_myid },
	{ "nodes", "cluster|nodes", cmd_no_cluster, 2, RESP_CMD_STALE, 39, NULL, 0, &docs_cluster_nodes },
	{ "shards", "cluster|shards", cmd_no_cluster, 2, RESP_CMD_STALE, 40, NULL, 0, &docs_cluster_shards },
	{ "slots", "cluster|slots", cmd_no_cluster, 2, RESP_CMD_STALE, 41, NULL, 0, &docs_cluster_slots },
};
static const struct command_docs docs_command_count = { "Returns how many commands there are.", "0.1.0", "server", "O(1)",
	ACL_CONNECTION | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_command_docs[] = {
	{ "command-name", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_command_docs = { "Returns what is known of commands in words: summary, arguments, complexity.", "0.1.0", "server", "O(N) where N is the number of commands asked for",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_command_docs, NULL, NULL };
static const struct command_arg args_command_getkeys[] = {
	{ "command", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "arg", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_command_getkeys = { "Returns which words of a command are keys.", "0.1.0", "server", "O(N) where N is the number of words",
	ACL_CONNECTION | ACL_SLOW, 2, 0, 0, args_command_getkeys, NULL, NULL };
static const struct command_arg args_command_getkeysandflags[] = {
	{ "command", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "arg", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_command_getkeysandflags = { "Returns which words of a command are keys, and what happens to each.", "0.1.0", "server", "O(N) where N is the number of words",
	ACL_CONNECTION | ACL_SLOW, 2, 0, 0, args_command_getkeysandflags, NULL, NULL };
static const struct command_docs docs_command_help = { "Shows what COMMAND can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_command_info[] = {
	{ "command-name", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_command_info = { "Returns what is known of commands in numbers: arity, flags, keys.", "0.1.0", "server", "O(N) where N is the number of commands asked for",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_command_info, NULL, NULL };
static const struct command_arg args_command_list_0[] = {
	{ "module-name", "string", "MODULE", NULL, 0, -1, 0, NULL },
	{ "category", "string", "ACLCAT", NULL, 0, -1, 0, NULL },
	{ "pattern", "pattern", "PATTERN", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_command_list[] = {
	{ "filterby", "oneof", "FILTERBY", NULL, ARG_OPTIONAL, -1, 3, args_command_list_0 },
};
static const struct command_docs docs_command_list = { "Returns the names of commands.", "0.1.0", "server", "O(N) where N is the number of commands",
	ACL_CONNECTION | ACL_SLOW, 1, 0, 0, args_command_list, NULL, NULL };
static const struct command_docs docs_command = { "Describes every command, as the table has it.", "0.1.0", "server", "Depends on subcommand.",
	ACL_CONNECTION | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_command[] = {
	{ "count", "command|count", cmd_command_count, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 43, NULL, 0, &docs_command_count },
	{ "docs", "command|docs", cmd_command_docs, -2, RESP_CMD_LOADING | RESP_CMD_STALE, 44, NULL, 0, &docs_command_docs },
	{ "getkeys", "command|getkeys", cmd_command_getkeys, -3, RESP_CMD_LOADING | RESP_CMD_STALE, 45, NULL, 0, &docs_command_getkeys },
	{ "getkeysandflags", "command|getkeysandflags", cmd_command_getkeysandflags, -3, RESP_CMD_LOADING | RESP_CMD_STALE, 46, NULL, 0, &docs_command_getkeysandflags },
	{ "help", "command|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 47, NULL, 0, &docs_command_help },
	{ "info", "command|info", cmd_command_info, -2, RESP_CMD_LOADING | RESP_CMD_STALE, 48, NULL, 0, &docs_command_info },
	{ "list", "command|list", cmd_command_list, -2, RESP_CMD_LOADING | RESP_CMD_STALE, 49, NULL, 0, &docs_command_list },
};
static const struct command_arg args_config_get[] = {
	{ "parameter", "string", NULL, NULL, ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_config_get = { "Returns options whose names match.", "0.1.0", "server", "O(N) where N is the number of options",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_config_get, NULL, NULL };
static const struct command_docs docs_config_help = { "Shows what CONFIG can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_config_resetstat = { "Lets all counters begin at 0.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_config_rewrite = { "Writes the options in force back into the configuration file.", "0.1.0", "server", "O(N) where N is the number of options",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_config_set_0[] = {
	{ "parameter", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "value", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_config_set[] = {
	{ "data", "block", NULL, NULL, ARG_MULTIPLE, -1, 2, args_config_set_0 },
};
static const struct command_docs docs_config_set = { "Changes options while the server runs, all of them or none.", "0.1.0", "server", "O(N) where N is the number of options given",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_config_set, NULL, NULL };
static const struct command_docs docs_config = { "A container for commands about the configuration.", "0.1.0", "server", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_config[] = {
	{ "get", "config|get", cmd_config_get, -3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 51, NULL, 0, &docs_config_get },
	{ "help", "config|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 52, NULL, 0, &docs_config_help },
	{ "resetstat", "config|resetstat", cmd_config_resetstat, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 53, NULL, 0, &docs_config_resetstat },
	{ "rewrite", "config|rewrite", cmd_config_rewrite, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 54, NULL, 0, &docs_config_rewrite },
	{ "set", "config|set", cmd_config_set, -4, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_SENSITIVE, 55, NULL, 0, &docs_config_set },
};
static const struct command_arg args_copy[] = {
	{ "source", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "destination", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "option", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_key_spec keys_copy[] = { { KEY_RO | KEY_ACCESS, 1, 1, 1, 0 } };
static const struct command_docs docs_copy = { "Refused: an answer belongs to its name and type.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 3, 1, 0, args_copy, keys_copy, NULL };
static const struct command_docs docs_dbsize = { "Returns how many entries the cache holds.", "0.1.0", "server", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_debug[] = {
	{ "subcommand", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "arg", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_debug = { "Moves the clock (TIME seconds) or waits (SLEEP seconds), where enable-debug-command allows it.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 2, 0, 0, args_debug, NULL, NULL };
static const struct command_arg args_del[] = {
	{ "key", "key", NULL, NULL, ARG_MULTIPLE, 0, 0, NULL },
};
static const struct command_key_spec keys_del[] = { { KEY_RM | KEY_DELETE, 1, -1, 1, 0 } };
static const struct command_docs docs_del = { "Removes entries; returns how many there were.", "0.1.0", "generic", "O(N) where N is the number of keys given",
	ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 1, 1, 0, args_del, keys_del, NULL };
static const struct command_arg args_dns_get_1[] = {
	{ "text", "pure-token", "TEXT", NULL, 0, -1, 0, NULL },
	{ "wire", "pure-token", "WIRE", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_dns_get[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "format", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_dns_get_1 },
};
static const struct command_key_spec keys_dns_get[] = { { KEY_RO | KEY_ACCESS, 1, 0, 1, 0 } };
static const struct command_docs docs_dns_get = { "Returns a cached answer as text, or as the DNS message that a client with DO=1 would get.", "0.1.0", "dns", "O(N) where N is the number of records",
	ACL_DNS | ACL_READ | ACL_SLOW, 2, 1, 0, args_dns_get, keys_dns_get, NULL };
static const struct command_arg args_dns_monitor[] = {
	{ "name", "string", "SUFFIX", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "type", "string", "TYPE", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "rcode", "string", "RCODE", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "prefix", "string", "CLIENT", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "lines", "integer", "RATE", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_dns_monitor = { "Shows the questions of DNS clients and what became of them.", "0.1.0", "dns", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_DNS | ACL_SLOW, 5, 0, 0, args_dns_monitor, NULL, NULL };
static const struct command_arg args_dns_purge[] = {
	{ "name", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "subtree", "pure-token", "SUBTREE", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "type", "string", "TYPE", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_dns_purge = { "Removes every entry of a name, or of all names at and below it; returns how many there were.", "0.1.0", "dns", "O(N) where N is the number of entries, in slices",
	ACL_DNS | ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 3, 0, 0, args_dns_purge, NULL, NULL };
static const struct command_arg args_dns_resolve[] = {
	{ "name", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "type", "string", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const char *const tips_dns_resolve[] = { "nondeterministic_output" };
static const struct command_docs docs_dns_resolve = { "Asks as a DNS client would, and returns the answer as text.", "0.1.0", "dns", "O(1)",
	ACL_BLOCKING | ACL_DNS | ACL_SLOW | ACL_WRITE, 2, 0, 1, args_dns_resolve, NULL, tips_dns_resolve };
static const struct command_arg args_dns_set[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "ttl", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "rdata", "string", NULL, NULL, ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_key_spec keys_dns_set[] = { { KEY_OW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_dns_set = { "Stores one RRset, each record's data in zone text.", "0.1.0", "dns", "O(N) where N is the number of records",
	ACL_DNS | ACL_SLOW | ACL_WRITE, 3, 1, 0, args_dns_set, keys_dns_set, NULL };
static const struct command_arg args_dns_slowlog_get[] = {
	{ "count", "integer", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_dns_slowlog_get = { "Lists the slow answers, newest first.", "0.1.0", "dns", "O(N) where N is the number of entries",
	ACL_ADMIN | ACL_DANGEROUS | ACL_DNS | ACL_SLOW, 1, 0, 0, args_dns_slowlog_get, NULL, NULL };
static const struct command_docs docs_dns_slowlog_help = { "Says what the subcommands are.", "0.1.0", "dns", "O(1)",
	ACL_DNS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_dns_slowlog_len = { "Counts the slow answers that are kept.", "0.1.0", "dns", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_DNS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_dns_slowlog_reset = { "Forgets the slow answers.", "0.1.0", "dns", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_DNS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_dns_slowlog = { "A container for commands about answers that clients waited long for.", "0.1.0", "dns", "O(1)",
	ACL_DNS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_dns_slowlog[] = {
	{ "get", "dns.slowlog|get", cmd_dns_slowlog_get, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 66, NULL, 0, &docs_dns_slowlog_get },
	{ "help", "dns.slowlog|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 67, NULL, 0, &docs_dns_slowlog_help },
	{ "len", "dns.slowlog|len", cmd_dns_slowlog_len, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 68, NULL, 0, &docs_dns_slowlog_len },
	{ "reset", "dns.slowlog|reset", cmd_dns_slowlog_reset, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 69, NULL, 0, &docs_dns_slowlog_reset },
};
static const char *const tips_dns_upstreams[] = { "nondeterministic_output" };
static const struct command_docs docs_dns_upstreams = { "Returns the servers that questions are forwarded to, with their speed, health and figures.", "0.1.0", "dns", "O(N) where N is the number of servers times the number of workers",
	ACL_DNS | ACL_SLOW, 0, 0, 1, NULL, NULL, tips_dns_upstreams };
static const struct command_arg args_dump[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_dump[] = { { KEY_RO | KEY_ACCESS, 1, 0, 1, 0 } };
static const struct command_docs docs_dump = { "Returns an entry as bytes for RESTORE, its age with it.", "0.1.0", "generic", "O(N) where N is the size of the entry",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 1, 0, args_dump, keys_dump, NULL };
static const struct command_arg args_echo[] = {
	{ "message", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_echo = { "Returns the message.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_echo, NULL, NULL };
static const struct command_arg args_exists[] = {
	{ "key", "key", NULL, NULL, ARG_MULTIPLE, 0, 0, NULL },
};
static const struct command_key_spec keys_exists[] = { { KEY_RO, 1, -1, 1, 0 } };
static const struct command_docs docs_exists = { "Returns how many of the keys exist.", "0.1.0", "generic", "O(N) where N is the number of keys given",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 0, args_exists, keys_exists, NULL };
static const struct command_arg args_expire_2[] = {
	{ "nx", "pure-token", "NX", NULL, 0, -1, 0, NULL },
	{ "xx", "pure-token", "XX", NULL, 0, -1, 0, NULL },
	{ "gt", "pure-token", "GT", NULL, 0, -1, 0, NULL },
	{ "lt", "pure-token", "LT", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_expire[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "seconds", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "condition", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 4, args_expire_2 },
};
static const struct command_key_spec keys_expire[] = { { KEY_RW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_expire = { "Shortens a life to so many seconds from now; never lengthens it.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 3, 1, 0, args_expire, keys_expire, NULL };
static const struct command_arg args_expireat_2[] = {
	{ "nx", "pure-token", "NX", NULL, 0, -1, 0, NULL },
	{ "xx", "pure-token", "XX", NULL, 0, -1, 0, NULL },
	{ "gt", "pure-token", "GT", NULL, 0, -1, 0, NULL },
	{ "lt", "pure-token", "LT", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_expireat[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "unix-time-seconds", "unix-time", NULL, NULL, 0, -1, 0, NULL },
	{ "condition", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 4, args_expireat_2 },
};
static const struct command_key_spec keys_expireat[] = { { KEY_RW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_expireat = { "Shortens a life to end at a moment, in seconds since 1970.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 3, 1, 0, args_expireat, keys_expireat, NULL };
static const struct command_arg args_expiretime[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_expiretime[] = { { KEY_RO, 1, 0, 1, 0 } };
static const char *const tips_expiretime[] = { "nondeterministic_output" };
static const struct command_docs docs_expiretime = { "Returns when an answer ceases to be fresh, in seconds since 1970.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 1, args_expiretime, keys_expiretime, tips_expiretime };
static const struct command_arg args_flushall_0[] = {
	{ "async", "pure-token", "ASYNC", NULL, 0, -1, 0, NULL },
	{ "sync", "pure-token", "SYNC", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_flushall[] = {
	{ "flush-type", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_flushall_0 },
};
static const struct command_docs docs_flushall = { "Removes every entry.", "0.1.0", "server", "O(N) where N is the number of entries, in slices",
	ACL_DANGEROUS | ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 1, 0, 0, args_flushall, NULL, NULL };
static const struct command_arg args_flushdb_0[] = {
	{ "async", "pure-token", "ASYNC", NULL, 0, -1, 0, NULL },
	{ "sync", "pure-token", "SYNC", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_flushdb[] = {
	{ "flush-type", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_flushdb_0 },
};
static const struct command_docs docs_flushdb = { "Removes every entry.", "0.1.0", "server", "O(N) where N is the number of entries, in slices",
	ACL_DANGEROUS | ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 1, 0, 0, args_flushdb, NULL, NULL };
static const struct command_arg args_get[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_get[] = { { KEY_RO | KEY_ACCESS, 1, 0, 1, 0 } };
static const struct command_docs docs_get = { "Returns a cached answer as text: a comment line, then zone-file lines with the TTLs as they would be served now.", "0.1.0", "string", "O(N) where N is the number of records",
	ACL_FAST | ACL_READ | ACL_STRING, 1, 1, 0, args_get, keys_get, NULL };
static const struct command_arg args_hello_0_1[] = {
	{ "username", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "password", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_hello_0[] = {
	{ "protover", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "auth", "block", "AUTH", NULL, ARG_OPTIONAL, -1, 2, args_hello_0_1 },
	{ "clientname", "string", "SETNAME", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_arg args_hello[] = {
	{ "arguments", "block", NULL, NULL, ARG_OPTIONAL, -1, 3, args_hello_0 },
};
static const struct command_docs docs_hello = { "Shakes hands: chooses the protocol version, may authenticate and name the connection.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_hello, NULL, NULL };
static const struct command_arg args_info[] = {
	{ "section", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const char *const tips_info[] = { "nondeterministic_output" };
static const struct command_docs docs_info = { "Returns figures about the server, by section.", "0.1.0", "server", "O(1)",
	ACL_DANGEROUS | ACL_SLOW, 1, 0, 1, args_info, NULL, tips_info };
static const struct command_arg args_keys[] = {
	{ "pattern", "pattern", NULL, NULL, 0, -1, 0, NULL },
};
static const char *const tips_keys[] = { "nondeterministic_output_order" };
static const struct command_docs docs_keys = { "Returns every key that matches; SCAN does it a page at a time.", "0.1.0", "generic", "O(N) where N is the number of entries, in slices",
	ACL_DANGEROUS | ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 0, 1, args_keys, NULL, tips_keys };
static const struct command_docs docs_lastsave = { "Returns when the last snapshot was saved, or the start if none was.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const char *const tips_latency_doctor[] = { "nondeterministic_output" };
static const struct command_docs docs_latency_doctor = { "Says in words what the latency events tell.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 1, NULL, NULL, tips_latency_doctor };
static const struct command_arg args_latency_graph[] = {
	{ "event", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_latency_graph = { "Draws the slow commands of the last seconds that had any.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_latency_graph, NULL, NULL };
static const struct command_docs docs_latency_help = { "Shows what LATENCY can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_latency_histogram[] = {
	{ "command", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const char *const tips_latency_histogram[] = { "nondeterministic_output" };
static const struct command_docs docs_latency_histogram = { "Returns how often commands took how long, cumulated.", "0.1.0", "server", "O(N) where N is the number of commands",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 1, args_latency_histogram, NULL, tips_latency_histogram };
static const struct command_arg args_latency_history[] = {
	{ "event", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const char *const tips_latency_history[] = { "nondeterministic_output" };
static const struct command_docs docs_latency_history = { "Returns the samples of one latency event.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 1, args_latency_history, NULL, tips_latency_history };
static const char *const tips_latency_latest[] = { "nondeterministic_output" };
static const struct command_docs docs_latency_latest = { "Returns the last sample of every latency event.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 1, NULL, NULL, tips_latency_latest };
static const struct command_arg args_latency_reset[] = {
	{ "event", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_latency_reset = { "Forgets the samples of latency events.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 0, args_latency_reset, NULL, NULL };
static const struct command_docs docs_latency = { "A container for commands about how long commands take.", "0.1.0", "server", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_latency[] = {
	{ "doctor", "latency|doctor", cmd_latency_doctor, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 85, NULL, 0, &docs_latency_doctor },
	{ "graph", "latency|graph", cmd_latency_graph, 3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 86, NULL, 0, &docs_latency_graph },
	{ "help", "latency|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 87, NULL, 0, &docs_latency_help },
	{ "histogram", "latency|histogram", cmd_latency_histogram, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 88, NULL, 0, &docs_latency_histogram },
	{ "history", "latency|history", cmd_latency_history, 3, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 89, NULL, 0, &docs_latency_history },
	{ "latest", "latency|latest", cmd_latency_latest, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 90, NULL, 0, &docs_latency_latest },
	{ "reset", "latency|reset", cmd_latency_reset, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 91, NULL, 0, &docs_latency_reset },
};
static const char *const tips_memory_doctor[] = { "nondeterministic_output" };
static const struct command_docs docs_memory_doctor = { "Says in words whether memory is well.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 1, NULL, NULL, tips_memory_doctor };
static const struct command_docs docs_memory_help = { "Shows what MEMORY can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_memory_malloc_stats = { "Shows the report of the memory allocator.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_memory_purge = { "Hands unused memory back to the system.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const char *const tips_memory_stats[] = { "nondeterministic_output" };
static const struct command_docs docs_memory_stats = { "Returns where memory goes.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 1, NULL, NULL, tips_memory_stats };
static const struct command_arg args_memory_usage[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "count", "integer", "SAMPLES", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_key_spec keys_memory_usage[] = { { KEY_RO, 2, 0, 1, 0 } };
static const struct command_docs docs_memory_usage = { "Returns what an entry costs in bytes, its place in the table included.", "0.1.0", "server", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 2, 1, 0, args_memory_usage, keys_memory_usage, NULL };
static const struct command_docs docs_memory = { "A container for commands about memory.", "0.1.0", "server", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_memory[] = {
	{ "doctor", "memory|doctor", cmd_memory_doctor, 2, 0, 93, NULL, 0, &docs_memory_doctor },
	{ "help", "memory|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 94, NULL, 0, &docs_memory_help },
	{ "malloc-stats", "memory|malloc-stats", cmd_memory_malloc_stats, 2, 0, 95, NULL, 0, &docs_memory_malloc_stats },
	{ "purge", "memory|purge", cmd_memory_purge, 2, 0, 96, NULL, 0, &docs_memory_purge },
	{ "stats", "memory|stats", cmd_memory_stats, 2, 0, 97, NULL, 0, &docs_memory_stats },
	{ "usage", "memory|usage", cmd_memory_usage, -3, RESP_CMD_READONLY, 98, NULL, 0, &docs_memory_usage },
};
static const struct command_docs docs_module_help = { "Shows what MODULE can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_module_list = { "Lists modules: none.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_module = { "A container for commands about modules: there are none.", "0.1.0", "server", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_module[] = {
	{ "help", "module|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 100, NULL, 0, &docs_module_help },
	{ "list", "module|list", cmd_module_list, 2, RESP_CMD_ADMIN | RESP_CMD_NOSCRIPT, 101, NULL, 0, &docs_module_list },
};
static const struct command_docs docs_monitor = { "Shows every command of every connection as it comes.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_object_encoding[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_object_encoding[] = { { KEY_RO, 2, 0, 1, 0 } };
static const struct command_docs docs_object_encoding = { "Returns how an entry is kept: packed.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 1, 0, args_object_encoding, keys_object_encoding, NULL };
static const struct command_arg args_object_freq[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_object_freq[] = { { KEY_RO, 2, 0, 1, 0 } };
static const char *const tips_object_freq[] = { "nondeterministic_output" };
static const struct command_docs docs_object_freq = { "Returns an entry's popularity, on a logarithmic scale.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 1, 1, args_object_freq, keys_object_freq, tips_object_freq };
static const struct command_docs docs_object_help = { "Shows what OBJECT can do.", "0.1.0", "generic", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_object_idletime[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_object_idletime[] = { { KEY_RO, 2, 0, 1, 0 } };
static const char *const tips_object_idletime[] = { "nondeterministic_output" };
static const struct command_docs docs_object_idletime = { "Returns how many seconds ago an answer was stored.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 1, 1, args_object_idletime, keys_object_idletime, tips_object_idletime };
static const struct command_arg args_object_refcount[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_object_refcount[] = { { KEY_RO, 2, 0, 1, 0 } };
static const struct command_docs docs_object_refcount = { "Returns 1 for a key that exists.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 1, 1, 0, args_object_refcount, keys_object_refcount, NULL };
static const struct command_docs docs_object = { "A container for commands about what stands behind a key.", "0.1.0", "generic", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_object[] = {
	{ "encoding", "object|encoding", cmd_object_encoding, 3, RESP_CMD_READONLY, 104, NULL, 0, &docs_object_encoding },
	{ "freq", "object|freq", cmd_object_freq, 3, RESP_CMD_READONLY, 105, NULL, 0, &docs_object_freq },
	{ "help", "object|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 106, NULL, 0, &docs_object_help },
	{ "idletime", "object|idletime", cmd_object_idletime, 3, RESP_CMD_READONLY, 107, NULL, 0, &docs_object_idletime },
	{ "refcount", "object|refcount", cmd_object_refcount, 3, RESP_CMD_READONLY, 108, NULL, 0, &docs_object_refcount },
};
static const struct command_arg args_persist[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_persist[] = { { KEY_RW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_persist = { "Returns 0: an answer's life cannot be lengthened.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 1, 1, 0, args_persist, keys_persist, NULL };
static const struct command_arg args_pexpire_2[] = {
	{ "nx", "pure-token", "NX", NULL, 0, -1, 0, NULL },
	{ "xx", "pure-token", "XX", NULL, 0, -1, 0, NULL },
	{ "gt", "pure-token", "GT", NULL, 0, -1, 0, NULL },
	{ "lt", "pure-token", "LT", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_pexpire[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "milliseconds", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "condition", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 4, args_pexpire_2 },
};
static const struct command_key_spec keys_pexpire[] = { { KEY_RW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_pexpire = { "EXPIRE in milliseconds, rounded up to seconds.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 3, 1, 0, args_pexpire, keys_pexpire, NULL };
static const struct command_arg args_pexpireat_2[] = {
	{ "nx", "pure-token", "NX", NULL, 0, -1, 0, NULL },
	{ "xx", "pure-token", "XX", NULL, 0, -1, 0, NULL },
	{ "gt", "pure-token", "GT", NULL, 0, -1, 0, NULL },
	{ "lt", "pure-token", "LT", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_pexpireat[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "unix-time-milliseconds", "unix-time", NULL, NULL, 0, -1, 0, NULL },
	{ "condition", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 4, args_pexpireat_2 },
};
static const struct command_key_spec keys_pexpireat[] = { { KEY_RW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_pexpireat = { "EXPIREAT in milliseconds.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 3, 1, 0, args_pexpireat, keys_pexpireat, NULL };
static const struct command_arg args_pexpiretime[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_pexpiretime[] = { { KEY_RO, 1, 0, 1, 0 } };
static const char *const tips_pexpiretime[] = { "nondeterministic_output" };
static const struct command_docs docs_pexpiretime = { "EXPIRETIME in milliseconds.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 1, args_pexpiretime, keys_pexpiretime, tips_pexpiretime };
static const struct command_arg args_ping[] = {
	{ "message", "string", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_ping = { "Answers, to show that the server lives.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_ping, NULL, NULL };
static const struct command_arg args_psubscribe[] = {
	{ "pattern", "pattern", NULL, NULL, ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_psubscribe = { "Listens to the channels that patterns fit.", "0.1.0", "pubsub", "O(N) where N is the number of names",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_psubscribe, NULL, NULL };
static const struct command_arg args_pttl[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_pttl[] = { { KEY_RO, 1, 0, 1, 0 } };
static const char *const tips_pttl[] = { "nondeterministic_output" };
static const struct command_docs docs_pttl = { "TTL in milliseconds.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 1, args_pttl, keys_pttl, tips_pttl };
static const struct command_arg args_publish[] = {
	{ "channel", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "message", "string", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_publish = { "Sends a message to a channel; returns how many got it.", "0.1.0", "pubsub", "O(N+M) where N is the number of subscribers and M that of patterns",
	ACL_FAST | ACL_PUBSUB, 2, 0, 0, args_publish, NULL, NULL };
static const struct command_arg args_pubsub_channels[] = {
	{ "pattern", "pattern", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_pubsub_channels = { "Lists the channels that somebody listens to.", "0.1.0", "pubsub", "O(N) where N is the number of channels",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_pubsub_channels, NULL, NULL };
static const struct command_docs docs_pubsub_help = { "Says what the subcommands are.", "0.1.0", "pubsub", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_pubsub_numpat = { "Counts the patterns that somebody listens to.", "0.1.0", "pubsub", "O(1)",
	ACL_PUBSUB | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_pubsub_numsub[] = {
	{ "channel", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_pubsub_numsub = { "Counts who listens to each of these channels.", "0.1.0", "pubsub", "O(N) where N is the number of channels given",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_pubsub_numsub, NULL, NULL };
static const struct command_docs docs_pubsub = { "A container for commands about channels.", "0.1.0", "pubsub", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_pubsub[] = {
	{ "channels", "pubsub|channels", cmd_pubsub_channels, -2, RESP_CMD_LOADING | RESP_CMD_STALE, 118, NULL, 0, &docs_pubsub_channels },
	{ "help", "pubsub|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 119, NULL, 0, &docs_pubsub_help },
	{ "numpat", "pubsub|numpat", cmd_pubsub_numpat, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 120, NULL, 0, &docs_pubsub_numpat },
	{ "numsub", "pubsub|numsub", cmd_pubsub_numsub, -2, RESP_CMD_LOADING | RESP_CMD_STALE, 121, NULL, 0, &docs_pubsub_numsub },
};
static const struct command_arg args_punsubscribe[] = {
	{ "pattern", "pattern", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_punsubscribe = { "Stops listening to patterns, to all without any.", "0.1.0", "pubsub", "O(N) where N is the number of names",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_punsubscribe, NULL, NULL };
static const struct command_docs docs_quit = { "Closes the connection once its replies are written.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const char *const tips_randomkey[] = { "nondeterministic_output" };
static const struct command_docs docs_randomkey = { "Returns any one key.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 0, 0, 1, NULL, NULL, tips_randomkey };
static const struct command_docs docs_readonly = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_readwrite = { "Refused: this server is not part of a cluster.", "0.1.0", "cluster", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_rename[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "newkey", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_rename[] = { { KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 1, 1, 0 } };
static const struct command_docs docs_rename = { "Refused: an answer belongs to its name and type.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 2, 1, 0, args_rename, keys_rename, NULL };
static const struct command_arg args_renamenx[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "newkey", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_renamenx[] = { { KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 1, 1, 0 } };
static const struct command_docs docs_renamenx = { "Refused: an answer belongs to its name and type.", "0.1.0", "generic", "O(1)",
	ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 2, 1, 0, args_renamenx, keys_renamenx, NULL };
static const struct command_docs docs_reset = { "Makes the connection as it was when it was opened.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_restore[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "ttl", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "serialized-value", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "replace", "pure-token", "REPLACE", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "absttl", "pure-token", "ABSTTL", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "seconds", "integer", "IDLETIME", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "frequency", "integer", "FREQ", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_key_spec keys_restore[] = { { KEY_OW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_restore = { "Stores an entry that DUMP made, as old as it was; a TTL in milliseconds may shorten its life.", "0.1.0", "generic", "O(N) where N is the size of the entry",
	ACL_DANGEROUS | ACL_KEYSPACE | ACL_SLOW | ACL_WRITE, 7, 1, 0, args_restore, keys_restore, NULL };
static const struct command_docs docs_role = { "Returns the role in replication: always master, without replicas.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_FAST, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_save = { "Saves a snapshot; only the asking client waits for it.", "0.1.0", "server", "O(N) where N is the number of entries",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_arg args_scan[] = {
	{ "cursor", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "pattern", "pattern", "MATCH", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "count", "integer", "COUNT", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "type", "string", "TYPE", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const char *const tips_scan[] = { "nondeterministic_output" };
static const struct command_docs docs_scan = { "Goes through the keys, some at a time.", "0.1.0", "generic", "O(1) a call, O(N) for all N entries",
	ACL_KEYSPACE | ACL_READ | ACL_SLOW, 4, 0, 1, args_scan, NULL, tips_scan };
static const struct command_arg args_select[] = {
	{ "index", "integer", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_select = { "Chooses the database: 0 is the only one.", "0.1.0", "connection", "O(1)",
	ACL_CONNECTION | ACL_FAST, 1, 0, 0, args_select, NULL, NULL };
static const struct command_arg args_set[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
	{ "value", "string", NULL, NULL, 0, -1, 0, NULL },
	{ "arg", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_key_spec keys_set[] = { { KEY_OW | KEY_UPDATE, 1, 0, 1, 0 } };
static const struct command_docs docs_set = { "Refused: an answer has a type, a life and records, which DNS.SET takes.", "0.1.0", "string", "O(1)",
	ACL_SLOW | ACL_STRING | ACL_WRITE, 3, 1, 0, args_set, keys_set, NULL };
static const struct command_arg args_shutdown_0[] = {
	{ "nosave", "pure-token", "NOSAVE", NULL, 0, -1, 0, NULL },
	{ "save", "pure-token", "SAVE", NULL, 0, -1, 0, NULL },
};
static const struct command_arg args_shutdown[] = {
	{ "save-selector", "oneof", NULL, NULL, ARG_OPTIONAL, -1, 2, args_shutdown_0 },
	{ "now", "pure-token", "NOW", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "force", "pure-token", "FORCE", NULL, ARG_OPTIONAL, -1, 0, NULL },
	{ "abort", "pure-token", "ABORT", NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const struct command_docs docs_shutdown = { "Ends the server, with a snapshot if `save` is set or SAVE is given.", "0.1.0", "server", "O(N) where N is the number of entries, when saving; else O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 4, 0, 0, args_shutdown, NULL, NULL };
static const struct command_arg args_slowlog_get[] = {
	{ "count", "integer", NULL, NULL, ARG_OPTIONAL, -1, 0, NULL },
};
static const char *const tips_slowlog_get[] = { "nondeterministic_output" };
static const struct command_docs docs_slowlog_get = { "Returns the newest slow commands.", "0.1.0", "server", "O(N) where N is the number of commands returned",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 1, 0, 1, args_slowlog_get, NULL, tips_slowlog_get };
static const struct command_docs docs_slowlog_help = { "Shows what SLOWLOG can do.", "0.1.0", "server", "O(1)",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_slowlog_len = { "Returns how many commands the slow log holds.", "0.1.0", "server", "O(1)",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_slowlog_reset = { "Empties the slow log.", "0.1.0", "server", "O(N) where N is the number of commands in it",
	ACL_ADMIN | ACL_DANGEROUS | ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct command_docs docs_slowlog = { "A container for commands about the slow log.", "0.1.0", "server", "Depends on subcommand.",
	ACL_SLOW, 0, 0, 0, NULL, NULL, NULL };
static const struct resp_command subs_slowlog[] = {
	{ "get", "slowlog|get", cmd_slowlog_get, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 138, NULL, 0, &docs_slowlog_get },
	{ "help", "slowlog|help", cmd_help, 2, RESP_CMD_LOADING | RESP_CMD_STALE, 139, NULL, 0, &docs_slowlog_help },
	{ "len", "slowlog|len", cmd_slowlog_len, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 140, NULL, 0, &docs_slowlog_len },
	{ "reset", "slowlog|reset", cmd_slowlog_reset, 2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE, 141, NULL, 0, &docs_slowlog_reset },
};
static const struct command_arg args_strlen[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_strlen[] = { { KEY_RO, 1, 0, 1, 0 } };
static const struct command_docs docs_strlen = { "Returns the length of what GET would return; 0 when there is no such key.", "0.1.0", "string", "O(N) where N is the number of records",
	ACL_FAST | ACL_READ | ACL_STRING, 1, 1, 0, args_strlen, keys_strlen, NULL };
static const struct command_arg args_subscribe[] = {
	{ "channel", "string", NULL, NULL, ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_subscribe = { "Listens to channels.", "0.1.0", "pubsub", "O(N) where N is the number of names",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_subscribe, NULL, NULL };
static const char *const tips_time[] = { "nondeterministic_output" };
static const struct command_docs docs_time = { "Returns the server's clock: seconds since 1970, and microseconds.", "0.1.0", "server", "O(1)",
	ACL_FAST, 0, 0, 1, NULL, NULL, tips_time };
static const struct command_arg args_touch[] = {
	{ "key", "key", NULL, NULL, ARG_MULTIPLE, 0, 0, NULL },
};
static const struct command_key_spec keys_touch[] = { { KEY_RO, 1, -1, 1, 0 } };
static const struct command_docs docs_touch = { "Counts a use of each entry; returns how many there are.", "0.1.0", "generic", "O(N) where N is the number of keys given",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 0, args_touch, keys_touch, NULL };
static const struct command_arg args_ttl[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_ttl[] = { { KEY_RO, 1, 0, 1, 0 } };
static const char *const tips_ttl[] = { "nondeterministic_output" };
static const struct command_docs docs_ttl = { "Returns the seconds an answer may still be served as fresh; 0 when it is kept as stale.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 1, args_ttl, keys_ttl, tips_ttl };
static const struct command_arg args_type[] = {
	{ "key", "key", NULL, NULL, 0, 0, 0, NULL },
};
static const struct command_key_spec keys_type[] = { { KEY_RO, 1, 0, 1, 0 } };
static const struct command_docs docs_type = { "Returns dns, or none.", "0.1.0", "generic", "O(1)",
	ACL_FAST | ACL_KEYSPACE | ACL_READ, 1, 1, 0, args_type, keys_type, NULL };
static const struct command_arg args_unlink[] = {
	{ "key", "key", NULL, NULL, ARG_MULTIPLE, 0, 0, NULL },
};
static const struct command_key_spec keys_unlink[] = { { KEY_RM | KEY_DELETE, 1, -1, 1, 0 } };
static const struct command_docs docs_unlink = { "Removes entries, as DEL does: memory is always given back later.", "0.1.0", "generic", "O(N) where N is the number of keys given",
	ACL_FAST | ACL_KEYSPACE | ACL_WRITE, 1, 1, 0, args_unlink, keys_unlink, NULL };
static const struct command_arg args_unsubscribe[] = {
	{ "channel", "string", NULL, NULL, ARG_OPTIONAL | ARG_MULTIPLE, -1, 0, NULL },
};
static const struct command_docs docs_unsubscribe = { "Stops listening to channels, to all without any.", "0.1.0", "pubsub", "O(N) where N is the number of names",
	ACL_PUBSUB | ACL_SLOW, 1, 0, 0, args_unsubscribe, NULL, NULL };
static const struct command_arg args_wait[] = {
	{ "numreplicas", "integer", NULL, NULL, 0, -1, 0, NULL },
	{ "timeout", "integer", NULL, NULL, 0, -1, 0, NULL },
};
static const struct command_docs docs_wait = { "Says how many replicas have it: none.", "0.1.0", "generic", "O(1)",
	ACL_BLOCKING | ACL_SLOW, 2, 0, 0, args_wait, NULL, NULL };

static const struct resp_command commands[] = {
	{ "acl", "acl", NULL, -2, 0, 13, subs_acl, 13, &docs_acl },
	{ "auth", "auth", cmd_auth, -2, RESP_CMD_NO_AUTH | RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_SENSITIVE | RESP_CMD_SKIP_SLOWLOG, 14, NULL, 0, &docs_auth },
	{ "bgsave", "bgsave", cmd_bgsave, -1, RESP_CMD_ADMIN | RESP_CMD_NOSCRIPT, 15, NULL, 0, &docs_bgsave },
	{ "client", "client", NULL, -2, 0, 34, subs_client, 18, &docs_client },
	{ "cluster", "cluster", NULL, -2, 0, 42, subs_cluster, 7, &docs_cluster },
	{ "command", "command", cmd_command, -1, RESP_CMD_LOADING | RESP_CMD_STALE, 50, subs_command, 7, &docs_command },
	{ "config", "config", NULL, -2, 0, 56, subs_config, 5, &docs_config },
	{ "copy", "copy", cmd_copy, -3, RESP_CMD_WRITE, 57, NULL, 0, &docs_copy },
	{ "dbsize", "dbsize", cmd_dbsize, 1, RESP_CMD_READONLY | RESP_CMD_FAST, 58, NULL, 0, &docs_dbsize },
	{ "debug", "debug", cmd_debug, -2, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 59, NULL, 0, &docs_debug },
	{ "del", "del", cmd_del, -2, RESP_CMD_WRITE, 60, NULL, 0, &docs_del },
	{ "dns.get", "dns.get", cmd_dns_get, -2, RESP_CMD_READONLY, 61, NULL, 0, &docs_dns_get },
	{ "dns.monitor", "dns.monitor", cmd_dns_monitor, -1, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_ALL_KEYS, 62, NULL, 0, &docs_dns_monitor },
	{ "dns.purge", "dns.purge", cmd_dns_purge, -2, RESP_CMD_WRITE | RESP_CMD_ALL_KEYS, 63, NULL, 0, &docs_dns_purge },
	{ "dns.resolve", "dns.resolve", cmd_dns_resolve, -2, RESP_CMD_WRITE | RESP_CMD_BLOCKING | RESP_CMD_ALL_KEYS, 64, NULL, 0, &docs_dns_resolve },
	{ "dns.set", "dns.set", cmd_dns_set, -4, RESP_CMD_WRITE, 65, NULL, 0, &docs_dns_set },
	{ "dns.slowlog", "dns.slowlog", NULL, -2, 0, 70, subs_dns_slowlog, 4, &docs_dns_slowlog },
	{ "dns.upstreams", "dns.upstreams", cmd_dns_upstreams, 1, 0, 71, NULL, 0, &docs_dns_upstreams },
	{ "dump", "dump", cmd_dump, 2, RESP_CMD_READONLY, 72, NULL, 0, &docs_dump },
	{ "echo", "echo", cmd_echo, 2, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 73, NULL, 0, &docs_echo },
	{ "exists", "exists", cmd_exists, -2, RESP_CMD_READONLY | RESP_CMD_FAST, 74, NULL, 0, &docs_exists },
	{ "expire", "expire", cmd_expire, -3, RESP_CMD_WRITE | RESP_CMD_FAST, 75, NULL, 0, &docs_expire },
	{ "expireat", "expireat", cmd_expireat, -3, RESP_CMD_WRITE | RESP_CMD_FAST, 76, NULL, 0, &docs_expireat },
	{ "expiretime", "expiretime", cmd_expiretime, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 77, NULL, 0, &docs_expiretime },
	{ "flushall", "flushall", cmd_flushall, -1, RESP_CMD_WRITE | RESP_CMD_ALL_KEYS, 78, NULL, 0, &docs_flushall },
	{ "flushdb", "flushdb", cmd_flushall, -1, RESP_CMD_WRITE | RESP_CMD_ALL_KEYS, 79, NULL, 0, &docs_flushdb },
	{ "get", "get", cmd_get, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 80, NULL, 0, &docs_get },
	{ "hello", "hello", cmd_hello, -1, RESP_CMD_NO_AUTH | RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_SENSITIVE, 81, NULL, 0, &docs_hello },
	{ "info", "info", cmd_info, -1, RESP_CMD_LOADING | RESP_CMD_STALE, 82, NULL, 0, &docs_info },
	{ "keys", "keys", cmd_keys, 2, RESP_CMD_READONLY, 83, NULL, 0, &docs_keys },
	{ "lastsave", "lastsave", cmd_lastsave, 1, RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_FAST, 84, NULL, 0, &docs_lastsave },
	{ "latency", "latency", NULL, -2, 0, 92, subs_latency, 7, &docs_latency },
	{ "memory", "memory", NULL, -2, 0, 99, subs_memory, 6, &docs_memory },
	{ "module", "module", NULL, -2, 0, 102, subs_module, 2, &docs_module },
	{ "monitor", "monitor", cmd_monitor, 1, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_ALL_KEYS, 103, NULL, 0, &docs_monitor },
	{ "object", "object", NULL, -2, 0, 109, subs_object, 5, &docs_object },
	{ "persist", "persist", cmd_persist, 2, RESP_CMD_WRITE | RESP_CMD_FAST, 110, NULL, 0, &docs_persist },
	{ "pexpire", "pexpire", cmd_pexpire, -3, RESP_CMD_WRITE | RESP_CMD_FAST, 111, NULL, 0, &docs_pexpire },
	{ "pexpireat", "pexpireat", cmd_pexpireat, -3, RESP_CMD_WRITE | RESP_CMD_FAST, 112, NULL, 0, &docs_pexpireat },
	{ "pexpiretime", "pexpiretime", cmd_pexpiretime, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 113, NULL, 0, &docs_pexpiretime },
	{ "ping", "ping", cmd_ping, -1, RESP_CMD_FAST | RESP_CMD_PUBSUB, 114, NULL, 0, &docs_ping },
	{ "psubscribe", "psubscribe", cmd_psubscribe, -2, RESP_CMD_PUBSUB | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 115, NULL, 0, &docs_psubscribe },
	{ "pttl", "pttl", cmd_pttl, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 116, NULL, 0, &docs_pttl },
	{ "publish", "publish", cmd_publish, 3, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 117, NULL, 0, &docs_publish },
	{ "pubsub", "pubsub", NULL, -2, 0, 122, subs_pubsub, 4, &docs_pubsub },
	{ "punsubscribe", "punsubscribe", cmd_punsubscribe, -1, RESP_CMD_PUBSUB | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 123, NULL, 0, &docs_punsubscribe },
	{ "quit", "quit", cmd_quit, -1, RESP_CMD_NO_AUTH | RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_PUBSUB, 124, NULL, 0, &docs_quit },
	{ "randomkey", "randomkey", cmd_randomkey, 1, RESP_CMD_READONLY, 125, NULL, 0, &docs_randomkey },
	{ "readonly", "readonly", cmd_no_cluster, 1, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 126, NULL, 0, &docs_readonly },
	{ "readwrite", "readwrite", cmd_no_cluster, 1, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 127, NULL, 0, &docs_readwrite },
	{ "rename", "rename", cmd_copy, 3, RESP_CMD_WRITE, 128, NULL, 0, &docs_rename },
	{ "renamenx", "renamenx", cmd_copy, 3, RESP_CMD_WRITE, 129, NULL, 0, &docs_renamenx },
	{ "reset", "reset", cmd_reset, 1, RESP_CMD_NO_AUTH | RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT | RESP_CMD_PUBSUB, 130, NULL, 0, &docs_reset },
	{ "restore", "restore", cmd_restore, -4, RESP_CMD_WRITE, 131, NULL, 0, &docs_restore },
	{ "role", "role", cmd_role, 1, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 132, NULL, 0, &docs_role },
	{ "save", "save", cmd_save, 1, RESP_CMD_ADMIN | RESP_CMD_NOSCRIPT, 133, NULL, 0, &docs_save },
	{ "scan", "scan", cmd_scan, -2, RESP_CMD_READONLY, 134, NULL, 0, &docs_scan },
	{ "select", "select", cmd_select, 2, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 135, NULL, 0, &docs_select },
	{ "set", "set", cmd_set, -3, RESP_CMD_WRITE, 136, NULL, 0, &docs_set },
	{ "shutdown", "shutdown", cmd_shutdown, -1, RESP_CMD_ADMIN | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 137, NULL, 0, &docs_shutdown },
	{ "slowlog", "slowlog", NULL, -2, 0, 142, subs_slowlog, 4, &docs_slowlog },
	{ "strlen", "strlen", cmd_strlen, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 143, NULL, 0, &docs_strlen },
	{ "subscribe", "subscribe", cmd_subscribe, -2, RESP_CMD_PUBSUB | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 144, NULL, 0, &docs_subscribe },
	{ "time", "time", cmd_time, 1, RESP_CMD_FAST | RESP_CMD_LOADING | RESP_CMD_STALE, 145, NULL, 0, &docs_time },
	{ "touch", "touch", cmd_touch, -2, RESP_CMD_READONLY | RESP_CMD_FAST, 146, NULL, 0, &docs_touch },
	{ "ttl", "ttl", cmd_ttl, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 147, NULL, 0, &docs_ttl },
	{ "type", "type", cmd_type, 2, RESP_CMD_READONLY | RESP_CMD_FAST, 148, NULL, 0, &docs_type },
	{ "unlink", "unlink", cmd_del, -2, RESP_CMD_WRITE | RESP_CMD_FAST, 149, NULL, 0, &docs_unlink },
	{ "unsubscribe", "unsubscribe", cmd_unsubscribe, -1, RESP_CMD_PUBSUB | RESP_CMD_LOADING | RESP_CMD_STALE | RESP_CMD_NOSCRIPT, 150, NULL, 0, &docs_unsubscribe },
	{ "wait", "wait", cmd_wait, 3, RESP_CMD_BLOCKING, 151, NULL, 0, &docs_wait },
};

const struct resp_table commands_table = { commands, 70, 152 };
