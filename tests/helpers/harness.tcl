# SPDX-License-Identifier: BSD-3-Clause
#
# harness.tcl owns what a test file says about itself: test, the asserts, bounded waiting, the tmp folder, child processes.
#
# A test file runs in a process of its own, started by tests/run-tcl, which reads this process's standard output:
#   [ok] sentence       [fail] sentence: why       [skip] sentence: why
# and, when the file came to its end, the line `[end]`. What has no [end] died. Every child that is started is written
# to TMP/pids with its start time, so that run-tcl can stop exactly those, whatever happens here.
# Every wait has a bound; nothing here waits on a clock alone.

package require Tcl 8.6
package require udp

set ::tests_dir [file dirname [file dirname [file normalize [info script]]]]
set ::root_dir [file dirname $::tests_dir]

namespace eval harness {
    variable tmp ""
    variable tags {}
    variable only *
    variable n_dirs 0
    variable running ""        ;# the sentence of the test that runs now
    variable failures 0
    variable seq 0
    variable patience 1        ;# every bound is multiplied by this (sanitizer builds are slow)
}

foreach part {dns dns_client resp server upstream signed_tree} {
    source [file join $::tests_dir helpers $part.tcl]
}

# Called by run-tcl through helpers/run_file.tcl before the test file is sourced.
proc harness::setup {tmp_dir tag_list only_pattern} {
    variable tmp $tmp_dir
    variable tags $tag_list
    variable only $only_pattern
    variable patience
    if {[info exists ::env(PITH_TEST_PATIENCE)]} { set patience $::env(PITH_TEST_PATIENCE) }
    file mkdir $tmp
    expr {srand([pid] * 7919 + [clock milliseconds] % 100000)}
    fconfigure stdout -buffering line
}

proc say {line} { puts $line }

# ---- tests ----

# test SENTENCE ?-tags LIST? BODY: runs BODY in the caller's frame; an error in it is a failure. Variables that it makes go with it.
# With a running server the test also fails when that server died or a sanitizer spoke.
proc test {sentence args} {
    set body [lindex $args end]
    set tags {}
    if {[llength $args] == 3 && [lindex $args 0] eq "-tags"} { set tags [lindex $args 1] }
    if {![harness::wanted $sentence $tags]} { return }
    if {[server::is_dead]} {
        harness::failed $sentence "its server died under an earlier test"
        return
    }
    set harness::running $sentence
    set before [uplevel 1 { info vars }]
    set status [catch { uplevel 1 $body } message options]
    set harness::running ""
    foreach name [uplevel 1 { info vars }] {
        if {$name ni $before} { uplevel 1 [list unset -nocomplain $name] }
    }
    set complaint [server::complaint]
    if {$complaint ne ""} {
        if {$status == 1} { append complaint "\nbefore that: $message" }
        set status 1
        set message $complaint
        set options {-errorcode ASSERT}
    }
    if {$status == 1 && [dict get $options -errorcode] eq "SKIP"} {
        say "\[skip\] $sentence: $message"
    } elseif {$status == 1} {
        harness::failed $sentence $message
        if {[dict get $options -errorcode] ne "ASSERT"} {
            foreach line [lrange [split [dict get $options -errorinfo] \n] 1 9] { say "    $line" }
        }
        server::show_log
    } else {
        say "\[ok\] $sentence"
    }
}

proc harness::wanted {sentence test_tags} {
    variable only
    variable tags
    if {![string match $only $sentence]} { return 0 }
    foreach t $tags {
        if {[string match -* $t]} {
            if {[string range $t 1 end] in $test_tags} { return 0 }
        } elseif {$t ni $test_tags} { return 0 }
    }
    return 1
}

proc harness::failed {sentence why} {
    variable failures
    incr failures
    set lines [split $why \n]
    say "\[fail\] $sentence: [lindex $lines 0]"
    foreach line [lrange $lines 1 20] { say "    $line" }
}

# Leaves the running test (or, outside one, the running start_server) without counting it.
proc skip {why} { return -code error -errorcode SKIP $why }

# ---- asserts ----

proc assert_fail {why} { return -code error -errorcode ASSERT $why }

proc assert {expression {why ""}} {
    if {![uplevel 1 [list expr $expression]]} {
        assert_fail "not true: [string trim $expression][expr {$why eq "" ? "" : " ($why)"}]"
    }
}
proc assert_equal {expected actual {what ""}} {
    if {$expected ne $actual} { assert_fail "[prefix $what]expected '$expected', got '$actual'" }
}
proc assert_match {pattern actual {what ""}} {
    if {![string match $pattern $actual]} { assert_fail "[prefix $what]'$actual' does not match '$pattern'" }
}
proc assert_no_match {pattern actual {what ""}} {
    if {[string match $pattern $actual]} { assert_fail "[prefix $what]'$actual' matches '$pattern'" }
}
proc assert_range {value low high {what ""}} {
    if {![string is double -strict $value] || $value < $low || $value > $high} {
        assert_fail "[prefix $what]'$value' is not in $low..$high"
    }
}
# BODY must fail with a message that matches PATTERN.
proc assert_error {pattern body} {
    if {![catch { uplevel 1 $body } message]} { assert_fail "no error; expected one like '$pattern', got '$message'" }
    if {![string match $pattern $message]} { assert_fail "error '$message' does not match '$pattern'" }
}
proc prefix {what} { expr {$what eq "" ? "" : "$what: "} }

