# SPDX-License-Identifier: BSD-3-Clause
# weight: 6
# What an operator sees of the servers that questions are forwarded to.

# The row of DNS.UPSTREAMS for a server, as a dict.
proc upstream_row {up} {
    foreach row [redis DNS.UPSTREAMS] { if {[dict get $row address] eq [upstream_addr $up]} { return $row } }
    error "no row for [upstream_addr $up]"
}
proc upstream_field {up field} { dict get [upstream_row $up] $field }

with_upstream {up corp} {
    start_server [forward_to $up forward-zone "\"corp.example.\" [upstream_addr $corp]" forward-timeout 150ms] {
        test "DNS.UPSTREAMS has a row for each server with its zone, and INFO upstreams says the same" {
            assert_equal [list . corp.example.] [lmap row [redis DNS.UPSTREAMS] { dict get $row zone }]
            assert_equal udp [upstream_field $up transport]
            set info [redis INFO upstreams]
            assert_match "# Upstreams\r\nupstream_0:zone=.,address=[upstream_addr $up],transport=udp,state=*\r\nupstream_1:zone=corp.example.,address=[upstream_addr $corp],*" $info
        }
        test "questions, answers and round-trip times are counted for the server that they belong to" {
            upstream_rule $up *.count.test. A -delay 40 -answer {"@ 300 A 192.0.2.1"}
            set sent [upstream_field $up sent]
            for {set i 0} {$i < 5} {incr i} { dns n$i.count.test. A }
            set row [upstream_row $up]
            assert_equal [expr {$sent + 5}] [dict get $row sent]
            assert {[dict get $row answered] >= 5}
            assert_equal {up 0 0} [list [dict get $row state] [dict get $row in-flight] [dict get $row timeouts]]
            foreach field {srtt-ms p50-ms p95-ms} { assert_range [dict get $row $field] 30 2000 $field }
            assert {[dict get $row p50-ms] <= [dict get $row p95-ms]}
            assert_equal 0 [upstream_field $corp sent]
        }
        test "a failure that a server answers with is counted as one" {
            upstream_rule $up fails.test. A -rcode SERVFAIL
            set row [upstream_row $up]
            dns fails.test. A
            assert {[upstream_field $up failures] > [dict get $row failures]}
        }
        test "a question over TCP is counted as such, and its connection is seen" {
            upstream_rule $up big.test. TXT -tc 1 -answer {"@ 300 TXT whole"}
            set before [upstream_field $up sent-tcp]
            dns big.test. TXT
            assert_equal [expr {$before + 1}] [upstream_field $up sent-tcp]
            assert_range [upstream_field $up connections] 1 2
        }
        test "a server that is silent goes down with a time until its probe, and is up again when it answers" {
            upstream_rule $corp *.silent.corp.example. A -drop 1
            upstream_rule $corp ok.corp.example. A -answer {"@ 0 A 10.0.0.1"}
            set s [dns_udp_open]
            # Each worker finds out by itself: enough questions from enough ports for both.
            for {set i 0} {$i < 40} {incr i} {
                set other [dns_udp_open]
                dns_udp_send $other [dns::query n$i.silent.corp.example. A]
                close $other
            }
            close $s
            wait_until { [upstream_field $corp in-flight] > 0 }
            wait_until { [upstream_field $corp state] eq "down" } 15000
            assert {[upstream_field $corp timeouts] >= 6}
            assert_range [upstream_field $corp backoff-ms] 0 60000
            assert_match "*zone=corp.example.*state=down*" [redis INFO upstreams]
            wait_until { [upstream_field $corp in-flight] == 0 } 15000
            wait_until { [catch { dns ok.corp.example. A }] == 0 && [upstream_field $corp state] eq "up" } 15000
        }
    }
}

start_server {resolver recurse} {
    test "without forwarders DNS.UPSTREAMS is empty" {
        assert_equal {} [redis DNS.UPSTREAMS]
        assert_equal "# Upstreams" [string trim [redis INFO upstreams]]
    }
}
