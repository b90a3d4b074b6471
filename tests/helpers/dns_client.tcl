# SPDX-License-Identifier: BSD-3-Clause
#
# dns_client.tcl owns the sending side of DNS in the tests: UDP questions, TCP connections, and short words for answers.
#
# `dns NAME TYPE options...` is what most tests need. It takes the options of dns::query and
#   -tcp 1   -addr A  -port P   -timeout MS
# sends to the current server, demands an answer with our ID and question from the very address and port that was asked,
# and hands back the parsed dict. The lower calls take raw bytes and take less for granted.
# tcl-udp sends and takes packets up to 4,096 bytes; none here is larger.

# Opens a UDP socket to addr:port.
proc dns_udp_open {{addr ""} {port ""}} {
    if {$addr eq ""} { set addr 127.0.0.1 }
    if {$port eq ""} { set port [srv dns_port] }
    set s [expr {[string match *:* $addr] ? [udp_open 0 ipv6] : [udp_open 0]}]
    fconfigure $s -blocking 0 -buffering none -translation binary -remote [list $addr $port]
    return $s
}

proc dns_udp_send {s pkt} {
    if {[string length $pkt] > 4096} { error "dns: tcl-udp sends 4,096 bytes at most" }
    puts -nonewline $s $pkt
    flush $s
}

# The next packet from the address that was asked, or "" after MS milliseconds.
proc dns_udp_receive {s {ms 3000}} {
    set end [expr {[clock milliseconds] + [harness::bound $ms]}]
    while 1 {
        set pkt [read $s]
        if {$pkt ne "" && [from_whom_we_asked $s]} { return $pkt }
        set left [expr {$end - [clock milliseconds]}]
        if {$left <= 0 || ![harness::readable $s $left]} { return "" }
    }
}

# What comes from elsewhere is nobody's answer, as for any client: on a busy machine a late packet to a port that was another's before.
# A server that answers from the wrong address is seen by the answer that never comes.
proc from_whom_we_asked {s} {
    lassign [fconfigure $s -remote] addr port
    lassign [fconfigure $s -peer] from from_port
    expr {$from_port == $port && ($from eq $addr || [string match *:* $addr])}
}

# Sends raw bytes over UDP: the raw answer, or "" when none came within MS.
proc dns_raw {pkt {ms 3000} {addr ""} {port ""}} {
    set s [dns_udp_open $addr $port]
    try {
        dns_udp_send $s $pkt
        return [dns_udp_receive $s $ms]
    } finally {
        close $s
    }
}

proc dns {name type args} {
    array set o {-tcp 0 -addr 127.0.0.1 -port {} -timeout 5000}
    set rest {}
    foreach {k v} $args {
        if {[info exists o($k)]} { set o($k) $v } else { lappend rest $k $v }
    }
    if {$o(-port) eq ""} { set o(-port) [srv dns_port] }
    set pkt [dns::query $name $type {*}$rest]
    if {$o(-tcp)} {
        set c [dns_tcp_open $o(-addr) $o(-port)]
        try {
            dns_tcp_send $c $pkt
            set raw [dns_tcp_receive $c $o(-timeout)]
        } finally {
            close $c
        }
    } else {
        set raw [dns_raw $pkt $o(-timeout) $o(-addr) $o(-port)]
    }
    if {$raw eq ""} { assert_fail "no answer to $name $type within $o(-timeout) ms" }
    set r [dns::parse $raw]
    dns_check_belongs $r $pkt
    return $r
}

# The answer must be one, carry the query's ID, and echo its question byte for byte.
proc dns_check_belongs {r query} {
    set q [dns::parse_question $query]
    if {![dict get $r qr]} { assert_fail "QR is 0 in an answer" }
    binary scan $query Su id
    assert_equal $id [dict get $r id] "ID of the answer"
    if {[llength [dict get $r question]] == 1} {
        assert_equal [dns::hex $q] [dns::hex [dict get [lindex [dict get $r question] 0] raw]] "question of the answer"
    } elseif {[dict get $r rcode] ni {FORMERR NOTIMP}} {
        assert_fail "the answer carries [llength [dict get $r question]] questions"
    }
}

