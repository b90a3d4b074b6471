# SPDX-License-Identifier: BSD-3-Clause
# DNS over TCP (RFC 7766): framing, pipelines, slow and half-closed clients, limits.

with_upstream up {
    start_server [forward_to $up tcp-idle-timeout 500ms tcp-max-per-client 20] {
        upstream_rule $up *.tcp.test. A -answer {"@ 300 A 192.0.2.1"}

        # Receives n answers: dict of ID -> parsed.
        proc collect {c n} {
            set got {}
            for {set i 0} {$i < $n} {incr i} {
                set raw [dns_tcp_receive $c]
                if {$raw eq ""} { assert_fail "only $i of $n answers" }
                set r [dns::parse $raw]
                dict set got [dict get $r id] $r
            }
            return $got
        }

        test "several queries in one segment all get their answers" {
            set c [dns_tcp_open]
            dns_tcp_send $c {*}[lmap i {1 2 3 4 5 6 7 8} { dns::query n$i.tcp.test. A -id $i }]
            set got [collect $c 8]
            foreach i {1 2 3 4 5 6 7 8} { assert_equal n$i.tcp.test. [dict get [lindex [dict get $got $i question] 0] owner] }
            close $c
        }
        test "one query in as many segments as it has bytes is one query" {
            set c [dns_tcp_open]
            dns_tcp_send_pieces $c [dns_tcp_frame [dns::query bytes.tcp.test. A -id 77]] 1
            assert_rdata 192.0.2.1 [dict get [collect $c 1] 77]
            close $c
        }
        test "a pipeline cut at odd places is the same pipeline" {
            set c [dns_tcp_open]
            set stream [join [lmap i {1 2 3 4 5} { dns_tcp_frame [dns::query cut$i.tcp.test. A -id $i] }] ""]
            dns_tcp_send_pieces $c $stream 17
            assert_equal {1 2 3 4 5} [lsort [dict keys [collect $c 5]]]
            close $c
        }
        test "a slow answer does not hold up the ones behind it" {
            upstream_rule $up slow.tcp-slow.test. A -delay 400 -answer {"@ 300 A 192.0.2.2"}
            dns hot.tcp.test. A
            set c [dns_tcp_open]
            dns_tcp_send $c [dns::query slow.tcp-slow.test. A -id 1] [dns::query hot.tcp.test. A -id 2]
            set first [dns::parse [dns_tcp_receive $c]]
            set second [dns::parse [dns_tcp_receive $c]]
            assert_equal {2 1} [list [dict get $first id] [dict get $second id]]
            close $c
        }
        test "a client that closed its sending half still gets every answer" {
            upstream_rule $up half.tcp-half.test. A -delay 200 -answer {"@ 300 A 192.0.2.3"}
            set c [dns_tcp_open]
            dns_tcp_send $c [dns::query half.tcp-half.test. A -id 5] [dns::query h2.tcp.test. A -id 6]
            dns_tcp_half_close $c
            assert_equal {5 6} [lsort [dict keys [collect $c 2]]]
            assert {[dns_tcp_closed $c]} "the connection ends when all is answered"
            close $c
        }
        test "an idle connection is closed, and not before its time" {
            set c [dns_tcp_open]
            dns_tcp_send $c [dns::query idle.tcp.test. A -id 1]
            collect $c 1
            set t [clock milliseconds]
            assert {[dns_tcp_closed $c 8000]}
            assert_range [expr {[clock milliseconds] - $t}] 300 8000
            close $c
        }
        test "a client that sends half a message does not keep its connection for ever" {
            set c [dns_tcp_open]
            puts -nonewline $c \0\x40abc
            assert {[dns_tcp_closed $c 8000]}
            close $c
        }
        test "a connection that is dropped with answers under way does no harm" {
            upstream_rule $up gone.tcp-gone.test. A -delay 200 -answer {"@ 300 A 192.0.2.4"}
            foreach i {1 2 3} {
                set c [dns_tcp_open]
                dns_tcp_send $c [dns::query gone.tcp-gone.test. A -id 1]
                close $c
            }
            assert_rdata 192.0.2.4 [dns gone.tcp-gone.test. A]
        }
        test "a message of zero bytes and a message of rubbish do not disturb the server" {
            set c [dns_tcp_open]
            puts -nonewline $c \0\0
            flush $c
            dns_tcp_receive $c 200
            close $c
            set c [dns_tcp_open]
            dns_tcp_send $c [string repeat \xff 200]
            dns_tcp_receive $c 200
            close $c
            assert_rdata 192.0.2.1 [dns after.tcp.test. A -tcp 1]
        }
        test "one address cannot hold more connections than tcp-max-per-client allows it" {
            # The bound is kept by each of the two workers.
            set open {}
            foreach i [lrepeat 60 x] { lappend open [dns_tcp_open] }
            set alive 0
            foreach c $open {
                catch { dns_tcp_send $c [dns::query limit.tcp.test. A -id 1] }
            }
            foreach c $open {
                if {![catch { dns_tcp_receive $c 1000 } raw] && $raw ne ""} { incr alive }
                close $c
            }
            assert_range $alive 1 40
            wait_until { [info_field tcp_connections_open] == 0 }
            assert_rdata 192.0.2.1 [dns limit2.tcp.test. A -tcp 1]
        }
        test "a long pipeline on one connection loses nothing" {
            set c [dns_tcp_open]
            for {set i 0} {$i < 500} {incr i} { lappend pkts [dns::query p$i.tcp.test. A -id $i] }
            fconfigure $c -buffering full -buffersize 65536
            dns_tcp_send $c {*}$pkts
            assert_equal 500 [dict size [collect $c 500]]
            close $c
        }
    }
}
