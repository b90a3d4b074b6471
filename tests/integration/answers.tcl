# SPDX-License-Identifier: BSD-3-Clause
# What every answer must look like: flags, question, class, TTLs, DO and CD, on a miss and on a hit.

with_upstream up {
    start_server [forward_to $up] {
        # An RRSIG of A as generic rdata: type covered, algorithm, labels, TTL, expiry, inception, tag, signer, signature.
        proc rrsig {owner} {
            set rd [binary format SccIIISa*a* 1 13 2 300 2240000000 1700000000 4711 [dns::name_wire test.] [string repeat x 64]]
            return "$owner 300 RRSIG \\# [string length $rd] [dns::hex $rd]"
        }

        test "an answer has QR and RA, echoes RD, and is never authoritative, on a miss and on a hit" {
            upstream_rule $up flags.test. A -flags {aa ra} -answer {"@ 300 A 192.0.2.1"}
            foreach way {miss hit} {
                set r [dns flags.test. A]
                assert_equal {1 1 1 0 0 0 0} [lmap f {qr ra rd aa tc z opcode} { dict get $r $f }] $way
            }
            set r [dns flags.test. A -flags {}]
            assert_equal {1 1 0 0} [lmap f {qr ra rd aa} { dict get $r $f }] "RD=0"
        }
        test "the question comes back byte for byte, whatever its case, on a miss and on a hit" {
            upstream_rule $up mixed-case-name.test. A -answer {"@ 300 A 192.0.2.1"}
            foreach i {1 2 3 4} {
                set name [dns::mix_case mixed-case-name.test.]
                set r [dns $name A]
                assert_equal $name [dict get [lindex [dict get $r question] 0] owner]
                assert_rdata 192.0.2.1 $r
            }
            assert_equal 1 [upstream_count $up mixed-case-name.test. A]
        }
        test "the TTL counts down on hits, and a new answer is fetched when it has run out" {
            upstream_rule $up ttl.test. A -answer {"@ 100 A 192.0.2.1"}
            assert_equal 100 [ttl_of [dns ttl.test. A]]
            debug_time_advance 60
            assert_range [ttl_of [dns ttl.test. A]] 38 40
            assert_equal 1 [upstream_count $up ttl.test. A]
            debug_time_advance 45
            assert_equal 100 [ttl_of [dns ttl.test. A]]
            assert_equal 2 [upstream_count $up ttl.test. A]
        }
        test "of a chain, the shortest TTL decides when it is fetched again" {
            upstream_rule $up chain.test. A -answer {
                "chain.test. 500 CNAME b.test." "b.test. 30 CNAME c.test." "c.test. 400 A 192.0.2.1"
            }
            assert_equal {CNAME CNAME A} [types_of [dns chain.test. A]]
            debug_time_advance 20
            set r [dns chain.test. A]
            assert_equal {CNAME CNAME A} [types_of $r]
            foreach rr [dict get $r answer] { assert_range [dict get $rr ttl] 1 480 }
            assert_equal 1 [upstream_count $up chain.test. A]
            debug_time_advance 15
            dns chain.test. A
            assert_equal 2 [upstream_count $up chain.test. A]
        }
        test "an answer with TTL 0 serves its own transaction only" {
            upstream_rule $up zero.test. A -answer {"@ 0 A 192.0.2.1"}
            foreach i {1 2} {
                set r [dns zero.test. A]
                assert_rdata 192.0.2.1 $r
                assert_equal 0 [ttl_of $r]
            }
            assert_equal 2 [upstream_count $up zero.test. A]
            assert_equal 0 [redis EXISTS A:zero.test.]
        }
        test "a TTL with its highest bit set counts as 0" {
            upstream_rule $up huge.test. A -answer {"@ 2147483648 A 192.0.2.1"}
            foreach i {1 2} { assert_equal 0 [ttl_of [dns huge.test. A]] }
            assert_equal 2 [upstream_count $up huge.test. A]
        }
        test "one fetch serves clients with and without DO, and only those with DO get signatures" {
            upstream_rule $up signed.test. A -answer [list "signed.test. 300 A 192.0.2.1" [rrsig signed.test.]]
            assert_equal A [types_of [dns signed.test. A]]
            assert_equal {A RRSIG} [types_of [dns signed.test. A -do 1]]
            assert_equal A [types_of [dns signed.test. A -edns 1232]]
            upstream_rule $up signed2.test. A -answer [list "signed2.test. 300 A 192.0.2.1" [rrsig signed2.test.]]
            assert_equal {A RRSIG} [types_of [dns signed2.test. A -do 1]]
            assert_equal A [types_of [dns signed2.test. A]]
            assert_equal {1 1} [list [upstream_count $up signed.test. A] [upstream_count $up signed2.test. A]]
            assert_equal 1 [dict get [lindex [upstream_last $up signed.test. A] 2] edns do] "DO towards the upstream"
        }
        test "an upstream's word alone is no validation: AD is not passed on" {
            upstream_rule $up claims.test. A -flags {ra ad} -answer {"@ 300 A 192.0.2.1"}
            foreach i {1 2} {
                assert_equal 0 [dict get [dns claims.test. A -flags {rd ad} -do 1] ad]
            }
        }
        test "an answer fetched with CD is not served to a client without it" {
            upstream_rule $up cd.test. A -answer {"@ 300 A 192.0.2.1"}
            set r [dns cd.test. A -flags {rd cd}]
            assert_equal 1 [dict get $r cd]
            assert_equal 1 [redis EXISTS A:cd.test.@cd]
            assert_equal 0 [redis EXISTS A:cd.test.]
            set r [dns cd.test. A]
            assert_equal 0 [dict get $r cd]
            assert_equal 2 [upstream_count $up cd.test. A]
            assert_equal 1 [redis EXISTS A:cd.test.]
        }
        test "an NXDOMAIN fetched with CD does not displace data fetched without" {
            upstream_rule $up cdnx.test. A -times 1 -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up cdnx.test. TXT -rcode NXDOMAIN -authority {"test. 300 SOA ns.test. r.test. 1 2 3 4 300"}
            dns cdnx.test. A
            assert_rcode NXDOMAIN [dns cdnx.test. TXT -flags {rd cd}]
            set r [dns cdnx.test. A]
            assert_rcode NOERROR $r
            assert_rdata 192.0.2.1 $r
        }
        test "class is part of the question: a CH question does not see IN data" {
            upstream_rule $up class.test. TXT -answer {"@ 300 TXT data"}
            dns class.test. TXT
            set r [dns class.test. TXT -class CH]
            assert_equal {} [dict get $r answer]
            assert_no_match NOERROR [dict get $r rcode]
            assert_rcode REFUSED [dns version.bind. TXT -class CH]
            assert_rcode REFUSED [dns id.server. TXT -class CH]
        }
        test "RD=0 is answered from the cache and never starts a resolution" {
            upstream_rule $up rd0.test. A -answer {"@ 300 A 192.0.2.1"}
            set r [dns rd0.test. A -flags {}]
            assert_equal {} [dict get $r answer]
            assert_equal 0 [upstream_count $up rd0.test. A]
            dns rd0.test. A
            assert_rdata 192.0.2.1 [dns rd0.test. A -flags {}]
        }
        test "names of every kind work: root, 255 bytes, NUL, dots and backslashes in labels, underscores" {
            set longest [join [list [string repeat a 63] [string repeat b 63] [string repeat c 63] [string repeat d 61]] .].
            foreach name [list . $longest {nul\000in.test.} {dot\.in.test.} {back\\slash.test.} {_dns._tcp.test.} {at\@.test.} {xn--mnchen-3ya.test.}] {
                upstream_rule $up $name A -answer [list "$name 300 A 192.0.2.7"]
                foreach way {miss hit} {
                    set r [dns $name A]
                    assert_rdata 192.0.2.7 $r
                    assert_equal $name [dict get [lindex [dict get $r answer] 0] owner] $way
                }
                assert_equal 1 [upstream_count $up $name A]
                assert_equal 1 [redis EXISTS A:$name] "key of $name"
            }
        }
        test "answers are compressed: a large RRset costs 16 bytes an address" {
            upstream_rule $up a-rather-long-name-for-a-host.test. A -answer [lmap i {1 2 3 4 5 6 7 8 9 10 11 12} { format "@ 300 A 192.0.2.%d" $i }]
            foreach way {miss hit} {
                set r [dns a-rather-long-name-for-a-host.test. A]
                assert_equal 12 [llength [dict get $r answer]]
                assert_equal [expr {12 + [string length [dns::name_wire a-rather-long-name-for-a-host.test.]] + 4 + 12 * 16}] [dict get $r size] $way
            }
        }
        test "records of A and AAAA take turns at the front on hits, and the set stays the same" {
            upstream_rule $up turns.test. A -answer {"@ 300 A 192.0.2.1" "@ 300 A 192.0.2.2" "@ 300 A 192.0.2.3"}
            foreach i [lrepeat 60 x] {
                set r [dns turns.test. A]
                assert_rdata {192.0.2.1 192.0.2.2 192.0.2.3} $r
                incr first([lindex [rdata_of $r] 0])
            }
            foreach a {192.0.2.1 192.0.2.2 192.0.2.3} { assert_range [expr {[info exists first($a)] ? $first($a) : 0}] 5 45 $a }
        }
        test "records of many types survive upstream, cache and answer" {
            foreach {type rdata} {
                AAAA 2001:db8::53   MX {10 mail.many.test.}   NS ns1.many.test.   PTR host.many.test.   SRV {1 2 5060 sip.many.test.}
                TXT {"one" "two words"}   SOA {ns.many.test. root.many.test. 1 2 3 4 5}   TYPE65400 {\# 4 deadbeef}
            } {
                upstream_rule $up many.test. $type -answer [list "@ 300 $type $rdata"]
                foreach way {miss hit} {
                    assert_equal [list $rdata] [rdata_of [dns many.test. $type] $type] "$type on a $way"
                }
                assert_equal 1 [upstream_count $up many.test. $type]
            }
        }
        test "only what belongs to the question's chain is kept and served" {
            upstream_rule $up scrub.test. A -answer {"scrub.test. 300 A 192.0.2.1" "victim.test. 300 A 203.0.113.66"} \
                -additional {"www.bank.test. 300 A 203.0.113.67"} -authority {"test. 300 NS ns.evil.test."}
            upstream_rule $up victim.test. A -answer {"@ 300 A 192.0.2.9"}
            foreach way {miss hit} {
                set r [dns scrub.test. A]
                assert_rdata 192.0.2.1 $r * answer
                assert_equal {} [rdata_of $r A additional]
            }
            assert_equal 0 [redis EXISTS A:victim.test. A:www.bank.test.]
            assert_rdata 192.0.2.9 [dns victim.test. A]
        }
        test "a CNAME loop is a failure, not a hang" {
            upstream_rule $up loop.test. A -answer {"loop.test. 300 CNAME loop2.test." "loop2.test. 300 CNAME loop.test."}
            upstream_rule $up loop2.test. A -answer {"loop2.test. 300 CNAME loop.test." "loop.test. 300 CNAME loop2.test."}
            assert_rcode SERVFAIL [dns loop.test. A]
            assert_rcode SERVFAIL [dns loop.test. A]
        }
        test "a question for CNAME itself is not followed" {
            upstream_rule $up onlycname.test. CNAME -answer {"@ 300 CNAME target.test."}
            assert_equal CNAME [types_of [dns onlycname.test. CNAME]]
            assert_equal 0 [upstream_count $up target.test. A]
        }
    }
}
