# SPDX-License-Identifier: BSD-3-Clause
# The tests' own tools: a DNS reader that lets faults pass, or an upstream that miscounts, would make every other test worthless.

# ---- the DNS codec ----

# A packet of hand-made parts: header counts, then bytes.
proc packet {qd an ns ar bytes} { return [binary format SSSSSS 7 0x8180 $qd $an $ns $ar]$bytes }
set q [dns::name_wire www.example.test.][binary format SS 1 1]

test "the DNS reader resolves compression and keeps case" {
    set rr [binary format SSSIS 0xc010 5 1 60 6]\003FTP\xc0\x10
    set m [dns::parse [packet 1 1 0 0 $q$rr]]
    assert_equal example.test. [dict get [lindex [dict get $m answer] 0] owner]
    assert_equal {FTP.example.test.} [rdata_of $m CNAME]
}

test "the DNS reader refuses pointers that do not go backwards" {
    assert_error *backwards* { dns::parse [packet 1 1 0 0 $q\xc0\x22[binary format SSIS 1 1 60 4]abcd] }
    assert_error *backwards* { dns::parse [packet 1 1 0 0 $q\xc0\xff[binary format SSIS 1 1 60 4]abcd] }
    # A label and then a pointer to that label.
    assert_error *backwards* { dns::parse [packet 1 1 0 0 $q\001a\xc0\x22[binary format SSIS 1 1 60 4]abcd] }
    assert_error *header* { dns::parse [packet 1 1 0 0 $q\xc0\x02[binary format SSIS 1 1 60 4]abcd] }
}

test "the DNS reader refuses wrong counts, left-over bytes and rdata that does not fit" {
    assert_error *after* { dns::parse [packet 1 0 0 0 ${q}x] }
    assert_error *past* { dns::parse [packet 1 1 0 0 $q] }
    assert_error *past* { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSIS 1 1 60 5]abcd] }
    assert_error {*A rdata*} { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSIS 1 1 60 5]abcde] }
    assert_error *length* { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSIS 5 1 60 3]\xc0\x0cx] }
    assert_error *character-string* { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSIS 16 1 60 3]\x05ab] }
    assert_error {*two OPT*} { dns::parse [packet 1 0 0 2 $q[dns::opt_wire 512 0 0 {}][dns::opt_wire 512 0 0 {}]] }
}

test "the DNS reader refuses compression where RFC 3597 forbids it" {
    assert_error *compressed* { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSISSSS 33 1 60 8 1 2 3]\xc0\x0c] }
    assert_error *compressed* { dns::parse [packet 1 1 0 0 $q\xc0\x0c[binary format SSIS 39 1 60 2]\xc0\x10] }
}

test "names with dots, backslashes, NUL and spaces inside labels survive both ways" {
    foreach name {{a\.b.example.} {back\\slash.example.} {nul\000.example.} {a\032b.example.} {\@at.example.} . {_x._y.z.}} {
        assert_equal $name [lindex [dns::read_name [dns::name_wire $name] 0] 0]
    }
}

