# SPDX-License-Identifier: BSD-3-Clause
# Packets that no honest client sends. The rule behind all of them: no crash, no answer to an answer, no amplification.

with_upstream up {
    start_server [forward_to $up] {
        upstream_rule $up odd.test. A -answer {"@ 300 A 192.0.2.1"}
        # A burst may overflow the socket's buffer, so like any stub resolver this asks more than once.
        proc still_serves {} { wait_until { ![catch { assert_rdata 192.0.2.1 [dns odd.test. A -timeout 300] }] } }

        test "a response is never answered, over UDP and TCP" {
            set pkt [dns::query odd.test. A -flags {qr rd}]
            assert_equal "" [dns_raw $pkt 300]
            set c [dns_tcp_open]
            dns_tcp_send $c $pkt
            assert_equal "" [dns_tcp_receive $c 300]
            close $c
            wait_until { [info_field drop_response] >= 1 }
            still_serves
        }
        test "an opcode other than QUERY is NOTIMP, with its opcode and ID" {
            foreach opcode {1 2 3 4 5 6 15} {
                set r [dns odd.test. A -opcode $opcode]
                assert_rcode NOTIMP $r
                assert_equal $opcode [dict get $r opcode]
                assert_equal {} [dict get $r answer]
            }
        }
        test "a question count other than one is FORMERR" {
            foreach {n tail} [list 0 "" 2 [dns::name_wire b.test.][binary format SS 1 1] 65535 ""] {
                set pkt [expr {$n ? [dns::query odd.test. A -qdcount $n -tail $tail] : [binary format SSSSSS 99 0x100 0 0 0 0]}]
                set r [dns::parse [dns_raw $pkt]]
                assert_rcode FORMERR $r
                binary scan $pkt Su id
                assert_equal $id [dict get $r id]
            }
        }
        test "packets shorter than a header are dropped" {
            foreach n {1 2 5 11} { assert_equal "" [dns_raw [string repeat \0 $n] 100] "$n bytes" }
            wait_until { [info_field drop_short] >= 4 }
            still_serves
        }
        test "a question cut short anywhere is FORMERR or silence, never an answer" {
            set pkt [dns::query odd.test. A -id 7]
            for {set n 12} {$n < [string length $pkt]} {incr n} {
                set raw [dns_raw [string range $pkt 0 $n-1] 150]
                if {$raw ne ""} {
                    binary scan $raw SuSu id bits
                    assert_equal {7 1 1} [list $id [expr {$bits >> 15}] [expr {$bits & 15}]] "$n bytes"
                }
            }
            still_serves
        }
        test "bytes after the last record are FORMERR" {
            assert_rcode FORMERR [dns::parse [dns_raw [dns::query odd.test. A -tail xyz]]]
            still_serves
        }
        test "compressed, endless and over-long names in a question are refused" {
            set head [binary format SSSSSS 7 0x100 1 0 0 0]
            set q [binary format SS 1 1]
            set long ""
            foreach i {1 2 3 4 5} { append long \x3f[string repeat a 63] }
            foreach {what name} [list self \xc0\x0c forward \xc0\x10 beyond \xff\xff reserved \x80abc reserved2 \x40abc long $long\0 huge-label \x3fab] {
                set raw [dns_raw $head$name$q 200]
                if {$raw ne ""} {
                    binary scan $raw SuSu id bits
                    assert_equal {7 1 1} [list $id [expr {$bits >> 15}] [expr {$bits & 15}]] $what
                }
            }
            still_serves
        }
        test "records in the answer and authority sections of a query do no harm" {
            set pkt [binary format SSSSSS 7 0x100 1 1 1 0][dns::name_wire odd.test.][binary format SS 1 1]
            append pkt [dns::rr_wire "odd.test. 300 A 203.0.113.1"] [dns::rr_wire "test. 300 NS evil.test."]
            set raw [dns_raw $pkt 300]
            if {$raw ne ""} { assert {[dict get [dns::parse $raw] rcode] in {NOERROR FORMERR}} }
            still_serves
        }
        test "random bytes and randomly damaged queries leave the server standing" {
            set s [dns_udp_open]
            set good [dns::query odd.test. A -edns 1232 -options {{10 0011223344556677}}]
            for {set i 0} {$i < 400} {incr i} {
                set pkt $good
                for {set k 0} {$k < 3} {incr k} {
                    set at [expr {int(rand() * [string length $pkt])}]
                    set pkt [string replace $pkt $at $at [format %c [expr {int(rand() * 256)}]]]
                }
                dns_udp_send $s [string range $pkt 0 [expr {int(rand() * 80)}]]
            }
            close $s
            still_serves
        }
        test "zone transfers are refused over UDP and TCP" {
            assert_rcode REFUSED [dns odd.test. AXFR]
            assert_rcode REFUSED [dns odd.test. AXFR -tcp 1]
            assert_rcode REFUSED [dns odd.test. IXFR -tcp 1]
            assert_equal {0 0} [list [upstream_count $up odd.test. AXFR] [upstream_count $up odd.test. IXFR]]
        }
        test "no answer to a small query is much larger than the query when it is refused" {
            foreach pkt [list [dns::query odd.test. AXFR] [dns::query odd.test. A -opcode 2] [dns::query odd.test. A -version 9]] {
                assert_range [string length [dns_raw $pkt]] 12 [expr {[string length $pkt] + 11}]
            }
        }
    }
}
