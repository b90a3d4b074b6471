# SPDX-License-Identifier: BSD-3-Clause
#
# upstream_server.tcl owns the scripted upstream: a DNS server, in a process of its own, that answers what a test told it to.
#
# A process of its own, because the test blocks on its own sockets while the upstream must serve. It listens on one loopback
# port for UDP and TCP, prints `PORT CONTROLPORT`, and takes orders on the control port: one Tcl list a line, one line back.
# It ends when the control connection ends, so it never outlives the test file.
#
# A rule is found by name and type (exact, then name and ANY type, then wildcards from the longest suffix up, type before
# ANY). Rules for one name and type queue up: one with `-times n` steps aside after n answers. With no rule: REFUSED.
# Names under bulk.test. need no rule: A, AAAA and TXT exist for every name there, at no cost but one packet's work.
#
# tcl-udp binds every interface; what does not come from 127.0.0.0/8 is dropped unread.

package require udp
source [file join [file dirname [info script]] dns.tcl]

namespace eval up {
    array set rules {}         ;# "name. TYPE" -> list of rule dicts
    array set count {}         ;# "name. TYPE" -> queries
    array set last {}          ;# "name. TYPE" -> {transport peer-port hex}
    variable total 0
    variable tcp_total 0
    variable log {}            ;# every query: {transport peer-port name type ms}; bulk names are left out
    variable paused 0
    variable held {}
    variable bulk 1            ;# off once a test has a rule of its own for bulk.test.
}

# ---- questions ----

# {lower-case name with case kept, type text, bytes of the question} of a query, or an error.
proc up::question {pkt} {
    lassign [dns::read_name $pkt 12 0] name off
    if {[binary scan $pkt @${off}SuSu type class] != 2} { error "short question" }
    list $name [dns::type_text $type] [string range $pkt 12 [expr {$off + 3}]]
}

proc up::take {transport sock peer pkt} {
    variable total
    variable tcp_total
    variable paused
    variable held
    variable bulk
    if {[string length $pkt] < 17} { return }
    incr total
    if {$transport eq "tcp"} { incr tcp_total }
    if {$paused} {
        lappend held [list $transport $sock $peer $pkt]
        return
    }
    set at [string first \4bulk\4test\0 [string tolower $pkt] 12]
    if {$at > 0 && $bulk} {
        send $transport $sock $peer [bulk_answer $pkt [expr {$at + 11}]]
        return
    }
    if {[catch { serve $transport $sock $peer $pkt } why]} { puts stderr "upstream: $why\n$::errorInfo" }
}

proc up::serve {transport sock peer pkt} {
    variable count
    variable last
    variable log
    lassign [question $pkt] name type question
    set lower [string tolower $name]
    set key "$lower $type"
    incr count($key)
    set last($key) [list $transport [lindex $peer 1] [dns::hex $pkt]]
    lappend log [list $transport [lindex $peer 1] $name $type [clock milliseconds]]
    set rule [find_rule $lower $type]
    if {$rule eq ""} { set rule {-rcode REFUSED} }
    set delay [expr {[dict exists $rule -delay] ? [dict get $rule -delay] : 0}]
    if {$delay} {
        after $delay [list up::act $transport $sock $peer $pkt $rule $name $type $question]
    } else {
        act $transport $sock $peer $pkt $rule $name $type $question
    }
}

proc up::find_rule {name type} {
    variable rules
    set tries [list "$name $type" "$name ANY"]
    set labels [dns::name_labels $name]
    for {set i 1} {$i <= [llength $labels]} {incr i} {
        set suffix "[join [lrange $labels $i end] .]."
        lappend tries "*.[string trimleft $suffix .] $type" "*.[string trimleft $suffix .] ANY"
    }
    foreach key $tries {
        if {![info exists rules($key)] || $rules($key) eq ""} { continue }
        set rule [lindex $rules($key) 0]
        if {[dict exists $rule -times]} {
            dict incr rule -times -1
            if {[dict get $rule -times] <= 0} {
                set rules($key) [lrange $rules($key) 1 end]
            } else {
                lset rules($key) 0 $rule
            }
        }
        return $rule
    }
    return ""
}

# ---- answers ----

