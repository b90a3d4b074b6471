# SPDX-License-Identifier: BSD-3-Clause
# Hands every target to src/Makefile, which has the options (`make help`), after seeing that the packages it needs are there.
# Recipes run from here, so that paths in messages are those of the tree. Without -j, all CPUs are used.

SUB = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) -f src/Makefile

.PHONY: all run test test-unit test-fuzz test-tcl lint bench modules fuzz install uninstall clean distclean help
all modules install uninstall clean distclean help: ; $(SUB) $@
run: ; @deps/install.sh build run
	$(SUB) $@
test test-unit test-fuzz test-tcl: ; @deps/install.sh --test
	$(SUB) $@
lint fuzz bench: ; @deps/install.sh build $(if $(filter bench,$@),run bench,lint)
	$(SUB) $@
