/*
 * Runs the Criterion suites of one test program in plain forked children.
 * Prints TAP, no options.
 *
 * It is for builds with a sanitizer: Criterion's own runner maps memory where
 * ThreadSanitizer keeps its shadow, and does not look at the exit status by
 * which LeakSanitizer and ThreadSanitizer report. And for another machine's: it
 * starts the program anew for each test, which an emulated one cannot do.
 *
 * It stands in for the functions of the test's side that Criterion's headers
 * declare in criterion/abort.h, event.h and internal/test.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <criterion/event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_S 300
#define STATUS_SKIPPED	  77

/* The linker's bounds of what Test() and TestSuite() lay down. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

static const struct criterion_test *current; /* set before its child starts */
static volatile bool failed;		     /* in a child: by any thread */

void criterion_send_assert(struct criterion_assert_stats *stats)
{
	fprintf(stderr, "%s:%u: %s: %s\n", stats->file, stats->line,
		stats->passed ? "passed" : "failed", stats->message);
}

void criterion_continue_test(void)
{
	failed = true;
}

void criterion_abort_test(void)
{
	exit(EXIT_FAILURE);
}

void criterion_test_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}

void criterion_skip_test(const char *format, ...)
{
	va_list args;

	/* As a comment of TAP: why. */
	printf("# %s::%s: ", current->category, current->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(STATUS_SKIPPED);
}

/* A suite without TestSuite() has no record; every test has one. */
static const struct criterion_test_extra_data *suite_data(void)
{
	struct criterion_suite **suite;

	for (suite = __start_cr_sts; suite < __stop_cr_sts; suite++)
		if (*suite && strcmp((*suite)->name, current->category) == 0)
			return (*suite)->data;
	return current->data;
}

static void call(void (*function)(void))
{
	if (function)
		function();
}

void criterion_internal_test_setup(void)
{
	if (suite_data() != current->data)
		call(suite_data()->init);
	call(current->data->init);
}

void criterion_internal_test_main(void (*function)(void))
{
	function();
}

void criterion_internal_test_teardown(void)
{
	call(current->data->fini);
	if (suite_data() != current->data)
		call(suite_data()->fini);
}

static bool is_disabled(void)
{
	return current->data->disabled || suite_data()->disabled;
}

static double timeout_s(void)
{
	if (current->data->timeout > 0)
		return 10 * current->data->timeout;
	return DEFAULT_TIMEOUT_S;
}

/* The child's wait status. One that takes too long is killed. */
static int status_of(pid_t child)
{
	const struct timespec limit = { .tv_sec = (time_t)timeout_s() };
	sigset_t ended;
	int status;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	if (sigtimedwait(&ended, NULL, &limit) < 0)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return status;
}

static pid_t start_test(const sigset_t *mask)
{
	pid_t child = fork();

	if (child < 0) {
		perror("fork");
		exit(EXIT_FAILURE);
	}
	if (child == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		current->test();
		exit(failed ? EXIT_FAILURE : current->data->exit_code);
	}
	return child;
}

static bool is_as_expected(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == current->data->signal;
	return !current->data->signal &&
	       WEXITSTATUS(status) == current->data->exit_code;
}

static bool run(const sigset_t *mask)
{
	int status;

	if (is_disabled()) {
		printf("ok - %s::%s # SKIP disabled\n", current->category,
		       current->name);
		return true;
	}
	status = status_of(start_test(mask));
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SKIPPED) {
		printf("ok - %s::%s # SKIP\n", current->category,
		       current->name);
		return true;
	}
	if (is_as_expected(status)) {
		printf("ok - %s::%s\n", current->category, current->name);
		return true;
	}
	printf("not ok - %s::%s wait status 0x%x\n", current->category,
	       current->name, (unsigned)status);
	return false;
}

int main(void)
{
	struct criterion_test **test;
	sigset_t block, mask;
	bool good = true;

	setvbuf(stdout, NULL, _IONBF, 0);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &mask);
	printf("1..%td\n", __stop_cr_tst - __start_cr_tst);
	for (test = __start_cr_tst; test < __stop_cr_tst; test++) {
		current = *test;
		good &= run(&mask);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
