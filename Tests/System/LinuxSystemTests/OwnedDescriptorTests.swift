import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Whether many repetitions leak descriptors.
///
/// Only meaningful while nothing else runs. The runtime may open one or two of its own meanwhile,
/// so there are enough repetitions to see the difference.
private func leaks(_ body: () throws -> Void) rethrows -> Bool {
  func count() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
  let before = count()
  for _ in 0..<20 { try body() }
  return count() >= before + 20
}

@Suite(.realTime) struct OwnedDescriptorTests {
  @Test func `everything that owns a descriptor closes it`() async {
    // In a process of its own, since other tests open and close descriptors all the time.
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

  @Test func `a failing initialiser closes the descriptors it opened`() async {
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

  @Test func `a path that does not open is named, with the kernel's reason`() {
    let path = "/nowhere/at/all"
    #expect {
      _ = try OwnedDescriptor.open(path, flags: O_RDONLY)
    } throws: { error in
      "\(error)" == "cannot open /nowhere/at/all: No such file or directory"
    }
  }

  @Test func `descriptors are not inherited by children`() throws {
    let descriptor = try OwnedDescriptor.open("/dev/null", flags: O_RDONLY)
    let flags = fcntl(descriptor.number, F_GETFD)
    #expect(flags & FD_CLOEXEC != 0)
  }

  @Test func `a descriptor in a box is taken once`() throws {
    let box = DescriptorBox(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
    let isFirst = box.take() != nil
    let isSecond = box.take() != nil
    #expect(isFirst)
    #expect(!isSecond)
  }

  @Test func `packets keep their boundaries, and an empty socket does not block`() throws {
    let pair = try OwnedDescriptor.packetSocketPair()
    let sent = [pair.near.send([1, 2, 3]), pair.near.send([4])]
    #expect(sent == [3, 1])
    var buffer = [UInt8](repeating: 0, count: 16)
    let counts = [pair.far.read(into: &buffer), pair.far.read(into: &buffer)]
    #expect(counts == [3, 1])
    let empty = pair.far.read(into: &buffer)
    #expect(empty == -Int(EAGAIN))
  }

  @Test func `sending to a closed peer is an error, not a signal`() throws {
    let pair = try OwnedDescriptor.packetSocketPair()
    let near = pair.split { far in _ = consume far }
    let outcome = near.send([1])
    #expect(outcome == -Int(EPIPE))
  }

  @Test func `a handed-over value is taken once`() throws {
    let handOver = HandOver(try OwnedDescriptor.open("/dev/null", flags: O_RDONLY))
    let isFirst = handOver.take() != nil
    let isSecond = handOver.take() != nil
    #expect(isFirst)
    #expect(!isSecond)
  }
}
