internal import Terminal
internal import Values

/// A verification's result: what agrees, and what differs.
struct Verification {
  /// One verified item: a hash, a file, a stream or a figure.
  struct Finding {
    var subject: String
    /// The difference, as a phrase; `nil` if the subject agrees.
    var difference: String?
    /// A remark on a subject that agrees or could not be verified.
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
  /// Members that differ even between two certificates of the same recording.
  private static let incidental: Set<String> = ["issued", "issuedBy", "commit", "blake2b"]
  /// Members of a certificate that other versions of the program may word differently.
  private static let derived: Set<String> = ["methods", "citation"]

  /// Compares two certificates' figures and texts, and adds a finding for each difference.
  mutating func compare(certificate former: JSON, with now: JSON) {
    guard case .object(let old) = former, case .object(let new) = now else { return }
    let count = findings.count
    let isSameVersion = ["issuedBy", "commit"].allSatisfy { former[$0] == now[$0] }
    let ignored = isSameVersion ? Self.incidental : Self.incidental.union(Self.derived)
    compare(old, new, without: ignored, in: "certificate")
    if findings.count == count { add("figures") }
    guard !isSameVersion else { return }
    let issuer = former["issuedBy"]?.text ?? "an unknown program"
    add("methods and citation", remark: "not checked: \(issuer) may word them differently")
    if !agrees {
      add(
        "issuer", remark: "\(issuer) issued the certificate; other versions may round differently")
    }
  }

  /// Members of a description that depend on the export as well as the session.
  private static let ofExport: Set<String> = [
    "from", "to", "content", "files", "exported", "columnUnits",
  ]

  /// Compares an export's description with one of the whole session.
  mutating func compare(description former: JSON, with now: JSON) {
    guard case .object(let old) = former, case .object(var new) = now else { return }
    let count = findings.count
    // The export may contain only some boards and signals.
    for (name, keys) in [("boards", ["address"]), ("streams", ["board", "signal"])] {
      let listed = Set((old[name]?.list ?? []).map { entry in keys.map { entry[$0] } })
      let kept = (new[name]?.list ?? []).filter { entry in
        listed.contains(keys.map { entry[$0] })
      }
      new[name] = .list(kept)
    }
    compare(old, new, without: Self.ofExport, in: "description")
    if findings.count == count {
      add("description", remark: "the session has the same description")
    }
  }

  /// Compares two objects' members. `path` is the prefix of the members' names, with a trailing
  /// dot.
  private mutating func compare(
    _ old: [String: JSON], _ new: [String: JSON], at path: String = "",
    without ignored: Set<String> = [], in place: String
  ) {
    for name in Set(old.keys).union(new.keys).subtracting(ignored).sorted() {
      compare(path + name, old[name] ?? .null, new[name] ?? .null, in: place)
    }
  }

  private mutating func compare(_ path: String, _ former: JSON, _ now: JSON, in place: String) {
    switch (former, now) {
    // A stream's hash is one of its figures, not an incidental member.
    case (.object(let old), .object(let new)): compare(old, new, at: path + ".", in: place)
    case (.object, .null): compare(path, former, .object([:]), in: place)
    case (.null, .object): compare(path, .object([:]), now, in: place)
    // Shifting a clock changes all of its entries, so they are not compared one by one.
    case (.list(let old), .list(let new)) where path == "clock" && old != new:
      add(path, "its \(old.count) entries differ from the \(new.count) entries now")
    case (.list(let old), .list(let new)) where old.count == new.count:
      for (number, pair) in zip(old, new).enumerated() {
        let label = Self.label(pair.0) ?? "\(number)"
        compare("\(path)[\(label)]", pair.0, pair.1, in: place)
      }
    case (let old, let new) where old != new:
      add(path, "\(Self.text(old)) in the \(place), \(Self.text(new)) now")
    default: break
    }
  }

  /// Joins the members that identify a list element; `nil` if there are none.
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

extension JSON {
  /// Parses a document. Throws if an object has two members with the same name, since programs
  /// disagree about which one counts.
  init(parsingUnambiguous bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes)
    try Self.refuseDuplicates(&parser)
    self = try JSON(parsing: bytes)
  }

  private static func refuseDuplicates(_ parser: inout JSONParser) throws(JSONError) {
    var names: Set<String> = []
    let isObject = try parser.members { parser, name throws(JSONError) in
      guard names.insert(name).inserted else {
        throw JSONError(name, "the object has this member twice")
      }
      try refuseDuplicates(&parser)
    }
    guard !isObject else { return }
    let isList = try parser.elements { parser throws(JSONError) in
      try refuseDuplicates(&parser)
    }
    if !isList { _ = try parser.pass() }
  }
}
