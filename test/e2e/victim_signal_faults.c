/*
 * Faults: the host's own, bus errors of a file that it has mapped and that is
 * cut, or of memory that is protected (segv_CASE), and those that are sent.
 * With loops that get ticks, and locks that are waited for, so that many arrive
 * inside the shim.
 *
 * usage: victim_signal_faults [segv_]CASE (without: names the cases)
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "victim_coroutine.h"
#include "victim_signal.h"

#define SENT 300
#define SEGV "segv_"

static int fault = SIGBUS;
static char *page;
static pthread_t working;
static _Atomic int handled;
static atomic_bool over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void hold(void)
{
	pthread_mutex_lock(&lock);
	spin(50000);
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	while (!atomic_load(&over)) {
		/* May be broken by one that is sent, natively, too. */
		poll(NULL, 0, 0);
		spin(2 * NS_PER_MS);
		hold();
	}
	return arg;
}

static void map_a_file_and_cut_it(void)
{
	FILE *file = tmpfile();

	if (!file || ftruncate(fileno(file), 4096))
		return;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fileno(file), 0);
	if (page == MAP_FAILED || ftruncate(fileno(file), 0))
		puts("no page");
	fclose(file);
}

static void find_page(void)
{
	if (fault == SIGBUS)
		map_a_file_and_cut_it();
	else
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
}

static void touch(void)
{
	loop_for(10 * NS_PER_MS);
	find_page();
	puts("touches");
	*(volatile char *)page = 1;
	puts("touched");
}

static void default_fault(void)
{
	touch();
}

static void ignored_fault(void)
{
	signal(fault, SIG_IGN);
	touch();
}

static void replace(int sig, siginfo_t *info, void *context)
{
	int here;
	bool on_other = (char *)&here < (char *)context - (1 << 16);

	printf("signal %d code %d, address right: %d, near: %d\n", sig,
	       info->si_code, info->si_addr == page, !on_other);
	mmap(page, 4096, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	say_mask("in the handler");
}

static void handle_fault(int flags)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO | flags };

	act.sa_sigaction = replace;
	sigaddset(&act.sa_mask, SIGUSR2);
	sigaction(fault, &act, NULL);
	touch();
	say_action(fault);
}

static void handled_fault(void)
{
	handle_fault(0);
}

static void fault_handled_once(void)
{
	handle_fault((int)SA_RESETHAND | SA_NODEFER);
	touch();
}

static void fault_on_own_stack(void)
{
	static char room[16384];
	const stack_t own = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&own, NULL);
	handle_fault(SA_ONSTACK);
}

static sigjmp_buf landing;

static void recover(int sig)
{
	siglongjmp(landing, sig);
}

static void touch_in_handler(int sig)
{
	if (sigsetjmp(landing, 1))
		printf("recovered in %d\n", sig);
	else
		*(volatile char *)page = 1;
}

/* Also libc's own, which sigfillset() would leave open. */
static void fault_where_all_else_is_blocked(void)
{
	struct sigaction act = { .sa_handler = touch_in_handler };

	memset(&act.sa_mask, 0xff, sizeof(act.sa_mask));
	sigdelset(&act.sa_mask, fault);
	sigaction(SIGUSR2, &act, NULL);
	set_action(fault, recover, 0, 0);
	loop_for(10 * NS_PER_MS);
	find_page();
	raise(SIGUSR2);
	say_mask("behind");
}

static void block_all_else(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	memset(&uc->uc_sigmask, 0xff, sizeof(uc->uc_sigmask));
	sigdelset(&uc->uc_sigmask, fault);
}

/* The same, by nothing that could be seen. */
static void fault_where_all_else_was_blocked(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	act.sa_sigaction = block_all_else;
	sigaction(SIGUSR2, &act, NULL);
	raise(SIGUSR2);
	handle_fault(0);
}

/* No room is left for a signal's frame. */
static ucontext_t home, coroutine;

static void touch_page(void)
{
	*(volatile char *)page = 1;
}

static void terminate(void)
{
	raise(SIGTERM);
}

static void *run_on_little(void *function)
{
	char *stack = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int turn = 0; turn < 10; turn++)
		loop_for(NS_PER_MS);
	find_page();
	/* Looked up now: that would not have the room. */
	raise(0);
	mprotect(stack, 8192, PROT_NONE);
	make_coroutine(&coroutine, stack + 8192, 1024,
		       (void (*)(void))(uintptr_t)function, NULL);
	swapcontext(&home, &coroutine);
	return NULL;
}

static void on_little_stack(void (*function)(void), bool in_thread)
{
	int status = 0;

	if (!fork()) {
		void *what = (void *)(uintptr_t)function;

		if (in_thread &&
		    !pthread_create(&working, NULL, run_on_little, what))
			pthread_join(working, NULL);
		else
			run_on_little(what);
		_exit(0);
	}
	wait(&status);
	printf("status %d\n", status & 0x7f);
}

static void with_little_room(void)
{
	on_little_stack(touch_page, false);
	on_little_stack(touch_page, true);
	on_little_stack(terminate, false);
	on_little_stack(terminate, true);
}

static void said(void)
{
	say_action(fault);
	signal(fault, SIG_IGN);
	say_action(fault);
	signal(fault, SIG_DFL);
	say_action(fault);
}

static void count(int sig)
{
	(void)sig;
	atomic_fetch_add(&handled, 1);
	/* Deadlocks, if it comes where a lock of the shim's is held. */
	signal(SIGUSR2, SIG_IGN);
}

