# SPDX-License-Identifier: BSD-3-Clause
# Answers that say no: how long they live, what they deny, and what is not remembered at all (RFC 2308, RFC 9520).

with_upstream up {
    # SOA record with this TTL and MINIMUM.
    proc soa {zone ttl minimum} { return "$zone $ttl SOA ns.$zone root.$zone 1 7200 3600 86400 $minimum" }

    start_server [forward_to $up cache-max-negative-ttl 1000 cache-servfail-ttl 5] {
        test "a negative answer lives for the lesser of the SOA's TTL and MINIMUM, with that TTL counted down in its SOA" {
            foreach {name ttl minimum life} {ttl-less.test. 60 300 60 minimum-less.test. 300 60 60} {
                upstream_rule $up $name A -rcode NXDOMAIN -authority [list [soa test. $ttl $minimum]]
                set r [dns $name A]
                assert_rcode NXDOMAIN $r
                assert_equal $life [ttl_of $r authority] $name
                debug_time_advance 25
                set r [dns $name A]
                assert_rcode NXDOMAIN $r
                assert_range [ttl_of $r authority] [expr {$life - 27}] [expr {$life - 25}]
                assert_equal 1 [upstream_count $up $name A]
                debug_time_advance 40
                dns $name A
                assert_equal 2 [upstream_count $up $name A]
            }
        }
        test "NODATA lives by the same rule" {
            upstream_rule $up nodata.test. A -authority [list [soa test. 300 50]]
            set r [dns nodata.test. A]
            assert_rcode NOERROR $r
            assert_equal {{} 50} [list [dict get $r answer] [ttl_of $r authority]]
            debug_time_advance 55
            dns nodata.test. A
            assert_equal 2 [upstream_count $up nodata.test. A]
        }
        test "cache-max-negative-ttl bounds negatives, and cache-max-ttl does not" {
            upstream_rule $up clamp.test. A -rcode NXDOMAIN -authority [list [soa test. 86400 86400]]
            dns clamp.test. A
            assert_range [redis TTL A:clamp.test.] 990 1000
        }
        test "NXDOMAIN denies every type of its name, and NODATA only the type that was asked" {
            upstream_rule $up gone.test. A -rcode NXDOMAIN -authority [list [soa test. 300 300]]
            upstream_rule $up gone.test. AAAA -answer {"@ 300 AAAA 2001:db8::1"}
            dns gone.test. A
            assert_rcode NXDOMAIN [dns gone.test. AAAA]
            assert_equal 0 [upstream_count $up gone.test. AAAA]
            upstream_rule $up part.test. A -authority [list [soa test. 300 300]]
            upstream_rule $up part.test. AAAA -answer {"@ 300 AAAA 2001:db8::1"}
            dns part.test. A
            assert_rdata 2001:db8::1 [dns part.test. AAAA]
        }
        test "a negative answer without SOA is given, and not cached" {
            upstream_rule $up nosoa.test. A -rcode NXDOMAIN
            foreach n {1 2} {
                assert_rcode NXDOMAIN [dns nosoa.test. A]
                assert_equal $n [upstream_count $up nosoa.test. A]
            }
        }
        test "an alias to a name that does not exist is NXDOMAIN with the alias in the answer" {
            upstream_rule $up alias.test. A -rcode NXDOMAIN -answer {"@ 300 CNAME void.test."} -authority [list [soa test. 300 300]]
            foreach way {miss hit} {
                set r [dns alias.test. A]
                assert_rcode NXDOMAIN $r
                assert_equal {CNAME SOA} [concat [types_of $r] [types_of $r authority]] $way
            }
            assert_equal 1 [upstream_count $up alias.test. A]
        }
        test "a failure is remembered for some seconds, for its own question only, and then tried again" {
            upstream_rule $up fail.test. A -rcode SERVFAIL
            upstream_rule $up fail.test. AAAA -answer {"@ 300 AAAA 2001:db8::1"}
            assert_rcode SERVFAIL [dns fail.test. A]
            set n [upstream_count $up fail.test. A]
            assert_rcode SERVFAIL [dns fail.test. A]
            assert_equal $n [upstream_count $up fail.test. A] "asked again at once"
            assert_rdata 2001:db8::1 [dns fail.test. AAAA]
            debug_time_advance 31
            dns fail.test. A
            assert {[upstream_count $up fail.test. A] > $n} "never asked again"
        }
        test "no clamp makes a failure live longer than 30 seconds" {
            upstream_rule $up fail2.test. A -rcode SERVFAIL
            dns fail2.test. A
            assert_range [redis TTL A:fail2.test.] 1 30
        }
        test "recovery replaces a failure when it has run out" {
            upstream_rule $up heals.test. A -times 1 -rcode SERVFAIL
            upstream_rule $up heals.test. A -answer {"@ 300 A 192.0.2.1"}
            # One server only: the failure may have been tried again within the first question.
            set first [dict get [dns heals.test. A] rcode]
            debug_time_advance 31
            assert_rdata 192.0.2.1 [dns heals.test. A]
            assert {$first in {SERVFAIL NOERROR}}
        }
    }

    start_server [forward_to $up cache-min-ttl 60 cache-max-ttl 600] {
        test "cache-min-ttl lifts short positive TTLs, and not those of negatives and failures" {
            upstream_rule $up short.test. A -answer {"@ 5 A 192.0.2.1"}
            dns short.test. A
            assert_range [redis TTL A:short.test.] 55 60
            upstream_rule $up shortneg.test. A -rcode NXDOMAIN -authority [list [soa test. 10 10]]
            dns shortneg.test. A
            assert_range [redis TTL A:shortneg.test.] 5 10
            upstream_rule $up shortfail.test. A -rcode SERVFAIL
            dns shortfail.test. A
            assert_range [redis TTL A:shortfail.test.] 1 30
        }
        test "cache-max-ttl bounds positive TTLs, in the answer too" {
            upstream_rule $up long.test. A -answer {"@ 86400 A 192.0.2.1"}
            assert_range [ttl_of [dns long.test. A]] 1 600
            assert_range [redis TTL A:long.test.] 590 600
            assert_range [ttl_of [dns long.test. A]] 590 600
        }
    }
}
