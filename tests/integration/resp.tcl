# SPDX-License-Identifier: BSD-3-Clause
# The Redis protocol as clients speak it: framing, HELLO, errors, pipelines, and the commands that are about the connection.

start_server {resolver forward forward-addr 127.0.0.1@9 serve-stale no} {
    test "PING and ECHO answer, inline and as arrays, with and without words" {
        assert_equal {status PONG} [redis_typed PING]
        assert_equal {bulk hello} [redis_typed PING hello]
        assert_equal {bulk {a b}} [redis_typed ECHO "a b"]
        with_redis c {
            resp::send_raw $c "PING\r\n"
            assert_equal {status PONG} [resp::read_reply $c]
            resp::send_raw $c "echo \"two words\\x21\"\r\n"
            assert_equal {bulk {two words!}} [resp::read_reply $c]
            resp::send_raw $c "PING\n"
            assert_equal {status PONG} [resp::read_reply $c]
        }
    }
    test "an unknown command is named in its error as Redis does it, and the connection lives" {
        with_redis c {
            assert_resp_error "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' *" [resp::call $c NOSUCH a b]
            assert_resp_error "ERR unknown command*" [resp::call $c "we ird\r\n" x]
            assert_equal {status PONG} [resp::call $c PING]
        }
    }
    test "wrong arity is an error that names the command" {
        foreach cmd {GET ECHO DEL TTL EXISTS TYPE {GET a b} DNS.PURGE SCAN DNS.RESOLVE} {
            assert_error "ERR wrong number of arguments for '[string tolower [lindex $cmd 0]]' command" { redis {*}$cmd }
        }
        assert_error "ERR*" { redis CONFIG }
        assert_error "ERR*" { redis CONFIG NOSUCH }
        assert_error "ERR*" { redis CLIENT NOSUCH }
    }
    test "commands are found in any case" {
        assert_equal PONG [redis pInG]
        assert_equal 0 [redis exists A:x.test.]
    }
    test "commands that make no sense for a DNS cache say so in one error line and keep the connection" {
        with_redis c {
            foreach cmd {{SET A:x.test. 1} {SET k v} {LPUSH k v} {INCR k} {HSET k f v} {REPLICAOF a 1}} {
                lassign [resp::call $c {*}$cmd] kind text
                assert_equal error $kind $cmd
                assert_match ERR* $text
            }
            assert_equal {status PONG} [resp::call $c PING]
        }
    }
    test "HELLO 3 switches to RESP3 and HELLO 2 back, with the fields that clients read" {
        with_redis c {
            lassign [resp::call $c HELLO 3] kind pairs
            assert_equal map $kind
            set hello [resp::plain [list map $pairs]]
            assert_equal 3 [dict get $hello proto]
            foreach key {server version proto id mode role modules} { assert {[dict exists $hello $key]} "HELLO has $key" }
            foreach {k v} $pairs { assert_equal bulk [lindex $k 0] }
            assert_equal bulk [lindex [lsearch -inline -index 1 -exact [lmap {k v} $pairs { list x [lindex $k 1] $v }] version] 2 0]
            assert {[regexp {^\d+\.\d+\.\d+} [dict get $hello version]]} "version is [dict get $hello version]"
            assert_equal {null {}} [resp::call $c GET A:no.test.]
            assert_equal array [lindex [resp::call $c HELLO 2] 0]
        }
        # The null of RESP3 is another thing on the wire.
        with_redis c {
            resp::send $c GET A:no.test.
            assert_equal "\$-1" [resp::read_line $c [expr {[clock milliseconds] + 5000}]]
            resp::call $c HELLO 3
            resp::send $c GET A:no.test.
            assert_equal "_" [resp::read_line $c [expr {[clock milliseconds] + 5000}]]
        }
    }
    test "HELLO with a version that does not exist is NOPROTO, and nothing changes" {
        with_redis c {
            assert_resp_error "NOPROTO *" [resp::call $c HELLO 4]
            assert_resp_error "NOPROTO *" [resp::call $c HELLO 1]
            assert_resp_error * [resp::call $c HELLO x]
            assert_equal array [lindex [resp::call $c CONFIG GET port] 0]
        }
    }
    test "HELLO takes SETNAME, and CLIENT tells and lists what was set" {
        with_redis c {
            resp::call $c HELLO 3 SETNAME tester
            assert_equal {bulk tester} [resp::call $c CLIENT GETNAME]
            assert_equal {status OK} [resp::call $c CLIENT SETNAME other]
            assert_equal {status OK} [resp::call $c CLIENT SETINFO LIB-NAME tcl]
            assert_equal {status OK} [resp::call $c CLIENT SETINFO LIB-VER 1.0]
            set id [lindex [resp::call $c CLIENT ID] 1]
            assert_match "*id=$id *name=other*" [redis CLIENT LIST]
            assert_resp_error * [resp::call $c CLIENT SETNAME "with space"]
        }
        with_redis a { with_redis b { assert {[lindex [resp::call $a CLIENT ID] 1] < [lindex [resp::call $b CLIENT ID] 1]} } }
    }
    test "RESP3 types stand where clients expect them, RESP2 gets flat arrays" {
        with_redis c {
            assert_equal {array {{bulk port} {bulk X}}} [string map [list [srv port] X] [resp::call $c CONFIG GET port]]
            resp::call $c HELLO 3
            assert_equal map [lindex [resp::call $c CONFIG GET port] 0]
            assert {[lindex [resp::call $c INFO server] 0] in {verbatim bulk}}
            assert_equal map [lindex [resp::call $c COMMAND DOCS get] 0]
        }
    }
    test "a pipeline of a thousand commands is answered in order" {
        with_redis c {
            for {set i 0} {$i < 1000} {incr i} { lappend cmds [list ECHO $i] }
            set i 0
            foreach reply [resp::pipeline $c $cmds] {
                assert_equal [list bulk $i] $reply
                incr i
            }
        }
    }
    test "a command that comes byte by byte is one command" {
        with_redis c {
            foreach byte [split [resp::encode {ECHO slowly}] ""] {
                resp::send_raw $c $byte
                pause_ms 1
            }
            assert_equal {bulk slowly} [resp::read_reply $c]
        }
    }
    test "broken framing ends in a protocol error and a closed connection, and harms nobody else" {
        foreach bytes {"*x\r\n" "*1\r\n+PING\r\n" "*1\r\n\$-5\r\n" "*2\r\n\$99999999999\r\n" "*99999999999\r\n"} {
            with_redis c {
                resp::send_raw $c $bytes
                assert_resp_error "ERR Protocol error*" [resp::read_reply $c]
                assert_error *closed* { resp::read_reply $c }
            }
        }
        assert_equal PONG [redis PING]
    }
    test "empty lines and empty arrays are passed over" {
        with_redis c {
            resp::send_raw $c "\r\n*0\r\n\r\n*1\r\n\$4\r\nPING\r\n"
            assert_equal {status PONG} [resp::read_reply $c]
        }
    }
    test "binary arguments go through untouched" {
        set bytes ""
        for {set i 0} {$i < 256} {incr i} { append bytes [format %c $i] }
        with_redis c {
            resp::send_raw $c "*2\r\n\$4\r\nECHO\r\n\$256\r\n$bytes\r\n"
            assert_equal [list bulk $bytes] [resp::read_reply $c]
        }
    }
    test "QUIT says OK and closes; RESET goes back to RESP2 without a name" {
        with_redis c {
            resp::call $c HELLO 3 SETNAME x
            assert_equal {status RESET} [resp::call $c RESET]
            assert_equal array [lindex [resp::call $c CONFIG GET port] 0]
            assert {[lindex [resp::call $c CLIENT GETNAME] 1] eq ""}
            assert_equal {status OK} [resp::call $c QUIT]
            assert_error *closed* { resp::read_reply $c }
        }
    }
    test "SELECT 0 is the only database" {
        assert_equal OK [redis SELECT 0]
        assert_error "ERR DB index*" { redis SELECT 1 }
        assert_error "ERR*" { redis SELECT x }
    }
    test "TIME is the clock in seconds and microseconds" {
        lassign [redis TIME] s us
        assert_range [expr {$s - [clock seconds]}] -2 2
        assert_range $us 0 999999
    }
    test "COMMAND, COUNT, LIST, INFO and DOCS describe the same commands" {
        set all [redis COMMAND]
        set names [lsort [lmap c $all { lindex $c 0 }]]
        assert_equal [llength $all] [redis COMMAND COUNT]
        assert_equal $names [lsort [redis COMMAND LIST]]
        foreach c {ping get del scan info config dns.purge dns.resolve memory object client hello} { assert {$c in $names} "COMMAND knows $c" }
        set info [redis COMMAND INFO get nosuch]
        assert_equal {get 2} [lrange [lindex $info 0] 0 1]
        assert_equal "" [lindex $info 1]
        assert_equal $names [lsort [lmap {name doc} [redis COMMAND DOCS] { set name }]]
        foreach {name doc} [redis COMMAND DOCS] { assert {[dict exists $doc summary]} "summary of $name" }
    }
    test "every command that COMMAND lists is there, and answers a call without arguments by a reply or an arity error" {
        foreach name [redis COMMAND LIST] {
            if {$name in {quit shutdown monitor subscribe psubscribe reset flushall flushdb}} { continue }
            with_redis c {
                lassign [resp::call $c {*}[split $name |]] kind text
                assert_no_match "ERR unknown command*" $text $name
                assert_equal {status PONG} [resp::call $c PING] "after $name"
            }
        }
    }
    test "INFO has its sections, alone and together, and numbers where numbers belong" {
        set all [redis INFO]
        foreach section {Server Clients Memory Stats Keyspace} { assert_match "*# $section\r\n*" $all }
        assert_match "*# Dns\r\n*" [string map {"# DNS" "# Dns"} [redis INFO everything]]
        set one [redis INFO memory]
        assert_match "# Memory\r\n*" $one
        assert_no_match "*# Stats*" $one
        assert_match "*# Clients*# Stats*" [redis INFO clients stats]
        foreach field {used_memory used_memory_rss used_memory_dataset maxmemory connected_clients total_commands_processed total_connections_received
            uptime_in_seconds process_id tcp_port evicted_keys expired_keys keyspace_hits keyspace_misses queries_udp queries_tcp cache_hits
            cache_misses stale_answers rcode_noerror} {
            assert {[string is entier -strict [info_field $field]]} "$field is '[info_field $field]'"
        }
        assert_equal [srv pid] [info_field process_id]
        assert_equal [srv port] [info_field tcp_port]
    }
    test "connected_clients and the command count follow what happens" {
        with_redis a {
            with_redis b {
                resp::call $b PING
                assert_equal 3 [info_field connected_clients]
            }
            wait_until { [info_field connected_clients] == 2 }
            set before [info_field total_commands_processed]
            foreach i {1 2 3 4 5} { resp::call $a PING }
            assert_range [expr {[info_field total_commands_processed] - $before}] 6 6
        }
    }
    test "many connections at once are served, and leave nothing behind" {
        set conns [lmap i [lrepeat 200 x] { resp::open }]
        foreach c $conns { resp::send $c PING }
        foreach c $conns { assert_equal {status PONG} [resp::read_reply $c] }
        foreach c $conns { resp::close $c }
        wait_until { [info_field connected_clients] == 1 }
    }
}

