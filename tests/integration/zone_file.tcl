# SPDX-License-Identifier: BSD-3-Clause
# What a user sees first: the zone file of conf/, answered through resolver and cache with no network at all.

set zone [file join $root_dir conf zones example.test.zone]

# The records that the file itself states, so that the test follows the file: {owner type} -> list of rdata.
proc zone_rdata {owner type} {
    global zone
    set out {}
    foreach line [split [exec ldns-read-zone $zone] \n] {
        lassign $line o - - t
        if {[string tolower $o] eq $owner && $t eq $type} { lappend out [lrange $line 4 end] }
    }
    return $out
}

start_server [list auth-zone "\"example.test.\" $zone" serve-stale no prefetch 0] {
    test "the zone file answers for its apex and for www, in A and AAAA" {
        foreach {name type} {example.test. SOA example.test. NS example.test. MX www.example.test. A www.example.test. AAAA} {
            set r [dns $name $type]
            assert_rcode NOERROR $r
            if {$type in {A AAAA}} { assert_rdata [zone_rdata $name $type] $r $type }
            assert {[llength [rdata_of $r $type]] > 0} "$name $type"
        }
    }
    test "the second answer comes from the cache, with a lower TTL" {
        set first [dns www.example.test A]
        debug_time_advance 7
        set second [dns www.example.test A]
        assert_range [expr {[ttl_of $first] - [ttl_of $second]}] 7 9
        assert_equal [lsort [rdata_of $first]] [lsort [rdata_of $second]]
    }
    test "the cache shows the answer under its key, DEL removes it, and the next question resolves again" {
        dns www.example.test AAAA
        assert_match "*2001:db8:*" [redis GET AAAA:www.example.test.]
        assert_range [redis MEMORY USAGE AAAA:www.example.test.] 20 4096
        assert_equal 1 [redis DEL AAAA:www.example.test.]
        assert_equal {} [redis GET AAAA:www.example.test.]
        assert_equal 0 [redis EXISTS AAAA:www.example.test.]
        assert_rcode NOERROR [dns www.example.test AAAA]
        assert_equal 1 [redis EXISTS AAAA:www.example.test.]
    }
    test "a name that does not exist is NXDOMAIN with the zone's SOA" {
        set r [dns no-such-name.example.test A]
        assert_rcode NXDOMAIN $r
        assert_equal {SOA} [types_of $r authority]
        assert_equal example.test. [string tolower [dict get [lindex [dict get $r authority] 0] owner]]
        assert_equal {} [dict get $r answer]
    }
    test "a type that does not exist is NODATA with the zone's SOA" {
        set r [dns www.example.test SRV]
        assert_rcode NOERROR $r
        assert_equal {} [dict get $r answer]
        assert_equal {SOA} [types_of $r authority]
    }
    test "the answer is the same with and without the cache, and by name in any case" {
        set a [dns MaIl.ExAmPlE.tEsT A]
        set b [dns mail.example.test A]
        assert_equal [lsort [rdata_of $a]] [lsort [rdata_of $b]]
        assert_equal [dict get $a rcode] [dict get $b rcode]
    }
    test "every record of the zone file can be asked for" {
        foreach line [split [exec ldns-read-zone $zone] \n] {
            lassign $line owner - - type
            if {$owner eq "" || [string match {\**} $owner] || $type eq "SOA"} { continue }
            set r [dns $owner $type -tcp 1]
            assert_rcode NOERROR $r
            assert {$type in [types_of $r]} "$owner $type"
        }
    }
    test "a CNAME in the zone file is followed, and stands before what it leads to" {
        set found 0
        foreach line [split [exec ldns-read-zone $zone] \n] {
            lassign $line owner - - type target
            if {$type ne "CNAME" || [string match {\**} $owner]} { continue }
            set r [dns $owner A]
            assert_equal CNAME [lindex [types_of $r] 0]
            assert_equal A [lindex [types_of $r] end]
            assert_equal [string tolower $owner] [string tolower [dict get [lindex [dict get $r answer] 0] owner]]
            incr found
        }
        assert {$found > 0} "no CNAME in the zone file"
    }
    test "a wildcard of the zone file answers for names below it, under the name that was asked" {
        set found 0
        foreach line [split [exec ldns-read-zone $zone] \n] {
            lassign $line owner - - type
            if {![string match {\**} $owner]} { continue }
            set name "some.where[string range $owner 1 end]"
            set r [dns $name $type]
            assert_rcode NOERROR $r
            assert_equal $name [dict get [lindex [dict get $r answer] 0] owner]
            incr found
        }
        assert {$found > 0} "no wildcard in the zone file"
    }
    test "both address families answer" {
        if {![have_ipv6]} { skip "this machine has no IPv6" }
        assert_rcode NOERROR [dns www.example.test A -addr ::1]
        assert_rcode NOERROR [dns www.example.test A -addr ::1 -tcp 1]
    }
}

start_server {} -conf [file join $root_dir conf local.conf] {
    test "the configuration of `make run` answers for example.test out of the box, from wherever it is started" {
        set r [dns www.example.test A]
        assert_rcode NOERROR $r
        assert_rdata [zone_rdata www.example.test. A] $r
        assert_equal 1 [redis EXISTS A:www.example.test.]
    }
    test "it allows no DEBUG" {
        assert_error ERR* { redis DEBUG TIME 1 }
    }
}
