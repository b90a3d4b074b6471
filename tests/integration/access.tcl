# SPDX-License-Identifier: BSD-3-Clause
# Who may ask. Policy stands before the cache: what is cached does not leak to those who may not ask.

with_upstream up {
    upstream_rule $up acl.test. A -answer {"@ 300 A 192.0.2.1"}

    start_server [forward_to $up] {
        test "by default loopback may ask" {
            assert_rcode NOERROR [dns acl.test. A]
            if {[have_ipv6]} { assert_rcode NOERROR [dns acl.test. A -addr ::1] }
        }
    }
    start_server [forward_to $up allow-query 192.0.2.0/24] {
        test "who is not in allow-query gets REFUSED, over UDP and TCP, with no data and no upstream query" {
            upstream_reset $up
            foreach tcp {0 1} {
                set r [dns acl.test. A -tcp $tcp]
                assert_rcode REFUSED $r
                assert_equal {} [dict get $r answer]
            }
            assert_equal 0 [upstream_count $up acl.test. A]
            assert {[info_field refused_acl] >= 2}
        }
        test "allow-query changes while running, and what was cached meanwhile is refused too" {
            redis CONFIG SET allow-query 127.0.0.0/8
            wait_until { [dict get [dns acl.test. A] rcode] eq "NOERROR" }
            redis CONFIG SET allow-query 192.0.2.0/24
            wait_until { [dict get [dns acl.test. A] rcode] eq "REFUSED" }
            assert_equal 1 [redis EXISTS A:acl.test.]
        }
    }
    start_server [forward_to $up allow-query 127.0.0.1 allow-query ::1] {
        test "allow-query may stand several times and takes single addresses" {
            assert_rcode NOERROR [dns acl.test. A]
            if {[have_ipv6]} { assert_rcode NOERROR [dns acl.test. A -addr ::1] }
        }
    }
    start_server [forward_to $up server-identity "pith-a" server-version "one"] {
        test "id.server and version.bind answer when they are configured, in class CH only" {
            assert_rdata {{"pith-a"}} [dns id.server. TXT -class CH]
            assert_rdata {{"one"}} [dns version.bind. TXT -class CH]
            assert_rdata {{"one"}} [dns VERSION.server. TXT -class CH]
        }
    }
    start_server [forward_to $up answer-rd0 refuse] {
        test "answer-rd0 refuse refuses queries without RD, cached or not" {
            dns acl.test. A
            assert_rcode REFUSED [dns acl.test. A -flags {}]
        }
    }
}
