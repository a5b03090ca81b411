# Eight clients at once on memcached's socket (the argument), each with keys of
# its own, so that every answer is known; prints a checksum of each one's.
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use IO::Socket::UNIX;

my ($path) = @ARGV;
my ($clients, $rounds) = (8, 300);

# Sends one command, adds the answer (up to $last) to the checksum.
sub ask {
	my ($socket, $sum, $command, $last) = @_;

	print $socket $command;
	while (defined(my $line = <$socket>)) {
		$$sum = ($$sum * 31 + unpack('%32C*', $line)) % 1000000007;
		return if $line =~ $last;
	}
	die "memcached hung up";
}

sub client {
	my ($me) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => $path) or die "$path: $!";
	my $sum = 0;

	for my $i (1 .. $rounds) {
		my $key = "c$me.k" . $i % 50;
		my $value = "v$i" x ($i % 40 + 1);
		my $size = length $value;
		ask($socket, \$sum, "set $key $i 0 $size\r\n$value\r\n", qr/./);
		ask($socket, \$sum, "get $key\r\n", qr/^END/);
		ask($socket, \$sum, "append $key 0 0 2\r\nab\r\n", qr/./);
		ask($socket, \$sum, "get $key c$me.none\r\n", qr/^END/);
		ask($socket, \$sum, "set c$me.n 0 0 2\r\n40\r\n", qr/./);
		ask($socket, \$sum, "incr c$me.n 2\r\n", qr/./);
		ask($socket, \$sum, "delete $key\r\n", qr/./) if $i % 7 == 0;
		ask($socket, \$sum, "bogus\r\n", qr/./);
	}
	print "client $me: $sum\n";
}

for my $me (1 .. $clients) {
	my $pid = fork() // die "fork: $!";
	next if $pid;
	client($me);
	exit 0;
}
while (wait() > 0) {
	die "a client failed" if $?;
}
