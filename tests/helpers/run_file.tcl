# SPDX-License-Identifier: BSD-3-Clause
#
# run_file.tcl FILE TMP TAGS ONLY: the process in which one test file runs. tests/run-tcl starts it and reads what it prints.

lassign $argv file tmp tags only
source [file join [file dirname [info script]] harness.tcl]
harness::setup $tmp $tags $only
if {[catch { source $file } message]} {
    harness::failed [file tail $file] "outside any test: $message\n$::errorInfo"
}
say {[end]}
