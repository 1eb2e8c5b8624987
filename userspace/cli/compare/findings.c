// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "findings.h"
#include "hexdiff.h"
#include "outcome.h"
#include "traits.h"

static const char *const kinds[DIFF_KINDS] = {
	[DIFF_ORDER] = "order",	  [DIFF_LOST] = "lost",	  [DIFF_VERDICT] = "verdict",
	[DIFF_LENGTH] = "length", [DIFF_BYTES] = "bytes", [DIFF_META] = "metadata",
	[DIFF_SINKS] = "sinks",
};

/* docs/differences.md has more on each, under these words. */
static const struct {
	const char *name;
	const char *text;
} causes[CAUSES] = {
	[CAUSE_BARE] = { "bare", "of a bare program on veth only the device's counters are known, "
				 "which count all that was dropped alike" },
	[CAUSE_TAIL] = { "tail growth", "how much a packet may grow at its end depends on the "
					"buffer: a test run gives room up to 3520 bytes, veth what "
					"is left of the copy it made" },
	[CAUSE_META_IN] = { "metadata", "a test run can bring metadata in, veth cannot" },
	[CAUSE_SINK] = { "redirect",
			 "only on veth do redirects have somewhere to go, as --redirect "
			 "filled the map there" },
	[CAUSE_DEVICE] = { "device", "the program reads ingress_ifindex or rx_queue_index: a test "
				     "run shows lo and queue 0 (unless told otherwise), veth its "
				     "own" },
	[CAUSE_NETNS] = { "namespace", "the program looks up routes, sockets or MTUs: a test run "
				       "does so in the caller's network namespace, veth in the "
				       "lane's" },
	[CAUSE_CPU] = { "CPU", "the program asks for its CPU or keeps state per CPU, and threads "
			       "run on different ones; --threads 1 compares exactly" },
	[CAUSE_TIME] = { "time", "the program reads a clock or has timers: marked, not compared "
				 "exactly" },
	[CAUSE_RANDOM] = { "random", "the program draws random numbers" },
	[CAUSE_SHARED] = { "shared state", "threads share the program's maps and meet there in any "
					   "order; --threads 1 or --fresh lane compare exactly" },
	[CAUSE_KFUNC] = { "kernel functions", "the program calls kernel functions, whose answers "
					      "can depend on the device" },
};

/* ---- what differs, and why --------------------------------------------- */

static bool same_bytes(const struct xtr_outcome *a, const struct xtr_outcome *b)
{
	return !a->len || !memcmp(a->data, b->data, a->len);
}

static bool same_meta(const struct xtr_outcome *a, const struct xtr_outcome *b)
{
	return a->meta_len == b->meta_len &&
	       (!a->meta_len || !memcmp(a->meta, b->meta, a->meta_len));
}

/* DIFF_KINDS: none, as far as is known. */
static enum diff_kind diff_of(const struct compared *path_a, const struct xtr_outcome *a,
			      const struct compared *path_b, const struct xtr_outcome *b)
{
	__u32 either = a->flags | b->flags;

	if (a->index != b->index)
		return DIFF_ORDER;
	if (either & XTR_OUTCOME_LOST)
		return DIFF_LOST;
	if (!(either & XTR_OUTCOME_NO_VERDICT) && a->verdict != b->verdict)
		return DIFF_VERDICT;
	if (path_a->redirects && path_b->redirects && a->sinks != b->sinks)
		return DIFF_SINKS;
	if (either & XTR_OUTCOME_NO_DATA)
		return DIFF_KINDS;
	if (a->len != b->len)
		return DIFF_LENGTH;
	if (!same_bytes(a, b))
		return DIFF_BYTES;
	return same_meta(a, b) ? DIFF_KINDS : DIFF_META;
}

/* What the device counts as XDP_DROP. */
static bool is_dropped(__u32 verdict)
{
	return verdict != XDP_PASS && verdict != XDP_TX;
}

static bool by_bare(const struct compared *path, const struct xtr_outcome *there,
		    const struct xtr_outcome *other)
{
	return path->veth && !strcmp(path->mode, "bare") && there->verdict == XDP_DROP &&
	       is_dropped(other->verdict);
}