# ---- waiting ----

proc harness::bound {ms} {
    variable patience
    expr {int($ms * $patience)}
}

# Sleeps while events are served.
proc pause_ms {ms} {
    set v ::harness::slept[incr ::harness::seq]
    set $v 0
    after $ms [list set $v 1]
    vwait $v
    unset $v
}

# Polls EXPRESSION in the caller's frame until true; an error after MS milliseconds.
proc wait_until {expression {ms 5000} {what ""}} {
    set end [expr {[clock milliseconds] + [harness::bound $ms]}]
    while {![uplevel 1 [list expr $expression]]} {
        if {[clock milliseconds] > $end} {
            assert_fail "[prefix $what]not true within $ms ms: [string trim $expression]"
        }
        pause_ms 20
    }
}

# Waits until a channel has something to read (or its end): 1, or 0 after MS milliseconds.
proc harness::readable {chan ms} {
    set v ::harness::ready[incr ::harness::seq]
    set $v ""
    fileevent $chan readable [list set $v 1]
    set timer [after [bound $ms] [list set $v 0]]
    vwait $v
    after cancel $timer
    fileevent $chan readable {}
    set result [set $v]
    unset $v
    return $result
}

# ---- folders and children ----

# A fresh folder of this test file.
proc tmp_dir {{name dir}} {
    variable harness::n_dirs
    set dir [file join $harness::tmp $name-[incr n_dirs]]
    file mkdir $dir
    return $dir
}

proc write_file {path text} {
    set f [open $path w]
    fconfigure $f -translation binary
    puts -nonewline $f $text
    close $f
    return $path
}
proc read_file {path} {
    set f [open $path r]
    fconfigure $f -translation binary
    set text [read $f]
    close $f
    return $text
}

# The process's start time in clock ticks, or "" when there is no such process (a zombie counts as gone).
proc harness::start_time {pid} {
    if {[catch { read_file /proc/$pid/stat } stat]} { return "" }
    set rest [string range $stat [expr {[string last ) $stat] + 2}] end]
    if {[lindex $rest 0] in {Z X}} { return "" }
    return [lindex $rest 19]
}

# Starts a command with its standard output on a channel that this process owns, stderr in ERRFILE. Returns the channel.
proc harness::spawn {command errfile} {
    variable tmp
    set chan [open |[concat $command [list 2>$errfile]] r]
    fconfigure $chan -blocking 0 -translation binary
    set f [open [file join $tmp pids] a]
    puts $f "[pid $chan] [start_time [pid $chan]]"
    close $f
    return $chan
}

# Waits for a spawned child's end: "0", an exit code, the name of the signal that ended it, or "" when it is still there after MS.
proc harness::wait_exit {chan ms} {
    set end [expr {[clock milliseconds] + [bound $ms]}]
    set p [pid $chan]
    fileevent $chan readable {}
    # The pipe ends with the last holder of its other end, so a child's own children would keep it: ask for the process too.
    while 1 {
        catch { read $chan }
        if {[eof $chan] || [start_time $p] eq ""} { break }
        if {[clock milliseconds] > $end} { return "" }
        pause_ms 5
    }
    fconfigure $chan -blocking 1
    if {![catch { close $chan } message options]} { return 0 }
    set code [dict get $options -errorcode]
    switch -- [lindex $code 0] {
        CHILDSTATUS { return [lindex $code 2] }
        CHILDKILLED { return [lindex $code 2] }
    }
    return $message
}

proc harness::signal {pid name} { catch { exec kill -$name $pid } }

# TERM, bounded wait, then KILL: what wait_exit says, or "SIGKILL (did not stop)".
proc harness::stop {chan {ms 5000}} {
    set p [pid $chan]
    signal $p TERM
    set how [wait_exit $chan $ms]
    if {$how ne ""} { return $how }
    signal $p KILL
    wait_exit $chan 5000
    return "no exit within $ms ms of SIGTERM"
}

# Runs a command with a bound in seconds: {exit-code stdout+stderr}. 124 is a timeout.
proc run_command {seconds args} {
    set seconds [expr {int($seconds * $harness::patience)}]
    if {[catch { exec -ignorestderr timeout -k 2 $seconds {*}$args 2>@1 } out options]} {
        set code [dict get $options -errorcode]
        if {[lindex $code 0] eq "CHILDSTATUS"} {
            set out [regsub {\n?child process exited abnormally$} $out ""]
            return [list [lindex $code 2] $out]
        }
        error $out
    }
    return [list 0 $out]
}

proc have_command {name} { expr {[auto_execok $name] ne ""} }
proc am_root {} { expr {[exec id -u] == 0} }

proc have_ipv6 {} {
    if {![info exists ::harness::ipv6]} {
        set ::harness::ipv6 [expr {![catch { close [socket -server list -myaddr ::1 0] }]}]
    }
    return $::harness::ipv6
}
