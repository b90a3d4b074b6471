# SPDX-License-Identifier: BSD-3-Clause
# Upstreams that die, come back and stall, while clients keep asking.

with_upstream {up second} {
    start_server [forward_to [list $up $second] forward-timeout 200ms resolve-timeout 2s cache-servfail-ttl 1] {
        test "hits are answered while every upstream is silent" {
            foreach u [list $up $second] {
                upstream_rule $u hot.test. A -answer {"@ 3000 A 192.0.2.1"}
                upstream_rule $u *.stall.test. ANY -drop 1
            }
            dns hot.test. A
            set s [dns_udp_open]
            for {set i 0} {$i < 300} {incr i} {
                dns_udp_send $s [dns::query n$i.stall.test. A]
                # Not more than a socket buffer holds.
                if {$i % 50 == 49} { pause_ms 10 }
            }
            for {set i 0} {$i < 20} {incr i} { assert_rdata 192.0.2.1 [dns hot.test. A -timeout 1000] }
            close $s
        }
        test "service returns when the upstreams do" {
            foreach u [list $up $second] {
                upstream_rule $u back.test. A -times 8 -drop 1
                upstream_rule $u back.test. A -answer {"@ 300 A 192.0.2.5"}
            }
            assert_rcode SERVFAIL [dns back.test. A -timeout 6000]
            set tries 0
            while 1 {
                debug_time_advance 31
                set r [dns back.test. A -timeout 6000]
                if {[dict get $r rcode] eq "NOERROR" || [incr tries] > 12} { break }
            }
            assert_rdata 192.0.2.5 $r
        }
        test "flights that are under way when the server is told to stop do not keep it" {
            foreach u [list $up $second] { upstream_rule $u *.leave.test. ANY -drop 1 }
            set s [dns_udp_open]
            for {set i 0} {$i < 50} {incr i} { dns_udp_send $s [dns::query n$i.leave.test. A] }
            close $s
            # The end of this server is a test of its own: SIGTERM with fifty questions open.
            wait_until { [upstream_total $up] + [upstream_total $second] > 300 }
        }
    }
}
