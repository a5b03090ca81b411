/*
 * libunwind, loaded privately and tamed.
 *
 * Loaded so that nothing of it joins the program's symbols (RTLD_LOCAL): as a
 * plain dependency its _Unwind_* would come before libgcc's, and destructors
 * would silently stop to run. Where its imports are not those of the version we
 * know, it is not used: what another version does in a walk is not known.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libunwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "setup/import_slots.h"
#include "sigsafe/walk/object.h"
#include "sigsafe/walk/unwind_calls.h"
#include "sigsafe/walk/walk_unwind.h"

/*
 * Imports of libunwind 1.6 besides unwind_calls: plain functions on memory, and
 * what it uses to load files and to name functions, but never in a walk.
 */
static const char *const other_imports[] = {
	"_U_dyn_info_list_addr",
	UNWIND_IMPORTS,
	"__errno_location",
	"__tls_get_addr",
	"calloc",
	"close",
	"dl_iterate_phdr",
	"free",
	"fstat",
	"getpagesize",
	"getpid",
	"lzma_index_buffer_decode",
	"lzma_index_end",
	"lzma_index_size",
	"lzma_index_uncompressed_size",
	"lzma_stream_buffer_decode",
	"lzma_stream_footer_decode",
	"malloc",
	"memchr",
	"memcpy",
	"memmove",
	"memset",
	"mincore",
	"msync",
	"munmap",
	"open",
	"pthread_key_create",
	"pthread_mutex_init",
	"pthread_once",
	"pthread_setspecific",
	"read",
	"sigfillset",
	"stat",
	"stpcpy",
	"strcmp",
	"strcpy",
	"strerror",
	"strlen",
	"strncpy",
	"strrchr",
	"syscall",
	"sysconf",
	"write",
};

static const struct unwind_call *call_named(const char *name)
{
	for (size_t i = 0; i < UNWIND_CALLS; i++)
		if (strcmp(unwind_calls[i].name, name) == 0)
			return &unwind_calls[i];
	return NULL;
}

/* Of unwind_calls, as bits: those that are imported. */
static unsigned calls_imported;

static int check_slot(const struct import_slot *slot)
{
	const struct unwind_call *call = call_named(slot->name);

	if (call)
		calls_imported |= 1u << (call - unwind_calls);
	if (call || slot->own)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(other_imports); i++)
		if (strcmp(other_imports[i], slot->name) == 0)
			return 0;
	return -ENOTSUP;
}

static int repoint_slot(const struct import_slot *slot)
{
	const struct unwind_call *call = call_named(slot->name);

	/* Whatever the program exports under the same name. */
	if (slot->own)
		*slot->at = slot->own;
	else if (call && *slot->at != call->safe) {
		*call->original = *slot->at;
		*slot->at = call->safe;
	}
	return 0;
}

static bool is_known(const struct link_map *library)
{
	return import_slots_visit(library, check_slot) == 0 &&
	       calls_imported == (1u << UNWIND_CALLS) - 1;
}

/* A function of this very library, not of another in its place. */
static void *function_of(void *handle, const struct link_map *library,
			 const char *name)
{
	void *function = dlsym(handle, name);
	struct object object;

	return function && object_find((uintptr_t)function, &object) &&
			       object.map == library
		       ? function
		       : NULL;
}

/* libc's own, which the hooks are not in front of. */
static bool find_mutex_functions(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (!libc)
		return false;
	*(void **)&unwind_try_lock = dlsym(libc, "pthread_mutex_trylock");
	*(void **)&unwind_unlock = dlsym(libc, "pthread_mutex_unlock");
	dlclose(libc);
	return unwind_try_lock && unwind_unlock;
}

static bool find_functions(void *handle, const struct link_map *library)
{
	struct unwind_library *found = &walk_unwind_library;

	*(void **)&found->init =
		function_of(handle, library, UNWIND_NAME("init_remote"));
	*(void **)&found->step =
		function_of(handle, library, UNWIND_NAME("step"));
	*(void **)&found->get =
		function_of(handle, library, UNWIND_NAME("get_reg"));
	*(void **)&found->search = function_of(
		handle, library, UNWIND_NAME("dwarf_search_unwind_table"));
	return found->init && found->step && found->get && found->search &&
	       find_mutex_functions();
}

static bool make_space(void *handle, const struct link_map *library)
{
	unw_addr_space_t (*create)(unw_accessors_t *, int);
	int (*set_caching)(unw_addr_space_t, unw_caching_policy_t);
	unw_addr_space_t space;

	*(void **)&create =
		function_of(handle, library, UNWIND_NAME("create_addr_space"));
	*(void **)&set_caching =
		function_of(handle, library, UNWIND_NAME("set_caching_policy"));
	if (!create || !set_caching)
		return false;
	space = create(&walk_unwind_accessors, 0);
	/* Rows would be kept for code that is no longer there. */
	if (!space || set_caching(space, UNW_CACHE_NONE))
		return false;
	walk_unwind_library.space = space;
	return true;
}

/* Its pools fill up and its locks are made at the first use. */
static void use_once(void)
{
	struct registers registers;
	struct walk walk;

	registers_here(&registers);
	walk_begin(&walk, NULL, 0, MAX_DEPTH, NULL);
	walk_unwind(&walk, &registers);
}

const char *libunwind_load(void)
{
	void *handle =
		dlopen(UNWIND_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	struct link_map *library;
	bool has_space;

	if (!handle)
		return "libunwind can't be loaded (package libunwind8)";
	if (dlinfo(handle, RTLD_DI_LINKMAP, &library) ||
	    !find_functions(handle, library) || !is_known(library))
		return "this version of libunwind is not known";
	if (import_slots_rewrite(library, repoint_slot))
		return "libunwind can't be made safe";
	has_space = make_space(handle, library);
	if (has_space)
		use_once();
	unwind_calls_ready();
	return has_space ? NULL : "libunwind has no memory";
}