proc up::act {transport sock peer pkt rule name type question} {
    set r [dict merge {-rcode NOERROR -flags ra -answer {} -authority {} -additional {} -drop 0 -tc 0 -wrong {} -garbage {}
        -close 0 -edns 1 -options {} -also {}} $rule]
    if {[dict get $r -close] && $transport eq "tcp"} {
        catch { close $sock }
        return
    }
    if {[dict get $r -drop] eq "udp" ? $transport eq "udp" : [dict get $r -drop]} { return }
    if {[dict get $r -garbage] ne ""} {
        binary scan $pkt a2 id
        send $transport $sock $peer [string map [list ID $id] [binary decode hex [dict get $r -garbage]]]
        return
    }
    set tc [expr {[dict get $r -tc] && $transport eq "udp"}]
    # A lie goes out first; the truth follows after -also milliseconds, when asked for.
    foreach lie [dict get $r -wrong] {
        set bad [answer $pkt $r $name $question $tc $lie]
        if {$lie eq "port"} { send_from_elsewhere $peer $bad } else { send $transport $sock $peer $bad }
    }
    set good [answer $pkt $r $name $question $tc ""]
    if {[dict get $r -wrong] eq ""} {
        send $transport $sock $peer $good
    } elseif {[dict get $r -also] ne ""} {
        after [dict get $r -also] [list up::send $transport $sock $peer $good]
    }
}

# The reply packet. Lies: id, question, qr, opcode, case (the question in the other case); `rdata` records of a lie are -lie.
proc up::answer {pkt r name question tc lie} {
    binary scan $pkt SuSuSuSuSuSu id bits qd an ns ar
    set flags [concat qr [dict get $r -flags]]
    if {$tc} { lappend flags tc }
    if {$bits & 0x0100} { lappend flags rd }
    if {$bits & 0x0010} { lappend flags cd }
    set rcode [dns::rcode_number [dict get $r -rcode]]
    set head [dns::flags $flags 0 [expr {$rcode & 15}]]
    switch -- $lie {
        id { set id [expr {($id + 1) & 0xffff}] }
        question { set question [dns::name_wire other.$name][string range $question end-3 end] }
        qr { set head [expr {$head & 0x7fff}] }
        opcode { set head [expr {$head | 0x1000}] }
        case { set question [dns::name_wire [flip_case $name]][string range $question end-3 end] }
    }
    set sections {}
    set counts {}
    foreach s {-answer -authority -additional} {
        set rrs [dict get $r $s]
        if {$lie ne "" && $s eq "-answer" && [dict exists $r -lie]} { set rrs [dict get $r -lie] }
        if {$tc} { set rrs {} }
        lappend counts [llength $rrs]
        foreach rr $rrs { append sections [record $rr $name] }
    }
    lassign $counts na nn nx
    set opt ""
    if {$ar && [dict get $r -edns]} {
        incr nx
        set opt [dns::opt_wire 1232 0 [wants_do $pkt] [dict get $r -options] [expr {$rcode >> 4}]]
    }
    return [binary format SSSSSS $id $head 1 $na $nn $nx]$question$sections$opt
}

# @ at the start of a record is the name that was asked for.
proc up::record {text name} {
    if {[string match "@ *" $text]} { set text "$name[string range $text 1 end]" }
    dns::rr_wire $text
}

proc up::flip_case {name} {
    join [lmap c [split $name ""] { expr {[string is lower $c] ? [string toupper $c] : [string tolower $c]} }] ""
}

proc up::wants_do {pkt} {
    if {[catch { dns::parse $pkt } m] || [dict get $m edns] eq ""} { return 0 }
    dict get $m edns do
}

# One A, AAAA or TXT record for any name, with an address that depends on the name; NODATA for other types.
# The question's name ends at off. No dict, no list: this is the one fast path of this process.
proc up::bulk_answer {pkt off} {
    binary scan $pkt SuSu@${off}Su id bits type
    set question [string range $pkt 12 $off+3]
    set sum [zlib crc32 [string tolower [string range $pkt 12 $off]]]
    switch -- $type {
        1 { set rr [binary format SSSISI 0xc00c 1 1 300 4 [expr {0x0a000000 | ($sum & 0xffffff)}]] }
        28 { set rr [binary format SSSISIIII 0xc00c 28 1 300 16 0x20010db8 0 0 $sum] }
        16 { set rr [binary format SSSISca* 0xc00c 16 1 300 9 8 [format %08x $sum]] }
        default {
            set soa [dns::rr_wire "bulk.test. 300 SOA ns.bulk.test. root.bulk.test. 1 2 3 4 300"]
            return [binary format SSSSSS $id [expr {0x8080 | ($bits & 0x0110)}] 1 0 1 0]$question$soa
        }
    }
    return [binary format SSSSSS $id [expr {0x8080 | ($bits & 0x0110)}] 1 1 0 0]$question$rr
}

# ---- sockets ----

