import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Returns whether repeated calls of a body leak descriptors.
///
/// The result is reliable only while nothing else runs. The runtime may open one or two descriptors
/// of its own, so the number of repetitions is large enough to see the difference.
private func leaks(_ body: () throws -> Void) rethrows -> Bool {
  func count() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
  let before = count()
  for _ in 0..<20 { try body() }
  return count() >= before + 20
}

@Suite(.realTime) struct OwnedDescriptorTests {
  @Test func `every owner of a descriptor closes it when released`() async {
    // The test runs in a separate process, because other tests open and close descriptors all the
    // time.
    await #expect(processExitsWith: .success) {
      let isLeaking = try leaks {
        _ = try WakeUp()
        _ = try OwnedDescriptor.open("/dev/null", flags: O_RDONLY)
        _ = try OwnedDescriptor.packetSocketPair()
        let terminal = try PseudoTerminal()
        _ = try SerialLine(path: terminal.path, speed: .baud9600)
        let untaken = DescriptorBox(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
        let taken = DescriptorBox(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
        precondition(taken.take() != nil)
        let folder = try TemporaryFolder()
        try "x".write(toFile: folder.path + "/x", atomically: false, encoding: .utf8)
        folder.remove()
        try ChildProcess("true", []).kill()
        withExtendedLifetime(untaken) {}
      }
      precondition(!isLeaking)
    }
  }

  @Test func `an initialiser that fails closes the descriptors it has opened`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let file = folder.path + "/file"
      try "x".write(toFile: file, atomically: false, encoding: .utf8)
      let isLeaking = leaks {
        do {
          _ = try SerialLine(path: file, speed: .baud9600)
          preconditionFailure("a file is not a terminal")
        } catch {}
      }
      precondition(!isLeaking)
    }
  }

  @Test func `the error for a path that cannot be opened names the path and the kernel's reason`() {
    let path = "/nowhere/at/all"
    #expect {
      _ = try OwnedDescriptor.open(path, flags: O_RDONLY)
    } throws: { error in
      "\(error)" == "cannot open /nowhere/at/all: No such file or directory"
    }
  }

  @Test func `descriptors are not inherited by child processes`() throws {
    let descriptor = try OwnedDescriptor.open("/dev/null", flags: O_RDONLY)
    let flags = fcntl(descriptor.number, F_GETFD)
    #expect(flags & FD_CLOEXEC != 0)
  }

  @Test func `a descriptor in a box can be taken out only once`() throws {
    let box = DescriptorBox(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
    let isFirst = box.take() != nil
    let isSecond = box.take() != nil
    #expect(isFirst)
    #expect(!isSecond)
  }

  @Test func `packets keep their boundaries, and reading from an empty socket does not block`()
    throws
  {
    let pair = try OwnedDescriptor.packetSocketPair()
    let sent = [pair.near.send([1, 2, 3]), pair.near.send([4])]
    #expect(sent == [3, 1])
    var buffer = [UInt8](repeating: 0, count: 16)
    let counts = [pair.far.read(into: &buffer), pair.far.read(into: &buffer)]
    #expect(counts == [3, 1])
    let empty = pair.far.read(into: &buffer)
    #expect(empty == -Int(EAGAIN))
  }

  @Test func `sending to a closed socket causes an error instead of a signal`() throws {
    let pair = try OwnedDescriptor.packetSocketPair()
    let near = pair.split { far in _ = consume far }
    let outcome = near.send([1])
    #expect(outcome == -Int(EPIPE))
  }

  @Test func `a value that is handed over can be taken only once`() throws {
    let handOver = HandOver(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
    let isFirst = handOver.take() != nil
    let isSecond = handOver.take() != nil
    #expect(isFirst)
    #expect(!isSecond)
  }
}
