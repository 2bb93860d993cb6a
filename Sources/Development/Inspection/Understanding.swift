internal import MetaWearProtocol

/// A packet interpreted as a command or as a notification, based on a single module table.
enum Understanding {
  case command(any Explained)
  case notification(Notification)

  /// Decodes a packet in the given direction. Returns `nil` if the packet has no meaning.
  init?(_ bytes: [UInt8], _ direction: Direction, on modules: ModuleTable) {
    switch direction {
    case .toBoard:
      guard let command = Command(bytes: bytes),
        let meaning = command.meaning(on: modules) as? any Explained
      else { return nil }
      self = .command(meaning)
    case .fromBoard:
      guard let notification = try? Notification(decoding: bytes.span, from: modules) else {
        return nil
      }
      if case .other = notification { return nil }
      self = .notification(notification)
    }
  }
}

/// Finds the reason why a packet has no meaning, by decoding similar packets. Lengths and codes
/// therefore need to be defined only in the codec.
enum Misunderstanding {
  /// Returns the reason why a packet has no meaning, as one clause.
  static func reason(
    _ bytes: [UInt8], _ direction: Direction, on modules: ModuleTable, isKnownRegister: Bool
  ) -> String {
    if bytes.count < 2 { return "a packet must have at least 2 bytes: module and register" }
    if bytes.count > Command.maximumLength, direction == .toBoard {
      return "\(bytes.count) bytes; a board accepts at most \(Command.maximumLength)"
    }
    guard isKnownRegister else { return "unknown register" }
    if direction == .fromBoard {
      do {
        _ = try Notification(decoding: bytes.span, from: modules)
      } catch .truncated(let expected, let found) {
        return "truncated: expected \(expected) bytes, found \(found)"
      } catch { return "\(error)" }
      return "no known packet from this register looks like this"
    }
    return length(bytes, on: modules) ?? code(bytes, on: modules)
      ?? "no known packet to this register looks like this"
  }

  /// Describes the error in the packet's length, if the packet would have a meaning with a
  /// different length.
  private static func length(_ bytes: [UInt8], on modules: ModuleTable) -> String? {
    for count in stride(from: bytes.count - 1, through: 2, by: -1)
    where means(Array(bytes.prefix(count)), on: modules) {
      return
        "\(Words.count(bytes.count - count, "surplus byte")): expected \(count), found \(bytes.count)"
    }
    guard bytes.count < Command.maximumLength else { return nil }
    for count in (bytes.count + 1)...Command.maximumLength {
      // Some fields accept only a few values. Each of these fields accepts at least one value from
      // 0 to 5.
      for filler in UInt8(0)...5
      where means(
        bytes + [UInt8](repeating: filler, count: count - bytes.count), on: modules)
      {
        return "truncated: expected \(count) bytes, found \(bytes.count)"
      }
    }
    return nil
  }

  /// Describes the invalid code in the packet, if the packet would have a meaning with one byte
  /// changed.
  private static func code(_ bytes: [UInt8], on modules: ModuleTable) -> String? {
    for position in 2..<max(2, bytes.count) {
      var changed = bytes
      let codes = (UInt8(0)...255).filter { code in
        changed[position] = code
        return means(changed, on: modules)
      }
      guard !codes.isEmpty else { continue }
      let known = codes.count <= 16 ? "; known values are \(Words.hex(codes))" : ""
      return "byte \(position) is \(Words.hex([bytes[position]])), a reserved value\(known)"
    }
    return nil
  }

  private static func means(_ bytes: [UInt8], on modules: ModuleTable) -> Bool {
    Understanding(bytes, .toBoard, on: modules) != nil
  }
}
