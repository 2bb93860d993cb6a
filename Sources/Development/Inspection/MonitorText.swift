internal import MetaWearProtocol
internal import Values

/// Reads the output of `btmon`, as of BlueZ 5.66. Each frame has a line with direction, number and
/// time, followed by indented lines with its content.
struct MonitorText {
  private struct Frame {
    var link: UInt32?
    var time: String?
    var operation: AttributeOperation?
    /// The value's length in bytes, as given in the frame.
    var length = 0
    var handle: UInt16?
    /// The bytes read so far from the frame's hexadecimal lines.
    var dump: [UInt8] = []
  }

  /// The number of values that were skipped because they belong to other devices or services.
  private(set) var passedOver = 0
  private var frame: Frame?
  private var filter = AttributeFilter()

  /// Whether a line can only come from `btmon`.
  static func isRecognised(_ line: Substring) -> Bool {
    ["Bluetooth monitor ver", "> ACL ", "< ACL ", "> HCI ", "< HCI ", "@ ", "= "]
      .contains { line.hasPrefix($0) }
  }

  mutating func read(_ line: Substring, at place: CapturedPacket.Place) -> CaptureItem? {
    guard line.first?.isWhitespace == true else {
      frame = Self.frame(line)
      return nil
    }
    guard frame != nil else { return nil }
    let text = trimmed(line)
    if let words = text.after("ATT: ") {
      begin(words)
    } else if let words = text.after("Handle: ") {
      frame?.handle = words.firstNumber
      if AttributeFilter.namesBoard(words), let handle = words.firstNumber {
        filter.discover(link: frame?.link, handle: handle, isBoard: true)
      }
    } else if text.hasPrefix("Data") || text.hasPrefix("Value") {
      return value(text, at: place)
    } else if let bytes = Self.dumped(text) {
      return take(bytes, at: place)
    }
    return nil
  }

  private static func frame(_ line: Substring) -> Frame? {
    guard line.hasPrefix("> ACL ") || line.hasPrefix("< ACL ") else { return nil }
    var frame = Frame()
    frame.link = line.range(after: "Handle ").flatMap { $0.firstDecimal }
    // A frame's number follows its kind, and precedes its adapter and time.
    if let number = line.lastIndex(of: "#") {
      let words = line[number...].split(whereSeparator: \.isWhitespace).dropFirst()
      let time = words.drop { $0.hasPrefix("[") }.joined(separator: " ")
      frame.time = time.isEmpty ? nil : time
    }
    return frame
  }

  private mutating func begin(_ words: Substring) {
    let code = words.range(after: "(").flatMap { $0.firstNumber }
    frame?.operation = code.flatMap { AttributeOperation(rawValue: UInt8(truncatingIfNeeded: $0)) }
    // The length in the frame includes the two-byte handle.
    frame?.length = max(0, Int(words.range(after: " len ").flatMap { $0.firstDecimal } ?? 0) - 2)
    frame?.handle = nil
    frame?.dump = []
  }

  /// Parses `Data: 0304…` and `Data[16]: 0304…`, and both forms with `Value`.
  private mutating func value(_ text: Substring, at place: CapturedPacket.Place) -> CaptureItem? {
    guard let colon = text.firstIndex(of: ":"), let frame, let operation = frame.operation else {
      return nil
    }
    let name = text[..<colon]
    guard name == "Data" || name == "Value" || name.hasSuffix("]") else { return nil }
    do {
      let bytes = try HexLine.bytes(text[text.index(after: colon)...])
      if operation == .readByTypeResponse {
        filter.discover(link: frame.link, declaration: bytes[...])
        return nil
      }
      return take(bytes, at: place)
    } catch {
      return operation.direction == nil ? nil : .unreadable(place, reason: error.reason)
    }
  }

  /// Parses a line of hexadecimal digit pairs, which may be followed by the same bytes as
  /// characters.
  private static func dumped(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if word.isEmpty { break }
      guard word.count == 2, let byte = UInt8(word, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : bytes
  }

  private mutating func take(_ bytes: [UInt8], at place: CapturedPacket.Place) -> CaptureItem? {
    guard let direction = frame?.operation?.direction, let handle = frame?.handle else {
      return nil
    }
    frame?.dump += bytes
    guard let frame, frame.dump.count >= frame.length else { return nil }
    self.frame?.operation = nil
    guard filter.accepts(frame.dump, link: frame.link, handle: handle) else {
      passedOver += 1
      return nil
    }
    return .packet(
      CapturedPacket(
        place: place, time: frame.time, link: frame.link, direction: direction, bytes: frame.dump))
  }
}

extension Substring {
  /// Returns the text after a prefix; `nil` if the string starts differently.
  fileprivate func after(_ start: String) -> Substring? {
    hasPrefix(start) ? dropFirst(start.count) : nil
  }

  /// Returns the text after the first occurrence of `text`; `nil` if there is none.
  fileprivate func range(after text: String) -> Substring? {
    firstRange(ofText: text).map { self[$0.upperBound...] }
  }

  /// The hexadecimal number at the start of the string, as in `0x0011`.
  fileprivate var firstNumber: UInt16? {
    after("0x").flatMap { UInt16($0.prefix(while: \.isHexDigit), radix: 16) }
  }

  fileprivate var firstDecimal: UInt32? { UInt32(prefix(while: \.isNumber)) }
}
