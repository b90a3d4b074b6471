# SPDX-License-Identifier: BSD-3-Clause
# weight: 9
# seconds: 240
# The snapshot: a cache that survives restarts, kills, damage and clocks.

proc snapshot_file {dir} { file join $dir dump.pith }

# A server of its own in DIR, outside of start_server, so that it may be killed and followed by another: its dict.
proc snap_start {up dir args} {
    set s [server::launch [forward_to $up dir $dir save 300 {*}$args] [tmp_dir snap] {}]
    set why [server::wait_ready $s 10000]
    if {$why ne ""} { assert_fail "$why: [read_file [dict get $s log]]" }
    dict set s client [resp::open [dict get $s port]]
    return $s
}
proc snap_redis {s args} { resp::value [dict get $s client] {*}$args }
proc snap_dns {s name type args} { dns $name $type -port [dict get $s dns_port] {*}$args }
proc snap_info {s field} {
    if {![regexp -line "^$field:(\[^\r\n\]*)" [snap_redis $s INFO everything] -> value]} { assert_fail "INFO has no $field" }
    return $value
}
proc snap_loaded {s} { wait_until { [snap_info $s loading] == 0 } 20000 }
proc snap_stop {s {want 0}} {
    resp::close [dict get $s client]
    set how [harness::stop [dict get $s chan] 20000]
    close [dict get $s stdout]
    assert_equal $want $how
    foreach f {log stderr} {
        assert_no_match {*Sanitizer*} [read_file [dict get $s $f]]
    }
}
proc snap_kill {s} {
    harness::signal [dict get $s pid] KILL
    harness::wait_exit [dict get $s chan] 10000
    resp::close [dict get $s client]
    close [dict get $s stdout]
}
proc snap_log {s} { read_file [dict get $s log] }
proc snap_fill {s n {more {}}} {
    set c [dict get $s client]
    for {set i 0} {$i < $n} {incr i 500} {
        set commands {}
        for {set k $i} {$k < $i + 500 && $k < $n} {incr k} {
            lappend commands [list DNS.SET A:n$k.fill.test. 3600 192.0.2.[expr {$k % 250}] 198.51.100.1 {*}$more]
        }
        foreach reply [resp::pipeline $c $commands] { if {[resp::plain $reply] ne "OK"} { assert_fail "DNS.SET: $reply" } }
    }
}

