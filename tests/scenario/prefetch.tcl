# SPDX-License-Identifier: BSD-3-Clause
# Popular answers are refreshed shortly before they end, so that nobody waits for them.

with_upstream up {
    start_server [forward_to $up prefetch 10 dns-threads 1] {
        test "a popular answer in its last tenth is refreshed once, in the background, with DO" {
            upstream_rule $up popular.test. A -delay 100 -answer {"@ 1000 A 192.0.2.1"}
            dns popular.test. A
            for {set i 0} {$i < 200} {incr i} { dns popular.test. A }
            debug_time_advance 850
            dns popular.test. A
            pause_ms 200
            assert_equal 1 [upstream_count $up popular.test. A] "asked before the last tenth"
            debug_time_advance 70
            # Nobody waits: the old answer comes, and of several that find it old one alone asks.
            foreach i {1 2 3 4 5} { assert_range [ttl_of [dns popular.test. A]] 70 80 }
            wait_until { [ttl_of [dns popular.test. A]] > 900 }
            assert_equal 2 [upstream_count $up popular.test. A]
            assert_equal 1 [dict get [lindex [upstream_last $up popular.test. A] 2] edns do]
            assert {[info_field prefetches] >= 1}
        }
        test "a failed refresh leaves the answer as it is" {
            upstream_rule $up failing.test. A -times 1 -answer {"@ 1000 A 192.0.2.1"}
            upstream_rule $up failing.test. A -rcode SERVFAIL
            for {set i 0} {$i < 200} {incr i} { dns failing.test. A }
            debug_time_advance 950
            foreach i {1 2 3 4} {
                assert_rdata 192.0.2.1 [dns failing.test. A]
                pause_ms 50
            }
            wait_until { [upstream_count $up failing.test. A] >= 2 }
            assert_rdata 192.0.2.1 [dns failing.test. A]
        }
    }
    start_server [forward_to $up prefetch 0] {
        test "prefetch 0 refreshes nothing before its time" {
            upstream_rule $up lazy.test. A -answer {"@ 1000 A 192.0.2.1"}
            for {set i 0} {$i < 200} {incr i} { dns lazy.test. A }
            debug_time_advance 990
            foreach i {1 2 3 4 5} { dns lazy.test. A }
            pause_ms 200
            assert_equal 1 [upstream_count $up lazy.test. A]
        }
    }
}
