// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A look into the object file for what libbpf has no function. */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf_info.h"
#include "log.h"

static int not_bpf(const char *path, const char *why)
{
	pr_err("%s: not a BPF object, %s; build one with clang -O2 -g -target bpf -c", path, why);
	return -ENOEXEC;
}

static int check_header(const char *path, Elf *elf, size_t size)
{
	GElf_Ehdr header;

	if (!size)
		return not_bpf(path, "the file is empty");
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return not_bpf(path, "not even an ELF file");
	/* Old compilers left the machine open, and so does libbpf. */
	if (header.e_machine != EM_BPF && header.e_machine != EM_NONE)
		return not_bpf(path, "an ELF file for another machine");
	if (header.e_type != ET_REL)
		return not_bpf(path, "an ELF file of another kind");
	return 0;
}

static const char *section_name(Elf *elf, Elf_Scn *scn)
{
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) || !gelf_getshdr(scn, &header))
		return "";
	name = elf_strptr(elf, names, header.sh_name);
	return name ? name : "";
}

/* The section @name, or of type @type where @name is NULL. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		if (name && !strcmp(section_name(elf, scn), name))
			return scn;
		if (!name && gelf_getshdr(scn, &header) && header.sh_type == type)
			return scn;
	}
	return NULL;
}

static int add_tail_target(struct xtr_elf *elf, const char *name)
{
	char **more;

	if (xtr_elf__is_tail_target(elf, name))
		return 0;
	more = reallocarray(elf->tail_targets, elf->tail_target_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	elf->tail_targets = more;
	more[elf->tail_target_cnt] = strdup(name);
	if (!more[elf->tail_target_cnt])
		return -ENOMEM;
	elf->tail_target_cnt++;
	return 0;
}

/* A relocation in a map's definition that points to a function is a slot of a
 * program array (`.values = { [0] = &function }`).
 */
static int read_tail_targets(Elf *elf, struct xtr_elf *out)
{
	Elf_Scn *rel = find_section(elf, ".rel.maps", 0),
		*syms = find_section(elf, NULL, SHT_SYMTAB);
	Elf_Data *rels, *symbols;
	GElf_Shdr header;
	GElf_Sym sym;
	GElf_Rel r;
	int err;

	rels = rel ? elf_getdata(rel, NULL) : NULL;
	symbols = syms ? elf_getdata(syms, NULL) : NULL;
	if (!rels || !symbols || !gelf_getshdr(syms, &header))
		return 0;
	for (int i = 0; gelf_getrel(rels, i, &r); i++) {
		const char *name;

		if (!gelf_getsym(symbols, GELF_R_SYM(r.r_info), &sym) ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		name = elf_strptr(elf, header.sh_link, sym.st_name);
		err = name ? add_tail_target(out, name) : 0;
		if (err)
			return err;
	}
	return 0;
}

int xtr_elf__read(const char *path, char *data, size_t size, struct xtr_elf *out)
{
	Elf *elf;
	int err;

	memset(out, 0, sizeof(*out));
	elf_version(EV_CURRENT);
	elf = size ? elf_memory(data, size) : NULL;
	err = check_header(path, elf, size);
	if (err)
		goto out;
	out->legacy_maps = find_section(elf, "maps", 0);
	err = read_tail_targets(elf, out);
	if (err)
		pr_err("%s: out of memory", path);
out:
	if (err)
		xtr_elf__free(out);
	elf_end(elf);
	return err;
}

bool xtr_elf__is_tail_target(const struct xtr_elf *elf, const char *function)
{
	for (size_t i = 0; i < elf->tail_target_cnt; i++)
		if (!strcmp(elf->tail_targets[i], function))
			return true;
	return false;
}

void xtr_elf__free(struct xtr_elf *elf)
{
	for (size_t i = 0; i < elf->tail_target_cnt; i++)
		free(elf->tail_targets[i]);
	free(elf->tail_targets);
	memset(elf, 0, sizeof(*elf));
}