/* Between a test run and veth. */
static enum cause cause_of_place(const struct compared *path, const struct xtr_outcome *run,
				 const struct xtr_outcome *veth)
{
	__u32 veth_len = outcome__has_bytes(veth) ? veth->len : veth->in_len;

	if (path->traits & TRAIT_TAIL && run->len > veth_len)
		return CAUSE_TAIL;
	if (path->meta_in)
		return CAUSE_META_IN;
	if (path->traits & TRAIT_REDIRECT && path->redirects && veth->verdict == XDP_REDIRECT)
		return CAUSE_SINK;
	if (path->traits & TRAIT_DEVICE)
		return CAUSE_DEVICE;
	if (path->traits & TRAIT_NETNS)
		return CAUSE_NETNS;
	return path->traits & TRAIT_KFUNC ? CAUSE_KFUNC : CAUSE_NONE;
}

/* Between any two runs. */
static enum cause cause_of_run(const struct compared *path)
{
	if (path->traits & TRAIT_TIME)
		return CAUSE_TIME;
	if (path->traits & TRAIT_RANDOM)
		return CAUSE_RANDOM;
	if (path->traits & (TRAIT_CPU | TRAIT_PERCPU) && path->lanes > 1)
		return CAUSE_CPU;
	if (path->traits & TRAIT_STATE && path->lanes > 1 && !path->fresh_lanes)
		return CAUSE_SHARED;
	return CAUSE_NONE;
}

static enum cause cause_of(enum diff_kind kind, const struct compared *path_a,
			   const struct xtr_outcome *a, const struct compared *path_b,
			   const struct xtr_outcome *b)
{
	enum cause cause = CAUSE_NONE;

	if (kind == DIFF_ORDER || kind == DIFF_LOST)
		return CAUSE_NONE;
	if (kind == DIFF_VERDICT && (by_bare(path_a, a, b) || by_bare(path_b, b, a)))
		return CAUSE_BARE;
	if (path_a->veth != path_b->veth)
		cause = path_b->veth ? cause_of_place(path_b, a, b) : cause_of_place(path_a, b, a);
	return cause ? cause : cause_of_run(path_b);
}

/* ---- the collection ---------------------------------------------------- */

