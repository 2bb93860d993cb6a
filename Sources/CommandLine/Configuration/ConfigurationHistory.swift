internal import LinuxSystem
internal import Values

/// The versions of a configuration file, and what each of them changed.
struct ConfigurationHistory {
  /// A version.
  struct Version: Hashable {
    /// Its number; 0 is the present file.
    let number: Int
    /// When it was written.
    let written: UTCTime?
    /// Its changes to the version before it; `nil` for the oldest.
    let change: String?
  }

  /// The versions, the present one first.
  let versions: [Version]

  /// The history of a file.
  init(_ file: ConfigurationFile) throws {
    var texts: [(number: Int, bytes: [UInt8])] = []
    for number in 0...ConfigurationFile.mostVersions {
      if let bytes = try file.bytes(ofVersion: number) { texts.append((number, bytes)) }
    }
    versions = texts.enumerated().map { index, one in
      let former = texts.dropFirst(index + 1).first
      return Version(
        number: one.number, written: file.timeWritten(ofVersion: one.number),
        change: former.map { Self.change(from: $0.bytes, to: one.bytes) })
    }
  }

  /// The most keys that one line names.
  private static let mostNamed = 4

  /// The differences of a text, in one line.
  static func change(
    from former: [UInt8], to present: [UInt8], naming mostNamed: Int = mostNamed
  ) -> String {
    guard former != present else { return "nothing" }
    let old = keys(former)
    let new = keys(present)
    let added = new.keys.filter { old[$0] == nil }.map { "added \($0)" }
    let removed = old.keys.filter { new[$0] == nil }.map { "removed \($0)" }
    let changed = new.keys.filter { old[$0] != nil && old[$0] != new[$0] }.map { "changed \($0)" }
    let all = changed.sorted() + added.sorted() + removed.sorted()
    guard !all.isEmpty else { return "changed comments or order only" }
    let rest = all.count - mostNamed
    return all.prefix(mostNamed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The values of each key, as they are written. Sections without keys have one without a value.
  private static func keys(_ bytes: [UInt8]) -> [String: [String]] {
    var parser = ConfigurationParser(file: "")
    parser.parse(bytes)
    var keys: [String: [String]] = [:]
    for part in parser.parts {
      let heading = [part.section.rawValue, part.name].filter { !$0.isEmpty }
        .joined(separator: " ")
      for entry in part.entries { keys["\(heading).\(entry.key)", default: []].append(entry.value) }
    }
    return keys
  }

  /// A line for each version, no wider than `width`.
  func lines(inUTC: Bool, within width: Int = .max) -> [String] {
    var table = TextTable([.init("version"), .init("written"), .init("change")])
    for version in versions {
      table.append([
        version.number == 0 ? "present" : "\(version.number)",
        SessionText.date(version.written, inUTC: inUTC) ?? "–",
        TerminalText.harmless(version.change ?? "the oldest one that is kept"),
      ])
    }
    return table.lines(within: width)
  }

  /// The versions for a program.
  var json: JSONValue {
    .array(
      versions.map { version in
        .object([
          .init("version", .integer(Int64(version.number))),
          .init("written", version.written.map { .string($0.iso8601(decimals: 0)) } ?? .null),
          .init("change", version.change.map { .string($0) } ?? .null),
        ])
      })
  }
}
