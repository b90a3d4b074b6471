# SPDX-License-Identifier: BSD-3-Clause
# weight: 2
# Who may come in by RESP, and what each may do.

# A connection that has come in as USER.
proc as {user body} {
    upvar 1 c c
    set c [resp::open]
    try {
        assert_equal OK [resp::value $c AUTH $user pw]
        uplevel 1 $body
    } finally { resp::close $c }
}
proc denied {c args} { assert_resp_error "NOPERM this user has no permissions to *" [resp::call $c {*}$args] }

set aclfile [file join [tmp_dir] users.acl]
write_file $aclfile "# users\nuser default on nopass ~* &* +@all\nuser filed on >pw ~* +get\n"

start_server {} {
    test "the default user may do everything, and is who one is at first" {
        assert_equal default [redis ACL WHOAMI]
        assert_equal {{user default on nopass ~* &* +@all}} [redis ACL LIST]
        assert_equal default [redis ACL USERS]
        assert_equal {flags {on nopass} passwords {} commands +@all keys ~* channels &* selectors {}} [redis ACL GETUSER default]
        assert_equal {} [redis ACL GETUSER nosuch]
    }
    test "a new user can do nothing before he is told what" {
        redis ACL SETUSER nobody
        assert_equal {user nobody off resetchannels -@all} [lindex [redis ACL LIST] 1]
        assert_error WRONGPASS* { redis AUTH nobody "" }
        assert_equal 1 [redis ACL DELUSER nobody]
        assert_equal 0 [redis ACL DELUSER nobody]
    }
    test "rules are shown as Redis shows them" {
        redis ACL SETUSER bob on >pw ~a* %R~b* &ch* +@read -get +config|get
        assert_equal {user bob on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 ~a* %R~b* resetchannels &ch* -@all +@read -get +config|get} \
            [lindex [redis ACL LIST] 0]
        redis ACL SETUSER bob +get
        assert_match "* -@all +@read +config|get +get" [lindex [redis ACL LIST] 0]
        redis ACL SETUSER bob allcommands nopass allkeys allchannels
        assert_equal {user bob on nopass ~* &* +@all} [lindex [redis ACL LIST] 0]
        redis ACL SETUSER bob reset
        assert_equal {user bob off resetchannels -@all} [lindex [redis ACL LIST] 0]
    }
    test "a wrong rule changes nothing and is named" {
        redis ACL SETUSER bob reset on
        foreach {rules why} {
            {~x* foo} "'foo': Syntax error" +nosuch "'+nosuch': Unknown command or category name in ACL" +@nosuch "*Unknown command*"
            {~* ~x} "'~x': Adding a pattern after the * pattern*" {<no} "'<': The password you are trying to remove*" #12 "'#': The password hash must be*"
            %X~a "*Syntax error" %R "*Syntax error" {{~a b}} "*Syntax error" {(+get} "*Selectors are not supported*" {{}} "*Syntax error"
        } {
            assert_error "ERR Error in ACL SETUSER modifier $why" { redis ACL SETUSER bob {*}$rules }
        }
        assert_equal {user bob on resetchannels -@all} [lindex [redis ACL LIST] 0]
        assert_error "ERR Usernames can't contain spaces*" { redis ACL SETUSER "a b" }
        assert_error "ERR Usernames can't*" { redis ACL SETUSER "" }
        assert_error "ERR The 'default' user cannot be removed" { redis ACL DELUSER default }
    }
    test "a tenant reads his own zone, in every spelling, and nothing else" {
        foreach name {a.corp.example b.corp.example corp.example.evil.test x.other.test} { redis DNS.SET A:$name 1000 192.0.2.1 }
        redis ACL SETUSER tenant on >pw ~*:*.corp.example. ~*:*.corp.example.@* +@read +@connection +del -dbsize
        as tenant {
            assert_match *192.0.2.1* [resp::value $c GET A:a.corp.example.]
            assert_match *192.0.2.1* [resp::value $c GET a:A.CORP.Example]
            assert_equal 1 [resp::value $c EXISTS AAAA:x.corp.example A:b.corp.example]
            denied $c GET A:x.other.test.
            denied $c GET A:corp.example.evil.test.
            denied $c EXISTS A:a.corp.example. A:x.other.test.
            denied $c MEMORY USAGE A:x.other.test.
            denied $c DEL A:x.other.test.
            denied $c DBSIZE
            denied $c DNS.SET A:a.corp.example. 10 192.0.2.9
            denied $c CONFIG GET *
            assert_equal {A:a.corp.example. A:b.corp.example.} [lsort [resp::value $c KEYS *]]
            assert_equal {A:a.corp.example. A:b.corp.example.} [lsort [lindex [resp::value $c SCAN 0 COUNT 1000] 1]]
            assert_equal {A:a.corp.example. A:b.corp.example.} [lsort [lindex [resp::value $c SCAN 0 COUNT 100000] 1]]
            for {set i 0} {$i < 30} {incr i} { assert_match *.corp.example. [resp::value $c RANDOMKEY] }
            assert_equal 1 [resp::value $c DEL A:b.corp.example.]
            denied $c ACL WHOAMI
        }
    }
    test "what reaches keys that no argument names wants all keys" {
        redis ACL SETUSER half on >pw ~a* +@all &*
        as half {
            foreach command {{DNS.PURGE corp.example SUBTREE} FLUSHALL FLUSHDB {DNS.RESOLVE x.test} DNS.MONITOR MONITOR} {
                assert_resp_error "NOPERM *all keys*" [resp::call $c {*}$command]
            }
        }
        assert {[redis DBSIZE] > 0}
    }
    test "read and write patterns are told apart" {
        redis ACL SETUSER rw on >pw %R~*r.test. %W~*w.test. +@all
        foreach k {r w} { redis DNS.SET A:$k.test 100 192.0.2.1 }
        as rw {
            assert_match *192.0.2.1* [resp::value $c GET A:r.test]
            denied $c GET A:w.test
            assert_equal 1 [resp::value $c DEL A:w.test]
            denied $c DEL A:r.test
            assert_equal 1 [resp::value $c EXISTS A:r.test]
        }
    }
    test "subcommands are allowed one by one, and refusals are logged" {
        redis ACL LOG RESET
        redis ACL SETUSER sub on >pw ~* +config|get +client -client|kill
        as sub {
            assert_equal {maxclients 10000} [resp::value $c CONFIG GET maxclients]
            denied $c CONFIG SET timeout 0
            denied $c CONFIG SET timeout 1
            denied $c CLIENT KILL ID 1
            assert {[resp::value $c CLIENT ID] > 0}
        }
        set entry [lindex [redis ACL LOG] 1]
        foreach {k v} {count 2 reason command context toplevel object config|set username sub} {
            assert_equal $v [dict get $entry $k]
        }
        assert_match "id=*user=sub*" [dict get $entry client-info]
        assert_error WRONGPASS* { redis AUTH sub wrong }
        assert_equal auth [dict get [lindex [redis ACL LOG 1] 0] reason]
        redis ACL LOG RESET
        assert_equal {} [redis ACL LOG]
        redis CONFIG SET acllog-max-len 2
        for {set i 0} {$i < 5} {incr i} { catch { redis AUTH nosuch$i x } }
        assert_equal 2 [llength [redis ACL LOG]]
        redis CONFIG SET acllog-max-len 128
    }
    test "channels are allowed by pattern, patterns only as they stand" {
        redis ACL SETUSER ch on >pw +@pubsub &news.* +reset
        as ch {
            assert_equal 0 [resp::value $c PUBLISH news.a x]
            denied $c PUBLISH other x
            denied $c SUBSCRIBE news.a other
            denied $c PSUBSCRIBE *
            denied $c PSUBSCRIBE news.a*
            assert_equal {psubscribe news.* 1} [resp::value $c PSUBSCRIBE news.*]
        }
    }
    test "DRYRUN says what would come of a command, and runs nothing" {
        redis ACL SETUSER dry on ~*:a.test. +@all -flushall resetchannels
        assert_equal OK [redis ACL DRYRUN dry GET A:a.test.]
        assert_equal "This user has no permissions to run the 'flushall' command" [redis ACL DRYRUN dry FLUSHALL]
        assert_equal "This user has no permissions to access the 'A:b.test.' key" [redis ACL DRYRUN dry DEL A:a.test. A:b.test.]
        assert_equal "This user has no permissions to access the 'x' channel" [redis ACL DRYRUN dry PUBLISH x y]
        assert_error "ERR User 'nosuch' not found" { redis ACL DRYRUN nosuch GET x }
        assert_error "ERR Command 'nosuch' not found" { redis ACL DRYRUN dry nosuch }
        assert_error "ERR wrong number of arguments for 'get' command" { redis ACL DRYRUN dry GET }
    }
    test "categories come from the commands' files" {
        assert {"dns" in [redis ACL CAT] && "pubsub" in [redis ACL CAT]}
        assert {"dns.purge" in [redis ACL CAT dns]}
        assert {"config|set" in [redis ACL CAT dangerous]}
        assert_error "ERR Unknown category 'nosuch'" { redis ACL CAT nosuch }
    }
    test "GENPASS makes as many digits as asked for, each time others" {
        assert_equal 64 [string length [redis ACL GENPASS]]
        assert {[redis ACL GENPASS] ne [redis ACL GENPASS]}
        assert_equal 2 [string length [redis ACL GENPASS 5]]
        assert_equal 1024 [string length [redis ACL GENPASS 4096]]
        foreach bad {0 4097 x} { assert_error ERR* { redis ACL GENPASS $bad } }
    }
    test "who is deleted loses his connections, and CLIENT KILL USER closes those of one" {
        redis ACL SETUSER gone on >pw +ping
        as gone {
            assert_match "*user=gone *" [redis CLIENT LIST]
            assert_equal 1 [redis CLIENT KILL USER gone]
            assert_error *closed* { resp::call $c PING }
        }
        as gone {
            assert_equal 1 [redis ACL DELUSER gone]
            assert_error *closed* { resp::call $c PING }
        }
        assert_error "ERR No such user 'gone'" { redis CLIENT KILL USER gone }
    }
    test "requirepass is the default user's password" {
        redis CONFIG SET requirepass first
        with_redis c {
            assert_resp_error NOAUTH* [resp::call $c PING]
            assert_equal OK [resp::value $c AUTH first]
            assert_equal OK [resp::value $c AUTH default first]
            assert_equal RESET [resp::value $c RESET]
            assert_resp_error NOAUTH* [resp::call $c PING]
            assert_resp_error NOAUTH* [resp::call $c HELLO 3]
            assert_equal map [lindex [resp::call $c HELLO 3 AUTH default first] 0]
        }
        redis CONFIG SET requirepass ""
        with_redis c { assert_equal PONG [resp::value $c PING] }
        assert_error "ERR *not configured to use an ACL file*" { redis ACL SAVE }
    }
    test "with the default user off nobody gets in without a name" {
        redis ACL SETUSER root on >pw allcommands allkeys allchannels
        redis ACL SETUSER default off
        with_redis c { assert_resp_error NOAUTH* [resp::call $c PING] }
        as root { resp::value $c ACL SETUSER default on }
    }
}

start_server [list aclfile $aclfile] {
    test "users of the ACL file are there, are saved, and come back" {
        as filed {
            assert_equal {} [resp::value $c GET A:x.]
            denied $c TTL A:x.
        }
        redis ACL SETUSER extra on >pw %W~a* +@write
        assert_equal OK [redis ACL SAVE]
        set before [redis ACL LIST]
        assert_equal $before [split [string trim [read_file $aclfile]] \n]
        redis ACL DELUSER extra
        assert_equal OK [redis ACL LOAD]
        assert_equal $before [redis ACL LIST]
    }
    test "loading a changed file closes the connections of who has changed, and only those" {
        as filed {
            redis ACL LOAD
            assert_equal {} [resp::value $c GET A:x.]
            write_file $aclfile "user filed on >pw +ping\n"
            redis ACL LOAD
            assert_error *closed* { resp::call $c GET A:x. }
        }
        assert_equal PONG [redis PING]
    }
    test "a file with a fault is refused whole, and the line is named" {
        set before [redis ACL LIST]
        foreach {text why} {
            "user a on\nuser b foo\n" "*line 2: *'foo'*" "user a\nuser a\n" "*line 2: there are two*" "nonsense\n" "*line 1: *" "user a \"(x)\"\n" "*line 1*"
        } {
            write_file $aclfile $text
            assert_error "ERR aclfile *$why" { redis ACL LOAD }
            assert_equal $before [redis ACL LIST]
        }
        file delete $aclfile
        assert_error "*No such file*" { redis ACL LOAD }
    }
}

start_server [list user [list alice on >pw ~* +@read +@connection]] {
    test "user lines of the configuration make users" {
        as alice {
            assert_equal {} [resp::value $c GET A:x.]
            denied $c DEL A:x.
        }
        assert_match "user alice on #*" [lindex [redis ACL LIST] 0]
    }
}

test "a wrong user line stops the start and is named" {
    foreach {args why} {
        {--user "bob nonsense"} "*user bob: *'nonsense'*" {--aclfile /nosuch/file} "*aclfile /nosuch/file*"
        {--user "bob on" --aclfile /nosuch/file} "*aclfile and user*"
    } {
        lassign [run_server --port [free_port] --dns-port [free_port] {*}$args] code out
        assert {$code != 0}
        assert_match $why $out
    }
}
