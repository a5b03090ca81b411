/*
 * An event loop whose callbacks stall, or make others wait, below assembler
 * that has no unwind rules and has called on, or code that is made as the
 * program runs; or in a handler that returns by such
 * code, or in a coroutine that was made by hand.
 *
 * usage: victim_walk_callers PLACE
 * prints "done" once the loop has turned again
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim_coroutine.h"
#include "victim_place.h"

/*
 * As assemblers make it without directives for unwinding: both call what they
 * are given; call_far() has more room for variables than is searched.
 */
void call_on(void (*function)(void));
void call_far(void (*function)(void));

#if defined(__x86_64__)
__asm__(".text\n"
	".type call_on, @function\n"
	"call_on:\n"
	"	subq $8, %rsp\n"
	"	call *%rdi\n"
	"	addq $8, %rsp\n"
	"	ret\n"
	".size call_on, . - call_on\n"
	".type call_far, @function\n"
	"call_far:\n"
	"	subq $4104, %rsp\n"
	"	call *%rdi\n"
	"	addq $4104, %rsp\n"
	"	ret\n"
	".size call_far, . - call_far\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".type call_on, %function\n"
	"call_on:\n"
	"	str x30, [sp, -16]!\n"
	"	blr x0\n"
	"	ldr x30, [sp], 16\n"
	"	ret\n"
	".size call_on, . - call_on\n"
	".type call_far, %function\n"
	"call_far:\n"
	"	str x30, [sp, -16]!\n"
	"	sub sp, sp, 4096\n"
	"	blr x0\n"
	"	add sp, sp, 4096\n"
	"	ldr x30, [sp], 16\n"
	"	ret\n"
	".size call_far, . - call_far\n");
#endif

#define WITH_FRAME_POINTER                                                     \
	__attribute__((noinline, optimize("no-omit-frame-pointer")))
#define WITHOUT __attribute__((noinline, optimize("omit-frame-pointer")))

static void (*work)(void);

WITHOUT static void inner_on(void)
{
	call_on(work);
	KEEP_FRAME();
}

WITHOUT static void inner_far(void)
{
	call_far(work);
	KEEP_FRAME();
}

WITHOUT static void middle(void (*inner)(void))
{
	inner();
	KEEP_FRAME();
}

/* The frame pointer that is left leads to its caller. */
WITH_FRAME_POINTER static void outer(void (*inner)(void),
				     void (*its_work)(void))
{
	work = its_work;
	middle(inner);
	KEEP_FRAME();
}

static void spin_long(void)
{
	spin(60 * NS_PER_MS);
	KEEP_FRAME();
}

static void callback_spin(void)
{
	outer(inner_on, spin_long);
	KEEP_FRAME();
}

static void callback_far(void)
{
	outer(inner_far, spin_long);
	KEEP_FRAME();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *want(void *none)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return none;
}

static void unlock(void)
{
	pthread_mutex_unlock(&lock);
	KEEP_FRAME();
}

static void callback_unlock(void)
{
	pthread_t waiter;

	pthread_mutex_lock(&lock);
	pthread_create(&waiter, NULL, want, NULL);
	await_waiter(&lock);
	outer(inner_on, unlock);
	pthread_join(waiter, NULL);
}

/* Elsewhere the kernel takes no such address. */
#if defined(__x86_64__)
#define TAKES_RESTORER UINT64_C(0x04000000)

/* What lies in front of it, right to its start, has rules. */
void come_back(void);
__asm__(".text\n"
	".type lies_before, @function\n"
	"lies_before:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 3, -16\n"
	"	popq %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size lies_before, . - lies_before\n"
	".type come_back, @function\n"
	"come_back:\n"
	"	movq $15, %rax\n"
	"	syscall\n"
	".size come_back, . - come_back\n"
	/* It does not return, nor does what it calls. */
	".type call_last, @function\n"
	"call_last:\n"
	"	.cfi_startproc\n"
	"	subq $8, %rsp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call spin_and_leave\n"
	"	.cfi_endproc\n"
	".size call_last, . - call_last\n"
	".type come_back_too, @function\n"
	"come_back_too:\n"
	"	movq $15, %rax\n"
	"	syscall\n"
	".size come_back_too, . - come_back_too\n"
	/* Where a coroutine's function returns to, right behind another. */
	".type lies_before_too, @function\n"
	"lies_before_too:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size lies_before_too, . - lies_before_too\n"
	".type go_home, @function\n"
	"go_home:\n"
	"	.cfi_startproc\n"
	"	jmp leave\n"
	"	.cfi_endproc\n"
	".size go_home, . - go_home\n");

void go_home(void);

static ucontext_t home;

__attribute__((used)) static void leave(void)
{
	setcontext(&home);
}

static void work_alone(void)
{
	spin_long();
	KEEP_FRAME();
}

static void callback_coroutine(void)
{
	static char stack[64 << 10];
	ucontext_t coroutine;

	make_coroutine(&coroutine, stack, sizeof(stack), work_alone, NULL);
	*(void **)coroutine.uc_mcontext.gregs[REG_RSP] = go_home;
	swapcontext(&home, &coroutine);
	KEEP_FRAME();
}

static void handle(int sig)
{
	(void)sig;
	spin_long();
	KEEP_FRAME();
}

static void callback_restorer(void)
{
	struct {
		void (*handler)(int);
		uint64_t flags;
		void (*restorer)(void);
		uint64_t mask;
	} action = { handle, TAKES_RESTORER, come_back, 0 };

	if (syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL,
		    sizeof(action.mask)))
		exit(3);
	raise(SIGUSR2);
	KEEP_FRAME();
}

void call_last(void);

static jmp_buf landing;

__attribute__((used)) static void spin_and_leave(void)
{
	spin_long();
	longjmp(landing, 1);
}

static void callback_last(void)
{
	if (!setjmp(landing))
		call_last();
	KEEP_FRAME();
}
#else
static void callback_restorer(void)
{
	exit(4);
}

static void callback_last(void)
{
	exit(4);
}

static void callback_coroutine(void)
{
	exit(4);
}
#endif

static void (*made)(void (*function)(void));

/* Each keeps a frame pointer, as its frame is of unknown size. */
__attribute__((noinline)) static void inner_made(void)
{
	volatile char *room = alloca((size_t)(now_ns() % 2 + 1) * 64);

	room[0] = 0;
	made(spin_long);
	KEEP_FRAME();
}

/* With a protection key; -1: without. */
static void make(void *code, int key)
{
	memcpy(code, call_on, (size_t)((char *)call_far - (char *)call_on));
	if (pkey_mprotect(code, 4096, PROT_READ | PROT_EXEC, key))
		exit(5);
	__builtin___clear_cache(code, (char *)code + 4096);
	made = code;
}

/* As a compiler at run time makes it that keeps none. */
__attribute__((noinline)) static void call_made(int key)
{
	volatile char *room = alloca((size_t)(now_ns() % 2 + 1) * 64);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	room[0] = 0;
	make(code, key);
	inner_made();
	KEEP_FRAME();
}

static void callback_made(void)
{
	call_made(-1);
	KEEP_FRAME();
}

static void callback_keyed(void)
{
	call_made(pkey_alloc(0, 0));
	KEEP_FRAME();
}

static const struct place places[] = {
	{ "spin", callback_spin },
	{ "far", callback_far },
	{ "unlock", callback_unlock },
	{ "made", callback_made },
	{ "restorer", callback_restorer },
	{ "coroutine", callback_coroutine },
	{ "last", callback_last },
	{ "keyed", callback_keyed },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);

	be_a_loop();
	place->callback();
	turn();
	puts("done");
	return 0;
}
