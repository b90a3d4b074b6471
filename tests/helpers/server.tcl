# SPDX-License-Identifier: BSD-3-Clause
#
# server.tcl owns the server under test: its free ports, its conf file, its start, its end.
#
#   start_server {resolver forward  forward-addr 127.0.0.1@5301} { tests ... }
#
# writes a conf file from the pairs (a name may stand several times; a name given here replaces the default of that name),
# starts the binary, waits until both DNS and RESP answer, runs the body, sends SIGTERM and demands exit 0 within a bound.
# A sanitizer's report in stderr or the log fails the test it appears in, and the server's end is a test of its own.
# Servers nest; the words srv, dns, redis mean the innermost one.

namespace eval server {
    variable stack {}          ;# dicts: chan pid dir host dns_port port conf log stderr client seen
    variable count 0
    variable defaults {
        dns-bind {127.0.0.1}
        dns-threads 2
        bind 127.0.0.1
        loglevel notice
        enable-debug-command yes
        save {""}
    }
}

proc server::binary {} {
    if {[info exists ::env(PITH_SERVER)] && $::env(PITH_SERVER) ne ""} { return [file normalize $::env(PITH_SERVER)] }
    set build [expr {[info exists ::env(PITH_BUILD)] && $::env(PITH_BUILD) ne "" ? $::env(PITH_BUILD) : "build"}]
    return [file join $::root_dir $build pith-server]
}

# srv FIELD: of the innermost server.
proc srv {field} {
    variable server::stack
    if {$stack eq ""} { error "no server is running" }
    set s [lindex $stack end]
    if {$field eq "client" && [dict get $s client] eq ""} {
        dict set s client [resp::open [dict get $s port]]
        lset stack end $s
    }
    dict get $s $field
}

# ---- ports ----

# A loopback port that is free for TCP and UDP now. Below the kernel's own range, so that no outgoing socket takes it meanwhile.
proc free_port {} {
    for {set i 0} {$i < 500} {incr i} {
        set port [expr {12000 + int(rand() * 20000)}]
        if {[catch { socket -server list -myaddr 127.0.0.1 $port } tcp]} { continue }
        set bad [catch { udp_open $port } udp]
        close $tcp
        if {$bad} { continue }
        close $udp
        if {[have_ipv6]} {
            if {[catch { socket -server list -myaddr ::1 $port } tcp]} { continue }
            close $tcp
        }
        return $port
    }
    error "no free port"
}

# ---- configuration ----

# The conf file's text for pairs over the defaults. `-` as a value leaves a default out.
proc server::conf_text {pairs} {
    variable defaults
    set d $defaults
    if {[have_ipv6]} { dict set d dns-bind "127.0.0.1 ::1" }
    set out ""
    foreach {name value} $pairs { dict unset d $name }
    dict for {name value} $d { append out "$name $value\n" }
    foreach {name value} $pairs {
        if {$value ne "-"} { append out "$name $value\n" }
    }
    return $out
}

# ---- start ----

# Launches a server with these pairs in DIR: its dict. Does not wait.
proc server::launch {pairs dir file args} {
    set dns_port [expr {[dict exists $pairs dns-port] ? [dict get $pairs dns-port] : [free_port]}]
    set port [expr {[dict exists $pairs port] ? [dict get $pairs port] : [free_port]}]
    set all [list dns-port $dns_port port $port logfile [file join $dir server.log] {*}$pairs]
    foreach name {dns-port port logfile} {
        if {[llength [lsearch -all -exact -inline [lmap {n v} $pairs { set n }] $name]]} {
            set at [lsearch -exact $all $name]
            set all [lreplace $all $at $at+1]
        }
    }
    if {$file eq ""} {
        set conf [write_file [file join $dir pith.conf] [conf_text $all]]
    } else {
        set conf $file
        set args [concat [concat {*}[lmap {name value} $all { list --$name $value }]] $args]
    }
    set stderr [file join $dir stderr]
    set old [pwd]
    cd $dir
    try {
        set chan [harness::spawn [list {*}[wrapper] [binary] $conf {*}$args] $stderr]
    } finally {
        cd $old
    }
    set out [open [file join $dir stdout] w]
    fconfigure $out -translation binary -buffering none
    fileevent $chan readable [list server::drain $chan $out]
    dict create chan $chan pid [pid $chan] dir $dir host 127.0.0.1 dns_port $dns_port port $port conf $conf \
        log [file join $dir server.log] stderr $stderr stdout $out client "" seen 0
}

# PITH_WRAPPER puts a command before the server, for instance valgrind.
proc server::wrapper {} { expr {[info exists ::env(PITH_WRAPPER)] ? $::env(PITH_WRAPPER) : {}} }

proc server::drain {chan out} {
    catch { puts -nonewline $out [read $chan] }
    if {[eof $chan]} { fileevent $chan readable {} }
}

# Waits until both doors answer, or DNS alone; "" or why not.
proc server::wait_ready {s ms {which both}} {
    set end [expr {[clock milliseconds] + [harness::bound $ms]}]
    set dns_up 0
    set resp_up [expr {$which eq "dns"}]
    while {[clock milliseconds] < $end} {
        if {[harness::start_time [dict get $s pid]] eq ""} { return "the server ended while starting" }
        if {!$resp_up && ![catch { resp::open [dict get $s port] } c]} {
            set resp_up [expr {![catch { resp::call $c PING }]}]
            resp::close $c
        }
        # A STATUS query is answered NOTIMP and touches no cache.
        if {!$dns_up && ![catch { dns_raw [dns::query . SOA -opcode 2] 200 127.0.0.1 [dict get $s dns_port] } raw]} {
            set dns_up [expr {$raw ne ""}]
        }
        if {$dns_up && $resp_up} { return "" }
        pause_ms 20
    }
    return "not ready within $ms ms (dns [expr {$dns_up ? {up} : {down}}], resp [expr {$resp_up ? {up} : {down}}])"
}

