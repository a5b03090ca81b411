/*
 * The rest of a transfer.
 *
 * Over a stream socket it is moved as natively: whatever comes between, each
 * step is one that can't take more from the socket than the one call would
 * have. The thread waits for data or room by ppoll(2), where signals of the
 * host's come in; and what is there then is moved without blocking. So an error
 * is found before any call has taken it, and stays for the host's next one.
 * (But for one that comes between, where there was room before; and a local
 * socket's, which the one call takes, too.) What is received ends where the
 * kernel ends it: before an urgent byte, and behind descriptors, which come to
 * nothing where there is no room for them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_rest.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "hook.h"
#include "hook_left.h"
#include "hook_transfer.h"
#include "hook_unwound.h"
#include "sigsafe/walk/walk.h"

#define REST_PARTS 16

struct rest {
	struct msghdr message;
	struct iovec parts[REST_PARTS];
};

/* Of message, the buffers behind the first done bytes; how many bytes. */
static size_t take_rest(const struct msghdr *message, size_t done,
			struct rest *rest)
{
	size_t bytes = 0, n = 0;

	for (size_t i = 0; i < message->msg_iovlen && n < REST_PARTS; i++) {
		struct iovec part = message->msg_iov[i];
		size_t skipped = min_u64(done, part.iov_len);

		done -= skipped;
		if (skipped == part.iov_len)
			continue;
		part.iov_base = (char *)part.iov_base + skipped;
		part.iov_len -= skipped;
		bytes += part.iov_len;
		rest->parts[n++] = part;
	}
	rest->message = (struct msghdr){
		.msg_iov = rest->parts,
		.msg_iovlen = n,
	};
	return bytes;
}

/* Where it blocks in the middle, a file has room for nothing. */
static ssize_t move_to_file(mover *move, const struct msghdr *message,
			    ssize_t done)
{
	struct transfer call = thread_self.transfer;
	uint32_t handlers = thread_self.host_handlers;
	struct rest rest;
	size_t bytes;
	ssize_t got;

	call.cut = CUT_NOT;
	while ((bytes = take_rest(message, (size_t)done, &rest)) &&
	       thread_self.host_handlers == handlers) {
		transfer_begin(&call);
		got = move(call.fd, rest.parts, (int)rest.message.msg_iovlen);
		transfer_end();
		if (got > 0)
			done += got;
		if (got <= 0 ||
		    ((size_t)got < bytes && !thread_self.transfer.cut))
			break;
	}
	return done;
}

/* Nothing tells when the other end of a local socket will read no more. */
#define LOOK_AGAIN_NS (10 * NS_PER_MS)

struct stream {
	struct pollfd poll;
	bool sends;
	bool is_local; /* an error is taken by a call that moves bytes, too */
	uint64_t begun_ns, timeout_ns;
};

static struct stream stream_of(const struct transfer *call)
{
	uint64_t timeout_ns = transfer_timeout_ns(call);

	return (struct stream){
		.poll = { .fd = call->fd,
			  .events = call->sends ? POLLOUT : POLLIN | POLLPRI },
		.sends = call->sends,
		.is_local = transfer_option(call, SO_DOMAIN, 0) == AF_UNIX,
		.begun_ns = call->begun_ns,
		.timeout_ns = timeout_ns ? timeout_ns : FOR_EVER_NS,
	};
}

/* Data that came before the error is read natively, too. */
static bool has_data(const struct stream *stream)
{
	int bytes = 0;

	return !stream->sends &&
	       !sys3(SYS_ioctl, stream->poll.fd, FIONREAD, &bytes) && bytes > 0;
}

