# SPDX-License-Identifier: BSD-3-Clause
# What an operator removes is gone everywhere: recursion has small caches of its own, and they do not bring it back.

with_upstream up {
    foreach {how command} {
        DEL {DEL A:www.stub.test.} UNLINK {UNLINK A:www.stub.test.} "EXPIRE 0" {EXPIRE A:www.stub.test. 0}
        FLUSHALL {FLUSHALL} FLUSHDB {FLUSHDB} DNS.PURGE {DNS.PURGE www.stub.test.} "DNS.PURGE of a subtree" {DNS.PURGE stub.test. SUBTREE}
    } {
        start_server [list resolver recurse serve-stale no prefetch 0 dnssec-validation no query-loopback yes \
            stub-zone "\"stub.test.\" [upstream_addr $up]" dns-threads 1] {
            test "after $how a name is resolved anew, past what recursion remembers of it" {
                upstream_clear $up
                upstream_rule $up www.stub.test. A -flags aa -answer {"@ 3000 A 192.0.2.1"}
                upstream_rule $up *.stub.test. ANY -flags aa -rcode NXDOMAIN
                assert_rdata 192.0.2.1 [dns www.stub.test. A]
                upstream_clear $up
                upstream_rule $up www.stub.test. A -flags aa -answer {"@ 3000 A 192.0.2.2"}
                upstream_rule $up *.stub.test. ANY -flags aa -rcode NXDOMAIN
                redis {*}$command
                set r [dns www.stub.test. A]
                assert_rdata 192.0.2.2 $r
                assert_equal 3000 [ttl_of $r]
            }
        }
    }
}
