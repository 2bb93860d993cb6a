internal import Terminal

/// Turns the bytes of a terminal into keys.
///
/// A character may come in two reads. A control sequence, as of an arrow key, is not a key here.
public struct KeyDecoder: Sendable {
  /// A key with a meaning for entries.
  public enum Key: Hashable, Sendable {
    /// A character that can be shown.
    case scalar(Unicode.Scalar)
    /// The end of a line.
    case enter
    /// Deletes the last character.
    case backspace
    /// Cancels the entry.
    case escape
  }

  private enum State: Sendable {
    case text
    /// After an escape, which another byte of the same read makes the beginning of a sequence.
    case escaped
    /// In a control sequence, up to its final byte (ECMA-48).
    case sequence
  }

  private var state = State.text
  /// The first bytes of a character that is not complete, at most three.
  private var begun: [UInt8] = []

  /// A decoder at the beginning of a text.
  public init() {}

  /// The keys of one read. Other control characters and invalid bytes are left out.
  public mutating func keys(of bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    if state == .escaped {
      // Sequences come in one piece, so this was the key itself.
      state = .text
      keys.append(.escape)
    }
    return keys
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .escaped:
      // `[` and `O` begin longer sequences; another byte is a key with Alt.
      state = [0x5b, 0x4f].contains(byte) ? .sequence : .text
    case .sequence:
      if (0x40...0x7e).contains(byte) { state = .text }
    case .text:
      takeText(byte, &keys)
    }
  }

  private mutating func takeText(_ byte: UInt8, _ keys: inout [Key]) {
    // A byte that does not continue a character ends the one before it.
    if byte & 0xc0 != 0x80 { begun = [] }
    switch byte {
    case 0x1b: state = .escaped
    case 0x0a, 0x0d: keys.append(.enter)
    case 0x08, 0x7f: keys.append(.backspace)
    default:
      begun.append(byte)
      guard begun.count == Self.length(begunWith: begun[0]) else { return }
      defer { begun = [] }
      guard let text = String(validating: begun, as: UTF8.self) else { return }
      keys += text.unicodeScalars.filter { !TerminalText.isControl($0) }.map(Key.scalar)
    }
  }

  /// Bytes of a character, by its first one.
  private static func length(begunWith byte: UInt8) -> Int {
    switch byte {
    case 0xf0...: 4
    case 0xe0...: 3
    case 0xc0...: 2
    default: 1
    }
  }
}
