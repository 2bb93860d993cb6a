internal import Glibc
internal import LinuxSystem

/// The least a program can do: C that receives packets and does nothing with them. What we take beside
/// it is the price of decoding, chunking and storing.
final class PlainReceiver {
  /// The compiled program.
  let program: String
  private let folder: TemporaryFolder

  /// Compiles it; throws where there is no compiler.
  init() throws {
    guard ChildProcess.locate("cc") != nil else {
      throw MeasurementError("there is no C compiler: apt install gcc")
    }
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    program = folder.path + "/receiver"
    let source = folder.path + "/receiver.c"
    let file = try OwnedDescriptor.create(source)
    let text = Array(Self.source.utf8)
    let output = try ChildOutput()
    guard file.write(text) == text.count else {
      throw MeasurementError("there is no room in \(folder.path)")
    }
    let compiler = try ChildProcess(
      "cc", ["-O2", "-o", program, source], inheriting: [(output.writing.number, 1)])
    defer { compiler.kill() }
    // It says nothing, so its end is the end of what it says.
    _ = output.closeWriting().firstLine(seconds: 60)
    guard unsafe access(program, X_OK) == 0 else {
      throw MeasurementError("the C compiler made no program")
    }
  }

  deinit {
    folder.remove()
  }

  /// Standard input is the socket; the argument is a tick in milliseconds, or 0 to wake for each packet. A
  /// packet of one byte is the end.
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
