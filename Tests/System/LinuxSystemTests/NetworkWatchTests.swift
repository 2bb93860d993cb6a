import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The kernel's notifications of network changes. To cause a notification, the tests add a loopback
/// address if they have permission.
@Suite(.realTime, .serialized) struct NetworkWatchTests {
  private static let ip = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs `ip`, and returns its error output, which is empty on success.
  private func ip(_ arguments: String...) async throws -> String {
    guard let path = Self.ip else { try Test.cancel("there is no ip; apt install iproute2") }
    let outcome = try await Program.run(path, arguments)
    return outcome.status == 0 ? "" : outcome.errors
  }

  @Test func `a new address is detected as a network change`() async throws {
    let news = Guarded(0)
    let watch = try NetworkWatch { news.withLock { $0 += 1 } }
    let address = "127.213.7.\(Int.random(in: 1...254))/32"
    let complaint = try await ip("address", "add", address, "dev", "lo")
    guard complaint.isEmpty else {
      try Test.cancel("this user may not add an address to loopback: \(complaint)")
    }
    let isTold = await happens { news.withLock { $0 } > 0 }
    _ = try await ip("address", "delete", address, "dev", "lo")
    #expect(isTold)
    withExtendedLifetime(watch) {}
  }

  /// An object with the same lifetime as a watch's thread.
  private final class Token: Sendable {}

  @Test func `a network watch ends when it is released`() throws {
    weak var token: Token?
    do {
      let held = Token()
      token = held
      let watch = try NetworkWatch { withExtendedLifetime(held) {} }
      withExtendedLifetime(watch) {}
    }
    #expect(token == nil)
  }
}
