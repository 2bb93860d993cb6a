import LinuxSystem
import TestSupport
import Testing

extension PseudoTerminal {
  /// Reads the terminal's output until the program has written this text.
  @discardableResult
  func text(upTo end: String) async throws -> String {
    let began = GivenTime.now
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = controller.read(into: &buffer)
      if count > 0 { bytes += buffer[..<count] }
      let text = String(decoding: bytes, as: UTF8.self)
      if text.contains(end) { return text }
      try #require(GivenTime.now.seconds(since: began) < patience, "no '\(end)' in: \(text)")
      if count <= 0 { try await Pause.seconds(0.02) }
    }
  }

  /// Types keys at the terminal.
  func press(_ keys: String) { _ = controller.write(Array(keys.utf8)) }
}