with_upstream up {
    upstream_rule $up *.s.test. A -answer {"@ 300 A 192.0.2.1"}
    upstream_rule $up short.s.test. A -answer {"@ 20 A 192.0.2.2"}

    test "a restart keeps the cache, and lives go on as if there had been none" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir]
        snap_dns $s kept.s.test. A
        snap_dns $s short.s.test. A
        snap_redis $s DNS.SET TXT:own.s.test. 900 {"a text"}
        assert_equal OK [snap_redis $s DEBUG TIME 100]
        set asked [upstream_count $up kept.s.test. A]
        snap_stop $s
        assert {[file exists [snapshot_file $dir]]}
        assert_equal 00600 [file attributes [snapshot_file $dir] -permissions]
        set s [snap_start $up $dir]
        snap_loaded $s
        assert_equal ok [snap_info $s snapshot_load_status]
        # That clock had been jumped; this one was not, and is 100 s behind: no age may shrink for it.
        assert_match "*the wall clock is behind*" [snap_log $s]
        assert_range [snap_redis $s TTL A:kept.s.test.] 150 200
        assert_range [ttl_of [snap_dns $s kept.s.test. A]] 150 200
        assert_range [snap_redis $s TTL TXT:own.s.test.] 750 800
        assert_equal $asked [upstream_count $up kept.s.test. A]
        assert_match "*; * source forward*" [string map {, " "} [snap_redis $s GET A:kept.s.test.]]
        snap_stop $s
    }
    test "what has expired is kept for serve-stale, or left out" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir serve-stale yes]
        snap_dns $s short.s.test. A
        snap_dns $s kept.s.test. A
        assert_equal OK [snap_redis $s DEBUG TIME 60]
        snap_stop $s
        set s [snap_start $up $dir save {""} serve-stale yes]
        snap_loaded $s
        assert_equal {0 2} [list [snap_redis $s TTL A:short.s.test.] [snap_redis $s DBSIZE]]
        snap_stop $s
        set s [snap_start $up $dir save {""} serve-stale no]
        snap_loaded $s
        assert_equal {-2 1} [list [snap_redis $s TTL A:short.s.test.] [snap_redis $s DBSIZE]]
        assert_equal {1 1} [list [snap_info $s rdb_last_load_keys_loaded] [snap_info $s rdb_last_load_keys_expired]]
        snap_stop $s
    }
    test "SAVE, BGSAVE and LASTSAVE do what Redis's do" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir save {""}]
        snap_loaded $s
        set at [snap_redis $s LASTSAVE]
        assert_range $at [expr {[clock seconds] - 60}] [clock seconds]
        assert_equal OK [snap_redis $s DEBUG TIME 5]
        assert_equal OK [snap_redis $s SAVE]
        assert {[snap_redis $s LASTSAVE] >= $at + 5}
        assert_equal 1 [snap_info $s rdb_saves]
        assert_equal "Background saving started" [snap_redis $s BGSAVE]
        wait_until { [snap_info $s rdb_saves] == 2 }
        assert_equal {ok 0} [list [snap_info $s rdb_last_bgsave_status] [snap_info $s rdb_bgsave_in_progress]]
        assert_equal "Background saving started" [snap_redis $s BGSAVE SCHEDULE]
        assert_resp_error "ERR syntax*" [resp::call [dict get $s client] BGSAVE now]
        wait_until { [snap_info $s rdb_saves] == 3 }
        assert {![file exists [snapshot_file $dir].tmp]}
        snap_stop $s
    }
    test "a folder that is not there makes SAVE an error, and neither the server nor its end suffers" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir]
        snap_loaded $s
        assert_equal OK [snap_redis $s CONFIG SET dir $dir/none]
        assert_resp_error "ERR cannot open*No such file*" [resp::call [dict get $s client] SAVE]
        assert_equal err [snap_info $s rdb_last_bgsave_status]
        assert_resp_error "ERR Errors trying to SHUTDOWN*" [resp::call [dict get $s client] SHUTDOWN]
        assert_rcode NOERROR [snap_dns $s here.s.test. A]
        assert_equal OK [snap_redis $s CONFIG SET dir $dir dbfilename other.pith]
        assert_equal OK [snap_redis $s SAVE]
        assert {[file exists $dir/other.pith]}
        assert_equal OK [snap_redis $s CONFIG SET dir $dir/none]
        snap_stop $s
    }
    test "`save` saves by itself after its time, by the server's clock" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir save 1h]
        snap_loaded $s
        snap_redis $s DNS.SET A:own.s.test. 90000 192.0.2.9
        assert_equal OK [snap_redis $s DEBUG TIME 3590]
        pause_ms 500
        assert_equal 0 [snap_info $s rdb_saves]
        assert_equal OK [snap_redis $s DEBUG TIME 11]
        wait_until { [snap_info $s rdb_saves] == 1 }
        snap_kill $s
        set s [snap_start $up $dir save 1h]
        snap_loaded $s
        assert_equal 1 [snap_redis $s EXISTS A:own.s.test.]
        snap_stop $s
    }
    foreach {words save kept} {{} 300 1  {} {""} 0  SAVE {""} 1  NOSAVE 300 0  {SAVE FORCE} {""} 1  {NOW FORCE} 300 1} {
        test "SHUTDOWN $words with save [expr {$save eq {""} ? {empty} : $save}] [expr {$kept ? {keeps} : {loses}}] the cache" {
            set dir [tmp_dir data]
            set s [snap_start $up $dir save $save]
            snap_loaded $s
            snap_redis $s DNS.SET A:own.s.test. 900 192.0.2.9
            resp::send [dict get $s client] SHUTDOWN {*}$words
            assert_error *closed* { resp::read_reply [dict get $s client] }
            assert_equal 0 [harness::wait_exit [dict get $s chan] 20000]
            close [dict get $s stdout]
            assert_equal $kept [file exists [snapshot_file $dir]]
            set s [snap_start $up $dir save $save]
            snap_loaded $s
            assert_equal $kept [snap_redis $s EXISTS A:own.s.test.]
            snap_stop $s
        }
    }
    test "SHUTDOWN goes on when the client that asked is gone" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir]
        snap_fill $s 5000
        resp::send [dict get $s client] SHUTDOWN
        resp::close [dict get $s client]
        assert_equal 0 [harness::wait_exit [dict get $s chan] 20000]
        close [dict get $s stdout]
        set s [snap_start $up $dir]
        snap_loaded $s
        assert_equal 5000 [snap_redis $s DBSIZE]
        snap_stop $s
    }
    test "a damaged place costs the block it is in, and is told" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir]
        snap_fill $s 20000
        snap_stop $s
        set bytes [read_file [snapshot_file $dir]]
        set at [expr {[string length $bytes] / 2}]
        write_file [snapshot_file $dir] [string replace $bytes $at $at [binary format c [expr {[scan [string index $bytes $at] %c] ^ 1}]]]
        set s [snap_start $up $dir]
        snap_loaded $s
        assert_equal {damaged 1} [list [snap_info $s snapshot_load_status] [snap_info $s snapshot_load_damaged_blocks]]
        set lost [snap_info $s snapshot_load_lost]
        assert_range $lost 100 8000
        assert_equal [expr {20000 - $lost}] [snap_redis $s DBSIZE]
        assert_match "*1 damaged places skipped, $lost entries lost*" [snap_log $s]
        snap_stop $s
    }
    test "a snapshot of another version, and what is none, is refused in one line, and the server runs" {
        foreach {text why} {"no snapshot at all, but long enough to have the head of one, in which nothing is as it should be" "*is no snapshot*" "" "*is no snapshot*"} {
            set dir [tmp_dir data]
            write_file [snapshot_file $dir] $text
            set s [snap_start $up $dir]
            snap_loaded $s
            assert_equal refused [snap_info $s snapshot_load_status]
            assert_equal 1 [llength [lsearch -all [split [snap_log $s] \n] $why]]
            assert_rcode NOERROR [snap_dns $s x.s.test. A]
            snap_stop $s
        }
    }
    test "more than maxmemory holds is loaded as far as it goes" {
        set dir [tmp_dir data]
        set s [snap_start $up $dir maxmemory 64mb]
        snap_fill $s 40000 [lmap k {1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24} { set k 203.0.113.$k }]
        snap_stop $s
        set s [snap_start $up $dir maxmemory 4mb]
        snap_loaded $s
        assert_range [snap_redis $s DBSIZE] 10000 35000
        assert {[snap_info $s snapshot_load_damaged_blocks] == 0}
        snap_stop $s
    }
    # A killed save leaves the snapshot before it, or is the next; never less than the names of the first.
    proc kills {up n} {
        set dir [tmp_dir data]
        set s [snap_start $up $dir]
        snap_fill $s 20000
        assert_equal OK [snap_redis $s SAVE]
        for {set i 0} {$i < $n} {incr i} {
            resp::send [dict get $s client] BGSAVE
            after [expr {int(rand() * 12)}]
            snap_kill $s
            set s [snap_start $up $dir]
            snap_loaded $s
            assert_equal {ok 20000} [list [snap_info $s snapshot_load_status] [snap_redis $s DBSIZE]] "after kill $i"
        }
        snap_stop $s
    }
    test "kill -9 at any moment of a save leaves a whole snapshot (10 kills)" { kills $up 10 }
    test "kill -9 at any moment of a save leaves a whole snapshot (200 kills)" -tags slow {
        # A minute and more: for a run of its own.
        if {![info exists ::env(PITH_LONG)]} { skip "PITH_LONG=1 runs it" }
        kills $up 200
    }
}
