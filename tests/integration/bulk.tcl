# SPDX-License-Identifier: BSD-3-Clause
# weight: 8
# seconds: 240
# A hundred thousand names through the whole road: nothing lost, everything counted.

with_upstream up {
    # Time enough that a busy machine asks for no name twice.
    start_server [forward_to $up maxmemory 256mb forward-hedge 0 forward-timeout 10s resolve-timeout 20s] {
        set list [file join [tmp_dir names] list]
        set f [open $list w]
        for {set i 0} {$i < 100000} {incr i} { puts $f "name$i.bulk.test [lindex {A AAAA A TXT} [expr {$i % 4}]]" }
        close $f

        test "dnsperf over 100,000 names loses nothing, and every name is in the cache, once" -tags slow {
            if {![have_command dnsperf]} { skip "dnsperf is not installed" }
            lassign [run_command 90 dnsperf -s 127.0.0.1 -p [srv dns_port] -d $list -q 100 -c 8] code out
            assert_match "*Queries completed:    100000 (100.00%)*" $out
            assert_match "*NOERROR 100000 (100.00%)*" $out
            assert_equal 100000 [redis DBSIZE]
            assert_equal 100000 [upstream_total $up]
            lassign [run_command 60 redis-cli -p [srv port] --scan] code keys
            assert_equal 100000 [llength [split $keys \n]]
            lassign [run_command 60 dnsperf -s 127.0.0.1 -p [srv dns_port] -d $list -q 100 -c 8] code out
            assert_match "*NOERROR 100000 (100.00%)*" $out
            assert_equal 100000 [upstream_total $up]
            foreach mode {--bigkeys --memkeys} {
                lassign [run_command 60 redis-cli -p [srv port] $mode] code out
                assert_equal 0 $code "$mode: $out"
                assert_match "*Sampled 100000 keys*" $out
            }
        }
        test "DNS is answered while 100,000 keys are listed and flushed" -tags slow {
            dns hot.bulk.test. A
            with_redis c {
                foreach cmd {{KEYS *} {DNS.PURGE bulk.test SUBTREE} FLUSHALL} {
                    resp::send $c {*}$cmd
                    assert_rcode NOERROR [dns hot.bulk.test. A -timeout 1000]
                    resp::read_reply $c 20000
                }
            }
            assert_range [redis DBSIZE] 0 1
        }
    }
}
