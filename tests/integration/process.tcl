# SPDX-License-Identifier: BSD-3-Clause
# The process: pid file, signals, log, ports that are taken, SHUTDOWN.

set base {resolver forward forward-addr 127.0.0.1@9 serve-stale no}

# A small upstream of its own for what must answer.
with_upstream up {
    upstream_rule $up *.p.test. A -answer {"@ 300 A 192.0.2.1"}

    set pidfile [file join [tmp_dir pid] pith.pid]
    start_server [forward_to $up pidfile $pidfile] {
        test "the pid file holds the process number while the server runs" {
            assert_equal [srv pid] [string trim [read_file $pidfile]]
        }
        test "SHUTDOWN ends the process with status 0 and takes the pid file away" {
            with_redis c {
                resp::send $c SHUTDOWN
                assert_error *closed* { resp::read_reply $c }
            }
            assert_equal 0 [server_wait_exit]
            assert {![file exists $pidfile]}
        }
    }
    foreach how {NOSAVE {NOSAVE NOW FORCE}} {
        start_server [forward_to $up] {
            test "SHUTDOWN $how is taken as Redis takes it" {
                with_redis c { resp::send $c SHUTDOWN {*}$how; catch { resp::read_reply $c } }
                assert_equal 0 [server_wait_exit]
            }
        }
    }
    foreach signal {TERM INT} {
        start_server [forward_to $up] {
            test "SIG$signal ends the process with status 0, also with clients connected and entries cached" {
                dns a.p.test. A
                set t [dns_tcp_open]
                with_redis c {
                    resp::call $c PING
                    harness::signal [srv pid] $signal
                    assert_equal 0 [server_wait_exit]
                }
                close $t
            }
        }
    }
    start_server [forward_to $up] {
        test "SIGHUP reopens the log, so that a renamed file is left alone" {
            file rename [srv log] [srv log].old
            harness::signal [srv pid] HUP
            wait_until { [file exists [srv log]] }
            assert_rcode NOERROR [dns b.p.test. A]
        }
        test "SIGHUP takes over from the file what may change live, and keeps the cache" {
            dns kept.p.test. A
            set text [read_file [srv conf]]
            write_file [srv conf] "$text\ncache-max-ttl 77\n"
            harness::signal [srv pid] HUP
            wait_until { [regsub {s$} [lindex [redis CONFIG GET cache-max-ttl] 1] ""] eq "77" }
            assert_equal 1 [redis EXISTS A:kept.p.test.]
            assert_range [ttl_of [dns fresh.p.test. A]] 70 77
        }
        test "SIGHUP with a broken file changes nothing, says so in the log, and the server goes on" {
            set text [read_file [srv conf]]
            write_file [srv conf] "$text\ncache-min-ttl nonsense\n"
            harness::signal [srv pid] HUP
            wait_until { [string match *cache-min-ttl* [read_file [srv log]]] }
            assert_rcode NOERROR [dns c.p.test. A]
            write_file [srv conf] $text
        }
    }
    start_server [forward_to $up] {
        test "a second server on the same port says so and exits with an error" {
            lassign [run_server [srv conf] --logfile "" --port [free_port]] code out
            assert {$code ni {0 124}} $out
            assert_match *[srv dns_port]* $out
            lassign [run_server [srv conf] --logfile "" --dns-port [free_port]] code out
            assert {$code ni {0 124}} $out
            assert_match *[srv port]* $out
            assert_rcode NOERROR [dns still.p.test. A]
        }
    }
    start_server [forward_to $up dns-threads 1] {
        test "one DNS thread serves as well" {
            foreach i {1 2 3} { assert_rcode NOERROR [dns t$i.p.test. A] }
            assert_rcode NOERROR [dns t4.p.test. A -tcp 1]
        }
    }
    start_server [forward_to $up dns-bind 0.0.0.0] {
        test "on a wildcard address, the answer comes from the address that was asked" {
            foreach addr {127.0.0.1 127.0.0.9 127.77.1.2} {
                assert_rcode NOERROR [dns wild.p.test. A -addr $addr]
                assert_rcode NOERROR [dns wild.p.test. A -addr $addr -tcp 1]
            }
        }
    }
    start_server [forward_to $up port 0 dns-port [free_port]] -wait dns {
        test "port 0 leaves RESP out" {
            assert_rcode NOERROR [dns x.p.test. A]
        }
    }
}