static void send_many(int (*send)(void))
{
	pthread_t others;
	int sent;

	pthread_create(&working, NULL, work, NULL);
	pthread_create(&others, NULL, work, NULL);
	for (sent = 0; sent < SENT && !send(); sent++) {
		spin(100000 + (uint64_t)sent * 997);
		if (sent % 16 == 0)
			hold();
	}
	atomic_store(&over, true);
	pthread_join(working, NULL);
	pthread_join(others, NULL);
}

static int to_thread(void)
{
	int before = atomic_load(&handled), err;
	uint64_t begun_ns = now_ns();

	err = pthread_kill(working, fault);
	while (atomic_load(&handled) == before &&
	       now_ns() - begun_ns < 5 * NS_PER_S)
		sched_yield();
	return err;
}

static void sent_to_handler(void)
{
	set_action(fault, count, SA_RESTART, SIGUSR2);
	send_many(to_thread);
	printf("handled %d\n", atomic_load(&handled));
}

static void sent_to_handler_that_nests(void)
{
	set_action(fault, count, SA_RESTART | SA_NODEFER, SIGUSR2);
	send_many(to_thread);
	printf("handled %d\n", atomic_load(&handled));
}

static int only_send(void)
{
	return pthread_kill(working, fault);
}

static void sent_and_ignored(void)
{
	signal(fault, SIG_IGN);
	send_many(only_send);
	puts("goes on");
}

static void sent_by_default(void)
{
	puts("is sent one");
	send_many(only_send);
	puts("goes on");
}

static void sent_to_itself(void)
{
	loop_for(10 * NS_PER_MS);
	raise(fault);
	puts("goes on");
}

static void waited_for(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, fault);
	sigprocmask(SIG_BLOCK, &set, NULL);
	loop_for(10 * NS_PER_MS);
	for (int i = 0; i < 20; i++) {
		kill(getpid(), fault);
		say_pending();
		sigwait(&set, &sig);
		printf("waited for %d\n", sig);
	}
}

static void in_a_child(void)
{
	int status = 0;

	loop_for(10 * NS_PER_MS);
	if (!fork()) {
		touch();
		_exit(0);
	}
	wait(&status);
	printf("status %d\n", status & 0x7f);
}

/* The kernel tells no address, and that is not done once more. */
static void spoil_the_return(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.fpregs = (void *)page;
}

static void bad_return(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	act.sa_sigaction = spoil_the_return;
	sigaction(SIGUSR2, &act, NULL);
	loop_for(10 * NS_PER_MS);
	find_page();
	puts("returns");
	raise(SIGUSR2);
	puts("has returned");
}

static void no_address(void)
{
	loop_for(10 * NS_PER_MS);
	puts("touches");
	*(volatile char *)((uintptr_t)1 << 62) = 1;
	puts("touched");
}

static int go_down(volatile char *above)
{
	volatile char here[4096];

	here[0] = *above;
	return *above ? 0 : go_down(here) + here[0];
}

static void stack_is_full(void)
{
	loop_for(10 * NS_PER_MS);
	go_down((volatile char[]){ 0 });
	puts("goes on");
}

/* Until the stack ends, wherever in the call that is. */
static int call_deeper(size_t bytes)
{
	volatile char *here = __builtin_alloca(bytes);

	here[0] = 1;
	signal(SIGUSR2, SIG_IGN);
	return here[0] ? call_deeper(bytes) + here[0] : 0;
}

static void *recover_from_ends(void *unused)
{
	static char room[16384];
	const stack_t own = { .ss_sp = room, .ss_size = sizeof(room) };
	static volatile size_t bytes;

	sigaltstack(&own, NULL);
	set_action(fault, recover, SA_ONSTACK, 0);
	for (bytes = 16; bytes <= 512; bytes += 16)
		if (!sigsetjmp(landing, 1))
			call_deeper(bytes);
	signal(SIGUSR2, SIG_DFL);
	puts("goes on");
	return unused;
}

static void stack_ends_in_a_call(void)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	puts("goes down");
	pthread_create(&working, &attr, recover_from_ends, NULL);
	pthread_join(working, NULL);
	say_action(SIGUSR2);
}

static const struct signal_case cases[] = {
	{ "default_fault", default_fault },
	{ "ignored_fault", ignored_fault },
	{ "handled_fault", handled_fault },
	{ "fault_handled_once", fault_handled_once },
	{ "fault_on_own_stack", fault_on_own_stack },
	{ "fault_where_all_else_is_blocked", fault_where_all_else_is_blocked },
	{ "fault_where_all_else_was_blocked",
	  fault_where_all_else_was_blocked },
	{ "with_little_room", with_little_room },
	{ "said", said },
	{ "sent_to_handler", sent_to_handler },
	{ "sent_to_handler_that_nests", sent_to_handler_that_nests },
	{ "sent_and_ignored", sent_and_ignored },
	{ "sent_by_default", sent_by_default },
	{ "sent_to_itself", sent_to_itself },
	{ "waited_for", waited_for },
	{ "in_a_child", in_a_child },
	{ "bad_return", bad_return },
	{ "no_address", no_address },
	{ "stack_is_full", stack_is_full },
	{ "stack_ends_in_a_call", stack_ends_in_a_call },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc > 1 && strncmp(argv[1], SEGV, strlen(SEGV)) == 0) {
		fault = SIGSEGV;
		argv[1] += strlen(SEGV);
	}
	for (const struct signal_case *c = cases; argc == 1 && c->name; c++)
		printf(SEGV "%s\n", c->name);
	return run_case(cases, argc, argv);
}
