internal import LinuxSystem

/// A small file with the speeds at which receivers were found, one line for each port.
///
/// It only saves the seconds of another search: if it cannot be read or written, the speed is
/// searched for again.
public struct SpeedMemory: Hashable, Sendable {
  /// Number of ports that are remembered; older entries are dropped.
  static let capacity = 32
  /// Permissions of the file, which is beside a store: port names may reveal whose device it is.
  private static let ownersOnly: UInt32 = 0o600
  /// Path of the file.
  private let path: String

  /// The memory in a file, which need not exist.
  public init(path: String) {
    self.path = path
  }

  /// The speed of a port; `nil` if it is unknown.
  func speed(of port: String) -> SerialSpeed? {
    entries().last { $0.port == port }?.speed
  }

  /// Remembers a speed.
  func note(_ speed: SerialSpeed, of port: String) {
    guard self.speed(of: port) != speed, !port.contains(where: \.isNewline) else { return }
    let kept = entries().filter { $0.port != port }.suffix(Self.capacity - 1) + [(port, speed)]
    let text = kept.map { "\($0.speed.rawValue) \($0.port)\n" }.joined()
    // Replaced by renaming, so that of two simultaneous writes one remains complete.
    do throws(SystemError) {
      let file = try DurableFile(path, rights: Self.ownersOnly)
      try file.write(Array(text.utf8).span)
      try file.rename()
    } catch {
      // The speed is searched for again.
    }
  }

  private func entries() -> [(port: String, speed: SerialSpeed)] {
    (WholeFile.text(path, upTo: 16_384) ?? "").split(separator: "\n").compactMap {
      let parts = $0.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let speed = Int(parts[0]).flatMap(SerialSpeed.init) else {
        return nil
      }
      return (String(parts[1]), speed)
    }
  }
}