test "records survive from text to wire and back" {
    foreach {type rdata} {
        A 192.0.2.1  AAAA 2001:db8::1  AAAA ::  MX {10 mail.example.}  CNAME x.example.  TXT {"one" "t w o"}
        SOA {ns.example. root.example. 1 2 3 4 5}  SRV {1 2 53 ns.example.}  TYPE999 {\# 3 010203}
    } {
        set m [dns::parse [packet 1 1 0 0 $q[dns::rr_wire "x.example. 5 IN $type $rdata"]]]
        assert_equal [list $rdata] [rdata_of $m] $type
    }
}

# ---- the scripted upstream ----

with_upstream up {
    proc ask {name type args} { dns $name $type -port [dict get $::up port] {*}$args }

    test "the scripted upstream answers by rule, counts, and shows the query it got" {
        upstream_rule $up a.test. A -answer {"@ 60 A 192.0.2.1"} -flags {aa ra}
        set r [ask A.test. A -edns 1400 -do 1 -options {{10 0011223344556677}}]
        assert_rdata 192.0.2.1 $r A
        assert_equal 1 [dict get $r aa]
        assert_equal A.test. [dict get [lindex [dict get $r answer] 0] owner]
        assert_equal 1 [upstream_count $up a.test. A]
        assert_equal 0 [upstream_count $up a.test. AAAA]
        lassign [upstream_last $up a.test. A] transport port query
        assert_equal udp $transport
        assert_equal {{10 0011223344556677}} [dict get $query edns options]
        assert_equal A.test. [dict get [lindex [dict get $query question] 0] owner]
        assert_rcode REFUSED [ask none.test. A]
    }
    test "its rules queue up, and wildcards match the longest suffix" {
        upstream_rule $up b.test. A -times 2 -rcode SERVFAIL
        upstream_rule $up b.test. A -answer {"@ 60 A 192.0.2.2"}
        assert_equal {SERVFAIL SERVFAIL NOERROR NOERROR} [lmap - {1 2 3 4} { dict get [ask b.test. A] rcode }]
        upstream_rule $up *.w.test. ANY -answer {"@ 60 A 192.0.2.3"}
        upstream_rule $up *.x.w.test. ANY -answer {"@ 60 A 192.0.2.4"}
        assert_rdata 192.0.2.3 [ask y.w.test. A]
        assert_rdata 192.0.2.4 [ask a.b.x.w.test. A]
    }
    test "it truncates over UDP, answers in full over TCP, drops, and lies" {
        upstream_rule $up t.test. TXT -tc 1 -answer {"@ 60 TXT long"}
        set r [ask t.test. TXT]
        assert_equal {1 {}} [list [dict get $r tc] [dict get $r answer]]
        assert_rdata {{"long"}} [ask t.test. TXT -tcp 1]
        assert_equal 1 [upstream_tcp_total $up]
        upstream_rule $up d.test. A -drop 1
        assert_equal "" [dns_raw [dns::query d.test. A] 200 127.0.0.1 [dict get $up port]]
        upstream_rule $up w.test. A -wrong id -lie {"@ 60 A 192.0.2.66"} -also 30 -answer {"@ 60 A 192.0.2.5"}
        set s [dns_udp_open 127.0.0.1 [dict get $up port]]
        dns_udp_send $s [dns::query w.test. A -id 500]
        set first [dns::parse [dns_udp_receive $s]]
        set second [dns::parse [dns_udp_receive $s]]
        close $s
        assert_equal {501 192.0.2.66 500 192.0.2.5} \
            [list [dict get $first id] [rdata_of $first] [dict get $second id] [rdata_of $second]]
        upstream_rule $up p.test. A -wrong port
        assert_error "*no answer*" { ask p.test. A }
    }
    test "every name under bulk.test. has an address" {
        assert_equal 1 [llength [rdata_of [ask x1.bulk.test. A] A]]
        assert_equal 1 [llength [rdata_of [ask x1.bulk.test. AAAA] AAAA]]
        assert_equal SOA [types_of [ask x1.bulk.test. MX] authority]
    }
}

# ---- the RESP reader ----

# Bytes go through a socket pair to the client's own reader.
proc resp_reply {bytes} {
    set listener [socket -server [list apply {{bytes s a p} {
        fconfigure $s -translation binary
        puts -nonewline $s $bytes
        close $s
    }} $bytes] -myaddr 127.0.0.1 0]
    try {
        set c [resp::open [lindex [fconfigure $listener -sockname] 2]]
        resp::read_reply $c
    } finally {
        close $listener
        resp::close $c
    }
}

test "the RESP reader takes every type of RESP2 and RESP3" {
    assert_equal {status OK} [resp_reply "+OK\r\n"]
    assert_equal {null {}} [resp_reply "\$-1\r\n"]
    assert_equal {null {}} [resp_reply "_\r\n"]
    assert_equal [list bulk "a\r\nb"] [resp_reply "\$4\r\na\r\nb\r\n"]
    assert_equal {array {{int 1} {array {}} {error {ERR x}}}} [resp_reply "*3\r\n:1\r\n*0\r\n-ERR x\r\n"]
    assert_equal {map {{bulk k} {double 1.5}}} [resp_reply "%1\r\n\$1\r\nk\r\n,1.5\r\n"]
    assert_equal {set {{bool 1} {bignum 12}}} [resp_reply "~2\r\n#t\r\n(12\r\n"]
    assert_equal {k 1.5} [resp::plain {map {{bulk k} {double 1.5}}}]
}

test "the RESP reader refuses broken framing" {
    foreach bytes {"\$3\r\nabcd\r\n" "?x\r\n" "\$x\r\n" ":1.5\r\n" "+a\nb\r\n" "*2\r\n:1\r\n"} {
        assert_error resp:* { resp_reply $bytes }
    }
}