# start_server PAIRS ?-args LIST? ?-wait dns|both? ?-conf FILE? BODY
# -args are words after the conf file on the command line; -conf starts from that file, with ports and PAIRS put on the command line.
proc start_server {pairs args} {
    variable server::stack
    variable server::count
    set body [lindex $args end]
    set o [dict merge {-args {} -wait both -conf {}} [lrange $args 0 end-1]]
    set name "server [incr count]"
    for {set try 1} {1} {incr try} {
        set s [server::launch $pairs [tmp_dir server] [dict get $o -conf] {*}[dict get $o -args]]
        set why [server::wait_ready $s 10000 [dict get $o -wait]]
        if {$why eq "" || $try == 3 || ![server::port_was_taken $s]} { break }
        harness::stop [dict get $s chan]
    }
    lappend stack $s
    if {$why eq ""} {
        set status [catch { uplevel 1 $body } message options]
        if {$status == 1} {
            if {[dict get $options -errorcode] eq "SKIP"} {
                say "\[skip\] $name: $message"
            } else {
                harness::failed $name "outside any test: $message\n[dict get $options -errorinfo]"
            }
        }
    } else {
        harness::failed "$name starts" $why
        server::show_log
    }
    set why [server::finish]
    if {$why ne ""} {
        harness::failed "$name stops cleanly on SIGTERM" $why
        server::show_log
    }
    set stack [lrange $stack 0 end-1]
}

# Between free_port and the start another process may have come; the start is then tried with other ports.
proc server::port_was_taken {s} {
    foreach f [list [dict get $s stderr] [dict get $s log]] {
        if {[file exists $f] && [regexp -nocase {in use|another program has} [read_file $f]]} { return 1 }
    }
    return 0
}

# Ends the innermost server; "" or what was wrong with its end.
proc server::finish {} {
    variable stack
    set s [lindex $stack end]
    if {[dict get $s client] ne ""} { resp::close [dict get $s client] }
    if {[dict get $s chan] eq ""} { return "" }
    set how [harness::stop [dict get $s chan] 10000]
    close [dict get $s stdout]
    if {$how ne "0"} { return "exit: $how[server::sanitizer_report]" }
    return [server::sanitizer_report]
}

# For tests of the end itself: waits for the innermost server's own exit and returns how it went. start_server then has no more to stop.
proc server_wait_exit {{ms 10000}} {
    variable server::stack
    set s [lindex $stack end]
    set how [harness::wait_exit [dict get $s chan] $ms]
    if {$how eq ""} { assert_fail "the server is still there after $ms ms" }
    server::forget
    return $how
}

# The innermost server has ended: there is nothing left to stop or to talk to.
proc server::forget {} {
    variable stack
    set s [lindex $stack end]
    if {[dict get $s client] ne ""} { resp::close [dict get $s client] }
    close [dict get $s stdout]
    dict set s chan ""
    dict set s client ""
    lset stack end $s
}

# ---- what the server says of itself ----

# A sanitizer's words in stderr or the log, or "". Each report is told once.
proc server::sanitizer_report {} {
    variable stack
    set out ""
    set seen 0
    set s [lindex $stack end]
    foreach f [list [dict get $s stderr] [dict get $s log]] {
        if {![file exists $f]} { continue }
        foreach line [split [read_file $f] \n] {
            if {[regexp {(Address|Leak|Thread|Memory)Sanitizer|runtime error:} $line]} {
                incr seen
                if {$seen > [dict get $s seen] && [string length $out] < 2000} { append out "\n$line" }
            }
        }
    }
    dict set s seen $seen
    lset stack end $s
    return [expr {$out eq "" ? "" : "a sanitizer reported:$out"}]
}

# After each test: "" or why the innermost server makes it a failure.
proc server::complaint {} {
    variable stack
    if {$stack eq ""} { return "" }
    set s [lindex $stack end]
    if {[dict get $s chan] ne "" && [harness::start_time [dict get $s pid]] eq ""} {
        set how [harness::wait_exit [dict get $s chan] 5000]
        forget
        lset stack end [dict replace [lindex $stack end] died 1]
        return "the server died ($how)[sanitizer_report]"
    }
    sanitizer_report
}

# 1 when the innermost server died under an earlier test.
proc server::is_dead {} {
    variable stack
    expr {$stack ne "" && [dict exists [lindex $stack end] died]}
}

proc server::show_log {} {
    variable stack
    if {$stack eq ""} { return }
    set s [lindex $stack end]
    foreach what {log stderr} {
        set f [dict get $s $what]
        if {![file exists $f]} { continue }
        set lines [split [string trimright [read_file $f] \n] \n]
        if {$lines eq "" || $lines eq "{}"} { continue }
        # Of a sanitizer's report the beginning counts, of everything else the end.
        set at [lsearch -regexp $lines {(Address|Leak|Thread|Memory)Sanitizer:|runtime error:}]
        if {$at >= 0} {
            say "    --- the server's $what from the report on"
            foreach line [lrange $lines $at [expr {$at + 70}]] { say "    | $line" }
        } else {
            say "    --- the end of the server's $what"
            foreach line [lrange $lines end-14 end] { say "    | $line" }
        }
    }
}

# Runs the binary once with these arguments: {exit-code output}.
proc run_server {args} { run_command 10 {*}[server::wrapper] [server::binary] {*}$args }
