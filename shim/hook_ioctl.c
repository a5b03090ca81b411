/*
 * ioctl(2): no tick comes in the few requests that one would break.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_ioctl.h"

#include <linux/kvm.h>
#include <linux/seccomp.h>
#include <linux/usbdevice_fs.h>
#include <linux/vt.h>
#include <scsi/sg.h>
#include <sound/asound.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "hook.h"
#include "hook_block.h"

enum blocking_call hook_call_of_ioctl(unsigned long request)
{
	switch ((uint32_t)request) {
	case TCSBRK:
	case TCSBRKP:
	case TIOCSBRK:
	case VT_WAITACTIVE:
	case VT_WAITEVENT:
	case USBDEVFS_CONTROL:
	case USBDEVFS_BULK:
	case USBDEVFS_REAPURB:
	case KVM_RUN:
	case SECCOMP_IOCTL_NOTIF_RECV:
	case SNDRV_PCM_IOCTL_WRITEI_FRAMES:
	case SNDRV_PCM_IOCTL_READI_FRAMES:
	case SNDRV_PCM_IOCTL_WRITEN_FRAMES:
	case SNDRV_PCM_IOCTL_READN_FRAMES:
	case SG_IO:
		return CALL_IOCTL;
	default:
		return CALL_NONE;
	}
}

/* Whether there is an argument or not: what was not passed is not looked at. */
HOOK int ioctl(int fd, unsigned long request, ...)
{
	struct block block;
	va_list list;
	void *argument;
	int got;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	block = hook_block_begin(hook_call_of_ioctl(request), CALLER);
	got = real.ioctl(fd, request, argument);
	watch_block_end(&block);
	return got;
}
