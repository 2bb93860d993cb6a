internal import Terminal

/// Converts the bytes that a terminal sends into key presses.
///
/// A character's bytes may arrive in two reads. Control sequences, such as those of arrow keys, are
/// ignored.
public struct KeyDecoder: Sendable {
  /// A key press that the decoder recognises.
  public enum Key: Hashable, Sendable {
    /// A printable character.
    case scalar(Unicode.Scalar)
    /// The Enter key, which ends a line.
    case enter
    /// The Backspace key, which deletes the last character.
    case backspace
    /// The Escape key, which cancels the entry.
    case escape
  }

  private enum State: Sendable {
    case text
    /// An escape byte was read. If the same read contains another byte, a control sequence begins.
    case escaped
    /// The decoder is inside a control sequence, which ends with its final byte (ECMA-48).
    case sequence
  }

  private var state = State.text
  /// The first bytes of an incomplete character, at most three.
  private var begun: [UInt8] = []

  public init() {}

  /// Decodes the bytes from one read into keys. Control characters that are not keys, and invalid
  /// bytes, are skipped.
  public mutating func keys(of bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    if state == .escaped {
      // A control sequence arrives in a single read, so an escape byte at the end of a read is the
      // Escape key itself.
      state = .text
      keys.append(.escape)
    }
    return keys
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .escaped:
      // `[` and `O` begin longer sequences; any other byte is a key pressed with Alt.
      state = [0x5b, 0x4f].contains(byte) ? .sequence : .text
    case .sequence:
      if (0x40...0x7e).contains(byte) { state = .text }
    case .text:
      takeText(byte, &keys)
    }
  }

  private mutating func takeText(_ byte: UInt8, _ keys: inout [Key]) {
    // A byte that does not continue a character ends the incomplete one before it.
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

  /// Returns the number of bytes in a UTF-8 character, determined by its first byte.
  private static func length(begunWith byte: UInt8) -> Int {
    switch byte {
    case 0xf0...: 4
    case 0xe0...: 3
    case 0xc0...: 2
    default: 1
    }
  }
}
