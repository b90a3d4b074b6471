/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages being written, with name compression (RFC 1035 §4.1.4, RFC 3597 §4).
 *
 * Every label that was written below offset 0x4000 is remembered with the length of the name that begins there. A name is looked for by
 * that length first: two names that differ in it cannot be equal, so nearly all of the 64 places cost one compare of a byte, and
 * no hash is computed. A hash table of suffixes was the other choice; for the three or four names of an answer it costs more to
 * fill than it saves. The invariant: each remembered offset begins a name that was written whole, by writer_name or
 * writer_question, so that pointers lead only backwards and every walk along them ends. */
#include <string.h>

#include "base/bytes.h"
#include "wire/rdata.h"
#include "wire/rrtype.h"
#include "wire/wire.h"

enum { POINTER_MAX = 0x4000, OPT_LEN = 11 };

static void remember(struct msg_writer *w, size_t off, size_t name_length)
{
	if (off < POINTER_MAX && w->n_names < WRITER_NAMES) {
		w->name_off[w->n_names] = (uint16_t)off;
		w->name_len[w->n_names] = (uint8_t)name_length;
		w->n_names++;
	}
}

static bool label_equal(const uint8_t *a, const uint8_t *b)
{
	for (unsigned i = 0, n = a[0]; i <= n; i++)
		if (a[i] != b[i] && byte_lower(a[i]) != byte_lower(b[i]))
			return false;
	return true;
}

/* Is the name written at off equal to name, which is uncompressed? name runs out before any chain of pointers can be long. */
static bool written_equal(const struct msg_writer *w, size_t off, const uint8_t *name)
{
	for (;;) {
		const uint8_t *p = w->base + off;

		if (p[0] > LABEL_MAX_LEN) {
			size_t to = load_be16(p) & (POINTER_MAX - 1u);

			if (to >= off)
				return false;
			off = to;
			continue;
		}
		if (!label_equal(p, name))
			return false;
		if (p[0] == 0)
			return true;
		off += 1u + p[0];
		name += 1u + name[0];
	}
}

/* Offset of an equal name, or 0 (which lies in the header). */
static size_t find_written(const struct msg_writer *w, const uint8_t *name, size_t len)
{
	for (unsigned i = 0; i < w->n_names; i++)
		if (w->name_len[i] == len && written_equal(w, w->name_off[i], name))
			return w->name_off[i];
	return 0;
}

void writer_question(struct msg_writer *w, const uint8_t *wire, size_t len)
{
	size_t at = w->len;
	int n = name_len(wire, wire + len);

	if (!writer_room(w, len))
		return;
	writer_bytes(w, wire, len);
	for (size_t left = n > 0 ? (size_t)n : 0; left > 1;) {
		size_t label = 1u + w->base[at];

		remember(w, at, left);
		at += label;
		left -= label;
	}
}

void writer_name(struct msg_writer *w, const uint8_t *name, size_t len, bool compress)
{
	size_t done = 0, target = 0; /* name[0 .. done) is written in labels, the rest is a pointer to target */
	size_t at = w->len;

	if (!compress) {
		writer_bytes(w, name, len);
		return;
	}
	while (done < len && name[done] != 0 && (target = find_written(w, name + done, len - done)) == 0)
		done += 1u + name[done];
	if (done >= len || len > NAME_MAX_LEN) { /* not a name; nothing of it was remembered */
		w->err = ERR_BAD;
		return;
	}
	if (!writer_room(w, done + (target != 0 ? 2 : 1)))
		return;
	if (done > 0)
		memcpy(w->base + at, name, done);
	if (target != 0)
		store_be16(w->base + at + done, (uint16_t)(0xc000 | target));
	else
		w->base[at + done] = 0;
	w->len += done + (target != 0 ? 2 : 1);
	for (size_t i = 0; i < done; i += 1u + name[i])
		remember(w, at + i, len - i);
}

/* The parts of rdata one by one, n compressed. False when it has not its type's shape. */
static bool rdata_compressed(struct msg_writer *w, uint16_t type, const uint8_t *p, const uint8_t *end)
{
	for (const char *s = rrtype_shape(type); *s != '\0'; s++) {
		int n = rdata_part_len(*s, p, end);

		if (n < 0)
			return false;
		if (*s == 'n')
			writer_name(w, p, (size_t)n, true);
		else
			writer_bytes(w, p, (size_t)n);
		p += n;
	}
	return p == end;
}

void writer_rdata(struct msg_writer *w, uint16_t type, const uint8_t *rdata, size_t rdata_len)
{
	struct writer_mark mark = writer_mark(w);
	int err = w->err;

	if (rdata_len > UINT16_MAX) {
		w->err = ERR_SPACE;
		return;
	}
	writer_u16(w, (uint16_t)rdata_len);
	if (rrtype_compresses(type) && rdata_len > 0) {
		if (rdata_compressed(w, type, rdata, rdata + rdata_len)) {
			if (w->err == ERR_OK)
				store_be16(w->base + mark.len, (uint16_t)(w->len - mark.len - 2));
			return;
		}
		/* hostile bytes: out as they are, the reader's problem and not a fault of ours to hide */
		writer_rollback(w, mark);
		w->err = err;
		writer_u16(w, (uint16_t)rdata_len);
	}
	writer_bytes(w, rdata, rdata_len);
}

void writer_rr(struct msg_writer *w, const uint8_t *owner, size_t owner_len, uint16_t type, uint16_t rrclass, uint32_t ttl,
	       const uint8_t *rdata, size_t rdata_len)
{
	writer_name(w, owner, owner_len, true);
	if (writer_room(w, 8)) {
		store_be16(w->base + w->len, type);
		store_be16(w->base + w->len + 2, rrclass);
		store_be32(w->base + w->len + 4, ttl);
		w->len += 8;
	}
	writer_rdata(w, type, rdata, rdata_len);
}

void writer_opt(struct msg_writer *w, uint16_t udp_size, unsigned rcode, bool do_bit, const uint8_t *opts, size_t opts_len)
{
	if (opts_len > UINT16_MAX || !writer_room(w, OPT_LEN + opts_len)) {
		w->err = ERR_SPACE;
		return;
	}
	uint8_t *p = w->base + w->len;

	p[0] = 0;
	store_be16(p + 1, RRTYPE_OPT);
	store_be16(p + 3, udp_size);
	p[5] = (uint8_t)(rcode >> 4);
	p[6] = 0; /* version */
	store_be16(p + 7, do_bit ? 0x8000 : 0);
	store_be16(p + 9, (uint16_t)opts_len);
	w->len += OPT_LEN;
	writer_bytes(w, opts, opts_len);
}

int query_write(uint8_t *out, size_t cap, uint16_t id, uint16_t flags, const uint8_t *name, size_t name_length, uint16_t qtype,
		uint16_t udp_size, bool do_bit, const uint8_t *opts, size_t opts_len)
{
	struct msg_writer w;
	struct dns_header h = {.id = id, .flags = flags, .qdcount = 1, .arcount = udp_size > 0};

	writer_begin(&w, out, cap);
	writer_bytes(&w, name, name_length);
	writer_u16(&w, qtype);
	writer_u16(&w, CLASS_IN);
	if (udp_size > 0)
		writer_opt(&w, udp_size, 0, do_bit, opts, opts_len);
	if (w.err < 0)
		return w.err;
	header_write(out, &h);
	return (int)w.len;
}
