# SPDX-License-Identifier: BSD-3-Clause
# Configuration: the file, the command line, --check, CONFIG GET and SET, and what a reload takes over.

proc conf {text} { write_file [file join [tmp_dir conf] pith.conf] $text }

test "--check accepts a good file in silence or with a word, and exits 0" {
    lassign [run_server --check [conf "# a comment\ndns-port 5300\n\nmaxmemory 64mb\nresolver forward\nforward-addr 127.0.0.1@53\n"]] code out
    assert_equal 0 $code $out
}
test "--check names file, line and the nearest match of an unknown directive" {
    set file [conf "dns-port 5300\nmaxmemroy 64mb\n"]
    lassign [run_server --check $file] code out
    assert {$code != 0}
    assert_match *[file tail $file]* $out
    assert_match *maxmemroy* $out
    assert {[regexp {\y2\y} $out]} "line 2 in: $out"
    assert {[regexp {\ymaxmemory\y} $out]} "nearest match in: $out"
}
test "--check tells every fault of a file, each with its line" {
    lassign [run_server --check [conf "dns-prot 53\nmaxmemory lots\nresolver magic\nedns-udp-size 100000\nallow-query 10.0.0.0/99\n"]] code out
    assert {$code != 0}
    foreach {word line} {dns-prot 1 maxmemory 2 resolver 3 edns-udp-size 4 allow-query 5} {
        assert {[regexp -line "(:|line )${line}\\y.*$word" $out]} "$word on line $line in: $out"
    }
}
test "--check of a file that is not there says so" {
    lassign [run_server --check /nonexistent/pith.conf] code out
    assert {$code != 0}
    assert_match *pith.conf* $out
}
test "an unknown directive stops the start" {
    lassign [run_server [conf "dns-prot 5300\n"]] code out
    assert {$code ni {0 124}}
    assert_match *dns-port* $out
}
test "the shipped configuration files pass --check" {
    foreach f [lsort [glob -directory [file join $root_dir conf] *.conf]] {
        lassign [run_command 10 env -C $root_dir {*}[server::wrapper] [server::binary] --check $f] code out
        assert_equal 0 $code "[file tail $f]: $out"
    }
}
test "every option stands in conf/pith.conf, with its default" {
    set text [read_file [file join $root_dir conf pith.conf]]
    foreach {- name} [regexp -all -inline -line {^OPTION\(\w+, "([^"]+)"} [read_file [file join $root_dir src config options.def]]] {
        assert {[regexp -line "^#? ?$name\\y" $text]} "$name is not in conf/pith.conf"
    }
}
test "--help and --version answer on standard output and exit 0" {
    lassign [run_server --help] code out
    assert_equal 0 $code
    foreach word {--check --version dns-port} { assert_match *$word* $out }
    lassign [run_server --version] code out
    assert_equal 0 $code
    assert {[regexp {\d+\.\d+} $out]} $out
}
test "an unknown option on the command line is an error" {
    lassign [run_server --no-such-thing] code out
    assert {$code ni {0 124}} $out
}

start_server {resolver forward forward-addr 127.0.0.1@9 maxmemory 32mb} -args {--maxmemory 48mb --cache-max-ttl 1h} {
    test "the command line overrides the file" {
        assert_equal "maxmemory [expr {48 * 1024 * 1024}]" [redis CONFIG GET maxmemory]
        assert_equal 3600 [regsub {s$} [lindex [redis CONFIG GET cache-max-ttl] 1] ""]
    }
    test "CONFIG GET takes several globs in any case, and nothing for no match" {
        set got [redis CONFIG GET cache-* PORT]
        foreach name {cache-min-ttl cache-max-ttl cache-max-negative-ttl cache-servfail-ttl port} { assert {[dict exists $got $name]} $name }
        assert_equal {} [redis CONFIG GET nosuch*]
        assert_equal "databases 1" [redis CONFIG GET databases]
        assert_equal {save {} appendonly no} [concat [redis CONFIG GET save] [redis CONFIG GET appendonly]]
    }
    test "CONFIG GET * names every option" {
        set got [redis CONFIG GET *]
        foreach {- name} [regexp -all -inline -line {^OPTION\(\w+, "([^"]+)"} [read_file [file join $root_dir src config options.def]]] {
            assert {[dict exists $got $name]} "CONFIG GET * lacks $name"
        }
    }
    test "CONFIG SET changes what may change live, several at once or none" {
        assert_equal OK [redis CONFIG SET cache-max-ttl 100 cache-max-negative-ttl 50]
        assert_equal {100 50} [lmap n {cache-max-ttl cache-max-negative-ttl} { regsub {s$} [lindex [redis CONFIG GET $n] 1] "" }]
        assert_error ERR* { redis CONFIG SET cache-max-ttl 200 cache-max-negative-ttl nonsense }
        assert_equal 100 [regsub {s$} [lindex [redis CONFIG GET cache-max-ttl] 1] ""]
    }
    test "CONFIG SET refuses unknown names, bad values, and what needs a restart" {
        assert_error ERR* { redis CONFIG SET nosuch 1 }
        assert_error ERR* { redis CONFIG SET maxmemory lots }
        assert_error ERR* { redis CONFIG SET edns-udp-size 99999 }
        assert_error ERR* { redis CONFIG SET dns-port 5353 }
        assert_error ERR* { redis CONFIG SET cache-max-ttl }
    }
    test "CONFIG SET maxmemory takes units as Redis does" {
        redis CONFIG SET maxmemory 16mb
        assert_equal [expr {16 * 1024 * 1024}] [lindex [redis CONFIG GET maxmemory] 1]
        assert_equal [expr {16 * 1024 * 1024}] [info_field maxmemory]
    }
}

start_server {resolver forward forward-addr 127.0.0.1@9} {
    test "CONFIG REWRITE writes what was set, keeps comments and order, and the file still passes --check" {
        set before "# a word about the cache\ncache-min-ttl 1\n\n# the end\n"
        write_file [srv conf] "[read_file [srv conf]]$before"
        harness::signal [srv pid] HUP
        wait_until { [regsub {s$} [lindex [redis CONFIG GET cache-min-ttl] 1] ""] eq "1" }
        redis CONFIG SET cache-min-ttl 7 cache-max-ttl 500
        assert_equal OK [redis CONFIG REWRITE]
        set text [read_file [srv conf]]
        assert_match "*# a word about the cache\ncache-min-ttl 7*\n\n# the end\n*" $text
        assert {[regexp -line {^cache-max-ttl 500s?$} $text]} $text
        assert_equal 1 [regexp -all -line {^cache-min-ttl } $text]
        lassign [run_server --check [srv conf]] code out
        assert_equal 0 $code $out
    }
}
