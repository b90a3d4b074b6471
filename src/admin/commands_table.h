/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by utils/gen-commands from src/admin/commands/: the commands' functions, and the table of all commands. */
#ifndef PITH_ADMIN_COMMANDS_TABLE_H
#define PITH_ADMIN_COMMANDS_TABLE_H

#include "admin/commands.h"

extern const struct resp_table commands_table;

resp_fn cmd_auth;
resp_fn cmd_client_getname;
resp_fn cmd_client_id;
resp_fn cmd_client_info;
resp_fn cmd_client_kill;
resp_fn cmd_client_list;
resp_fn cmd_client_no_evict;
resp_fn cmd_client_no_touch;
resp_fn cmd_client_reply;
resp_fn cmd_client_setinfo;
resp_fn cmd_client_setname;
resp_fn cmd_command;
resp_fn cmd_command_count;
resp_fn cmd_command_docs;
resp_fn cmd_command_getkeys;
resp_fn cmd_command_getkeysandflags;
resp_fn cmd_command_info;
resp_fn cmd_command_list;
resp_fn cmd_config_get;
resp_fn cmd_config_resetstat;
resp_fn cmd_config_rewrite;
resp_fn cmd_config_set;
resp_fn cmd_dbsize;
resp_fn cmd_debug;
resp_fn cmd_del;
resp_fn cmd_dns_get;
resp_fn cmd_dns_purge;
resp_fn cmd_dns_resolve;
resp_fn cmd_dns_set;
resp_fn cmd_echo;
resp_fn cmd_exists;
resp_fn cmd_expire;
resp_fn cmd_expireat;
resp_fn cmd_expiretime;
resp_fn cmd_flushall;
resp_fn cmd_get;
resp_fn cmd_hello;
resp_fn cmd_help;
resp_fn cmd_info;
resp_fn cmd_keys;
resp_fn cmd_latency_doctor;
resp_fn cmd_latency_histogram;
resp_fn cmd_latency_history;
resp_fn cmd_latency_latest;
resp_fn cmd_latency_reset;
resp_fn cmd_memory_doctor;
resp_fn cmd_memory_purge;
resp_fn cmd_memory_stats;
resp_fn cmd_memory_usage;
resp_fn cmd_module_list;
resp_fn cmd_no_cluster;
resp_fn cmd_object_encoding;
resp_fn cmd_object_freq;
resp_fn cmd_object_idletime;
resp_fn cmd_object_refcount;
resp_fn cmd_persist;
resp_fn cmd_pexpire;
resp_fn cmd_pexpireat;
resp_fn cmd_pexpiretime;
resp_fn cmd_ping;
resp_fn cmd_pttl;
resp_fn cmd_quit;
resp_fn cmd_randomkey;
resp_fn cmd_reset;
resp_fn cmd_role;
resp_fn cmd_scan;
resp_fn cmd_select;
resp_fn cmd_set;
resp_fn cmd_shutdown;
resp_fn cmd_slowlog_get;
resp_fn cmd_slowlog_len;
resp_fn cmd_slowlog_reset;
resp_fn cmd_strlen;
resp_fn cmd_time;
resp_fn cmd_touch;
resp_fn cmd_ttl;
resp_fn cmd_type;

#endif
