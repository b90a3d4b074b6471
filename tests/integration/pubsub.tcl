# SPDX-License-Identifier: BSD-3-Clause
# weight: 3
# What comes without having been asked for: channels, keyspace notifications, MONITOR, DNS.MONITOR.

# The next message, without its types.
proc heard {c {ms 5000}} { resp::plain [resp::read_reply $c $ms] }
# The next line of a monitor, without its time.
proc watched {c {ms 5000}} {
    set line [heard $c $ms]
    assert {[regexp {^\d{10}\.\d{6} (.*)$} $line -> rest]} $line
    return $rest
}
proc silent {c} {
    assert_error *time* { resp::read_reply $c 150 }
}

with_upstream up {
    start_server [forward_to $up notify-keyspace-events KEAmn serve-stale yes serve-stale-for 100s serve-stale-client-timeout 0] {
        upstream_rule $up *.p.test. A -answer {"@ 60 A 192.0.2.1"}
        upstream_rule $up *.nx.test. ANY -rcode NXDOMAIN -authority {"nx.test. 300 SOA ns.nx.test. root.nx.test. 1 2 3 4 200"}

        test "a message reaches those who subscribed to its channel, and those whose pattern fits" {
            with_redis a { with_redis b {
                assert_equal {subscribe news 1} [resp::value $a SUBSCRIBE news]
                resp::send $b PSUBSCRIBE n* nothing*
                assert_equal {psubscribe n* 1} [heard $b]
                assert_equal {psubscribe nothing* 2} [heard $b]
                assert_equal 2 [redis PUBLISH news hello]
                assert_equal {message news hello} [heard $a]
                assert_equal {pmessage n* news hello} [heard $b]
                assert_equal 0 [redis PUBLISH other x]
                assert_equal {news} [list [redis PUBSUB CHANNELS]]
                assert_equal {} [redis PUBSUB CHANNELS x*]
                assert_equal {news 1 other 0} [redis PUBSUB NUMSUB news other]
                assert_equal 2 [redis PUBSUB NUMPAT]
                assert_match "*flags=P *sub=1 psub=0*" [redis CLIENT LIST]
                resp::send $b PUNSUBSCRIBE
                foreach n {1 0} { assert_equal $n [lindex [heard $b] 2] }
                assert_equal {unsubscribe news 0} [resp::value $a UNSUBSCRIBE news]
                assert_equal {unsubscribe {} 0} [resp::value $a UNSUBSCRIBE]
                assert_equal 0 [redis PUBLISH news gone]
                assert_equal PONG [resp::value $a PING]
            }}
        }
        test "subscribing twice counts once, and who goes is subscribed to nothing" {
            with_redis a {
                assert_equal {subscribe x 1} [resp::value $a SUBSCRIBE x]
                assert_equal {subscribe x 1} [resp::value $a SUBSCRIBE x]
                assert_equal 1 [redis PUBLISH x y]
            }
            wait_until {[redis PUBSUB NUMSUB x] eq {x 0}}
            assert_equal {} [redis PUBSUB CHANNELS]
            assert_equal 0 [info_field pubsub_channels]
        }
        test "a RESP2 connection with subscriptions may only subscribe, ping, reset and quit" {
            with_redis a {
                resp::value $a SUBSCRIBE x
                assert_resp_error "ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context" \
                    [resp::call $a GET A:x.]
                assert_equal {pong {}} [resp::value $a PING]
                assert_equal {pong hi} [resp::value $a PING hi]
                assert_equal RESET [resp::value $a RESET]
                assert_equal {} [resp::value $a GET A:x.]
            }
        }
        test "a RESP3 connection gets messages as pushes between its replies, also its own" {
            with_redis a {
                resp::value $a HELLO 3
                assert_equal push [lindex [resp::call $a SUBSCRIBE x] 0]
                assert_equal {int 1} [resp::call $a PUBLISH x mine]
                assert_equal {push {{bulk message} {bulk x} {bulk mine}}} [resp::read_reply $a]
                assert_equal PONG [resp::value $a PING]
            }
        }
        test "names with any bytes are channels" {
            with_redis a {
                set odd "a\u0001 b\n\u007f"
                resp::value $a SUBSCRIBE $odd ""
                heard $a
                redis PUBLISH $odd m
                assert_equal [list message $odd m] [heard $a]
                redis PUBLISH "" e
                assert_equal {message {} e} [heard $a]
            }
        }
        test "the number of subscriptions is limited by pubsub-max-subscriptions" {
            redis CONFIG SET pubsub-max-subscriptions 2
            with_redis a {
                resp::send $a SUBSCRIBE 1 2 3
                heard $a
                heard $a
                assert_resp_error "ERR *pubsub-max-subscriptions*" [resp::read_reply $a]
            }
            redis CONFIG SET pubsub-max-subscriptions 10000
        }
        test "notifications tell of keys that are new, missed, set, shortened and removed" {
            with_redis a {
                resp::value $a PSUBSCRIBE __key*__:*
                dns one.p.test. A
                assert_equal {pmessage __key*__:* __keyspace@0__:A:one.p.test. keymiss} [heard $a]
                assert_equal {pmessage __key*__:* __keyevent@0__:keymiss A:one.p.test.} [heard $a]
                assert_equal {__keyspace@0__:A:one.p.test. new} [lrange [heard $a] 2 3]
                assert_equal {__keyevent@0__:new A:one.p.test.} [lrange [heard $a] 2 3]
                foreach {event command} {
                    set {DNS.SET A:one.p.test. 50 192.0.2.9} expire {EXPIRE A:one.p.test. 20} del {DEL A:one.p.test.}
                } {
                    redis {*}$command
                    assert_equal [list __keyspace@0__:A:one.p.test. $event] [lrange [heard $a] 2 3]
                    assert_equal [list __keyevent@0__:$event A:one.p.test.] [lrange [heard $a] 2 3]
                }
            }
        }
        test "SUBSCRIBE __keyevent@0__:expired hears of an entry when it is removed, stale of one that is served" {
            redis CONFIG SET notify-keyspace-events Exd
            with_redis a {
                resp::send $a SUBSCRIBE __keyevent@0__:expired __keyevent@0__:stale
                heard $a
                heard $a
                dns old.p.test. A
                debug_time_advance 61
                dns old.p.test. A
                assert_equal {message __keyevent@0__:stale A:old.p.test.} [heard $a]
                dns two.p.test. A
                debug_time_advance 200
                set keys {}
                while {[llength $keys] < 2} { lappend keys [lindex [heard $a 30000] 2] }
                assert_equal {A:old.p.test. A:two.p.test.} [lsort $keys]
            }
        }
        test "evicted keys are told of, and what finds its ring full is counted" {
            redis CONFIG SET notify-keyspace-events Ee maxmemory 4mb
            with_redis a {
                resp::value $a SUBSCRIBE __keyevent@0__:evicted
                set n 0
                set pad [string repeat x 200]
                while {[info_field evicted_keys] == 0 && [incr n] < 100} {
                    resp::pipeline [srv client] [lmap i [lrepeat 1000 x] { list DNS.SET TXT:e[incr serial].p.test. 1000 $pad }]
                }
                assert {[info_field evicted_keys] > 0}
                assert_match TXT:e*.p.test. [lindex [heard $a] 2]
            }
            assert {[string is integer -strict [info_field feed_dropped]]}
            redis CONFIG SET maxmemory 256mb notify-keyspace-events ""
            redis FLUSHALL
        }
        test "a wrong letter in notify-keyspace-events is refused" {
            assert_error "*Invalid event class character*" { redis CONFIG SET notify-keyspace-events KEQ }
            assert_equal {notify-keyspace-events {}} [redis CONFIG GET notify-keyspace-events]
        }
        test "MONITOR shows commands as they were typed, but no secrets" {
            with_redis m { with_redis a {
                assert_equal OK [resp::value $m MONITOR]
                resp::value $a ECHO "a \"b\"\n"
                assert {[regexp {^\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "ECHO" "a \\"b\\"\\n"$} [heard $m]]}
                resp::call $a AUTH default secret
                resp::call $a CONFIG SET timeout 0
                resp::value $a ECHO last
                assert_match {*"ECHO" "last"} [heard $m]
                assert_equal PONG [resp::value $m PING]
                assert_match {*"PING"} [heard $m]
                assert_match "*flags=O *" [redis CLIENT LIST]
                assert_match {*"CLIENT" "LIST"} [heard $m]
                assert_equal RESET [resp::value $m RESET]
                resp::value $a ECHO unseen
                silent $m
            }}
        }
        test "MONITOR waits until a reply that takes its time is whole" {
            resp::pipeline [srv client] [lmap i [lrepeat 5000 x] { list DNS.SET A:m[incr at].p.test. 1000 192.0.2.1 }]
            with_redis m {
                assert_equal OK [resp::value $m MONITOR]
                resp::send $m KEYS *
                for {set i 0} {$i < 20} {incr i} { redis PING }
                assert_equal 5000 [llength [heard $m 20000]]
                assert_match {*"KEYS" "\*"} [heard $m]
                assert_match {*"PING"} [heard $m]
            }
            redis FLUSHALL
        }
        test "DNS.MONITOR shows who asked what and what came of it" {
            with_redis m {
                assert_equal OK [resp::value $m DNS.MONITOR]
                dns w.p.test. A
                assert {[regexp {^127\.0\.0\.1#\d+ udp w\.p\.test\. A NOERROR fetched \d+us$} [watched $m]]}
                dns W.p.test. A
                assert_match "127.0.0.1#* udp w.p.test. A NOERROR hit" [watched $m]
                dns w.p.test. A -tcp 1
                assert_match "* tcp w.p.test. A NOERROR hit" [watched $m]
                dns w.p.test. ANY
                assert_match "* w.p.test. ANY NOERROR local" [watched $m]
                assert_equal RESET [resp::value $m RESET]
                dns w.p.test. A
                silent $m
            }
        }
        test "DNS.MONITOR filters by name, type, response code and client" {
            foreach {filter seen} {
                {SUFFIX nx.test} {x.nx.test. AAAA NXDOMAIN}
                {TYPE aaaa} {x.nx.test. AAAA NXDOMAIN}
                {RCODE nxdomain} {x.nx.test. AAAA NXDOMAIN}
                {RCODE 3 TYPE AAAA SUFFIX . CLIENT 127.0.0.0/8} {x.nx.test. AAAA NXDOMAIN}
                {CLIENT 127.0.0.1 RCODE 0} {f.p.test. A NOERROR}
            } {
                with_redis m {
                    assert_equal OK [resp::value $m DNS.MONITOR {*}$filter]
                    dns f.p.test. A
                    dns x.nx.test. AAAA
                    assert_match "* udp $seen *" [watched $m]
                    silent $m
                }
            }
            with_redis m {
                resp::value $m DNS.MONITOR CLIENT 192.0.2.0/24
                dns f.p.test. A
                silent $m
            }
            foreach bad {{TYPE nosuch} {RCODE 16} {CLIENT x} {RATE 0} {SUFFIX a..b} {NO x} {TYPE}} {
                assert_error ERR* { redis DNS.MONITOR {*}$bad }
            }
        }
        test "DNS.MONITOR shows no more than its rate, and says how many it left out" {
            with_redis m {
                resp::value $m DNS.MONITOR RATE 3
                set more 0
                set lines 0
                set end [expr {[clock milliseconds] + 20000}]
                while {!$more && [clock milliseconds] < $end} {
                    dns w.p.test. A
                    while {$resp::buffer($m) ne "" || [harness::readable $m 0]} {
                        set line [heard $m]
                        incr lines
                        if {[regexp {\.\.\. (\d+) more, over RATE 3$} $line -> more]} break
                    }
                }
                assert {$more > 0}
                assert {$lines < 20}
            }
        }
        test "a subscriber that does not read is cut at the output limit and counted" {
            redis CONFIG SET client-output-buffer-limit 64kb
            set before [info_field client_output_buffer_limit_disconnections]
            with_redis a {
                resp::value $a SUBSCRIBE flood
                set big [string repeat x 60000]
                for {set i 0} {$i < 2000 && [redis PUBLISH flood $big] == 1} {incr i} {}
                assert_equal 0 [redis PUBLISH flood $big]
            }
            assert {[info_field client_output_buffer_limit_disconnections] > $before}
            redis CONFIG SET client-output-buffer-limit 64mb
        }
        test "redis-cli subscribes and monitors" {
            if {![have_command redis-cli]} { skip "redis-cli is not installed" }
            redis CONFIG SET notify-keyspace-events Ex
            set chan [open |[list redis-cli -p [srv port] SUBSCRIBE __keyevent@0__:expired 2>@1] r]
            fconfigure $chan -blocking 0
            try {
                wait_until {[redis PUBSUB NUMSUB __keyevent@0__:expired] eq {__keyevent@0__:expired 1}}
                dns cli.p.test. A
                debug_time_advance 500
                set seen ""
                wait_until {[string match *A:cli.p.test.* [append seen [read $chan]]]} 30000
            } finally {
                exec kill [pid $chan]
                catch { close $chan }
            }
        }
    }
}
