# SPDX-License-Identifier: BSD-3-Clause
# EDNS: sizes, truncation, versions, options; OPT is one hop's business and no part of the cache.

with_upstream up {
    start_server [forward_to $up] {
        # About n bytes of TXT in one answer.
        proc big_rule {name n} {
            set strings [lrepeat [expr {($n + 100) / 101}] [string repeat z 100]]
            upstream_rule $::up $name TXT -tc 1 -answer [list "@ 300 TXT $strings"]
        }

        test "an OPT comes back only to a client that sent one, version 0 with the server's own size" {
            upstream_rule $up opt.test. A -answer {"@ 300 A 192.0.2.1"}
            foreach way {miss hit} {
                assert_equal {} [dict get [dns opt.test. A] edns]
                set e [dict get [dns opt.test. A -edns 4000] edns]
                assert_equal {0 1232 0} [lmap f {version size do} { dict get $e $f }]
                assert_equal 1 [dict get [dns opt.test. A -do 1] edns do]
            }
        }
        test "without EDNS an answer over 512 bytes is truncated over UDP and whole over TCP, with one fetch" {
            big_rule b700.test. 700
            foreach way {miss hit} {
                set r [dns b700.test. TXT]
                assert_equal 1 [dict get $r tc] $way
                assert_range [dict get $r size] 12 512
                set r [dns b700.test. TXT -tcp 1]
                assert_equal 0 [dict get $r tc]
                assert_range [dict get $r size] 700 800
            }
            # Truncated over UDP by this upstream too, and asked again over TCP: two packets, one resolution.
            assert_range [upstream_count $up b700.test. TXT] 1 2
        }
        test "the second client's size counts, not the first's" {
            big_rule b900.test. 900
            assert_equal 0 [dict get [dns b900.test. TXT -edns 1232] tc]
            assert_equal 1 [dict get [dns b900.test. TXT] tc]
            assert_equal 1 [dict get [dns b900.test. TXT -edns 600] tc]
            assert_equal 0 [dict get [dns b900.test. TXT -edns 1232] tc]
        }
        test "a size under 512 is taken as 512" {
            upstream_rule $up s300.test. TXT -answer [list "@ 300 TXT [lrepeat 3 [string repeat q 100]]"]
            set r [dns s300.test. TXT -edns 100]
            assert_equal 0 [dict get $r tc]
            assert_range [dict get $r size] 300 512
        }
        test "the server's own limit bounds what a client may ask for" {
            big_rule b2000.test. 2000
            set r [dns b2000.test. TXT -edns 4096]
            assert_equal 1 [dict get $r tc]
            assert_range [dict get $r size] 12 1232
            assert_range [dict get [dns b2000.test. TXT -tcp 1] size] 2000 2100
        }
        test "edns-udp-size changes that limit while running" {
            big_rule b1500.test. 1500
            assert_equal 1 [dict get [dns b1500.test. TXT -edns 4096] tc]
            redis CONFIG SET edns-udp-size 2000
            try {
                wait_until { ![dict get [dns b1500.test. TXT -edns 4096] tc] }
                assert_equal 2000 [dict get [dns b1500.test. TXT -edns 4096] edns size]
            } finally {
                redis CONFIG SET edns-udp-size 1232
            }
        }
        test "a truncated answer says TC and carries no half RRset" {
            upstream_rule $up half.test. A -tc 1 -answer [lmap i [lrange [split [string repeat "x " 60]] 0 59] { incr n; format "@ 300 A 192.0.2.%d" $n }]
            set r [dns half.test. A]
            assert_equal {1 {}} [list [dict get $r tc] [rdata_of $r A]]
            assert_equal 60 [llength [rdata_of [dns half.test. A -tcp 1] A]]
        }
        test "an EDNS version over 0 is answered BADVERS, with version 0 and no data" {
            upstream_rule $up vers.test. A -answer {"@ 300 A 192.0.2.1"}
            foreach v {1 255} {
                set r [dns vers.test. A -version $v]
                assert_rcode BADVERS $r
                assert_equal 0 [dict get $r edns version]
                assert_equal {} [dict get $r answer]
            }
            assert_equal 0 [upstream_count $up vers.test. A]
        }
        test "unknown EDNS options are ignored and not sent on" {
            upstream_rule $up unk.test. A -answer {"@ 300 A 192.0.2.1"}
            set r [dns unk.test. A -options {{65001 deadbeef} {65535 {}}}]
            assert_rdata 192.0.2.1 $r
            assert_equal {} [options_of $r 65001]
            foreach o [dict get [lindex [upstream_last $up unk.test. A] 2] edns options] {
                assert {[lindex $o 0] < 65000} "option [lindex $o 0] went upstream"
            }
        }
        test "what an upstream puts into its OPT is not stored and not passed on" {
            # NSID, COOKIE, padding.
            upstream_rule $up hop.test. A -answer {"@ 300 A 192.0.2.1"} -options {{3 6e73} {10 00112233445566778899aabbccddeeff} {12 0000}}
            foreach way {miss hit} {
                set r [dns hop.test. A -edns 1232]
                foreach code {3 10 12} { assert_equal {} [options_of $r $code] "option $code on a $way" }
            }
        }
        test "two OPTs, an OPT with an owner name, and broken option lengths are FORMERR" {
            upstream_rule $up bad.test. A -answer {"@ 300 A 192.0.2.1"}
            set two [dns::query bad.test. A -edns 1232 -arcount 2 -tail [dns::opt_wire 1232 0 0 {}]]
            set owner [dns::query bad.test. A -arcount 1 -tail \1x[dns::opt_wire 1232 0 0 {}]]
            set broken [dns::query bad.test. A -arcount 1 -tail [binary format cSSISSS 0 41 1232 0 4 3 9]]
            foreach {what pkt} [list two $two owner $owner broken $broken] {
                set r [dns::parse [dns_raw $pkt]]
                assert_rcode FORMERR $r
                assert_equal 1 [dict get $r qr] $what
            }
            assert_equal 0 [upstream_count $up bad.test. A]
        }
    }
}
