internal import LinuxSystem

/// Stores the line speed found for each port in a small file, one line per port.
///
/// The file merely saves the few seconds that another search would take. If the file cannot be read
/// or written, the search is repeated.
public struct SpeedMemory: Hashable, Sendable {
  /// Maximum number of ports in the file. Older entries are dropped.
  static let capacity = 32
  /// Only the owner can read it, because the file is located next to a store, and port names may
  /// reveal who owns a device.
  private static let ownersOnly: UInt32 = 0o600
  private let path: String

  /// The file at `path` does not have to exist yet.
  public init(path: String) {
    self.path = path
  }

  func speed(of port: String) -> SerialSpeed? {
    entries().last { $0.port == port }?.speed
  }

  func note(_ speed: SerialSpeed, of port: String) {
    guard self.speed(of: port) != speed, !port.contains(where: \.isNewline) else { return }
    let kept = entries().filter { $0.port != port }.suffix(Self.capacity - 1) + [(port, speed)]
    let text = kept.map { "\($0.speed.rawValue) \($0.port)\n" }.joined()
    // The file is replaced by renaming, so two simultaneous writes still leave one complete file.
    do throws(SystemError) {
      let file = try DurableFile(path, rights: Self.ownersOnly)
      try file.write(Array(text.utf8).span)
      try file.rename()
    } catch {
      // If the file cannot be written, the next search does not start with this speed.
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