static int keep(struct finding *finding, const struct xtr_outcome *a, const struct xtr_outcome *b)
{
	struct example *more, *example;

	more = reallocarray(finding->examples, finding->example_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	finding->examples = more;
	example = &more[finding->example_cnt];
	example->index = a->index;
	if (outcome__copy(&example->a, a))
		return -ENOMEM;
	if (outcome__copy(&example->b, b)) {
		outcome__free(&example->a);
		return -ENOMEM;
	}
	finding->example_cnt++;
	return 0;
}

int findings__add(struct findings *findings, const struct compared *paths, size_t count,
		  const struct xtr_outcome *const *outcomes, size_t at)
{
	const struct xtr_outcome *a = &outcomes[0][at];
	bool differs = false, unexplained = false, unseen = !outcome__has_bytes(a);

	for (size_t i = 1; i < count; i++) {
		const struct xtr_outcome *b = &outcomes[i][at];
		enum diff_kind kind = diff_of(&paths[0], a, &paths[i], b);
		struct finding *finding;
		enum cause cause;

		unseen |= !outcome__has_bytes(b);
		if (kind == DIFF_KINDS)
			continue;
		cause = cause_of(kind, &paths[0], a, &paths[i], b);
		finding = &findings->all[i][kind][cause];
		finding->count++;
		differs = true;
		unexplained |= !cause;
		if (finding->example_cnt < findings->show && keep(finding, a, b))
			return -ENOMEM;
	}
	findings->packets++;
	findings->differing += differs;
	findings->unexplained += unexplained;
	findings->unseen += unseen;
	return 0;
}

__u64 findings__count(const struct findings *findings, size_t path, bool known)
{
	__u64 sum = 0;

	for (int kind = 0; kind < DIFF_KINDS; kind++)
		for (int cause = 0; cause < CAUSES; cause++)
			if (!!cause == known)
				sum += findings->all[path][kind][cause].count;
	return sum;
}

void findings__free(struct findings *findings)
{
	struct finding *finding = &findings->all[0][0][0];

	for (size_t i = 0; i < LOCKSTEP_MAX * DIFF_KINDS * CAUSES; i++, finding++) {
		for (size_t j = 0; j < finding->example_cnt; j++) {
			outcome__free(&finding->examples[j].a);
			outcome__free(&finding->examples[j].b);
		}
		free(finding->examples);
	}
}

/* ---- output ------------------------------------------------------------ */

static struct hexdiff_side side_of(const char *name, const struct xtr_outcome *outcome, bool meta)
{
	return (struct hexdiff_side){
		.name = name,
		.data = meta ? outcome->meta : outcome->data,
		.len = meta ? outcome->meta_len : outcome->len,
	};
}

static void print_hexdiff(FILE *file, const struct compared *path_a, const struct compared *path_b,
			  const struct example *example, bool meta)
{
	struct hexdiff_side a = side_of(path_a->name, &example->a, meta);
	struct hexdiff_side b = side_of(path_b->name, &example->b, meta);

	if (meta && hexdiff__find(&a, &b, NULL) != ~0U)
		fprintf(file, "      metadata:\n");
	hexdiff__print(file, &a, &b, NULL);
}

static void print_side(FILE *file, const struct compared *path, const struct xtr_outcome *outcome)
{
	fprintf(file, "      %-12s ", path->name);
	outcome__print(file, outcome, path->redirects);
	fputc('\n', file);
}

static void print_example(FILE *file, const struct compared *path_a, const struct compared *path_b,
			  const struct example *example)
{
	fprintf(file, "    packet %llu, %u bytes\n", (unsigned long long)example->index + 1,
		example->a.in_len);
	print_side(file, path_a, &example->a);
	print_side(file, path_b, &example->b);
	if (!outcome__has_bytes(&example->a) || !outcome__has_bytes(&example->b))
		return;
	print_hexdiff(file, path_a, path_b, example, false);
	print_hexdiff(file, path_a, path_b, example, true);
}

static void print_finding(FILE *file, const struct finding *finding, const struct compared *path_a,
			  const struct compared *path_b, enum diff_kind kind, enum cause cause)
{
	fprintf(file, "%s differs from %s in %s: %llu %s%s%s\n", path_b->name, path_a->name,
		kinds[kind], (unsigned long long)finding->count,
		finding->count == 1 ? "packet" : "packets", cause ? ", known: " : "",
		cause ? causes[cause].name : "");
	if (cause)
		fprintf(file, "    (%s)\n", causes[cause].text);
	for (size_t i = 0; i < finding->example_cnt; i++)
		print_example(file, path_a, path_b, &finding->examples[i]);
}

void findings__print(FILE *file, const struct findings *findings, const struct compared *paths,
		     size_t path)
{
	for (int kind = 0; kind < DIFF_KINDS; kind++)
		for (int cause = 0; cause < CAUSES; cause++)
			if (findings->all[path][kind][cause].count)
				print_finding(file, &findings->all[path][kind][cause], &paths[0],
					      &paths[path], kind, cause);
}

static json_object *example_json(const struct example *example, const struct compared *path_a,
				 const struct compared *path_b)
{
	json_object *obj = json_object_new_object();

	json__add_count(obj, "packet", example->index + 1);
	json__add_count(obj, "in_length", example->a.in_len);
	json_object_object_add(obj, path_a->name, outcome__json(&example->a, path_a->redirects));
	json_object_object_add(obj, path_b->name, outcome__json(&example->b, path_b->redirects));
	return obj;
}

static json_object *finding_json(const struct finding *finding, const struct compared *path_a,
				 const struct compared *path_b, enum diff_kind kind,
				 enum cause cause)
{
	json_object *obj = json_object_new_object(), *examples = json_object_new_array();

	json__add_string(obj, "path", path_b->name);
	json__add_string(obj, "reference", path_a->name);
	json__add_string(obj, "kind", kinds[kind]);
	json__add_count(obj, "packets", finding->count);
	json_object_object_add(obj, "known", json_object_new_boolean(cause != CAUSE_NONE));
	if (cause) {
		json__add_string(obj, "cause", causes[cause].name);
		json__add_string(obj, "explanation", causes[cause].text);
	}
	for (size_t i = 0; i < finding->example_cnt; i++)
		json_object_array_add(examples,
				      example_json(&finding->examples[i], path_a, path_b));
	json_object_object_add(obj, "examples", examples);
	return obj;
}

json_object *findings__json(const struct findings *findings, const struct compared *paths,
			    size_t count)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++)
		for (int kind = 0; kind < DIFF_KINDS; kind++)
			for (int cause = 0; cause < CAUSES; cause++)
				if (findings->all[i][kind][cause].count)
					json_object_array_add(
						array,
						finding_json(&findings->all[i][kind][cause],
							     &paths[0], &paths[i], kind, cause));
	return array;
}
