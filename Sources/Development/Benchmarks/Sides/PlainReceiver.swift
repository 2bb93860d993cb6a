/// The simplest receiver: a C program that receives packets and discards them. Footbridge's
/// additional time is the cost of decoding, chunking and storing.
final class PlainReceiver {
  private let compiled: CompiledProgram

  /// Compiles the program; throws if no compiler is installed.
  init() throws {
    compiled = try CompiledProgram("receiver", .c, source: Self.source)
  }

  var program: String { compiled.path }

  /// Standard input is the socket. The argument is the wake-up interval in milliseconds, or 0 to
  /// wake up for each packet. A one-byte packet marks the end.
  private static let source = """
    #include <errno.h>
    #include <poll.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>

    int main(int count, char **words) {
      int tick = count > 1 ? atoi(words[1]) : 0;
      long packets = 0;
      unsigned char packet[520];
      struct pollfd input = {0, POLLIN, 0};
      puts("ready");
      fflush(stdout);
      for (int is_open = 1; is_open;) {
        if (tick) poll(NULL, 0, tick);
        else poll(&input, 1, -1);
        for (;;) {
          ssize_t length = recv(0, packet, sizeof packet, MSG_DONTWAIT);
          if (length > 1) packets++;
          if (length == 1) is_open = 0;
          if (length <= 0 || !tick) break;
        }
      }
      printf("done %ld\\n", packets);
      fflush(stdout);
      poll(NULL, 0, -1);
    }

    """
}
