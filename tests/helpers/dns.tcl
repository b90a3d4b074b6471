# SPDX-License-Identifier: BSD-3-Clause
#
# dns.tcl owns the DNS wire format for the tests: it builds any packet, also wrong ones, and reads answers strictly.
#
# It is written apart from src/wire on purpose: a codec that checks itself finds nothing. The reader refuses what a
# picky client would refuse: pointers that do not point backwards, names over 255 bytes, compression inside rdata
# that may not have it (RFC 3597 §4), sections shorter than their counts, bytes left over at the end, two OPTs.
#
# A parsed packet is a dict:
#   id qr opcode aa tc rd ra z ad cd rcode          header; rcode holds the extended bits of OPT, as a mnemonic
#   question   list of {owner type class raw}       raw: the question's bytes as they stood
#   answer authority additional                     lists of {owner type class ttl rdata hex}; OPT is not among them
#   edns       {} or {version size do z options}    options: list of {code hex}
#   size       bytes of the packet                  raw: the packet itself
# Names are in presentation form with the case they came in and a trailing dot.

namespace eval dns {
    variable types {
        A 1 NS 2 CNAME 5 SOA 6 NULL 10 PTR 12 HINFO 13 MX 15 TXT 16 AAAA 28 SRV 33 NAPTR 35 DNAME 39 OPT 41 DS 43
        SSHFP 44 RRSIG 46 NSEC 47 DNSKEY 48 NSEC3 50 NSEC3PARAM 51 TLSA 52 SVCB 64 HTTPS 65 TKEY 249 TSIG 250
        IXFR 251 AXFR 252 ANY 255 CAA 257
    }
    variable rcodes {
        NOERROR 0 FORMERR 1 SERVFAIL 2 NXDOMAIN 3 NOTIMP 4 REFUSED 5 YXDOMAIN 6 BADVERS 16 BADCOOKIE 23
    }
    variable classes {IN 1 CH 3 HS 4 NONE 254 ANY 255}
    variable flagbits {qr 0x8000 aa 0x0400 tc 0x0200 rd 0x0100 ra 0x0080 z 0x0040 ad 0x0020 cd 0x0010}
    variable typename {}
    variable rcodename {}
    variable classname {}
    foreach {n v} $types { dict set typename $v $n }
    foreach {n v} $rcodes { dict set rcodename $v $n }
    foreach {n v} $classes { dict set classname $v $n }
}

# ---- mnemonics ----

# The number of a mnemonic, of TYPE123-like forms, or of a plain number.
proc dns::number {table prefix text} {
    set t [string toupper $text]
    if {[dict exists $table $t]} { return [dict get $table $t] }
    if {[string is integer -strict $text]} { return $text }
    if {[regexp "^$prefix\(\\d+)\$" $t -> n]} { return $n }
    error "dns: no such mnemonic: $text"
}
proc dns::type_number {t} { variable types; number $types TYPE $t }
proc dns::class_number {c} { variable classes; number $classes CLASS $c }
proc dns::rcode_number {r} { variable rcodes; number $rcodes RCODE $r }
proc dns::type_text {n} { variable typename; expr {[dict exists $typename $n] ? [dict get $typename $n] : "TYPE$n"} }
proc dns::class_text {n} { variable classname; expr {[dict exists $classname $n] ? [dict get $classname $n] : "CLASS$n"} }
proc dns::rcode_text {n} { variable rcodename; expr {[dict exists $rcodename $n] ? [dict get $rcodename $n] : "RCODE$n"} }

# n bytes of s from off.
proc dns::cut {s off n} { string range $s $off [expr {$off + $n - 1}] }

# ---- names ----

