# SPDX-License-Identifier: BSD-3-Clause
# weight: 4
# Real clients, as people have them installed: dig, kdig, redis-cli, python3-redis. What is not installed is skipped.

proc need {program} { if {![have_command $program]} { skip "$program is not installed" } }

with_upstream up {
    start_server [forward_to $up] {
        upstream_rule $up www.c.test. A -answer {"@ 300 A 192.0.2.1"}
        upstream_rule $up txt.c.test. TXT -tc 1 -answer [list "@ 300 TXT [lrepeat 9 [string repeat w 200]]"]
        proc dig {args} { run_command 10 dig @127.0.0.1 -p [srv dns_port] +tries=1 +time=4 {*}$args }
        proc cli {args} { run_command 30 redis-cli -p [srv port] {*}$args }

        test "dig gets an answer, and the second time one with a lower TTL" {
            need dig
            lassign [dig www.c.test A] code out
            assert_equal 0 $code $out
            assert_match "*status: NOERROR*" $out
            assert_no_match *WARNING* $out
            assert {[regexp {www\.c\.test\.\s+(\d+)\s+IN\s+A\s+192\.0\.2\.1} $out -> first]} $out
            debug_time_advance 9
            regexp {www\.c\.test\.\s+(\d+)\s+IN\s+A\s+192\.0\.2\.1} [lindex [dig www.c.test A] 1] -> second
            assert_range [expr {$first - $second}] 9 11
        }
        test "dig repeats a truncated question over TCP and prints the whole" {
            need dig
            lassign [dig txt.c.test TXT] code out
            assert_match "*Truncated, retrying in TCP mode*" $out
            assert_equal 9 [regexp -all {w{200}} $out]
        }
        test "kdig is content over UDP, TCP, with EDNS and DNSSEC" {
            need kdig
            foreach how {{} +tcp +dnssec +bufsize=4096 +keepopen} {
                lassign [run_command 10 kdig @127.0.0.1 -p [srv dns_port] +retry=0 {*}$how www.c.test A] code out
                assert_equal 0 $code $out
                assert_match *192.0.2.1* $out
                assert {![regexp -nocase {warning|malformed} $out]} $out
            }
        }
        test "redis-cli sees, measures and removes what DNS clients put into the cache" {
            need redis-cli
            dns www.c.test. A
            assert_match *192.0.2.1* [lindex [cli GET A:www.c.test.] 1]
            assert_range [lindex [cli MEMORY USAGE A:www.c.test.] 1] 20 2000
            assert_equal {0 1} [cli DEL A:www.c.test.]
            assert_equal {0 {}} [cli GET A:www.c.test.]
        }
        test "redis-cli --scan names as many keys as DBSIZE counts" {
            need redis-cli
            for {set i 0} {$i < 300} {incr i} { dns scan$i.bulk.test. A }
            set keys [split [lindex [cli --scan] 1] \n]
            assert_equal [redis DBSIZE] [llength $keys]
            assert_equal 300 [llength [split [lindex [cli --scan --pattern {*:scan*.bulk.test.}] 1] \n]]
        }
        test "redis-cli --bigkeys and --memkeys run through" {
            need redis-cli
            foreach mode {--bigkeys --memkeys} {
                lassign [cli $mode] code out
                assert_equal 0 $code "$mode: $out"
                assert_match "*summary*Sampled*keys*" $out
                assert_no_match *rror* $out
            }
        }
        test "redis-cli --hotkeys runs through" {
            need redis-cli
            lassign [cli --hotkeys] code out
            assert_equal 0 $code $out
            assert_match *summary* $out
        }
        test "redis-cli --stat prints a line with the number of keys" {
            need redis-cli
            # It never ends by itself.
            lassign [run_command 2 stdbuf -oL redis-cli -p [srv port] --stat] code out
            assert_match "*keys*mem*clients*" $out
            assert {[regexp -line "^[redis DBSIZE]\\s+\\S+\\s+\\d+" $out]} $out
        }
        test "redis-cli -3 and --json speak RESP3" {
            need redis-cli
            lassign [cli -3 CONFIG GET port] code out
            assert_match *[srv port]* $out
            assert_match "*\"port\":\"[srv port]\"*" [lindex [cli --json CONFIG GET port] 1]
            assert_match "*\"summary\":*" [lindex [cli --json COMMAND DOCS get] 1]
        }
        test "redis-cli --latency measures for a while" {
            need redis-cli
            lassign [run_command 2 redis-cli -p [srv port] --raw --latency] code out
            assert_no_match *rror* $out
        }
        test "redis-benchmark measures PING and GET" {
            need redis-benchmark
            lassign [run_command 30 redis-benchmark -p [srv port] -n 2000 -c 10 -q -t ping,get] code out
            assert_equal 0 $code $out
            assert_match "*PING_INLINE*requests per second*GET*requests per second*" $out
        }
        test "python3-redis works in RESP2, and in RESP3 where its version has it" {
            set python [expr {[file executable /usr/bin/python3] ? "/usr/bin/python3" : "python3"}]
            if {[lindex [run_command 10 $python -c "import redis"] 0]} { skip "python3-redis is not installed" }
            dns www.c.test. A
            set script {
import sys, redis
port = int(sys.argv[1])
kinds = [{}]
if int(redis.__version__.split('.')[0]) >= 5:
    kinds.append({'protocol': 3})
for kw in kinds:
    r = redis.Redis(port=port, client_name='py', decode_responses=True, **kw)
    assert r.ping() is True
    assert '192.0.2.1' in r.get('A:www.c.test.')
    assert r.type('A:www.c.test.') == 'dns'
    assert 0 < r.ttl('A:www.c.test.') <= 300
    assert r.memory_usage('A:www.c.test.') > 20
    assert r.exists('A:no.test.') == 0 and r.get('A:no.test.') is None
    keys = set(r.scan_iter(count=50))
    assert len(keys) == r.dbsize(), (len(keys), r.dbsize())
    info = r.info()
    assert info['used_memory'] > 0 and info['db0']['keys'] == len(keys)
    assert r.config_get('port') == {'port': str(port)}
    assert r.client_getname() == 'py'
    assert any(c['name'] == 'py' for c in r.client_list())
    p = r.pipeline(transaction=False)
    for k in sorted(keys)[:20]:
        p.ttl(k)
    assert all(t >= 0 for t in p.execute())
    try:
        r.execute_command('NOSUCH')
        raise SystemExit('no error')
    except redis.ResponseError as e:
        assert 'unknown command' in str(e)
print('fine')
}
            lassign [run_command 20 $python [write_file [file join [tmp_dir py] t.py] $script] [srv port]] code out
            assert_equal {0 fine} [list $code $out]
        }
    }
}
