# SPDX-License-Identifier: BSD-3-Clause
# weight: 3
# seconds: 180
# The cache as an operator sees it: keys, their text, their cost, their life, their end.

with_upstream up {
    start_server [forward_to $up] {
        upstream_rule $up *.k.test. A -answer {"@ 300 A 192.0.2.1" "@ 300 A 192.0.2.2"}
        upstream_rule $up *.k.test. TXT -answer {"@ 300 TXT \"a text\""}
        upstream_rule $up *.nx.test. ANY -rcode NXDOMAIN -authority {"nx.test. 300 SOA ns.nx.test. root.nx.test. 1 2 3 4 200"}
        upstream_rule $up *.fail.test. ANY -rcode SERVFAIL

        test "GET shows rcode, life, source and the records in zone-file form with the TTLs as they are now" {
            dns get.k.test. A
            debug_time_advance 40
            set text [redis GET A:get.k.test.]
            assert {[regexp {^;} $text]} "the first line is a comment: $text"
            assert_match *NOERROR* $text
            assert_match *forward* $text
            set records [lsearch -all -inline -regexp [split $text \n] {^[^;]\S*\s}]
            assert_equal 2 [llength $records] $text
            foreach rr $records {
                assert {[regexp {^get\.k\.test\.\s+(\d+)\s+IN\s+A\s+192\.0\.2\.[12]\s*$} $rr -> ttl]} $rr
                assert_range $ttl 255 260
            }
        }
        test "GET of a negative entry shows its rcode and SOA" {
            dns a.nx.test. A
            set text [redis GET A:a.nx.test.]
            assert_match *NXDOMAIN* $text
            assert {[regexp {nx\.test\.\s+\d+\s+IN\s+SOA\s} $text]} $text
        }
        test "a key may be given in any case and without its final dot" {
            dns case.k.test. A
            foreach key {A:case.k.test. a:CASE.K.test A:Case.k.Test.} {
                assert_equal 1 [redis EXISTS $key]
                assert_match *192.0.2.1* [redis GET $key]
            }
            assert_equal 1 [redis DEL a:case.K.TEST]
            assert_equal 0 [redis EXISTS A:case.k.test.]
        }
        test "labels with dots, at signs, backslashes and odd bytes have escaped keys that work" {
            foreach name {{d\.ot.k.test.} {at\@sign.k.test.} {back\\slash.k.test.} {nul\000x.k.test.} {sp\032ace.k.test.}} {
                upstream_rule $up $name A -answer [list "$name 300 A 192.0.2.3"]
                dns $name A
                assert_equal 1 [redis EXISTS A:$name] $name
                assert {"A:$name" in [scan_all COUNT 1000]} "SCAN names $name"
                assert_equal 1 [redis DEL A:$name] $name
            }
        }
        test "a key that is no DNS key is simply not there" {
            foreach key {key:000000000001 foo : A: NOTYPE:x.test. A:.. A:a..b. A:x.test.@ A:x.test.@300.1.1.1/24 A:x.test.@cd@cd} {
                assert_equal {{} 0 0 none -2} [list [redis GET $key] [redis EXISTS $key] [redis DEL $key] [redis TYPE $key] [redis TTL $key]] $key
            }
            assert_equal 0 [redis EXISTS ""]
            assert_equal 0 [redis EXISTS [string repeat x 5000]]
        }
        test "unknown types have TYPE123 keys, in both spellings" {
            upstream_rule $up t.k.test. TYPE65400 -answer {"@ 300 TYPE65400 \\# 2 abcd"}
            dns t.k.test. TYPE65400
            assert_equal 1 [redis EXISTS TYPE65400:t.k.test.]
            dns one.k.test. A
            assert_equal 1 [redis EXISTS TYPE1:one.k.test.]
        }
        test "TYPE is dns, TTL and PTTL are the life left, EXPIRETIME its end, and all know a missing key" {
            dns life.k.test. A
            assert_equal {status dns} [redis_typed TYPE A:life.k.test.]
            debug_time_advance 100
            assert_range [redis TTL A:life.k.test.] 198 200
            assert_range [redis PTTL A:life.k.test.] 197000 200000
            set now [lindex [redis TIME] 0]
            assert_range [expr {[redis EXPIRETIME A:life.k.test.] - $now}] 197 201
            assert_equal {-2 -2 -2 none} [list [redis TTL A:no.k.test.] [redis PTTL A:no.k.test.] [redis EXPIRETIME A:no.k.test.] [redis TYPE A:no.k.test.]]
        }
        test "an expired entry is gone for every command" {
            dns over.k.test. A
            debug_time_advance 301
            assert_equal {{} 0 -2 none} [list [redis GET A:over.k.test.] [redis EXISTS A:over.k.test.] [redis TTL A:over.k.test.] [redis TYPE A:over.k.test.]]
            assert {"A:over.k.test." ni [scan_all]}
            wait_until { [redis DBSIZE] == [llength [scan_all]] }
        }
        test "EXISTS counts repetitions, DEL and UNLINK count what they removed" {
            foreach n {d1 d2 d3} { dns $n.k.test. A }
            assert_equal 3 [redis EXISTS A:d1.k.test. A:d1.k.test. A:no.k.test. A:d2.k.test.]
            assert_equal 2 [redis DEL A:d1.k.test. A:no.k.test. A:d2.k.test. A:d1.k.test.]
            assert_equal 1 [redis UNLINK A:d3.k.test. A:d3.k.test.]
        }
        test "EXPIRE shortens a life and never lengthens it" {
            if {[string match "ERR unknown command*" [lindex [redis_typed EXPIRE A:x.test. 1] 1]]} { skip "this server has no EXPIRE" }
            dns exp.k.test. A
            assert_equal 0 [redis EXPIRE A:exp.k.test. 1000]
            assert_equal 1 [redis EXPIRE A:exp.k.test. 20]
            assert_range [redis TTL A:exp.k.test.] 18 20
            assert_range [ttl_of [dns exp.k.test. A]] 1 20
            assert_equal 0 [redis EXPIRE A:no.k.test. 10]
        }
        test "DEL makes the next question resolve again" {
            dns again.k.test. A
            dns again.k.test. A
            assert_equal 1 [upstream_count $up again.k.test. A]
            redis DEL A:again.k.test.
            dns again.k.test. A
            assert_equal 2 [upstream_count $up again.k.test. A]
        }
        test "OBJECT and STRLEN answer for a key, and nil or an error for a missing one" {
            dns obj.k.test. A
            assert_equal [string length [redis GET A:obj.k.test.]] [redis STRLEN A:obj.k.test.]
            assert_equal 0 [redis STRLEN A:no.k.test.]
            assert {[redis OBJECT ENCODING A:obj.k.test.] ne ""}
            assert_range [redis OBJECT FREQ A:obj.k.test.] 0 255
            debug_time_advance 10
            assert_range [redis OBJECT IDLETIME A:obj.k.test.] 0 12
            assert_equal {null {}} [redis_typed OBJECT ENCODING A:no.k.test.]
        }
        test "OBJECT FREQ grows with hits" {
            dns freq.k.test. A
            set before [redis OBJECT FREQ A:freq.k.test.]
            for {set i 0} {$i < 300} {incr i} { dns freq.k.test. A }
            assert {[redis OBJECT FREQ A:freq.k.test.] > $before}
        }
        test "DNS.SET stores an RRset that clients then get, with its TTL counting down, and no upstream is asked" {
            assert_equal OK [redis DNS.SET A:set.k.test. 120 192.0.2.50 192.0.2.51]
            debug_time_advance 20
            set r [dns SET.k.test. A]
            assert_rdata {192.0.2.50 192.0.2.51} $r
            assert_range [ttl_of $r] 98 100
            assert_equal OK [redis DNS.SET TXT:set.k.test. 60 {"two" "strings"}]
            assert_rdata {{"two" "strings"}} [dns set.k.test. TXT]
            assert_equal OK [redis DNS.SET MX:set.k.test. 60 "10 mail.k.test."]
            assert_rdata {{10 mail.k.test.}} [dns set.k.test. MX]
            assert_equal {0 0} [list [upstream_count $up set.k.test. A] [upstream_count $up set.k.test. TXT]]
        }
        test "DNS.SET refuses what is no key, no TTL or no rdata, and stores nothing of it" {
            foreach words {{nokey 60 192.0.2.1} {A:bad.k.test. -1 192.0.2.1} {A:bad.k.test. x 192.0.2.1} {A:bad.k.test. 60 192.0.2.300}
                {A:bad.k.test. 60 192.0.2.1 nonsense} {MX:bad.k.test. 60 mail.k.test.} {AAAA:bad.k.test. 60 192.0.2.1}} {
                assert_error ERR* { redis DNS.SET {*}$words }
            }
            assert_equal 0 [redis EXISTS A:bad.k.test. MX:bad.k.test. AAAA:bad.k.test.]
        }
        test "reading a key by command does not lengthen its life nor ask upstream" {
            dns quiet.k.test. A
            set n [upstream_total $up]
            foreach cmd {{GET A:quiet.k.test.} {TTL A:quiet.k.test.} {MEMORY USAGE A:quiet.k.test.} {GET A:never.k.test.}} { redis {*}$cmd }
            assert_equal $n [upstream_total $up]
        }
    }

    start_server [forward_to $up] {
        # A known population, over the pipeline of one TCP connection.
        set c [dns_tcp_open]
        for {set i 0} {$i < 700} {incr i} {
            dns_tcp_send $c [dns::query n$i.bulk.test. [lindex {A AAAA TXT} [expr {$i % 3}]] -id $i]
            if {$i % 50 == 49} { for {set k 0} {$k < 50} {incr k} { dns_tcp_receive $c } }
        }
        close $c
        foreach n {a b c} {
            dns $n.nx.test. A
            dns $n.fail.test. A
        }

        test "DBSIZE, SCAN, KEYS and INFO agree on how many keys there are" {
            assert_equal 706 [redis DBSIZE]
            foreach count {1 7 10 100 5000} { assert_equal 706 [llength [scan_all COUNT $count]] "COUNT $count" }
            assert_equal [scan_all] [lsort [redis KEYS *]]
            assert {[regexp {keys=(\d+),expires=(\d+),avg_ttl=(\d+)} [info_field db0] -> keys expires avg]}
            assert_equal {706 706} [list $keys $expires]
            assert_range $avg 1 300000
        }
        test "MATCH and TYPE filter a SCAN, and every page has a cursor in decimal below 2^53" {
            assert_equal 234 [llength [scan_all MATCH A:*.bulk.test.]]
            assert_equal 3 [llength [scan_all MATCH *.nx.test.]]
            assert_equal 1 [llength [scan_all MATCH A:n0.bulk.test.]]
            assert_equal 706 [llength [scan_all TYPE dns]]
            assert_equal 0 [llength [scan_all TYPE string]]
            set cursor 0
            while 1 {
                lassign [redis SCAN $cursor COUNT 20] cursor keys
                assert {[regexp {^(0|[1-9]\d*)$} $cursor] && $cursor < 2**53} "cursor $cursor"
                if {$cursor eq "0"} { break }
            }
            assert_equal {bulk bulk} [list [lindex [redis_typed SCAN 0 COUNT 5] 1 0 0] [lindex [redis_typed SCAN 0 COUNT 5] 1 1 1 0 0]]
        }
        test "KEYS takes Redis's glob patterns" {
            assert_equal {A:n0.bulk.test. A:n3.bulk.test. A:n6.bulk.test. A:n9.bulk.test.} [lsort [redis KEYS {A:n?.bulk.test.}]]
            assert_equal {A:n3.bulk.test. A:n6.bulk.test.} [lsort [redis KEYS {A:n[3-7].bulk.test.}]]
            assert_equal {} [redis KEYS nothing*]
        }
        test "SCAN refuses a cursor that is no number, and a count that is none" {
            assert_error "ERR invalid cursor*" { redis SCAN x }
            assert_error "ERR*" { redis SCAN 0 COUNT 0 }
            assert_error "ERR*" { redis SCAN 0 COUNT x }
            assert_error "ERR syntax*" { redis SCAN 0 MATCH }
        }
        test "every key that SCAN names has a value, a type, a life and a cost" {
            foreach key [scan_all COUNT 100] {
                lassign [resp::pipeline [srv client] [list [list GET $key] [list TYPE $key] [list TTL $key] [list MEMORY USAGE $key] [list STRLEN $key]]] g t l m s
                assert_equal {bulk dns} [list [lindex $g 0] [lindex $t 1]] $key
                assert_range [lindex $l 1] 0 300 $key
                assert_range [lindex $m 1] 20 2000 $key
                assert_equal [string length [lindex $g 1]] [lindex $s 1] $key
            }
        }
        test "the costs of all keys add up to what INFO reports for the data, within one percent" {
            set sum 0
            foreach key [scan_all COUNT 1000] { incr sum [redis MEMORY USAGE $key] }
            set dataset [info_field used_memory_dataset]
            assert_range $sum [expr {0.99 * $dataset}] [expr {1.01 * $dataset}]
            assert_equal {null {}} [redis_typed MEMORY USAGE A:no.k.test.]
        }
        test "MEMORY USAGE takes SAMPLES, as clients send it" {
            set key [redis RANDOMKEY]
            assert_equal [redis MEMORY USAGE $key] [redis MEMORY USAGE $key SAMPLES 0]
        }
        test "RANDOMKEY names keys that are there, and not always the same" {
            foreach i [lrepeat 50 x] {
                set key [redis RANDOMKEY]
                set seen($key) 1
                assert_equal 1 [redis EXISTS $key]
            }
            assert {[array size seen] > 5}
        }
        test "DNS.PURGE removes a name, of one type or all, or everything beneath, and counts" {
            foreach {n t} {p.purge.bulk.test. A p.purge.bulk.test. TXT x.p.purge.bulk.test. A y.x.p.purge.bulk.test. AAAA xp.purge.bulk.test. A} { dns $n $t }
            assert_equal 1 [redis DNS.PURGE p.purge.bulk.test TYPE TXT]
            assert_equal {1 0} [list [redis EXISTS A:p.purge.bulk.test.] [redis EXISTS TXT:p.purge.bulk.test.]]
            assert_equal 1 [redis DNS.PURGE P.purge.BULK.test.]
            assert_equal 0 [redis DNS.PURGE p.purge.bulk.test]
            assert_equal 1 [redis EXISTS A:x.p.purge.bulk.test.]
            assert_equal 2 [redis DNS.PURGE p.purge.bulk.test SUBTREE]
            assert_equal 1 [redis EXISTS A:xp.purge.bulk.test.]
            assert_equal 706 [expr {[redis DBSIZE] - [redis DEL A:xp.purge.bulk.test.]}]
            assert_error ERR* { redis DNS.PURGE a..b }
            assert_error ERR* { redis DNS.PURGE x.test TYPE NOSUCHTYPE }
        }
        test "DNS.RESOLVE resolves as for a client and leaves the answer in the cache" {
            set text [redis DNS.RESOLVE res.bulk.test A]
            assert {[regexp {res\.bulk\.test\.\s+\d+\s+IN\s+A\s+10\.} $text]} $text
            assert_equal 1 [redis EXISTS A:res.bulk.test.]
            assert_match *NXDOMAIN* [redis DNS.RESOLVE z.nx.test AAAA]
            assert {[regexp {IN\s+A\s} [redis DNS.RESOLVE plain.bulk.test]]} "A is the default type"
            assert_error ERR* { redis DNS.RESOLVE a..b }
        }
        test "FLUSHALL and FLUSHDB empty the cache, and it fills again" {
            assert_equal OK [redis FLUSHALL]
            assert_equal {0 {} {}} [list [redis DBSIZE] [scan_all] [redis RANDOMKEY]]
            dns f.bulk.test. A
            assert_equal 1 [redis DBSIZE]
            assert_equal OK [redis FLUSHDB]
            assert_equal 0 [redis DBSIZE]
            assert_equal OK [redis FLUSHALL ASYNC]
        }
    }

    start_server [forward_to $up maxmemory 4mb] {
        test "maxmemory is held: more names than fit leave the memory bounded and the cache serving" -tags slow {
            set conf [file join [tmp_dir names] list]
            set f [open $conf w]
            for {set i 0} {$i < 60000} {incr i} { puts $f "a-name-of-some-length-$i.bulk.test TXT" }
            close $f
            lassign [run_command 90 dnsperf -s 127.0.0.1 -p [srv dns_port] -d $conf -q 50] code out
            assert_match "*Queries lost:         0 *" $out
            wait_until { [info_field used_memory_dataset] <= 4 * 1024 * 1024 }
            assert_range [redis DBSIZE] 5000 59000
            assert {[info_field evicted_keys] > 0}
            assert_equal [redis DBSIZE] [llength [scan_all COUNT 2000]]
            assert_rcode NOERROR [dns after.bulk.test. A]
        }
    }
}
