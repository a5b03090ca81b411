/*
 * A module of libc's iconv that takes 60 ms to start, and then refuses.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gconv.h>

#include "victim.h"

int gconv_init(struct __gconv_step *step);
int gconv(struct __gconv_step *step, struct __gconv_step_data *data,
	  const unsigned char **from, const unsigned char *to,
	  unsigned char **written, size_t *irreversible, int flush,
	  int consume);

__attribute__((noinline)) int gconv_init(struct __gconv_step *step)
{
	(void)step;
	spin(60 * NS_PER_MS);
	return __GCONV_NOCONV;
}

/* libc wants a module to have one. */
int gconv(struct __gconv_step *step, struct __gconv_step_data *data,
	  const unsigned char **from, const unsigned char *to,
	  unsigned char **written, size_t *irreversible, int flush, int consume)
{
	(void)step;
	(void)data;
	(void)from;
	(void)to;
	(void)written;
	(void)irreversible;
	(void)flush;
	(void)consume;
	return __GCONV_INTERNAL_ERROR;
}
