import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct NamedThreadTests {
  /// Creates a thread with the name `given`, and returns the name that the thread reads for itself.
  private func nameSeen(by given: String) throws -> String? {
    let seen = Seen()
    let thread = try NamedThread(given) {
      let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      seen.name.withLock { $0 = name }
    }
    thread.join()
    return seen.name.withLock { $0 }
  }

  private final class Seen: Sendable {
    let name = Guarded<String?>(nil)
  }

  @Test func `a thread runs under the given name`() throws {
    #expect(try nameSeen(by: "gps") == "gps\n")
  }

  @Test func `a thread's name is truncated to 15 characters`() throws {
    #expect(try nameSeen(by: "a-name-of-more-than-fifteen") == "a-name-of-more-\n")
  }

  @Test func `a blocked thread is detached after a timeout`() throws {
    let (flag, wake) = (StopFlag(), try WakeUp())
    let held = try NamedThread("held") {
      var polls = PollSet()
      polls.add(wake.number)
      polls.wait(seconds: nil)
      flag.raise()
    }
    held.join(within: 0.01)
    #expect(!flag.isRaised)
    wake.ring()
    let quick = try NamedThread("quick") {}
    quick.join(within: patience)
  }

  @Test
  func `joining a thread waits for the end of its body, and joining it again returns at once`()
    throws
  {
    let flag = StopFlag()
    let wake = try WakeUp()
    let thread = try NamedThread("waiter") {
      var polls = PollSet()
      polls.add(wake.number)
      polls.wait(seconds: 30)
      flag.raise()
    }
    #expect(!flag.isRaised)
    wake.ring()
    thread.join()
    #expect(flag.isRaised)
    thread.join()
  }

  @Test func `a thread that has ended releases the objects captured by its body`() throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let observer = held
    let thread = try NamedThread("holder") { [held] in withExtendedLifetime(held) {} }
    held = nil
    thread.join()
    #expect(observer == nil)
  }

  @Test func `worker threads block SIGINT and SIGTERM`() throws {
    final class Mask: Sendable {
      let text = Guarded("")
    }
    let mask = Mask()
    let thread = try NamedThread("worker") {
      let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      mask.text.withLock { $0 = line.map(String.init) ?? "" }
    }
    thread.join()
    let digits = mask.text.withLock { $0.split(separator: "\t").last.map(String.init) ?? "" }
    let blocked = try #require(UInt64(digits, radix: 16))
    // Bit 1 is SIGINT (2) and bit 14 is SIGTERM (15).
    #expect(blocked & 1 << 1 != 0)
    #expect(blocked & 1 << 14 != 0)
  }
}

@Suite(.realTime) struct MailboxTests {
  @Test func `a mailbox delivers each request once, in order`() throws {
    let mailbox = try Mailbox<Int>()
    let posted = [mailbox.post(1), mailbox.post(2)]
    #expect(posted == [true, true])
    #expect(mailbox.takeAll() == [1, 2])
    #expect(mailbox.takeAll() == [])
  }

  /// Returns whether the bell has rung since the last call.
  private func hasRung(_ mailbox: Mailbox<Int>) -> Bool {
    var polls = PollSet()
    polls.add(mailbox.bell.number)
    polls.wait(seconds: 0)
    defer { mailbox.bell.clear() }
    return polls.isReadable(0)
  }

  @Test func `a mailbox rings once for all requests that its reader receives together`() throws {
    let mailbox = try Mailbox<Int>()
    for number in 0..<3 {
      _ = mailbox.post(number)
      #expect(hasRung(mailbox) == (number == 0))
    }
    #expect(mailbox.takeAll() == [0, 1, 2])
    _ = mailbox.post(3)
    #expect(hasRung(mailbox))
    #expect(mailbox.takeAll() == [3])
  }

  @Test func `requests posted to a mailbox without a ring are delivered with the next ring`() throws
  {
    let mailbox = try Mailbox<Int>()
    mailbox.ring()
    #expect(!hasRung(mailbox), "nothing waits")
    _ = mailbox.post(1, rings: false)
    _ = mailbox.post(2, rings: false)
    #expect(!hasRung(mailbox))
    mailbox.ring()
    #expect(hasRung(mailbox))
    #expect(mailbox.takeAll() == [1, 2])
    _ = mailbox.post(3, rings: false)
    _ = mailbox.post(4)
    #expect(hasRung(mailbox))
    #expect(mailbox.takeAll() == [3, 4])
  }

  @Test func `a closed mailbox returns the remaining requests and accepts no new ones`() throws {
    let mailbox = try Mailbox<Int>()
    _ = mailbox.post(1)
    #expect(mailbox.shut() == [1])
    #expect(!mailbox.post(2))
    #expect(mailbox.takeAll() == [])
  }
}
