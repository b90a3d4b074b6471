# SPDX-License-Identifier: BSD-3-Clause
#
# resp.tcl owns the tests' RESP client: RESP2 and RESP3 replies, pipelining, inline commands, raw bytes.
#
# A reply is kept twice over: typed, as {kind value} with kind one of
#   status error int bulk null array map set push double bool bignum verbatim
# (aggregates hold typed replies; a map holds key value key value ...), and plain, where the kinds are dropped and an
# error reply becomes a Tcl error with the reply's text. Tests that care for types use resp::call, others `redis`.

namespace eval resp {
    variable buffer            ;# channel -> bytes read and not yet parsed
    array set buffer {}
}

proc resp::open {{port ""} {addr 127.0.0.1}} {
    variable buffer
    if {$port eq ""} { set port [srv port] }
    set c [socket $addr $port]
    fconfigure $c -blocking 0 -buffering none -translation binary
    set buffer($c) ""
    return $c
}

proc resp::close {c} {
    variable buffer
    unset -nocomplain buffer($c)
    catch { ::close $c }
}

# A command as a RESP array of bulk strings. Words are bytes.
proc resp::encode {words} {
    set out "*[llength $words]\r\n"
    foreach w $words {
        set w [encoding convertto utf-8 $w]
        append out "\$[string length $w]\r\n$w\r\n"
    }
    return $out
}

proc resp::send_raw {c bytes} {
    puts -nonewline $c $bytes
    flush $c
}
proc resp::send {c args} { send_raw $c [encode $args] }

proc resp::fill {c end} {
    variable buffer
    set bytes [::read $c]
    if {$bytes ne ""} {
        append buffer($c) $bytes
        return
    }
    if {[eof $c]} { return -code error -errorcode {RESP EOF} "resp: connection closed" }
    set left [expr {$end - [clock milliseconds]}]
    if {$left <= 0 || ![harness::readable $c $left]} {
        return -code error -errorcode {RESP TIMEOUT} "resp: no reply in time"
    }
}

proc resp::read_line {c end} {
    variable buffer
    while {[set at [string first \r\n $buffer($c)]] < 0} {
        # No reply line is that long: a lost frame, not a slow one.
        if {[string length $buffer($c)] > 65536} { error "resp: no line end" }
        fill $c $end
    }
    set line [string range $buffer($c) 0 $at-1]
    set buffer($c) [string range $buffer($c) $at+2 end]
    if {[string first \n $line] >= 0 || [string first \r $line] >= 0} { error "resp: bare CR or LF in a line" }
    return $line
}

proc resp::read_bytes {c n end} {
    variable buffer
    while {[string length $buffer($c)] < $n + 2} { fill $c $end }
    if {[string range $buffer($c) $n $n+1] ne "\r\n"} { error "resp: no CRLF after $n bytes" }
    set out [string range $buffer($c) 0 $n-1]
    set buffer($c) [string range $buffer($c) $n+2 end]
    return $out
}

# The next reply, typed.
proc resp::read_reply {c {ms 5000}} { read_typed $c [expr {[clock milliseconds] + [harness::bound $ms]}] }

proc resp::read_typed {c end} {
    set line [read_line $c $end]
    set rest [string range $line 1 end]
    switch -- [string index $line 0] {
        + { return [list status $rest] }
        - { return [list error $rest] }
        : {
            if {![regexp {^-?\d+$} $rest]} { error "resp: integer '$rest'" }
            return [list int $rest]
        }
        _ { return {null {}} }
        \# {
            if {$rest ni {t f}} { error "resp: boolean '$rest'" }
            return [list bool [expr {$rest eq "t"}]]
        }
        , { return [list double $rest] }
        ( { return [list bignum $rest] }
        $ - = - ! {
            if {$rest eq "-1"} { return {null {}} }
            if {![regexp {^\d+$} $rest]} { error "resp: length '$rest'" }
            set kind [dict get {$ bulk = verbatim ! error} [string index $line 0]]
            return [list $kind [read_bytes $c $rest $end]]
        }
        * - ~ - > - % {
            if {$rest eq "-1"} { return {null {}} }
            if {![regexp {^\d+$} $rest]} { error "resp: count '$rest'" }
            set kind [dict get {* array ~ set > push % map} [string index $line 0]]
            set n [expr {$kind eq "map" ? 2 * $rest : $rest}]
            set items {}
            for {set i 0} {$i < $n} {incr i} { lappend items [read_typed $c $end] }
            return [list $kind $items]
        }
    }
    error "resp: reply of unknown type: [string range $line 0 80]"
}

# A command and its typed reply.
proc resp::call {c args} {
    send $c {*}$args
    read_reply $c
}

# A typed reply without its types; an error reply is returned as its text.
proc resp::plain {reply} {
    lassign $reply kind value
    switch -- $kind {
        array - set - push - map { return [lmap item $value { plain $item }] }
        verbatim { return [string range $value 4 end] }
    }
    return $value
}

# A command on a connection: the plain value, or a Tcl error with the text of an error reply.
proc resp::value {c args} {
    set reply [call $c {*}$args]
    if {[lindex $reply 0] eq "error"} { return -code error -errorcode {RESP ERROR} [lindex $reply 1] }
    plain $reply
}

# Several commands in one write; the list of their typed replies.
proc resp::pipeline {c commands} {
    send_raw $c [join [lmap cmd $commands { encode $cmd }] ""]
    lmap cmd $commands { read_reply $c }
}

# The typed reply must be an error whose text matches.
proc assert_resp_error {pattern reply} {
    assert_equal error [lindex $reply 0] "kind of reply"
    assert_match $pattern [lindex $reply 1]
}

# ---- the current server ----

# redis COMMAND ...: on the current server's own connection.
proc redis {args} { uplevel 1 [list resp::value [srv client] {*}$args] }

# The same, typed.
proc redis_typed {args} { resp::call [srv client] {*}$args }

# Runs BODY with VAR holding a connection of its own.
proc with_redis {var body} {
    upvar 1 $var c
    set c [resp::open]
    try { uplevel 1 $body } finally { resp::close $c }
}

# One field of INFO, or "" when it is not there.
proc info_field {name {section everything}} {
    regexp -line "^$name:(.*?)\\r?\$" [redis INFO $section] -> value
    expr {[info exists value] ? $value : ""}
}

# A whole SCAN: the keys, each once. Options are passed on (MATCH, COUNT, TYPE).
proc scan_all {args} {
    set cursor 0
    array set seen {}
    for {set pages 0} {$pages < 1000000} {incr pages} {
        lassign [redis SCAN $cursor {*}$args] cursor keys
        foreach k $keys { set seen($k) 1 }
        if {$cursor eq "0"} { return [lsort [array names seen]] }
    }
    error "SCAN did not end"
}

# Lets the server's clock jump forward.
proc debug_time_advance {seconds} { assert_equal OK [redis DEBUG TIME $seconds] }