# Presentation form to a list of raw labels: \. \\ \DDD understood, case kept. The trailing dot is optional.
proc dns::name_labels {text} {
    if {$text eq "." || $text eq ""} { return {} }
    if {[string first \\ $text] < 0} {
        return [split [string trimright $text .] .]
    }
    set labels {}
    set label ""
    set n [string length $text]
    for {set i 0} {$i < $n} {incr i} {
        set c [string index $text $i]
        if {$c eq "."} {
            lappend labels $label
            set label ""
        } elseif {$c eq "\\"} {
            if {[regexp {^\d\d\d} [string range $text $i+1 $i+3] digits]} {
                append label [format %c [scan $digits %d]]
                incr i 3
            } else {
                append label [string index $text [incr i]]
            }
        } else {
            append label $c
        }
    }
    if {$label ne ""} { lappend labels $label }
    return $labels
}

# Presentation form to uncompressed wire form.
proc dns::name_wire {text} {
    set out ""
    foreach label [name_labels $text] {
        append out [binary format ca* [string length $label] $label]
    }
    append out \0
}

proc dns::label_text {label} {
    if {[regexp {^[A-Za-z0-9_*-]*$} $label]} { return $label }
    set out ""
    foreach c [split $label ""] {
        scan $c %c code
        if {$c in {. \\ @ \" ( ) ; $}} {
            append out "\\$c"
        } elseif {$code < 33 || $code > 126} {
            append out [format "\\%03d" $code]
        } else {
            append out $c
        }
    }
    return $out
}

# Reads the name at off: {text, offset after it}. A pointer must point before the name's own start, so no loop is possible.
proc dns::read_name {pkt off {compression 1}} {
    set size [string length $pkt]
    set labels {}
    set total 1
    set after -1
    set limit $off
    while 1 {
        if {$off >= $size} { error "dns: name runs past the end at $off" }
        binary scan $pkt @${off}cu len
        if {$len == 0} {
            incr off
            break
        }
        if {$len >= 0xc0} {
            if {!$compression} { error "dns: compressed name where none is allowed, at $off" }
            if {$off + 2 > $size} { error "dns: half a pointer at $off" }
            binary scan $pkt @${off}Su ptr
            set ptr [expr {$ptr & 0x3fff}]
            if {$ptr >= $limit} { error "dns: pointer at $off goes to $ptr, not backwards" }
            if {$ptr < 12} { error "dns: pointer at $off goes into the header" }
            if {$after < 0} { set after [expr {$off + 2}] }
            set off $ptr
            set limit $ptr
            continue
        }
        if {$len > 63} { error "dns: label type [format 0x%02x $len] at $off" }
        if {$off + 1 + $len > $size} { error "dns: label runs past the end at $off" }
        incr total [expr {$len + 1}]
        if {$total > 255} { error "dns: name over 255 bytes" }
        lappend labels [label_text [cut $pkt [expr {$off + 1}] $len]]
        incr off [expr {$len + 1}]
    }
    if {$after < 0} { set after $off }
    list [join $labels .]. $after
}

# ---- rdata to text ----

proc dns::hex {bytes} { binary encode hex $bytes }

proc dns::text_strings {bytes} {
    set out {}
    set off 0
    set size [string length $bytes]
    while {$off < $size} {
        binary scan $bytes @${off}cu len
        if {$off + 1 + $len > $size} { error "dns: character-string runs past its rdata" }
        set s ""
        foreach c [split [cut $bytes [expr {$off + 1}] $len] ""] {
            scan $c %c code
            if {$c in {\" \\}} { append s "\\$c" } elseif {$code < 32 || $code > 126} {
                append s [format "\\%03d" $code]
            } else { append s $c }
        }
        lappend out "\"$s\""
        incr off [expr {$len + 1}]
    }
    return [join $out " "]
}

proc dns::type_bitmap {bytes} {
    set out {}
    set last -1
    while {$bytes ne ""} {
        if {[binary scan $bytes cucu window len] != 2 || $len < 1 || $len > 32 || $window <= $last
            || [string length $bytes] < 2 + $len} { error "dns: bad type bitmap" }
        set last $window
        binary scan [cut $bytes 2 $len] B* bits
        for {set i 0} {$i < $len * 8} {incr i} {
            if {[string index $bits $i]} { lappend out [type_text [expr {$window * 256 + $i}]] }
        }
        set bytes [string range $bytes [expr {2 + $len}] end]
    }
    return $out
}

proc dns::base64 {bytes} { binary encode base64 $bytes }

# The rdata at off..off+len as text; names inside it may use the whole packet when their type allows compression.
proc dns::rdata_text {pkt off len type} {
    set end [expr {$off + $len}]
    set rd [string range $pkt $off $end-1]
    # What follows reads names at offsets of the packet; a name that crosses the rdata's end is caught by the last check.
    set need [rdata_min_len $type]
    if {$len < $need} { error "dns: $type rdata of $len bytes" }
    switch -- $type {
        A {
            if {$len != 4} { error "dns: A rdata of $len bytes" }
            binary scan $rd cucucucu a b c d
            return $a.$b.$c.$d
        }
        AAAA {
            if {$len != 16} { error "dns: AAAA rdata of $len bytes" }
            return [ip6_text $rd]
        }
        NS - CNAME - PTR { lassign [read_name $pkt $off] text off }
        DNAME { lassign [read_name $pkt $off 0] text off }
        MX {
            binary scan $rd Su pref
            lassign [read_name $pkt [expr {$off + 2}]] name off
            set text "$pref $name"
        }
        SOA {
            lassign [read_name $pkt $off] mname off
            lassign [read_name $pkt $off] rname off
            if {[binary scan [string range $pkt $off $end-1] IuIuIuIuIu a b c d e] != 5} { error "dns: short SOA rdata" }
            incr off 20
            set text "$mname $rname $a $b $c $d $e"
        }
        SRV {
            binary scan $rd SuSuSu prio weight port
            lassign [read_name $pkt [expr {$off + 6}] 0] name off
            set text "$prio $weight $port $name"
        }
        TXT {
            return [text_strings $rd]
        }
        CAA {
            binary scan $rd cucu flags taglen
            return "$flags [cut $rd 2 $taglen] \"[string range $rd [expr {2 + $taglen}] end]\""
        }
        DS {
            binary scan $rd Sucucu tag alg digest
            return "$tag $alg $digest [hex [string range $rd 4 end]]"
        }
        DNSKEY {
            binary scan $rd Sucucu flags proto alg
            return "$flags $proto $alg [base64 [string range $rd 4 end]]"
        }
        RRSIG {
            binary scan $rd SucucuIuIuIuSu covered alg labels ottl expire incept tag
            lassign [read_name $pkt [expr {$off + 18}] 0] signer off
            if {$off >= $end} { error "dns: RRSIG without signature" }
            set sig [base64 [string range $pkt $off $end-1]]
            return "[type_text $covered] $alg $labels $ottl $expire $incept $tag $signer $sig"
        }
        NSEC {
            lassign [read_name $pkt $off 0] next off
            if {$off > $end} { error "dns: NSEC name crosses its rdata" }
            return "$next [type_bitmap [string range $pkt $off $end-1]]"
        }
        default { return "\\# $len [hex $rd]" }
    }
    if {$off != $end} { error "dns: $type rdata ends at $off, its length says $end" }
    return $text
}

# The fewest bytes that the fixed fields of a type's rdata take.
proc dns::rdata_min_len {type} {
    switch -- $type {
        MX { return 3 } SOA { return 22 } SRV { return 7 } CAA { return 2 } DS { return 4 } DNSKEY { return 4 }
        RRSIG { return 19 } NS - CNAME - PTR - DNAME - NSEC - TXT { return 1 } default { return 0 }
    }
}

proc dns::ip6_text {bytes} {
    binary scan $bytes Su8 words
    set text [join [lmap w $words { format %x $w }] :]
    # RFC 5952: the longest run of zero words becomes "::".
    set best ""
    foreach run [regexp -all -inline {(?:^|:)0(?::0)+(?=:|$)} $text] {
        if {[string length $run] > [string length $best]} { set best $run }
    }
    if {$best eq ""} { return $text }
    set at [string first $best $text]
    return "[string range $text 0 $at-1]::[string trimleft [string range $text [expr {$at + [string length $best]}] end] :]"
}

# ---- reading a packet ----

proc dns::read_rr {pkt off} {
    lassign [read_name $pkt $off] owner off
    if {[string length $pkt] < $off + 10} { error "dns: record head runs past the end at $off" }
    binary scan $pkt @${off}SuSuIuSu type class ttl len
    incr off 10
    if {[string length $pkt] < $off + $len} { error "dns: rdata runs past the end at $off" }
    set type [type_text $type]
    set rr [dict create owner $owner type $type class $class ttl $ttl hex [hex [cut $pkt $off $len]]]
    if {$type eq "OPT"} { dict set rr rdata "" } else {
        dict set rr rdata [rdata_text $pkt $off $len $type]
        dict set rr class [class_text $class]
    }
    list $rr [expr {$off + $len}]
}

proc dns::read_options {bytes} {
    set out {}
    while {$bytes ne ""} {
        if {[binary scan $bytes SuSu code len] != 2 || [string length $bytes] < 4 + $len} { error "dns: bad EDNS option" }
        lappend out [list $code [hex [cut $bytes 4 $len]]]
        set bytes [string range $bytes [expr {4 + $len}] end]
    }
    return $out
}

# Parses a whole packet into the dict of the head comment; any fault is an error.
proc dns::parse {pkt} {
    variable flagbits
    if {[string length $pkt] < 12} { error "dns: packet of [string length $pkt] bytes" }
    binary scan $pkt SuSuSuSuSuSu id bits qd an ns ar
    set m [dict create id $id opcode [expr {($bits >> 11) & 15}]]
    dict for {f b} $flagbits { dict set m $f [expr {($bits & $b) != 0}] }
    set rcode [expr {$bits & 15}]
    set off 12
    set question {}
    for {set i 0} {$i < $qd} {incr i} {
        lassign [read_name $pkt $off] owner next
        if {[string length $pkt] < $next + 4} { error "dns: question runs past the end" }
        binary scan $pkt @${next}SuSu type class
        incr next 4
        lappend question [dict create owner $owner type [type_text $type] class [class_text $class] \
            raw [string range $pkt $off $next-1]]
        set off $next
    }
    dict set m question $question
    dict set m edns {}
    foreach {section count} [list answer $an authority $ns additional $ar] {
        set rrs {}
        for {set i 0} {$i < $count} {incr i} {
            lassign [read_rr $pkt $off] rr off
            if {[dict get $rr type] ne "OPT"} {
                lappend rrs $rr
                continue
            }
            if {$section ne "additional"} { error "dns: OPT in the $section section" }
            if {[dict get $m edns] ne ""} { error "dns: two OPTs" }
            if {[dict get $rr owner] ne "."} { error "dns: OPT with owner [dict get $rr owner]" }
            set t [dict get $rr ttl]
            set rcode [expr {$rcode | (($t >> 24) << 4)}]
            dict set m edns [dict create version [expr {($t >> 16) & 255}] size [dict get $rr class] \
                do [expr {($t >> 15) & 1}] z [expr {$t & 0x7fff}] \
                options [read_options [binary decode hex [dict get $rr hex]]]]
        }
        dict set m $section $rrs
    }
    if {$off != [string length $pkt]} { error "dns: [expr {[string length $pkt] - $off}] bytes after the last record" }
    dict set m rcode [rcode_text $rcode]
    dict set m size [string length $pkt]
    dict set m raw $pkt
    return $m
}

# ---- building ----

# dns::flags {rd ad} opcode rcode -> the 16 header bits
proc dns::flags {names {opcode 0} {rcode 0}} {
    variable flagbits
    set bits [expr {(($opcode & 15) << 11) | ($rcode & 15)}]
    foreach f $names { set bits [expr {$bits | [dict get $flagbits $f]}] }
    return $bits
}

proc dns::opt_wire {size version do options {extrcode 0}} {
    set data ""
    foreach o $options {
        lassign $o code hex
        set bytes [binary decode hex $hex]
        append data [binary format SSa* $code [string length $bytes] $bytes]
    }
    set ttl [expr {($extrcode << 24) | ($version << 16) | ($do ? 0x8000 : 0)}]
    binary format cSSISa* 0 41 $size $ttl [string length $data] $data
}

# A query packet. Options: -id -flags {rd ...} -opcode -class -edns SIZE (0: none) -version -do 0|1 -options {{code hex} ...}
# -qdcount N (a lie about the count) -tail BYTES (raw bytes after everything) -arcount N (a lie)
proc dns::query {name type args} {
    set o [dict merge {-id {} -flags rd -opcode 0 -class IN -edns 0 -version 0 -do 0 -options {} -qdcount 1 -tail {}
        -arcount {}} $args]
    if {[dict size $o] != 11} { error "dns::query: unknown option among: $args" }
    set id [dict get $o -id]
    if {$id eq ""} { set id [expr {int(rand() * 65536)}] }
    set edns [dict get $o -edns]
    if {!$edns && ([dict get $o -do] || [dict get $o -options] ne "" || [dict get $o -version])} { set edns 1232 }
    set ar [dict get $o -arcount]
    if {$ar eq ""} { set ar [expr {$edns != 0}] }
    set pkt [binary format SSSSSS $id [flags [dict get $o -flags] [dict get $o -opcode]] [dict get $o -qdcount] 0 0 $ar]
    append pkt [name_wire $name] [binary format SS [type_number $type] [class_number [dict get $o -class]]]
    if {$edns} { append pkt [opt_wire $edns [dict get $o -version] [dict get $o -do] [dict get $o -options]] }
    append pkt [dict get $o -tail]
}

# "owner ttl [class] type rdata..." -> wire form, with no compression. Any type can be given as \# len hex.
proc dns::rr_wire {text} {
    regexp {^(\S+)\s+(\d+)\s+(?:(IN|CH|HS)\s+)?(\S+)\s*(.*)$} $text -> owner ttl class type rdata
    if {![info exists rdata]} { error "dns: no record: $text" }
    if {$class eq ""} { set class IN }
    set rd [rdata_wire [string toupper $type] $rdata]
    return [name_wire $owner][binary format SSIS [type_number $type] [class_number $class] $ttl [string length $rd]]$rd
}

proc dns::rdata_wire {type text} {
    if {[regexp {^\\#\s+(\d+)\s*(.*)$} $text -> len hex]} {
        set bytes [binary decode hex [string map {" " ""} $hex]]
        if {[string length $bytes] != $len} { error "dns: \\# $len with [string length $bytes] bytes" }
        return $bytes
    }
    switch -- $type {
        A { return [binary format c4 [split $text .]] }
        AAAA { return [ip6_wire $text] }
        NS - CNAME - PTR - DNAME { return [name_wire $text] }
        MX { return [binary format S [lindex $text 0]][name_wire [lindex $text 1]] }
        SRV { return [binary format SSS {*}[lrange $text 0 2]][name_wire [lindex $text 3]] }
        SOA {
            lassign $text m r
            return [name_wire $m][name_wire $r][binary format IIIII {*}[lrange $text 2 6]]
        }
        TXT {
            set out ""
            foreach s $text { append out [binary format ca* [string length $s] $s] }
            return $out
        }
    }
    error "dns: no text form for $type; use \\#"
}

proc dns::ip6_wire {text} {
    set halves [split [string map {:: |} $text] |]
    set head [lmap w [split [lindex $halves 0] :] { scan $w %x }]
    set tail [lmap w [split [lindex $halves 1] :] { scan $w %x }]
    set words [concat $head [lrepeat [expr {8 - [llength $head] - [llength $tail]}] 0] $tail]
    binary format S8 $words
}

# A name with every letter's case changed at random (0x20).
proc dns::mix_case {name} {
    join [lmap c [split $name ""] { expr {rand() < 0.5 ? [string toupper $c] : [string tolower $c]} }] ""
}
