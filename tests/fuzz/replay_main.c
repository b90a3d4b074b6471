/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target over stored inputs without libFuzzer, so that any compiler replays the corpus in `make test`.
 *
 *     build/fuzz/packet FILE|DIRECTORY ...
 *
 * Each input is handed over in an allocation of exactly its size: a read past its end is one past the heap block's, which
 * a sanitizer or valgrind sees. The name is printed before the run, so the last line before a crash is the culprit.
 * No input at all is an error: a target that replays nothing tests nothing.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void replay_file(const char *path, off_t len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc((size_t)len);

	printf("%s\n", path);
	fflush(stdout);
	if (!f || (len > 0 && (!data || fread(data, 1, (size_t)len, f) != (size_t)len)))
		fail(path);
	LLVMFuzzerTestOneInput(data, (size_t)len);
	free(data);
	fclose(f);
}

/* Replays path, or what lies below it. Returns the number of inputs. */
static unsigned replay(const char *path)
{
	struct stat st;
	struct dirent **names;
	unsigned done = 0;
	int n;

	if (stat(path, &st) != 0)
		fail(path);
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path, st.st_size);
		return 1;
	}
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		fail(path);
	for (int i = 0; i < n; i++) {
		char below[4096];

		if (names[i]->d_name[0] != '.') {
			snprintf(below, sizeof below, "%s/%s", path, names[i]->d_name);
			done += replay(below);
		}
		free(names[i]);
	}
	free(names);
	return done;
}

int main(int argc, char **argv)
{
	unsigned done = 0;

	for (int i = 1; i < argc; i++)
		done += replay(argv[i]);
	printf("%u inputs replayed\n", done);
	return done == 0;
}
