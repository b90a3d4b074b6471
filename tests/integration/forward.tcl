# SPDX-License-Identifier: BSD-3-Clause
# weight: 5
# The forwarder: whom it asks, what it believes, what it does when a server fails it.

with_upstream {up second} {
    start_server [forward_to [list $up $second] forward-timeout 300ms resolve-timeout 3s] {
        # The servers may be asked in any order, so a rule that must be met first stands at both and counts over both.
        proc both {args} { foreach u [list $::up $::second] { upstream_rule $u {*}$args } }
        proc asked {name type} { expr {[upstream_count $::up $name $type] + [upstream_count $::second $name $type]} }

        test "a server that fails is passed over for the next one" {
            upstream_rule $up fail.test. A -rcode SERVFAIL
            upstream_rule $second fail.test. A -answer {"@ 300 A 192.0.2.2"}
            assert_rdata 192.0.2.2 [dns fail.test. A]
            upstream_rule $up refuse.test. A -answer {"@ 300 A 192.0.2.3"}
            assert_rdata 192.0.2.3 [dns refuse.test. A]
        }
        test "a server that is silent is passed over for the next one" {
            upstream_rule $up silent.test. A -drop 1
            upstream_rule $second silent.test. A -answer {"@ 300 A 192.0.2.2"}
            assert_rdata 192.0.2.2 [dns silent.test. A]
        }
        test "a server that answers rubbish is passed over for the next one" {
            # An ID that fits, then counts that promise what is not there.
            upstream_rule $up rubbish.test. A -garbage 4944818000010005000000000161c00c
            upstream_rule $second rubbish.test. A -answer {"@ 300 A 192.0.2.2"}
            assert_rdata 192.0.2.2 [dns rubbish.test. A]
        }
        test "when every server fails the answer is SERVFAIL, within the time that resolve-timeout gives" {
            both dead.test. A -drop 1
            set t [clock milliseconds]
            assert_rcode SERVFAIL [dns dead.test. A -timeout 8000]
            assert_range [expr {[clock milliseconds] - $t}] 0 7000
            both sick.test. A -rcode SERVFAIL
            assert_rcode SERVFAIL [dns sick.test. A]
        }
        test "a truncated answer is asked again over TCP, and never cached as it was" {
            both tc.test. TXT -tc 1 -answer {"@ 300 TXT whole"}
            set r [dns tc.test. TXT]
            assert_equal 0 [dict get $r tc]
            assert_rdata {{"whole"}} $r
            assert {[upstream_tcp_total $up] + [upstream_tcp_total $second] >= 1}
            assert_rdata {{"whole"}} [dns tc.test. TXT]
            assert_equal 2 [asked tc.test. TXT]
        }
        test "a server that truncates and then closes TCP is passed over for the next one" {
            upstream_rule $up tcclose.test. A -tc 1 -close 1
            upstream_rule $second tcclose.test. A -answer {"@ 300 A 192.0.2.2"}
            assert_rdata 192.0.2.2 [dns tcclose.test. A]
        }
        foreach {lie what} {id "another ID" port "another port" question "another question" qr "QR=0"} {
            test "an answer with $what is dropped, and the right one behind it is taken" {
                set before [info_field upstream_mismatched]
                both $lie-lie.test. A -wrong $lie -lie {"@ 300 A 203.0.113.66"} -also 60 -answer {"@ 300 A 192.0.2.1"}
                assert_rdata 192.0.2.1 [dns $lie-lie.test. A]
                assert_rdata 192.0.2.1 [dns $lie-lie.test. A]
                assert_no_match *203.0.113.66* [redis GET A:$lie-lie.test.]
                # From a port that was not asked, a connected socket gets nothing to drop.
                if {$lie ne "port"} { wait_until { [info_field upstream_mismatched] > $before } }
            }
        }
        test "an answer that comes after its question was given up is dropped" {
            both late.test. A -delay 3300 -answer {"@ 3 A 203.0.113.1"}
            assert_rcode SERVFAIL [dns late.test. A -timeout 8000]
            # What comes now is nobody's: neither kept nor given to the next client.
            pause_ms 600
            assert_rcode SERVFAIL [dns late.test. A -flags {}]
            assert_no_match *203.0.113.1* [redis GET A:late.test.]
        }
        test "an answer belongs to its client: many questions at once do not mix" {
            set socks {}
            for {set i 0} {$i < 60} {incr i} {
                both mix$i.test. A -delay [expr {int(rand() * 80)}] -answer [list "@ 300 A 198.51.100.$i"]
                lappend socks [dns_udp_open]
                dns_udp_send [lindex $socks end] [dns::query mix$i.test. A -id $i]
            }
            set i 0
            foreach s $socks {
                set r [dns::parse [dns_udp_receive $s]]
                assert_equal [list $i 198.51.100.$i] [list [dict get $r id] [rdata_of $r]]
                close $s
                incr i
            }
        }
        test "source ports and IDs differ from query to query" {
            for {set i 0} {$i < 30} {incr i} {
                both port$i.test. A -answer {"@ 300 A 192.0.2.1"}
                dns port$i.test. A
                foreach u [list $up $second] {
                    set last [upstream_last $u port$i.test. A]
                    if {$last eq ""} { continue }
                    set ports([lindex $last 1]) 1
                    set ids([dict get [lindex $last 2] id]) 1
                }
            }
            # A socket may serve more than one query, and must not serve many.
            assert_range [array size ports] 12 60 "different source ports"
            assert_range [array size ids] 25 60 "different IDs"
        }
        test "the query that goes upstream asks for recursion, with DO and the configured size, and no client's options" {
            both shape.test. A -answer {"@ 300 A 192.0.2.1"}
            dns shape.test. A -edns 4000 -options {{10 0011223344556677} {12 0000}}
            set last [upstream_last $up shape.test. A]
            if {$last eq ""} { set last [upstream_last $second shape.test. A] }
            set q [lindex $last 2]
            assert_equal {0 1 0 1 1232} [list [dict get $q qr] [dict get $q rd] [dict get $q tc] [dict get $q edns do] [dict get $q edns size]]
            foreach code {10 12 8} { assert_equal {} [options_of $q $code] "option $code" }
        }
        test "an upstream without EDNS still serves" {
            both old.test. A -times 1 -rcode FORMERR -edns 0
            both old.test. A -edns 0 -answer {"@ 300 A 192.0.2.1"}
            assert_rdata 192.0.2.1 [dns old.test. A]
        }
    }
}

