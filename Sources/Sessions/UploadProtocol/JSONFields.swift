internal import Recording
internal import Values

/// Reads the members of a received JSON object, and includes a member's path in error messages.
///
/// Each member is parsed only when it is read, so an object needs little more memory than its own
/// bytes.
struct JSONFields {
  /// Maximum number of members in an object, whether or not their names are known.
  private static let mostMembers = 10_000
  /// Maximum number of values in a member that is not a list of objects.
  private static let mostValues = 1_000
  /// Maximum length in bytes of a member that is not a list of objects.
  private static let mostBytes = 1 << 20
  /// Maximum number of objects in a list.
  static let mostObjects = 250_000

  private let bytes: [UInt8]
  private let members: [String: Range<Int>]
  private let path: String

  init(parsing bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes)
    try self.init(&parser, in: bytes, at: "")
    try parser.finish()
  }

  /// Parses the members of the next object.
  private init(
    _ parser: inout JSONParser, in bytes: [UInt8], at path: String
  ) throws(JSONError) {
    var members: [String: Range<Int>] = [:]
    let isObject = try parser.members { parser, name throws(JSONError) in
      members[name] = try parser.pass()
      guard members.count <= Self.mostMembers else {
        throw JSONError(path, "it has more than \(Self.mostMembers) members")
      }
    }
    guard isObject else { throw JSONError(path, "an object is expected") }
    self.bytes = bytes
    self.members = members
    self.path = path
  }

  func failure(_ name: String, _ reason: String) -> JSONError {
    JSONError(place(name), reason)
  }

  private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// Returns the byte range of a member's value; `nil` if the member is missing or null.
  private func range(_ name: String) -> Range<Int>? {
    guard let range = members[name], bytes[range.lowerBound] != UInt8(ascii: "n") else {
      return nil
    }
    return range
  }

  /// Whether the object has a member, and its value is not null.
  func has(_ name: String) -> Bool { range(name) != nil }

  /// Returns a member's value; `nil` if it is missing or null.
  func optional<Value>(
    _ name: String, _ expected: String, _ read: (JSON) -> Value?
  ) throws(JSONError) -> Value? {
    guard let range = range(name) else { return nil }
    guard range.count <= Self.mostBytes else {
      throw failure(name, "it has more than \(Self.mostBytes) bytes")
    }
    var parser = JSONParser(bytes, in: range, mostValues: Self.mostValues)
    guard let value = read(try parser.value()) else {
      throw failure(name, "\(expected) is expected")
    }
    return value
  }

  func required<Value>(
    _ name: String, _ expected: String, _ read: (JSON) -> Value?
  ) throws(JSONError) -> Value {
    guard let value = try optional(name, expected, read) else {
      throw failure(name, "\(expected) is missing")
    }
    return value
  }

  func text(_ name: String) throws(JSONError) -> String {
    try required(name, "a text", \.text)
  }

  func bool(_ name: String) throws(JSONError) -> Bool {
    try required(name, "true or false", \.bool)
  }

  func number(_ name: String) throws(JSONError) -> Double {
    try required(name, "a number", \.number)
  }

  func optionalNumber(_ name: String) throws(JSONError) -> Double? {
    try optional(name, "a number", \.number)
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(JSONError) -> Double {
    let (least, most) = (Int(range.lowerBound), Int(range.upperBound))
    return try required(name, "a number from \(least) to \(most)") { value in
      value.number.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Reads a position on the earth from the object's members.
  func position() throws(JSONError) -> GeoPosition {
    GeoPosition(
      latitude: try number("latitude", in: -90...90),
      longitude: try number("longitude", in: -180...180))
  }

  func count(_ name: String) throws(JSONError) -> Int {
    try required(name, "a count", Self.count)
  }

  func count(_ name: String, upTo most: Int) throws(JSONError) -> Int {
    try required(name, "a count up to \(most)") { value in
      Self.count(value).flatMap { $0 <= most ? $0 : nil }
    }
  }

  func sequence(_ name: String) throws(JSONError) -> UInt32 {
    try required(name, "a position", Self.sequence)
  }

  func optionalSequence(_ name: String) throws(JSONError) -> UInt32? {
    try optional(name, "a position", Self.sequence)
  }

  func id(_ name: String) throws(JSONError) -> UniqueID {
    try required(name, "an id") { $0.text.flatMap { UniqueID($0) } }
  }

  func address(_ name: String) throws(JSONError) -> BoardAddress {
    try required(name, "a board address", Self.address)
  }

  func optionalAddress(_ name: String) throws(JSONError) -> BoardAddress? {
    try optional(name, "a board address", Self.address)
  }

  /// Reads nanoseconds. They are encoded as strings because most programs read JSON numbers with a
  /// precision of only 53 bits.
  func boot(_ name: String) throws(JSONError) -> BootTime {
    BootTime(nanoseconds: try required(name, "nanoseconds as a string", Self.long))
  }

  func optionalBoot(_ name: String) throws(JSONError) -> BootTime? {
    try optional(name, "nanoseconds as a string", Self.long).map { BootTime(nanoseconds: $0) }
  }

  func utc(_ name: String) throws(JSONError) -> UTCTime {
    UTCTime(nanoseconds: try required(name, "nanoseconds as a string", Self.long))
  }

  func optionalUTC(_ name: String) throws(JSONError) -> UTCTime? {
    try optional(name, "nanoseconds as a string", Self.long).map { UTCTime(nanoseconds: $0) }
  }

  /// Returns the value represented by the word in a member. `word` maps each value to its word.
  func word<Value>(
    _ name: String, of values: [Value], _ word: (Value) -> String
  ) throws(JSONError) -> Value {
    guard let value = try optionalWord(name, of: values, word) else {
      throw failure(name, "\(Self.list(values.map(word))) is missing")
    }
    return value
  }

  /// Returns the value represented by the word in a member; `nil` if the member is missing or null.
  func optionalWord<Value>(
    _ name: String, of values: [Value], _ word: (Value) -> String
  ) throws(JSONError) -> Value? {
    try optional(name, Self.list(values.map(word))) { member in
      values.first { word($0) == member.text }
    }
  }

  /// Reads the objects of a list, in order.
  func objects(
    _ name: String, most: Int = Self.mostObjects,
    _ read: (JSONFields) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard let range = range(name) else { throw failure(name, "a list is missing") }
    var parser = JSONParser(bytes, in: range)
    var index = 0
    let isList = try parser.elements { parser throws(JSONError) in
      guard index < most else { throw failure(name, "it has more than \(most) elements") }
      try read(try JSONFields(&parser, in: bytes, at: "\(place(name))[\(index)]"))
      index += 1
    }
    guard isList else { throw failure(name, "a list is expected") }
  }

  func object(_ name: String) throws(JSONError) -> JSONFields {
    guard let object = try optionalObject(name) else {
      throw failure(name, "an object is missing")
    }
    return object
  }

  func optionalObject(_ name: String) throws(JSONError) -> JSONFields? {
    guard let range = range(name) else { return nil }
    var parser = JSONParser(bytes, in: range)
    return try JSONFields(&parser, in: bytes, at: place(name))
  }

  var names: some Collection<String> { members.keys }

  static func address(_ value: JSON) -> BoardAddress? { value.text.flatMap { BoardAddress($0) } }

  private static func count(_ value: JSON) -> Int? { value.integer.flatMap { $0 >= 0 ? $0 : nil } }

  private static func sequence(_ value: JSON) -> UInt32? {
    value.integer.flatMap { UInt32(exactly: $0) }
  }

  static func long<Number: FixedWidthInteger>(_ value: JSON) -> Number? {
    value.text.flatMap { Number($0) }
  }

  private static func list(_ words: [String]) -> String {
    "one of \(words.joined(separator: ", "))"
  }
}
