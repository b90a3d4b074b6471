# SPDX-License-Identifier: BSD-3-Clause
#
# signed_tree.tcl owns a small Internet for tests of recursion: a signed root, the TLD example., zones below, three nsd processes.
#
#   with_signed_tree tree { start_server [signed_tree_options $tree] { ... } }
#
#   secure.example.    signed, NSEC: www (two A, AAAA), ftp (A 192.0.2.21), txt, mx, alias -> www, far -> www.nsec3.example.,
#                      chain -> alias, *.wild, sub DNAME nsec3.example., big (TXT over 1,232 bytes), empty.non.terminal
#   nsec3.example.     signed, NSEC3: www, *.wild
#   bogus.example.     signed; the signature of www A is broken, that of ok A is whole
#   expired.example.   signed, all signatures expired
#   plain.example.     unsigned, insecure delegation: www, alias -> www.secure.example.
#   lame.example.      delegated to an address where nothing listens
# Keys are ECDSA P-256, one for each zone. All servers answer on port 53, because libunbound asks root hints there, at
# addresses of 127/8 chosen at random so that two runs do not meet. Where port 53 cannot be bound the test says skip.

namespace eval tree { variable soa {ns hostmaster 1 3600 600 86400 300} }

# ---- zones ----

# Zone texts by name; A1 A2 A3 stand for the addresses of the root's, the TLD's and the zones' server.
proc tree::texts {} {
    set big [join [lmap i {1 2 3 4 5 6 7} { format {"%s"} [string repeat [string index abcdefg $i-1] 230] }] " "]
    dict create \
        secure.example. "
www 300 A 192.0.2.10
www 300 A 192.0.2.11
www 300 AAAA 2001:db8::10
ftp 300 A 192.0.2.21
txt 300 TXT \"hello\" \"world\"
mx 300 MX 10 www
alias 200 CNAME www
chain 100 CNAME alias
far 300 CNAME www.nsec3.example.
*.wild 300 A 192.0.2.12
sub 300 DNAME nsec3.example.
big 300 TXT $big
a.empty 300 A 192.0.2.13
" nsec3.example. "
www 300 A 192.0.2.30
*.wild 300 A 192.0.2.31
" bogus.example. "
www 300 A 192.0.2.40
ok 300 A 192.0.2.41
" expired.example. "
www 300 A 192.0.2.50
" plain.example. "
www 300 A 192.0.2.60
alias 300 CNAME www.secure.example.
"
}

proc tree::head {zone ns_addr} {
    variable soa
    return "\$ORIGIN $zone\n\$TTL 300\n@ 300 SOA $soa\n@ 300 NS ns\nns 300 A $ns_addr\n"
}

# Signs DIR/NAME with a new key: the zone's DS record in text. Signatures are good from yesterday on, for DAYS days.
proc tree::sign {dir zone days args} {
    set old [pwd]
    cd $dir
    try {
        set key [lindex [exec ldns-keygen -a ECDSAP256SHA256 -r /dev/urandom -k $zone 2>/dev/null] end]
        set now [clock seconds]
        set stamp {{s} { clock format $s -format %Y%m%d%H%M%S -timezone :UTC }}
        exec ldns-signzone -i [apply $stamp [expr {$now - 86400 * 40}]] -e [apply $stamp [expr {$now + 86400 * $days}]] \
            -o $zone {*}$args -f [zone_file $zone].signed [zone_file $zone] $key 2>@1
        return [string trim [read_file $key.ds]]
    } finally {
        cd $old
    }
}

proc tree::zone_file {zone} { expr {$zone eq "." ? "root" : [string trimright $zone .]} }

# Turns the last bytes of one signature.
proc tree::break_signature {path owner type} {
    set out {}
    foreach line [split [read_file $path] \n] {
        if {[regexp -nocase "^$owner\\s.*\\sRRSIG\\s+$type\\s" $line]} {
            set sig [binary decode base64 [lindex $line end]]
            set flipped [binary format c [expr {[scan [string index $sig end] %c] ^ 0x55}]]
            set line "[lrange $line 0 end-1] [dns::base64 [string range $sig 0 end-1]$flipped]"
            set done 1
        }
        lappend out $line
    }
    if {![info exists done]} { error "no RRSIG $type of $owner in $path" }
    write_file $path [join $out \n]
}

