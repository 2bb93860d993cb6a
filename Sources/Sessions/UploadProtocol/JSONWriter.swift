internal import Recording
internal import Values

/// Writes JSON sequentially, without building a tree of values.
///
/// A day of recording has thousands of chunks and fixes. Building a tree of their values would take
/// longer than writing the text, and would need many times the memory. Members whose value is
/// unknown are omitted.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether a comma must precede the next value or name.
  private var isAfterValue = false

  /// Returns an object with these members, as JSON text.
  static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(members)
    return json.bytes
  }

  mutating func object(_ members: (inout JSONWriter) -> Void) {
    beginValue()
    bytes.append(UInt8(ascii: "{"))
    isAfterValue = false
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    isAfterValue = true
  }

  private mutating func beginValue() {
    if isAfterValue { bytes.append(UInt8(ascii: ",")) }
    isAfterValue = true
  }

  private mutating func begin(_ name: String) {
    beginValue()
    bytes.append(json: name)
    bytes.append(UInt8(ascii: ":"))
  }

  // MARK: - Members

  mutating func add(_ name: String, object members: (inout JSONWriter) -> Void) {
    begin(name)
    isAfterValue = false
    object(members)
  }

  mutating func add<Item>(
    _ name: String, objects items: [Item], _ members: (Item, inout JSONWriter) -> Void
  ) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    isAfterValue = false
    for item in items { object { members(item, &$0) } }
    bytes.append(UInt8(ascii: "]"))
    isAfterValue = true
  }

  mutating func add(_ name: String, texts: [String]) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    isAfterValue = false
    for text in texts {
      beginValue()
      bytes.append(json: text)
    }
    bytes.append(UInt8(ascii: "]"))
    isAfterValue = true
  }

  mutating func add(_ name: String, text: String?) {
    guard let text else { return }
    begin(name)
    bytes.append(json: text)
  }

  mutating func add(_ name: String, json value: JSONValue) {
    begin(name)
    bytes += value.bytes
  }

  mutating func add(_ name: String, id: UniqueID) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes += id.digits
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func add(_ name: String, address: BoardAddress?) {
    add(name, text: address?.description)
  }

  mutating func add(_ name: String, bool: Bool) {
    begin(name)
    bytes += (bool ? "true" : "false").utf8
  }

  mutating func add(_ name: String, number: Double?) {
    guard let number else { return }
    begin(name)
    bytes.append(json: number)
  }

  mutating func add(_ name: String, count: (some FixedWidthInteger)?) {
    guard let count else { return }
    begin(name)
    bytes.append(decimal: Int64(count))
  }

  /// Adds a 64-bit number as a string, because most programs read JSON numbers with a precision of
  /// only 53 bits.
  mutating func add(_ name: String, long: UInt64) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(decimal: long)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func add(_ name: String, boot: BootTime?) { add(name, nanoseconds: boot?.nanoseconds) }

  mutating func add(_ name: String, utc: UTCTime?) { add(name, nanoseconds: utc?.nanoseconds) }

  private mutating func add(_ name: String, nanoseconds: Int64?) {
    guard let nanoseconds else { return }
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(decimal: nanoseconds)
    bytes.append(UInt8(ascii: "\""))
  }
}
