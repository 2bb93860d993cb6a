internal import Terminal
internal import Values

/// The result of a verification: what agrees, and what differs.
struct Verification {
  /// One verified thing: a hash, a file, a stream or a figure.
  struct Finding {
    var subject: String
    /// The difference, as a phrase; `nil` if the subject agrees.
    var difference: String?
    /// A remark on a subject that agrees, or that could not be verified.
    var remark = ""
  }

  var findings: [Finding] = []

  var agrees: Bool { findings.allSatisfy { $0.difference == nil } }

  mutating func add(_ subject: String, _ difference: String? = nil, remark: String = "") {
    findings.append(Finding(subject: subject, difference: difference, remark: remark))
  }

  /// Adds a comparison of two texts, such as hashes.
  mutating func compare(_ subject: String, _ former: String, _ now: String, remark: String = "") {
    add(subject, former == now ? nil : "\(former) before, \(now) now", remark: remark)
  }

  var lines: [String] {
    findings.map { finding in
      let text = finding.difference ?? (finding.remark.isEmpty ? "agrees" : finding.remark)
      return (finding.difference == nil ? "  " : "✗ ") + finding.subject + ": "
        + TerminalText.harmless(text)
    } + [agrees ? "Everything agrees." : "Something differs: see the lines marked with ✗."]
  }

  var json: JSONValue {
    .object([
      .init("agrees", agrees),
      .init(
        "findings",
        .array(
          findings.map {
            [
              "subject": $0.subject.json, "agrees": ($0.difference == nil).json,
              "difference": $0.difference.json, "remark": $0.remark.json,
            ]
          })),
    ])
  }
}

extension Verification {
  /// Members of a certificate that differ between two certificates of the same recording.
  private static let incidental: Set<String> = [
    "issued", "issuedBy", "commit", "blake2b", "methods", "citation",
  ]

  /// Compares the figures of two certificates, and adds a finding for each difference.
  mutating func compare(certificate former: JSON, with now: JSON) {
    guard case .object(let old) = former, case .object(let new) = now else { return }
    let count = findings.count
    for name in Set(old.keys).union(new.keys).subtracting(Self.incidental).sorted() {
      compare(name, old[name] ?? .null, new[name] ?? .null)
    }
    if findings.count == count { add("figures") }
  }

  private mutating func compare(_ path: String, _ former: JSON, _ now: JSON) {
    switch (former, now) {
    case (.object(let old), .object(let new)):
      for name in Set(old.keys).union(new.keys).sorted() {
        // A stream's hash is a figure of the stream, not an incidental member.
        compare("\(path).\(name)", old[name] ?? .null, new[name] ?? .null)
      }
    case (.object, .null): compare(path, former, .object([:]))
    case (.null, .object): compare(path, .object([:]), now)
    case (.list(let old), .list(let new)) where old.count == new.count:
      for (place, pair) in zip(old, new).enumerated() {
        compare("\(path)[\(Self.label(pair.0) ?? "\(place)")]", pair.0, pair.1)
      }
    case (let old, let new) where old != new:
      add(path, "\(Self.text(old)) in the certificate, \(Self.text(new)) now")
    default: break
    }
  }

  /// The members that identify an element of a list; `nil` if there are none.
  private static func label(_ element: JSON) -> String? {
    let parts = [element["board"], element["address"], element["signal"], element["task"]]
      .compactMap { $0?.text }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private static func text(_ json: JSON) -> String {
    switch json {
    case .null: "nothing"
    case .bool(let value): "\(value)"
    case .number(let value): NumberText.plain(value)
    case .text(let value): "'\(value)'"
    case .list(let list):
      list.isEmpty
        ? "nothing"
        : list.prefix(3).map(text).joined(separator: ", ")
          + (list.count > 3 ? " and \(list.count - 3) more" : "")
    case .object: "an object"
    }
  }
}
