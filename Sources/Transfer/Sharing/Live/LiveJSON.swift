internal import Values

/// Reads a message's members, checking the type of each. Unknown members are ignored.
struct LiveJSON {
  /// The maximum number of values in a message. A parsed tree needs much more memory than the
  /// message itself.
  private static let mostValues = 4_000

  private let members: JSON
  private let prefix: String

  init(parsing bytes: [UInt8]) throws(LiveFault) {
    var parser = JSONParser(bytes, mostValues: Self.mostValues)
    do throws(JSONError) {
      let value = try parser.value()
      try parser.finish()
      self.init(value, prefix: "")
    } catch {
      throw .notJSON
    }
    guard case .object = members else { throw .notJSON }
  }

  private init(_ members: JSON, prefix: String) {
    self.members = members
    self.prefix = prefix
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  private func fault(_ name: String) -> LiveFault { .wrong(prefix + name) }

  func bool(_ name: String) throws(LiveFault) -> Bool {
    guard let value = members[name]?.bool else { throw fault(name) }
    return value
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(LiveFault) -> Double {
    guard let value = members[name]?.number, range.contains(value) else { throw fault(name) }
    return value
  }

  func optionalNumber(
    _ name: String, in range: ClosedRange<Double>
  ) throws(LiveFault) -> Double? {
    has(name) ? try number(name, in: range) : nil
  }

  func count(_ name: String) throws(LiveFault) -> Int {
    guard let value = members[name]?.integer, value >= 0 else { throw fault(name) }
    return value
  }

  func text(_ name: String) throws(LiveFault) -> String {
    guard let value = members[name]?.text, value.utf8.count <= LiveText.longest,
      LiveText.isPlain(value)
    else { throw fault(name) }
    return value
  }

  func time(_ name: String) throws(LiveFault) -> UTCTime {
    guard let value = UTCTime(iso8601: try text(name)) else { throw fault(name) }
    return value
  }

  func id(_ name: String) throws(LiveFault) -> UniqueID {
    guard let value = UniqueID(try text(name)) else { throw fault(name) }
    return value
  }

  func object(_ name: String) throws(LiveFault) -> LiveJSON? {
    guard let value = members[name] else { return nil }
    guard case .object = value else { throw fault(name) }
    return LiveJSON(value, prefix: "\(name).")
  }

  func list(_ name: String, upTo most: Int) throws(LiveFault) -> [LiveJSON] {
    guard let values = members[name]?.list, values.count <= most else { throw fault(name) }
    return values.map { LiveJSON($0, prefix: "\(name).") }
  }

  /// Checks the message's format version. In a later version, members may have different meanings.
  func checkFormat() throws(LiveFault) {
    guard members["format"]?.integer == 1 else { throw fault("format") }
  }
}
