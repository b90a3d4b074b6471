# SPDX-License-Identifier: BSD-3-Clause
# weight: 4
# Answers past their TTL (RFC 8767): given when nothing better can be had, marked as such, and never a moment longer.

with_upstream up {
    # EDE code of an answer, or "".
    proc ede {r} {
        set o [lindex [options_of $r 15] 0]
        expr {$o eq "" ? "" : [scan [string range $o 0 3] %x]}
    }
    proc ask {name args} { dns $name A -edns 1232 -timeout 8000 {*}$args }

    start_server [forward_to $up serve-stale yes serve-stale-ttl 30 serve-stale-for 3600 serve-stale-client-timeout 300ms \
        forward-timeout 200ms resolve-timeout 2s dns-threads 1] {
        test "with the upstream dead, an expired answer is served with TTL 30 and EDE 3" {
            upstream_rule $up dead.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up dead.test. A -drop 1
            ask dead.test.
            debug_time_advance 100
            set r [ask dead.test.]
            assert_rcode NOERROR $r
            assert_rdata 192.0.2.1 $r
            assert_equal {30 3} [list [ttl_of $r] [ede $r]]
            assert {[info_field stale_answers] >= 1}
        }
        test "a client waits at most serve-stale-client-timeout for the upstream, which may still answer for the next" {
            upstream_rule $up slow.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up slow.test. A -delay 700 -answer {"@ 60 A 192.0.2.2"}
            ask slow.test.
            debug_time_advance 100
            set t [clock milliseconds]
            assert_rdata 192.0.2.1 [ask slow.test.]
            assert_range [expr {[clock milliseconds] - $t}] 200 650
            wait_until { [rdata_of [ask slow.test.]] eq "192.0.2.2" }
        }
        test "a stale NXDOMAIN carries EDE 19" {
            upstream_rule $up nx.test. A -times 1 -rcode NXDOMAIN -authority {"test. 60 SOA ns.test. r.test. 1 2 3 4 60"}
            upstream_rule $up nx.test. A -drop 1
            assert_rcode NXDOMAIN [ask nx.test.]
            debug_time_advance 100
            set r [ask nx.test.]
            assert_rcode NXDOMAIN $r
            assert_equal 19 [ede $r]
        }
        test "while the upstream answers, nothing stale is served, and fresh data takes the place of old" {
            upstream_rule $up fresh.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up fresh.test. A -answer {"@ 60 A 192.0.2.2"}
            ask fresh.test.
            debug_time_advance 100
            set r [ask fresh.test.]
            assert_rdata 192.0.2.2 $r
            assert_equal {60 {}} [list [ttl_of $r] [ede $r]]
        }
        test "a fresh NXDOMAIN takes the place of stale data" {
            upstream_rule $up died.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up died.test. A -rcode NXDOMAIN -authority {"test. 60 SOA ns.test. r.test. 1 2 3 4 60"}
            ask died.test.
            debug_time_advance 100
            assert_rcode NXDOMAIN [ask died.test.]
            assert_rcode NXDOMAIN [ask died.test.]
        }
        test "an upstream that fails does not take usable stale data away, and is left alone for 30 seconds" {
            upstream_rule $up fail.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up fail.test. A -rcode SERVFAIL
            ask fail.test.
            debug_time_advance 100
            assert_rdata 192.0.2.1 [ask fail.test.]
            set n [upstream_count $up fail.test. A]
            foreach i {1 2 3} {
                debug_time_advance 5
                assert_rdata 192.0.2.1 [ask fail.test.]
            }
            assert_equal $n [upstream_count $up fail.test. A] "asked again within 30 s"
            debug_time_advance 31
            assert_rdata 192.0.2.1 [ask fail.test.]
            wait_until { [upstream_count $up fail.test. A] > $n }
        }
        test "past serve-stale-for an answer is not served any more" {
            upstream_rule $up old.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up old.test. A -drop 1
            ask old.test.
            debug_time_advance 3700
            set r [ask old.test.]
            assert_rcode SERVFAIL $r
            assert_equal {} [dict get $r answer]
        }
        test "without a stale answer, a dead upstream is SERVFAIL with EDE 22 or 23" {
            upstream_rule $up never.test. A -drop 1
            set r [ask never.test.]
            assert_rcode SERVFAIL $r
            assert {[ede $r] in {22 23}} "EDE [ede $r]"
        }
    }
    start_server [forward_to $up serve-stale no forward-timeout 200ms resolve-timeout 1s] {
        test "serve-stale no never serves past the TTL" {
            upstream_rule $up off.test. A -times 1 -answer {"@ 60 A 192.0.2.1"}
            upstream_rule $up off.test. A -drop 1
            ask off.test.
            debug_time_advance 61
            assert_rcode SERVFAIL [ask off.test.]
        }
    }
}