proc up::send {transport sock peer pkt} {
    if {$transport eq "tcp"} {
        catch {
            puts -nonewline $sock [binary format S [string length $pkt]]$pkt
            flush $sock
        }
        return
    }
    fconfigure $sock -remote $peer
    puts -nonewline $sock $pkt
}

# From a port that nobody asked.
proc up::send_from_elsewhere {peer pkt} {
    set s [udp_open 0]
    fconfigure $s -blocking 0 -buffering none -translation binary -remote $peer
    puts -nonewline $s $pkt
    close $s
}

proc up::udp_readable {sock} {
    # tcl-udp hands out one packet a read.
    set pkt [read $sock]
    if {$pkt eq ""} { return }
    set peer [fconfigure $sock -peer]
    if {[string match 127.* [lindex $peer 0]]} { take udp $sock $peer $pkt }
}

proc up::tcp_accept {sock addr port} {
    fconfigure $sock -blocking 0 -buffering none -translation binary
    set ::up::inbox($sock) ""
    fileevent $sock readable [list up::tcp_readable $sock [list $addr $port]]
}

proc up::tcp_readable {sock peer} {
    variable inbox
    append inbox($sock) [read $sock]
    while {[binary scan $inbox($sock) Su len] == 1 && [string length $inbox($sock)] >= $len + 2} {
        set pkt [dns::cut $inbox($sock) 2 $len]
        set inbox($sock) [string range $inbox($sock) [expr {$len + 2}] end]
        take tcp $sock $peer $pkt
        if {[catch { eof $sock }]} { return }
    }
    if {[eof $sock]} {
        unset inbox($sock)
        close $sock
    }
}

# Both transports on the port, or on a free one when it is 0.
proc up::listen {port} {
    for {set i 0} {$i < 200} {incr i} {
        set try [expr {$port ? $port : 12000 + int(rand() * 20000)}]
        if {[catch { socket -server up::tcp_accept -myaddr 127.0.0.1 $try } tcp]} { continue }
        if {[catch { udp_open $try } udp]} {
            close $tcp
            continue
        }
        fconfigure $udp -blocking 0 -buffering none -translation binary
        fileevent $udp readable [list up::udp_readable $udp]
        return $try
    }
    error "no port to listen on"
}

# ---- control ----

proc up::order {words} {
    variable rules
    variable count
    variable last
    variable total
    variable tcp_total
    variable log
    variable paused
    variable held
    set rest [lassign $words verb]
    switch -- $verb {
        rule {
            set options [lassign $rest name type]
            if {[llength $options] % 2} { error "rule: options come in pairs" }
            foreach rr [concat {*}[lmap s {-answer -authority -additional -lie} {
                expr {[dict exists $options $s] ? [dict get $options $s] : {}}
            }]] { record $rr . }
            lappend rules([string tolower $name]\ $type) $options
            if {[string match *.bulk.test. $name]} { set ::up::bulk 0 }
        }
        clear {
            if {$rest eq ""} { array unset rules } else { unset -nocomplain rules([string tolower [lindex $rest 0]]\ [lindex $rest 1]) }
        }
        count {
            set key "[string tolower [lindex $rest 0]] [lindex $rest 1]"
            return [expr {[info exists count($key)] ? $count($key) : 0}]
        }
        last {
            set key "[string tolower [lindex $rest 0]] [lindex $rest 1]"
            return [expr {[info exists last($key)] ? $last($key) : {}}]
        }
        total { return $total }
        tcp_total { return $tcp_total }
        log { return $log }
        reset {
            array unset count
            array unset last
            set log {}
            set total 0
            set tcp_total 0
        }
        pause { set paused 1 }
        resume {
            set paused 0
            set queue $held
            set held {}
            foreach q $queue { serve {*}$q }
        }
        default { error "no such order: $verb" }
    }
    return ""
}

proc up::control_accept {sock addr port} {
    fconfigure $sock -blocking 0 -buffering line -translation lf -encoding utf-8
    fileevent $sock readable [list up::control_readable $sock]
}

proc up::control_readable {sock} {
    if {[gets $sock line] < 0} {
        if {[eof $sock]} { exit 0 }
        return
    }
    if {[catch { order $line } result]} { set reply [list error $result] } else { set reply [list ok $result] }
    # One line each way: newlines travel escaped inside the list.
    puts $sock [string map {\n \\n} $reply]
}

expr {srand([pid] * 104729 + [clock milliseconds] % 100000)}
set port [up::listen [expr {[llength $argv] ? [lindex $argv 0] : 0}]]
set control [socket -server up::control_accept -myaddr 127.0.0.1 0]
puts "$port [lindex [fconfigure $control -sockname] 2]"
flush stdout
vwait forever
