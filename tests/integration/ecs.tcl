# SPDX-License-Identifier: BSD-3-Clause
# weight: 4
# EDNS client subnet towards the servers that questions are forwarded to (RFC 7871).

# The option's hex: family 1 or 2, source length, scope, the address's bytes.
proc ecs {family source scope hex} { format %04x%02x%02x%s $family $source $scope $hex }
proc ecs_option {args} { list [list 8 [ecs {*}$args]] }
# A question from a client that stands in a subnet.
proc ask_from {family source hex name args} { dns $name A -options [ecs_option $family $source 0 $hex] {*}$args }
# What went upstream last for the name: the hex of its option, or "".
proc told {up name {type A}} {
    set last [upstream_last $up $name $type]
    if {$last eq ""} { return "never asked" }
    lindex [options_of [lindex $last 2] 8] 0
}
proc scope_of {r} { string range [lindex [options_of $r 8] 0] 6 7 }

set quiet {serve-stale no prefetch 0 dns-threads 1}

with_upstream up {
    start_server [forward_to $up {*}$quiet ecs-forward yes ecs-private yes] {
        test "a client without the option is asked for by its address, cut to /24, and gets no option back" {
            upstream_rule $up own.test. A -options [ecs_option 1 24 24 7f0000] -answer {"@ 300 A 192.0.2.1"}
            set r [dns own.test. A -edns 1232]
            assert_rdata 192.0.2.1 $r
            assert_equal [ecs 1 24 0 7f0000] [told $up own.test.]
            assert_equal {} [options_of $r 8]
            assert_equal {} [dict get [dns own.test. A] edns]
            assert_equal 1 [redis EXISTS A:own.test.@127.0.0.0/24]
            assert_equal 1 [upstream_count $up own.test. A]
        }
        test "IPv6 clients are told by /56" {
            if {![have_ipv6]} { skip "no IPv6 here" }
            upstream_rule $up six.test. A -answer {"@ 300 A 192.0.2.1"}
            dns six.test. A -addr ::1
            assert_equal [ecs 2 56 0 00000000000000] [told $up six.test.]
        }
        test "a client's own option is cut to our lengths, and echoed as it was with the answer's scope" {
            upstream_rule $up echo.test. A -options [ecs_option 1 24 20 c00002] -answer {"@ 300 A 192.0.2.1"}
            foreach way {miss hit} {
                set r [ask_from 1 32 c0000263 echo.test.]
                assert_equal [list [ecs 1 32 20 c0000263]] [options_of $r 8] $way
            }
            assert_equal [ecs 1 24 0 c00002] [told $up echo.test.]
            assert_equal 1 [redis EXISTS A:echo.test.@192.0.0.0/20]
            assert_equal 1 [upstream_count $up echo.test. A]
        }
        test "each subnet has its own answer, and within a scope it is shared" {
            upstream_rule $up split.test. A -times 1 -options [ecs_option 1 24 24 c00002] -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up split.test. A -times 1 -options [ecs_option 1 24 16 c63364] -answer {"@ 300 A 192.0.2.2"}
            upstream_rule $up split.test. A -rcode SERVFAIL
            assert_rdata 192.0.2.1 [ask_from 1 24 c00002 split.test.]
            assert_rdata 192.0.2.2 [ask_from 1 24 c63364 split.test.]
            assert_rdata 192.0.2.1 [ask_from 1 32 c00002ff split.test.]
            assert_rdata 192.0.2.2 [ask_from 1 24 c633ff split.test.]
            assert_equal 2 [upstream_count $up split.test. A]
            # Another subnet is never given what belongs to these, not even when nothing else is to be had.
            assert_rcode SERVFAIL [ask_from 1 24 cb0071 split.test.]
            assert_rcode SERVFAIL [dns split.test. A]
        }
        test "an answer with scope 0, or without the option, is shared by everybody" {
            upstream_rule $up zero.test. A -options [ecs_option 1 24 0 c00002] -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up none.test. A -answer {"@ 300 A 192.0.2.1"}
            foreach name {zero.test. none.test.} {
                assert_equal 00 [scope_of [ask_from 1 24 c00002 $name]]
                assert_equal 00 [scope_of [ask_from 1 24 c63364 $name]]
                assert_rdata 192.0.2.1 [dns $name A]
                assert_rdata 192.0.2.1 [ask_from 1 0 "" $name]
                assert_equal 1 [upstream_count $up $name A] $name
                assert_equal 1 [redis EXISTS A:$name]
            }
        }
        test "a scope longer than what was told counts as what was told" {
            upstream_rule $up long.test. A -options [ecs_option 1 24 32 c00002] -answer {"@ 300 A 192.0.2.1"}
            assert_equal 18 [scope_of [ask_from 1 32 c0000201 long.test.]]
            assert_rdata 192.0.2.1 [ask_from 1 32 c0000202 long.test.]
            assert_equal 1 [upstream_count $up long.test. A]
        }
        test "the scope of a chain is the whole answer's" {
            upstream_rule $up chain.test. A -options [ecs_option 1 24 24 c00002] -answer {"@ 300 CNAME x.other.test." "x.other.test. 300 A 192.0.2.1"}
            assert_equal {CNAME A} [types_of [ask_from 1 24 c00002 chain.test.]]
            assert_equal {A:chain.test.@192.0.2.0/24} [lsearch -all -inline [redis KEYS *chain.test*] *]
        }
        test "an option of no bits tells nothing, and its answer is not given to others" {
            upstream_rule $up opt.test. A -times 1 -answer {"@ 300 A 192.0.2.9"}
            upstream_rule $up opt.test. A -options [ecs_option 1 24 24 7f0000] -answer {"@ 300 A 192.0.2.1"}
            foreach way {miss hit} {
                set r [ask_from 1 0 "" opt.test.]
                assert_rdata 192.0.2.9 $r
                assert_equal [list [ecs 1 0 0 ""]] [options_of $r 8] $way
            }
            assert_equal "" [told $up opt.test.]
            assert_rdata 192.0.2.1 [dns opt.test. A]
            assert_rdata 192.0.2.9 [ask_from 2 0 "" opt.test.]
        }
        test "an answer for another subnet than was asked for is refused" {
            foreach {name option} [list fam.test. [ecs_option 2 24 24 c00002] len.test. [ecs_option 1 16 16 c000] addr.test. [ecs_option 1 24 24 c00003]] {
                upstream_rule $up $name A -options $option -answer {"@ 300 A 203.0.113.66"}
                assert_rcode SERVFAIL [ask_from 1 24 c00002 $name]
            }
        }
        test "a server that refuses the option is asked without, and the answer is everybody's" {
            upstream_rule $up picky.test. A -times 1 -rcode REFUSED
            upstream_rule $up picky.test. A -answer {"@ 300 A 192.0.2.1"}
            assert_rdata 192.0.2.1 [ask_from 1 24 c00002 picky.test.]
            assert_equal "" [told $up picky.test.]
            assert_equal 2 [upstream_count $up picky.test. A]
        }
        test "a denial is scoped like an answer" {
            upstream_rule $up no.test. A -times 1 -rcode NXDOMAIN -options [ecs_option 1 24 24 c00002] -authority {"test. 300 SOA a.test. b.test. 1 2 3 4 300"}
            upstream_rule $up no.test. A -options [ecs_option 1 24 24 c63364] -answer {"@ 300 A 192.0.2.1"}
            assert_rcode NXDOMAIN [ask_from 1 24 c00002 no.test.]
            assert_rdata 192.0.2.1 [ask_from 1 24 c63364 no.test.]
            assert_rcode NXDOMAIN [ask_from 1 24 c00002 no.test.]
        }
        test "questions of two subnets under way at once each get their own answer" {
            upstream_rule $up race.test. A -times 1 -delay 150 -options [ecs_option 1 24 24 c00002] -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up race.test. A -times 1 -delay 50 -options [ecs_option 1 24 24 c63364] -answer {"@ 300 A 192.0.2.2"}
            set a [dns_udp_open]
            dns_udp_send $a [dns::query race.test. A -options [ecs_option 1 24 0 c00002]]
            wait_until { [upstream_count $up race.test. A] == 1 }
            set b [dns_udp_open]
            dns_udp_send $b [dns::query race.test. A -options [ecs_option 1 24 0 c63364]]
            assert_rdata 192.0.2.2 [dns::parse [dns_udp_receive $b]]
            assert_rdata 192.0.2.1 [dns::parse [dns_udp_receive $a]]
            close $a
            close $b
        }
        test "a purge of the name takes its scoped entries too" {
            upstream_rule $up gone.test. A -options [ecs_option 1 24 24 c00002] -answer {"@ 300 A 192.0.2.1"}
            ask_from 1 24 c00002 gone.test.
            assert_equal 1 [redis DNS.PURGE gone.test.]
            ask_from 1 24 c00002 gone.test.
            assert_equal 2 [upstream_count $up gone.test. A]
        }
    }
    start_server [forward_to $up {*}$quiet ecs-forward cdn.test. ecs-clients 198.51.100.0/24 ecs-source-v4 16] {
        # A worker takes up a new configuration between two batches, soon after CONFIG SET.
        proc told_soon {want} {
            wait_until {
                [ask_from 1 24 c00002 n[incr ::told_seq].cdn.test.] ne "" && [told $::up n$::told_seq.cdn.test.] eq $want
            } 5000 "told $want"
        }
        test "only names of the zones listed are told a subnet for" {
            upstream_rule $up *.cdn.test. A -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up www.list.test. A -answer {"@ 300 A 192.0.2.1"}
            ask_from 1 24 c00002 www.list.test.
            assert_equal "" [told $up www.list.test.]
        }
        test "a client that is not listed has its option ignored, and its private address is told to nobody" {
            assert_rdata 192.0.2.1 [ask_from 1 24 c00002 a.cdn.test.]
            assert_equal "" [told $up a.cdn.test.]
        }
        test "ecs-clients, ecs-private and the lengths change while the server runs" {
            redis CONFIG SET ecs-clients 127.0.0.0/8
            told_soon [ecs 1 16 0 c000]
            redis CONFIG SET ecs-clients 198.51.100.0/24 ecs-private yes ecs-source-v4 20
            told_soon [ecs 1 20 0 7f0000]
        }
        test "an answer for the client's address is told good for its own option's subnet only" {
            redis CONFIG SET ecs-private yes ecs-source-v4 24 ecs-clients 198.51.100.0/24
            told_soon [ecs 1 24 0 7f0000]
            upstream_rule $up d.cdn.test. A -options [ecs_option 1 24 8 7f0000] -answer {"@ 300 A 192.0.2.1"}
            foreach way {miss hit} { assert_equal [list [ecs 1 24 24 c00002]] [options_of [ask_from 1 24 c00002 d.cdn.test.] 8] $way }
        }
    }
    start_server [forward_to $up ecs-forward yes prefetch 50 serve-stale yes dns-threads 1] {
        test "a popular scoped entry is refreshed for its own subnet, and one for everybody without any" {
            upstream_rule $up warm.test. A -options [ecs_option 1 24 16 c00002] -times 1 -answer {"@ 100 A 192.0.2.1"}
            upstream_rule $up warm.test. A -options [ecs_option 1 16 16 c000] -answer {"@ 100 A 192.0.2.2"}
            upstream_rule $up all.test. A -answer {"@ 100 A 192.0.2.1"}
            for {set i 0} {$i < 60} {incr i} {
                ask_from 1 24 c00002 warm.test.
                ask_from 1 24 c00002 all.test.
            }
            debug_time_advance 70
            ask_from 1 24 c000fe warm.test.
            ask_from 1 24 c000fe all.test.
            wait_until { [upstream_count $up warm.test. A] == 2 && [upstream_count $up all.test. A] == 2 }
            assert_equal [ecs 1 16 0 c000] [told $up warm.test.]
            assert_equal "" [told $up all.test.]
            wait_until { [rdata_of [ask_from 1 24 c00002 warm.test.]] eq "192.0.2.2" }
            assert_equal 1 [llength [redis KEYS *warm.test*]]
        }
        test "stale data of a scope answers its own subnet when upstream fails, and no other" {
            upstream_rule $up old.test. A -times 1 -options [ecs_option 1 24 24 c00002] -answer {"@ 10 A 192.0.2.1"}
            upstream_rule $up old.test. A -rcode SERVFAIL
            ask_from 1 24 c00002 old.test.
            debug_time_advance 20
            assert_rcode SERVFAIL [ask_from 1 24 c63364 old.test.]
            assert_rdata 192.0.2.1 [ask_from 1 24 c00002 old.test.]
            assert_rdata 192.0.2.1 [ask_from 1 24 c00002 old.test.]
        }
    }
    start_server [list resolver recurse ecs-forward yes ecs-private yes query-loopback yes dnssec-validation no stub-zone "\"stub.test.\" [upstream_addr $up]"] {
        test "recursion tells no subnet, and keeps one answer for all" {
            upstream_rule $up www.stub.test. A -flags aa -answer {"@ 300 A 192.0.2.1"}
            upstream_rule $up *.stub.test. ANY -flags aa -rcode NXDOMAIN
            assert_equal 00 [scope_of [ask_from 1 24 c00002 www.stub.test.]]
            assert_equal "" [told $up www.stub.test.]
            assert_equal 1 [redis EXISTS A:www.stub.test.]
        }
    }
}