/* For n = 1 descriptor or none; most_ns: no longer than that. As ppoll(2). */
static CONTINUES_A_CALL int wait_for(struct stream *stream, nfds_t n,
				     uint64_t most_ns)
{
	uint64_t begun_ns = stream->begun_ns, for_ns = stream->timeout_ns;
	struct timespec left;
	int got;

	CLOSES_WAIT_UNWOUND;
	if (most_ns < wait_left_ns(begun_ns, for_ns)) {
		begun_ns = clock_now_ns();
		for_ns = most_ns;
	}
	do
		got = real.ppoll(&stream->poll, n,
				 left_of(begun_ns, for_ns, &left),
				 wait_mask(NULL));
	while (wait_was_broken(got));
	return got;
}

static bool is_over(const struct stream *stream)
{
	return !wait_left_ns(stream->begun_ns, stream->timeout_ns);
}

static bool has_error(const struct stream *stream)
{
	return !stream->is_local && stream->poll.revents & POLLERR;
}

/*
 * Is there data or room, or the end? An error stays where it is. But without
 * the end of the connection it may be just a notice for MSG_ERRQUEUE, or the
 * end comes in a moment.
 */
static bool wait_until_ready(struct stream *stream)
{
	bool looks_again = stream->is_local && stream->sends;
	int got;

	CLOSES_WAIT_UNWOUND;
	got = wait_for(stream, 1, looks_again ? LOOK_AGAIN_NS : FOR_EVER_NS);
	if (!got)
		return looks_again && !is_over(stream);
	if (got > 0 && has_error(stream) && !(stream->poll.revents & POLLHUP)) {
		if (wait_for(stream, 0, NS_PER_MS))
			return false;
		got = wait_for(stream, 1, 0);
	}
	return got >= 0 && (!has_error(stream) || has_data(stream) ||
			    !(stream->poll.revents & POLLHUP));
}

/*
 * Has it come to the urgent byte, with others received before it? If something
 * is urgent elsewhere, no more is heard of that: it would end each wait.
 */
static bool is_at_mark(struct stream *stream)
{
	int at_mark = 0;

	if (stream->sends)
		return false;
	if (!(stream->poll.revents & POLLIN))
		stream->poll.events = POLLIN;
	return !sys3(SYS_ioctl, stream->poll.fd, SIOCATMARK, &at_mark) &&
	       at_mark;
}

static bool is_behind_descriptors(const struct stream *stream,
				  const struct msghdr *message)
{
	return !stream->sends && stream->is_local &&
	       message->msg_flags & MSG_CTRUNC;
}

/* One that was waiting for room takes the error that its peer leaves. */
static void end_of_stream(const struct stream *stream, ssize_t error)
{
	if (stream->sends && stream->is_local && error == -EPIPE)
		transfer_option(&thread_self.transfer, SO_ERROR, 0);
}

static ssize_t move_over_stream(struct msghdr *message, int flags, ssize_t done)
{
	struct stream stream = stream_of(&thread_self.transfer);
	long number = stream.sends ? SYS_sendmsg : SYS_recvmsg;
	struct rest rest;
	ssize_t got;

	CLOSES_WAIT_UNWOUND;
	flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
	wait_goes_on(evidence_call(thread_self.transfer.number));
	while (take_rest(message, (size_t)done, &rest) &&
	       !is_behind_descriptors(&stream, message) &&
	       wait_until_ready(&stream) && !is_at_mark(&stream)) {
		got = sys3(number, stream.poll.fd, &rest.message, flags);
		if (got > 0)
			done += got;
		else if (got != -EAGAIN) {
			end_of_stream(&stream, got);
			break;
		}
		if (!stream.sends)
			message->msg_flags |= rest.message.msg_flags;
	}
	wait_end(0);
	return done;
}

cold ssize_t hook_move_rest(mover *move, struct msghdr *message, int flags,
			    ssize_t done)
{
	int before = thread_self.transfer.errno_before;

	CLOSES_WAIT_UNWOUND;
	if (thread_self.transfer.cut == CUT_STREAM)
		done = move_over_stream(message, flags, done);
	else
		done = move_to_file(move, message, done);
	errno = before;
	return done;
}
