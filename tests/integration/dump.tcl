# SPDX-License-Identifier: BSD-3-Clause
# weight: 2
# Entries that move between servers, clients that are told to wait, answers that were slow, and what is refused by name.

# What DUMP answers, as bytes; and RESTORE with such bytes, which the helper's UTF-8 would change.
proc dump_bytes {key} { redis DUMP $key }
proc restore {key ttl bytes args} {
    set c [srv client]
    set raw "*[expr {4 + [llength $args]}]\r\n"
    foreach w [list RESTORE $key $ttl $bytes {*}$args] { append raw "\$[string length $w]\r\n$w\r\n" }
    resp::send_raw $c $raw
    set reply [resp::read_reply $c]
    if {[lindex $reply 0] eq "error"} { error [lindex $reply 1] }
    resp::plain $reply
}

with_upstream up {
    start_server [forward_to $up dns-slowlog-log-slower-than 200000 forward-timeout 5s] {
        upstream_rule $up slow.d.test. A -answer {"@ 300 A 192.0.2.1"} -delay 400
        upstream_rule $up *.d.test. A -answer {"@ 300 A 192.0.2.1"}

        test "DUMP and RESTORE move an entry with its age" {
            redis DNS.SET A:m.d.test 1000 192.0.2.7 192.0.2.8
            debug_time_advance 100
            set bytes [dump_bytes A:m.d.test]
            set text [redis GET A:m.d.test]
            assert_equal 1 [redis DEL A:m.d.test]
            debug_time_advance 50
            assert_equal OK [restore A:m.d.test 0 $bytes]
            assert_range [redis TTL A:m.d.test] 898 900
            assert_match "*age 100s*" $text
            assert_match "*age 10?s*192.0.2.7*192.0.2.8*" [redis GET A:m.d.test]
            assert_error BUSYKEY* { restore A:m.d.test 0 $bytes }
            assert_equal OK [restore A:m.d.test 5000 $bytes REPLACE]
            assert_equal 5 [redis TTL A:m.d.test]
            assert_equal OK [restore A:m.d.test 99999999 $bytes REPLACE IDLETIME 3 FREQ 2]
            assert_range [redis TTL A:m.d.test] 898 900
            assert_equal OK [restore A:m.d.test 1000 $bytes REPLACE ABSTTL]
            assert_equal 0 [redis EXISTS A:m.d.test]
            assert_equal {} [redis DUMP A:nosuch.test]
        }
        test "RESTORE refuses what is damaged, cut, of another version or of another key" {
            redis DNS.SET A:m.d.test 1000 192.0.2.7
            set bytes [dump_bytes A:m.d.test]
            redis DEL A:m.d.test
            for {set i 0} {$i < [string length $bytes]} {incr i} {
                set one [string index $bytes $i]
                set bad [string replace $bytes $i $i [format %c [expr {[scan $one %c] ^ 0x20}]]]
                assert_error "ERR DUMP payload version or checksum are wrong" { restore A:m.d.test 0 $bad }
                assert_error "ERR DUMP payload*" { restore A:m.d.test 0 [string range $bytes 0 $i-1] }
            }
            assert_error "ERR *another question*" { restore AAAA:m.d.test 0 $bytes }
            assert_error "ERR *another question*" { restore A:m.d.test@cd 0 $bytes }
            assert_error "ERR the key is not*" { restore nokey 0 $bytes }
            assert_error "ERR Invalid TTL*" { restore A:m.d.test -1 $bytes }
            assert_error "ERR syntax error" { restore A:m.d.test 0 $bytes NONSENSE }
            assert_equal 0 [redis EXISTS A:m.d.test]
        }
        test "COPY and RENAME are refused, WAIT 0 says that there are no replicas" {
            assert_error "ERR COPY is not possible*" { redis COPY A:a. A:b. }
            assert_error "ERR RENAME is not possible*" { redis RENAME A:a. A:b. }
            assert_error "ERR RENAME is not possible*" { redis RENAMENX A:a. A:b. }
            assert_equal 0 [redis WAIT 0 0]
            assert_error ERR* { redis WAIT x 0 }
        }
        test "CLUSTER KEYSLOT counts as a cluster would, all else says that there is none" {
            assert_equal {15495 12182 12182 12182} [list [redis CLUSTER KEYSLOT a] [redis CLUSTER KEYSLOT foo] \
                [redis CLUSTER KEYSLOT x{foo}y] [redis CLUSTER KEYSLOT {{foo}{bar}}]]
            foreach what {INFO NODES SLOTS SHARDS MYID} {
                assert_error "ERR This instance has cluster support disabled" { redis CLUSTER $what }
            }
        }
        test "CLIENT PAUSE WRITE holds back what writes, and UNPAUSE lets it go" {
            assert_equal OK [redis CLIENT PAUSE 60000 WRITE]
            with_redis c {
                assert_equal PONG [resp::value $c PING]
                resp::send_raw $c "DNS.SET TXT:p.d.test 100 \"a b\"\r\nPING\r\n"
                assert_error *time* { resp::read_reply $c 200 }
                assert_equal 0 [redis EXISTS TXT:p.d.test]
                assert_equal OK [redis CLIENT UNPAUSE]
                assert_equal {status OK} [resp::read_reply $c]
                assert_equal {status PONG} [resp::read_reply $c]
            }
            assert_match {*"a" "b"*} [redis GET TXT:p.d.test]
        }
        test "CLIENT PAUSE ends by itself, and who goes meanwhile is forgotten" {
            assert_equal OK [redis CLIENT PAUSE 300]
            with_redis gone { resp::send $gone PING }
            set begin [clock milliseconds]
            assert_equal PONG [redis PING]
            assert {[clock milliseconds] - $begin >= 150}
            foreach bad {x -1 {10 FOO}} { assert_error ERR* { redis CLIENT PAUSE {*}$bad } }
        }
        test "tracking is refused clearly, and nobody is ever blocked" {
            assert_error "ERR CLIENT TRACKING is not supported*" { redis CLIENT TRACKING ON }
            assert_equal OK [redis CLIENT TRACKING OFF]
            assert_equal {flags off redirect -1 prefixes {}} [redis CLIENT TRACKINGINFO]
            assert_equal -1 [redis CLIENT GETREDIR]
            assert_equal 0 [redis CLIENT UNBLOCK 1]
            assert_error "ERR CLIENT CACHING*" { redis CLIENT CACHING yes }
        }
        test "MEMORY MALLOC-STATS reports, LATENCY GRAPH draws" {
            assert {[string length [redis MEMORY MALLOC-STATS]] > 20}
            assert_error "ERR No samples available for event 'command'" { redis LATENCY GRAPH command }
        }
        test "DNS.SLOWLOG keeps the answers that a client waited long for" {
            redis DNS.SLOWLOG RESET
            dns quick.d.test. A
            dns slow.d.test. A
            wait_until {[redis DNS.SLOWLOG LEN] == 1}
            lassign [lindex [redis DNS.SLOWLOG GET] 0] id when usec question rcode client
            assert_equal {slow.d.test. A} $question
            assert_equal NOERROR $rcode
            assert_range $usec 300000 5000000
            assert_range [expr {[clock seconds] - $when}] -1000 1000
            assert_match 127.0.0.1#* $client
            assert_equal OK [redis DNS.SLOWLOG RESET]
            assert_equal {} [redis DNS.SLOWLOG GET -1]
        }
    }
}
