# SPDX-License-Identifier: BSD-3-Clause
# weight: 9
# Recursion with validation through a signed root that nsd serves on this machine.

with_signed_tree tree {
    start_server [concat [signed_tree_options $tree] {serve-stale no prefetch 0}] {
        proc ask {name type args} { dns $name $type -flags {rd ad} -timeout 10000 {*}$args }

        test "a signed name is validated: AD for a client that asked with AD or DO, on a miss and on a hit" {
            foreach way {miss hit} {
                set r [ask www.secure.example. A]
                assert_rcode NOERROR $r
                assert_rdata {192.0.2.10 192.0.2.11} $r
                assert_equal 1 [dict get $r ad] $way
                assert_equal 1 [dict get [dns www.secure.example. A -do 1] ad] "$way with DO"
            }
        }
        test "AD is not told to a client that did not ask for it" {
            ask ftp.secure.example. A
            assert_equal 0 [dict get [dns ftp.secure.example. A] ad]
            assert_equal 1 [dict get [ask ftp.secure.example. A] ad]
        }
        test "signatures come with DO and only with DO, from the same fetch" {
            assert_equal {AAAA} [types_of [ask www.secure.example. AAAA]]
            assert_equal {AAAA RRSIG} [types_of [dns www.secure.example. AAAA -do 1]]
            assert_equal {AAAA} [types_of [ask www.secure.example. AAAA]]
        }
        test "a chain of aliases is validated as a whole, within a zone and across zones" {
            set r [ask chain.secure.example. A]
            assert_equal {CNAME CNAME A A} [types_of $r]
            assert_equal 1 [dict get $r ad]
            set r [ask far.secure.example. A]
            assert_equal {CNAME A} [types_of $r]
            assert_equal 1 [dict get $r ad]
        }
        test "wildcards and DNAMEs are validated, and the DNAME stands before the CNAME made from it" {
            set r [ask x.wild.secure.example. A]
            assert_rdata 192.0.2.12 $r
            assert_equal 1 [dict get $r ad]
            foreach way {miss hit} {
                set r [ask www.sub.secure.example. A]
                assert_equal {DNAME CNAME A} [types_of $r] $way
                assert_equal 1 [dict get $r ad]
            }
        }
        test "NXDOMAIN and NODATA are validated with NSEC and with NSEC3" {
            foreach {name type rcode} {
                nope.secure.example. A NXDOMAIN  nope.nsec3.example. A NXDOMAIN
                www.secure.example. MX NOERROR  www.nsec3.example. TXT NOERROR  empty.secure.example. A NOERROR
            } {
                foreach way {miss hit} {
                    set r [ask $name $type]
                    assert_rcode $rcode $r
                    assert_equal {1 {} SOA} [list [dict get $r ad] [dict get $r answer] [types_of $r authority]] "$name $type on a $way"
                }
                set with [types_of [dns $name $type -do 1] authority]
                assert {"RRSIG" in $with && ("NSEC" in $with || "NSEC3" in $with)} "proof of $name $type: $with"
            }
        }
        test "a broken signature is SERVFAIL, and its neighbour in the zone is fine" {
            foreach way {miss hit} {
                set r [ask www.bogus.example. A -edns 1232]
                assert_rcode SERVFAIL $r
                assert_equal {0 {}} [list [dict get $r ad] [dict get $r answer]] $way
            }
            set r [ask ok.bogus.example. A]
            assert_rdata 192.0.2.41 $r
            assert_equal 1 [dict get $r ad]
        }
        test "SERVFAIL of a bogus answer says why in an extended error" {
            set r [ask www.bogus.example. A -edns 1232]
            set ede [lindex [options_of $r 15] 0]
            assert {$ede ne ""} "no EDE option"
            scan [string range $ede 0 3] %x code
            # 5 .. 12 are the DNSSEC codes of RFC 8914 §4.
            assert {$code in {5 6 7 8 9 10 11 12}} "EDE $code"
        }
        test "a client with CD gets the bogus data without AD, and one without CD still gets SERVFAIL, in either order" {
            set r [dns www.bogus.example. A -flags {rd cd} -timeout 10000]
            assert_rcode NOERROR $r
            assert_rdata 192.0.2.40 $r A
            assert_equal {0 1} [list [dict get $r ad] [dict get $r cd]]
            assert_rcode SERVFAIL [ask www.bogus.example. A]
            assert_rcode SERVFAIL [ask www.expired.example. A]
            set r [dns www.expired.example. A -flags {rd cd} -timeout 10000]
            assert_rdata 192.0.2.50 $r A
            assert_rcode SERVFAIL [ask www.expired.example. A]
            assert_rdata 192.0.2.50 [dns www.expired.example. A -flags {rd cd}] A
        }
        test "an unsigned zone below a signed one answers without AD" {
            set r [ask www.plain.example. A]
            assert_rdata 192.0.2.60 $r
            assert_equal 0 [dict get $r ad]
            # A secure target does not make an insecure alias secure.
            set r [ask alias.plain.example. A]
            assert_equal {CNAME A A} [types_of $r]
            assert_equal 0 [dict get $r ad]
        }
        test "a large answer is truncated over UDP and whole over TCP" {
            set r [ask big.secure.example. TXT -edns 1232]
            assert_equal 1 [dict get $r tc]
            set r [ask big.secure.example. TXT -tcp 1 -do 1]
            assert_equal {0 TXT RRSIG} [list [dict get $r tc] {*}[types_of $r]]
            assert_range [dict get $r size] 1700 2000
        }
        test "a zone whose server is down is SERVFAIL within the server's own deadline" {
            set t [clock milliseconds]
            assert_rcode SERVFAIL [ask www.lame.example. A]
            assert_range [expr {[clock milliseconds] - $t}] 0 8000
        }
        test "the answers stand in the cache under their keys, with the proof of their security" {
            ask mx.secure.example. MX
            assert_equal 1 [redis EXISTS MX:mx.secure.example.]
            assert_match "*10 www.secure.example.*" [redis GET MX:mx.secure.example.]
        }
        test "many different names at once are all answered" {
            set socks {}
            for {set i 0} {$i < 80} {incr i} {
                lappend socks [dns_udp_open]
                dns_udp_send [lindex $socks end] [dns::query many$i.wild.secure.example. A -id $i -flags {rd ad}]
            }
            set i 0
            foreach s $socks {
                set raw [dns_udp_receive $s 10000]
                assert {$raw ne ""} "no answer to question $i"
                set r [dns::parse $raw]
                assert_equal "$i 192.0.2.12 1" "[dict get $r id] [rdata_of $r] [dict get $r ad]"
                close $s
                incr i
            }
        }
    }

    start_server [concat [signed_tree_options $tree] {dnssec-validation no serve-stale no}] {
        test "dnssec-validation no serves bogus data and never says AD" {
            set r [dns www.bogus.example. A -flags {rd ad} -timeout 10000]
            assert_rdata 192.0.2.40 $r
            assert_equal 0 [dict get $r ad]
            assert_equal 0 [dict get [dns www.secure.example. A -flags {rd ad}] ad]
        }
    }

    start_server [concat [signed_tree_options $tree] [list stub-zone "\"plain.example.\" [dict get $tree zones]@53" \
        forward-zone "\"nsec3.example.\" [dict get $tree zones]@53"]] {
        test "stub-zone and forward-zone take their part of the tree in recursion" {
            assert_rdata 192.0.2.60 [dns www.plain.example. A -timeout 10000]
            assert_rdata 192.0.2.30 [dns www.nsec3.example. A -timeout 10000]
            assert_rdata 192.0.2.21 [dns ftp.secure.example. A -timeout 10000]
        }
    }
}
