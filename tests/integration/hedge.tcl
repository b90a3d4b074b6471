# SPDX-License-Identifier: BSD-3-Clause
# weight: 4
# A second copy of a question whose server is slower than usual, and limits on what one server is asked at once.

# So many answers that the forwarder knows what is usual; the first of two servers is the quick one.
proc warm_up {n args} {
    foreach u $args { upstream_rule $u *.warm.test. A -delay [expr {$u eq [lindex $args 0] ? 0 : 60}] -answer {"@ 300 A 192.0.2.1"} }
    for {set i 0} {$i < $n} {incr i} { dns w[incr ::warm_seq].warm.test. A }
}

with_upstream {up second} {
    start_server [forward_to [list $up $second] dns-threads 1 forward-timeout 20s resolve-timeout 30s forward-hedge 50] {
        test "a question whose server is slower than usual is put to the next one, long before the time-out" {
            warm_up 90 $up $second
            upstream_rule $up lost.test. A -drop 1
            upstream_rule $second lost.test. A -answer {"@ 300 A 192.0.2.2"}
            set before [info_field upstream_hedges]
            assert_rdata 192.0.2.2 [dns lost.test. A -timeout 15000]
            assert_equal [expr {$before + 1}] [info_field upstream_hedges]
            assert_equal {1 1} [list [upstream_count $up lost.test. A] [upstream_count $second lost.test. A]]
            assert_equal 0 [info_field upstream_timeouts]
        }
        test "the first server's answer counts when it comes first after all" {
            warm_up 90 $up $second
            upstream_rule $up late.test. A -delay 250 -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $second late.test. A -drop 1
            assert_rdata 192.0.2.1 [dns late.test. A -timeout 15000]
        }
        test "when the second copy's server fails, the first is waited for" {
            warm_up 90 $up $second
            upstream_rule $up both.test. A -delay 300 -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $second both.test. A -rcode SERVFAIL
            assert_rdata 192.0.2.1 [dns both.test. A -timeout 15000]
            assert_equal 1 [upstream_count $up both.test. A]
        }
    }
    start_server [forward_to $up dns-threads 1 forward-timeout 20s resolve-timeout 30s forward-hedge 5] {
        test "with one server the copy goes to it again, so that a lost packet costs little" {
            warm_up 90 $up
            upstream_rule $up once.test. A -times 1 -drop 1
            upstream_rule $up once.test. A -answer {"@ 300 A 192.0.2.1"}
            assert_rdata 192.0.2.1 [dns once.test. A -timeout 15000]
            assert_equal 2 [upstream_count $up once.test. A]
        }
        test "no more copies are sent than forward-hedge per cent, with what quiet times have saved" {
            warm_up 90 $up
            upstream_rule $up *.slow.test. A -delay 400 -answer {"@ 300 A 192.0.2.1"}
            set before [info_field upstream_hedges]
            set socks {}
            for {set i 0} {$i < 80} {incr i} {
                lappend socks [dns_udp_open]
                dns_udp_send [lindex $socks end] [dns::query s$i.slow.test. A]
            }
            foreach s $socks {
                assert_rdata 192.0.2.1 [dns::parse [dns_udp_receive $s 15000]]
                close $s
            }
            # 16 saved at most, and 5 for each 100.
            assert_range [expr {[info_field upstream_hedges] - $before}] 1 20
        }
    }
    start_server [forward_to $up dns-threads 1 forward-timeout 600ms forward-hedge 0] {
        test "forward-hedge 0 sends none" {
            warm_up 90 $up
            upstream_rule $up wait.test. A -times 1 -drop 1
            upstream_rule $up wait.test. A -answer {"@ 300 A 192.0.2.1"}
            set t [clock milliseconds]
            assert_rdata 192.0.2.1 [dns wait.test. A -timeout 15000]
            assert {[clock milliseconds] - $t >= 550}
            assert_equal 0 [info_field upstream_hedges]
        }
    }
    start_server [forward_to [list $up $second] dns-threads 1 forward-server-flights 10 forward-hedge 0 forward-timeout 5s] {
        test "one server is asked no more at once than forward-server-flights, and what is over all of them is turned away uncached" {
            foreach u [list $up $second] {
                upstream_rule $u *.limit.test. A -delay 700 -answer {"@ 300 A 192.0.2.1"}
                set before($u) [upstream_total $u]
            }
            set socks {}
            for {set i 0} {$i < 30} {incr i} {
                lappend socks [dns_udp_open]
                dns_udp_send [lindex $socks end] [dns::query l$i.limit.test. A]
            }
            foreach s $socks {
                lappend rcodes [dict get [dns::parse [dns_udp_receive $s 15000]] rcode]
                close $s
            }
            # One copy in 64 goes to a server besides, to learn its speed, and takes a place there.
            set served [llength [lsearch -all $rcodes NOERROR]]
            assert_range $served 18 20
            assert_equal [expr {30 - $served}] [llength [lsearch -all $rcodes SERVFAIL]]
            assert_equal [expr {30 - $served}] [info_field upstream_limited]
            foreach u [list $up $second] { assert_range [expr {[upstream_total $u] - $before($u)}] 10 12 }
            wait_until { [regexp -all {in_flight=0} [redis INFO upstreams]] == 2 }
            assert_rdata 192.0.2.1 [dns l29.limit.test. A -timeout 8000]
        }
    }
}
