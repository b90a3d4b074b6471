# SPDX-License-Identifier: BSD-3-Clause
#
# upstream.tcl owns the test's side of the scripted upstream (helpers/upstream_server.tcl says what it can do).
#
#   with_upstream up { ... }                      starts one, stops it afterwards; `up` holds its handle
#   upstream_addr $up                             127.0.0.1@PORT, for forward-addr
#   forward_to $up ?directives?                   start_server's pairs: forward there, no stale answers, no prefetch
#   upstream_rule $up NAME TYPE options...        NAME may be *.suffix. and TYPE may be ANY
#     -answer RRS -authority RRS -additional RRS    lists of records in text; @ as owner is the name asked for
#     -rcode R -flags {aa ra ad} -edns 0 -options {{code hex} ...}
#     -delay MS  -drop 1|udp  -close 1 (TCP)  -tc 1 (UDP: truncated; TCP: whole)  -garbage HEX (ID's two bytes: 4944)
#     -wrong {id port question qr opcode case}      such answers, with the records of -lie if given; -also MS: then the right one
#     -times N                                      only for N queries, then the next rule of the same name and type
#   upstream_count $up NAME TYPE    queries seen;   upstream_total $up    all of them, bulk names too
#   upstream_last $up NAME TYPE     {transport source-port parsed-query}
#   upstream_log $up                {transport source-port name type ms} each
#   upstream_pause / upstream_resume $up           holds queries back, answers them later

namespace eval upstream { variable seq 0 }

proc upstream_start {{port 0}} {
    set err [file join [tmp_dir upstream] stderr]
    set chan [harness::spawn [list [info nameofexecutable] [file join $::tests_dir helpers upstream_server.tcl] $port] $err]
    if {![harness::readable $chan 10000] || [gets $chan line] < 0} {
        harness::stop $chan
        error "the upstream did not start: [read_file $err]"
    }
    lassign $line dns_port control_port
    set control [socket 127.0.0.1 $control_port]
    fconfigure $control -blocking 0 -buffering line -translation lf -encoding utf-8
    dict create chan $chan control $control port $dns_port stderr $err
}

proc upstream_stop {up} {
    close [dict get $up control]
    harness::stop [dict get $up chan]
    set said [string trim [read_file [dict get $up stderr]]]
    if {$said ne ""} { harness::failed "upstream" $said }
}

proc with_upstream {names body} {
    set started {}
    try {
        foreach name $names {
            upvar 1 $name up$name
            set up$name [upstream_start]
            lappend started [set up$name]
        }
        uplevel 1 $body
    } finally {
        foreach up $started { upstream_stop $up }
    }
}

# The usual directives of a server that forwards to these upstreams and in which nothing happens on its own.
proc forward_to {ups args} {
    set pairs {resolver forward serve-stale no prefetch 0}
    foreach {name value} $args { if {[dict exists $pairs $name]} { dict unset pairs $name } }
    # One handle is a dict, several are a list of dicts.
    if {[lindex $ups 0] eq "chan"} { set ups [list $ups] }
    foreach up $ups { lappend pairs forward-addr [upstream_addr $up] }
    concat $pairs $args
}

proc upstream_order {up args} {
    set c [dict get $up control]
    puts $c [string map {\n " "} $args]
    set end [expr {[clock milliseconds] + [harness::bound 5000]}]
    while {[gets $c line] < 0} {
        set left [expr {$end - [clock milliseconds]}]
        if {[eof $c] || $left <= 0 || ![harness::readable $c $left]} { error "the upstream does not answer: [lrange $args 0 2]" }
    }
    lassign $line status value
    if {$status ne "ok"} { error "upstream: $value" }
    return $value
}

proc upstream_addr {up} { return 127.0.0.1@[dict get $up port] }
proc upstream_rule {up name type args} { upstream_order $up rule $name $type {*}$args }
proc upstream_clear {up args} { upstream_order $up clear {*}$args }
proc upstream_count {up name type} { upstream_order $up count $name $type }
proc upstream_total {up} { upstream_order $up total }
proc upstream_tcp_total {up} { upstream_order $up tcp_total }
proc upstream_log {up} { upstream_order $up log }
proc upstream_reset {up} { upstream_order $up reset }
proc upstream_pause {up} { upstream_order $up pause }
proc upstream_resume {up} { upstream_order $up resume }

proc upstream_last {up name type} {
    set last [upstream_order $up last $name $type]
    if {$last eq ""} { return "" }
    lassign $last transport port hex
    list $transport $port [dns::parse [binary decode hex $hex]]
}