# The bytes of a query's question.
proc dns::parse_question {pkt} {
    lassign [read_name $pkt 12] - off
    string range $pkt 12 [expr {$off + 3}]
}

# ---- TCP ----

proc dns_tcp_open {{addr 127.0.0.1} {port ""}} {
    if {$port eq ""} { set port [srv dns_port] }
    set c [socket $addr $port]
    fconfigure $c -blocking 0 -buffering none -translation binary
    return $c
}

proc dns_tcp_frame {pkt} { return [binary format S [string length $pkt]]$pkt }

# Sends messages, each with its length before it, in one write.
proc dns_tcp_send {c args} {
    puts -nonewline $c [join [lmap p $args { dns_tcp_frame $p }] ""]
    flush $c
}

# Sends raw bytes in pieces of n bytes with a pause between, so that each is a segment of its own.
proc dns_tcp_send_pieces {c bytes n {pause 2}} {
    for {set off 0} {$off < [string length $bytes]} {incr off $n} {
        puts -nonewline $c [dns::cut $bytes $off $n]
        flush $c
        pause_ms $pause
    }
}

# No more is to come from us; answers still may.
proc dns_tcp_half_close {c} { chan close $c write }

# Exactly n bytes, or fewer at the end of the stream or after MS.
proc dns_tcp_read {c n ms} {
    set end [expr {[clock milliseconds] + [harness::bound $ms]}]
    set out ""
    while {[string length $out] < $n} {
        append out [read $c [expr {$n - [string length $out]}]]
        if {[string length $out] >= $n || [eof $c]} { break }
        set left [expr {$end - [clock milliseconds]}]
        if {$left <= 0 || ![harness::readable $c $left]} { break }
    }
    return $out
}

# The next message, or "" at the end of the stream or after MS.
proc dns_tcp_receive {c {ms 5000}} {
    set head [dns_tcp_read $c 2 $ms]
    if {$head eq ""} { return "" }
    if {[binary scan $head Su len] != 1} { error "dns: half a length on TCP" }
    set pkt [dns_tcp_read $c $len $ms]
    if {[string length $pkt] != $len} { error "dns: [string length $pkt] of $len bytes on TCP" }
    return $pkt
}

# 1 when the other side closes within MS; anything that still comes is an error.
proc dns_tcp_closed {c {ms 5000}} {
    set rest [dns_tcp_read $c 1 $ms]
    if {$rest ne ""} { error "dns: bytes where the connection should end" }
    return [eof $c]
}

# ---- words for answers ----

# The rdata texts of a section's records, of one type when given.
proc rdata_of {r {type *} {section answer}} {
    set out {}
    foreach rr [dict get $r $section] {
        if {[string match $type [dict get $rr type]]} { lappend out [dict get $rr rdata] }
    }
    return $out
}

# The types of a section's records in order.
proc types_of {r {section answer}} { lmap rr [dict get $r $section] { dict get $rr type } }

# The least TTL of a section.
proc ttl_of {r {section answer}} {
    set ttls [lmap rr [dict get $r $section] { dict get $rr ttl }]
    if {$ttls eq ""} { assert_fail "no record in the $section section" }
    tcl::mathfunc::min {*}$ttls
}

proc assert_rcode {rcode r} { assert_equal $rcode [dict get $r rcode] rcode }

proc assert_rdata {expected r {type *} {section answer}} {
    assert_equal [lsort $expected] [lsort [rdata_of $r $type $section]] "$section rdata"
}

# The EDNS options of an answer with that code, as a list of hex strings.
proc options_of {r code} {
    if {[dict get $r edns] eq ""} { return {} }
    set out {}
    foreach o [dict get $r edns options] { if {[lindex $o 0] == $code} { lappend out [lindex $o 1] } }
    return $out
}