with_upstream up {
    start_server [forward_to $up dns-threads 1 forward-timeout 4s tcp-max-per-client 100] {
        test "1,000 identical questions that nothing answers yet make one upstream query" {
            upstream_rule $up same.test. A -answer {"@ 300 A 192.0.2.1"}
            upstream_pause $up
            for {set k 0} {$k < 20} {incr k} {
                lappend conns [dns_tcp_open]
                # Each client asks in its own case and with EDNS of its own, which makes no difference to what is asked upstream.
                dns_tcp_send [lindex $conns end] {*}[lmap i [lrepeat 50 x] {
                    dns::query [dns::mix_case same.test.] A -id $k -edns [expr {$k % 2 ? 1232 : 0}] -do [expr {$k % 3 == 0}]
                }]
            }
            wait_until { [info_field waiting_queries] == 1000 }
            assert_equal 1 [info_field flights]
            upstream_resume $up
            set k 0
            foreach c $conns {
                foreach i [lrepeat 50 x] {
                    set r [dns::parse [dns_tcp_receive $c]]
                    assert_equal $k [dict get $r id]
                    assert_rdata 192.0.2.1 $r
                }
                close $c
                incr k
            }
            assert_equal 1 [upstream_count $up same.test. A]
            assert_equal {0 0} [list [info_field flights] [info_field waiting_queries]]
        }
        test "a question in flight with CD and the same one without are two" {
            upstream_rule $up twocd.test. A -answer {"@ 300 A 192.0.2.1"}
            upstream_pause $up
            set c [dns_tcp_open]
            dns_tcp_send $c [dns::query twocd.test. A -id 1] [dns::query twocd.test. A -id 2 -flags {rd cd}] [dns::query twocd.test. AAAA -id 3]
            wait_until { [upstream_total $up] >= 4 }
            assert_equal 3 [info_field flights]
            upstream_resume $up
            foreach i {1 2 3} { lappend ids [dict get [dns::parse [dns_tcp_receive $c]] id] }
            assert_equal {1 2 3} [lsort $ids]
            close $c
        }
    }
}

with_upstream {main corp} {
    start_server [forward_to $main forward-zone "\"corp.example.\" [upstream_addr $corp]"] {
        test "forward-zone sends a zone's names to its own servers, and only those" {
            upstream_rule $main *.example. ANY -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $corp *.corp.example. ANY -answer {"@ 300 A 10.0.0.1"}
            upstream_rule $corp corp.example. ANY -answer {"@ 300 A 10.0.0.2"}
            assert_rdata 10.0.0.1 [dns www.corp.example. A]
            assert_rdata 10.0.0.2 [dns CORP.example. A]
            assert_rdata 192.0.2.1 [dns www.example. A]
            assert_rdata 192.0.2.1 [dns notcorp.example. A]
            assert_equal 0 [upstream_count $main www.corp.example. A]
        }
    }
}

start_server [list resolver forward serve-stale no forward-addr 127.0.0.1@[free_port] forward-timeout 300ms] {
    test "a port where nothing listens is SERVFAIL soon, not at the end of every timeout" {
        set t [clock milliseconds]
        assert_rcode SERVFAIL [dns nobody.test. A -timeout 8000]
        assert_range [expr {[clock milliseconds] - $t}] 0 4500
    }
}
