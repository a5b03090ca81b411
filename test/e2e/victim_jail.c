/*
 * Starts a program under a seccomp filter that lets every system call pass but
 * some.
 *
 * usage: victim_jail kill|fail|fault|nothing NUMBER[,NUMBER...] COMMAND...
 *   kill     such a call kills the process
 *   fail     it fails with EPERM
 *   fault    it fails with EFAULT
 *   nothing  it does nothing, and gives 0
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST 32

static unsigned int verdict_of(const char *how)
{
	if (strcmp(how, "kill") == 0)
		return SECCOMP_RET_KILL_PROCESS;
	if (strcmp(how, "fault") == 0)
		return SECCOMP_RET_ERRNO | EFAULT;
	return SECCOMP_RET_ERRNO | (strcmp(how, "fail") ? 0 : EPERM);
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * MOST + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog filter = { .len = 1, .filter = code };
	unsigned int verdict;

	if (argc < 4)
		return 2;
	verdict = verdict_of(argv[1]);
	for (char *word = strtok(argv[2], ","); word && filter.len < 2 * MOST;
	     word = strtok(NULL, ",")) {
		code[filter.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned int)strtoul(word, NULL, 10), 0, 1);
		code[filter.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	}
	code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							  SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 3;
	execvp(argv[3], argv + 3);
	return 127;
}
