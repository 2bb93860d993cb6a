import Foundation
import LinuxSystem
import TestSupport
import Testing

/// News of the network from the kernel; an address of loopback is added for it where that is permitted.
@Suite(.serialized) struct NetworkWatchTests {
  private static let ip = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs `ip`: whether it did as it was told.
  private func ip(_ arguments: String...) async throws -> Bool {
    guard let path = Self.ip else { return false }
    return try await Program.run(path, arguments).status == 0
  }

  @Test func `an address that comes is news`() async throws {
    let news = EventQueue<Void>()
    let watch = try NetworkWatch { news.post(()) }
    let address = "127.213.7.\(Int.random(in: 1...254))/32"
    guard try await ip("address", "add", address, "dev", "lo") else {
      print("skipped: this user may not add an address to loopback")
      return
    }
    _ = await news.next()
    _ = try await ip("address", "delete", address, "dev", "lo")
    withExtendedLifetime(watch) {}
  }

  @Test func `a watch ends when nobody keeps it`() throws {
    for _ in 0..<20 { _ = try NetworkWatch {} }
  }
}