proc tree::build {dir a1 a2 a3 dead} {
    set delegations ""
    dict for {zone text} [texts] {
        write_file [file join $dir [zone_file $zone]] [head $zone $a3]$text
        append delegations "$zone 300 NS ns.$zone\nns.$zone 300 A $a3\n"
        if {$zone eq "plain.example."} {
            file copy [file join $dir [zone_file $zone]] [file join $dir [zone_file $zone].signed]
            continue
        }
        set days [expr {$zone eq "expired.example." ? -10 : 20}]
        append delegations "[sign $dir $zone $days {*}[expr {$zone eq "nsec3.example." ? {-n -a 1 -t 1} : {}}]]\n"
    }
    break_signature [file join $dir bogus.example.signed] www.bogus.example. A
    append delegations "lame 300 NS ns.lame\nns.lame 300 A $dead\n"
    write_file [file join $dir example] [head example. $a2]$delegations
    set tld_ds [sign $dir example. 20]
    write_file [file join $dir root] "[head . $a1]example. 300 NS ns.example.\nns.example. 300 A $a2\n$tld_ds\n"
    set root_ds [sign $dir . 20]
    write_file [file join $dir hints] ". 3600 NS ns.\nns. 3600 A $a1\n"
    write_file [file join $dir anchor] $root_ds\n
}

# ---- servers ----

proc tree::start_nsd {dir name addr zones} {
    set conf "server:
  ip-address: $addr@53
  do-ip6: no
  username: \"\"
  zonesdir: \"$dir\"
  database: \"\"
  pidfile: \"$dir/$name.pid\"
  xfrdfile: \"$dir/$name.xfrd\"
  zonelistfile: \"$dir/$name.zones\"
  xfrdir: \"$dir\"
  logfile: \"$dir/$name.log\"
  server-count: 1
  rrl-ratelimit: 0
remote-control:
  control-enable: no
"
    foreach zone $zones { append conf "zone:\n  name: \"$zone\"\n  zonefile: \"[zone_file $zone].signed\"\n" }
    harness::spawn [list nsd -d -c [write_file [file join $dir $name.conf] $conf]] [file join $dir $name.stderr]
}

proc tree::wait_answers {addr zone} {
    wait_until { [dns_raw [dns::query $zone SOA] 200 $addr 53] ne "" } 8000 "nsd on $addr"
}

# Three addresses of 127/8 and a fourth that stays silent.
proc tree::addresses {} {
    set net 127.[expr {1 + int(rand() * 254)}].[expr {1 + int(rand() * 254)}]
    return [list $net.1 $net.2 $net.3 $net.4]
}

proc tree::can_serve {addr} { expr {![catch { close [socket -server list -myaddr $addr 53] }]} }

proc with_signed_tree {name body} {
    upvar 1 $name tree
    foreach need {nsd ldns-keygen ldns-signzone} {
        if {![have_command $need]} {
            say "\[skip\] recursion through a signed tree: $need is not installed"
            return
        }
    }
    lassign [tree::addresses] a1 a2 a3 dead
    if {![tree::can_serve $a1]} {
        say "\[skip\] recursion through a signed tree: port 53 needs root"
        return
    }
    set dir [tmp_dir tree]
    set chans {}
    try {
        tree::build $dir $a1 $a2 $a3 $dead
        lappend chans [tree::start_nsd $dir nsd-root $a1 {.}]
        lappend chans [tree::start_nsd $dir nsd-tld $a2 {example.}]
        lappend chans [tree::start_nsd $dir nsd-zones $a3 [dict keys [tree::texts]]]
        tree::wait_answers $a1 .
        tree::wait_answers $a2 example.
        tree::wait_answers $a3 secure.example.
        set tree [dict create dir $dir hints [file join $dir hints] anchor [file join $dir anchor] root $a1 tld $a2 zones $a3 \
            dead $dead zones_chan [lindex $chans 2]]
        uplevel 1 $body
    } finally {
        foreach chan $chans { harness::stop $chan }
    }
}

# What a server needs to recurse through the tree.
proc signed_tree_options {tree} {
    list resolver recurse query-loopback yes root-hints [dict get $tree hints] trust-anchor-file [dict get $tree anchor]
}