start_server {resolver forward forward-addr 127.0.0.1@9 requirepass "s3cret"} {
    test "with requirepass nothing is told before AUTH, and DNS goes on answering" {
        with_redis c {
            assert_resp_error "NOAUTH *" [resp::call $c GET A:x.test.]
            assert_resp_error "NOAUTH *" [resp::call $c INFO]
            assert_resp_error "NOAUTH *" [resp::call $c HELLO 3]
            assert_resp_error "WRONGPASS *" [resp::call $c AUTH wrong]
            assert_resp_error "NOAUTH *" [resp::call $c DBSIZE]
            assert_equal {status OK} [resp::call $c AUTH s3cret]
            assert_equal {int 0} [resp::call $c DBSIZE]
        }
        with_redis c { assert_equal {status OK} [resp::call $c AUTH default s3cret] }
        with_redis c { assert_resp_error "WRONGPASS *" [resp::call $c AUTH nobody s3cret] }
        with_redis c { assert_equal map [lindex [resp::call $c HELLO 3 AUTH default s3cret] 0] }
        with_redis c { assert_resp_error "WRONGPASS *" [resp::call $c HELLO 3 AUTH default no] }
        assert_rcode REFUSED [dns x.test. AXFR]
    }
    test "the password is written nowhere: not in CLIENT LIST, not in the log" {
        with_redis c {
            resp::call $c AUTH s3cret
            assert_no_match *s3cret* [resp::plain [resp::call $c CLIENT LIST]]
        }
        assert_no_match *s3cret* [read_file [srv log]]
    }
    test "RESET asks for the password again" {
        with_redis c {
            resp::call $c AUTH s3cret
            resp::call $c RESET
            assert_resp_error "NOAUTH *" [resp::call $c DBSIZE]
        }
    }
}

start_server {resolver forward forward-addr 127.0.0.1@9 maxclients 5 enable-debug-command no timeout 1s} {
    test "a connection over maxclients is told so and closed" {
        set conns [lmap i {1 2 3 4 5} { resp::open }]
        foreach c $conns { resp::call $c PING }
        set extra [resp::open]
        assert_resp_error "ERR max number of clients*" [resp::read_reply $extra]
        assert_error *closed* { resp::read_reply $extra }
        foreach c [concat $conns $extra] { resp::close $c }
    }
    test "idle connections are closed after timeout" {
        # The places of the test before may still be taken, and this server's own connection falls under the timeout too.
        wait_until { [with_redis c { lindex [resp::call $c PING] 1 }] eq "PONG" }
        with_redis c {
            resp::call $c PING
            assert_error *closed* { resp::read_reply $c 8000 }
        }
    }
    test "DEBUG is refused unless enable-debug-command allows it" {
        with_redis c { assert_resp_error "ERR DEBUG command not allowed*" [resp::call $c DEBUG TIME 10] }
    }
}
