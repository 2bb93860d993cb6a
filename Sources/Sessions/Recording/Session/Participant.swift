public import Values

/// A person who takes part in a study, known only by a pseudonym.
///
/// Definitions list the participants of a study. Each session keeps a copy of its participant's
/// description, so later changes to the definitions do not affect it.
public struct Participant: Hashable, Sendable {
  /// The side of the body that the study examines.
  public enum Side: String, Hashable, Sendable, CaseIterable {
    case left
    case right
    case both
  }

  /// The reason why a JSON value is not a valid participant.
  public struct Fault: Error, Hashable, CustomStringConvertible {
    /// The invalid member; empty if the whole value is invalid.
    public var member: String
    /// The requirement that the member does not meet, as a phrase that begins with "must".
    public var reason: String

    public var description: String {
      member.isEmpty ? "a participant \(reason)" : "'\(member)' \(reason)"
    }
  }

  /// The pseudonym, such as `P07`.
  public var id: String
  /// Body height in metres.
  public var height: Double?
  public var side: Side?
  /// The age band, such as `40–49`.
  public var age: String?
  /// The group within the study, such as `control`.
  public var group: String?
  /// Further details, which are meaningful only to the study.
  public var details: [String: String]

  public static let mostDetails = 20
  /// The maximum number of characters in a detail, or in an age band or group.
  private static let longestText = 200
  /// The maximum number of characters in a pseudonym, or in a detail's name.
  private static let longestName = 40
  /// Plausible body heights in metres. The limits exclude heights in centimetres.
  private static let heights = 0.3...2.8
  /// The rule for pseudonyms, as a clause that follows "a pseudonym, which".
  public static let rule =
    "has up to \(longestName) characters on one line, and does not begin with a hyphen or a space"

  public init(
    _ id: String, height: Double? = nil, side: Side? = nil, age: String? = nil,
    group: String? = nil, details: [String: String] = [:]
  ) {
    self.id = id
    self.height = height
    self.side = side
    self.age = age
    self.group = group
    self.details = details
  }

  /// Whether a text is a valid pseudonym.
  public static func isID(_ text: String) -> Bool {
    !text.isEmpty && text.first != " " && text.last != " " && text.first != "-"
      && LineOfText.isFit(text, upTo: longestName)
  }
}

// MARK: - JSON

extension Participant: JSONReadable {
  private static let members: Set<String> = ["id", "height", "side", "age", "group"]

  /// Members without a value are omitted.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [.init("id", id)]
    if let height { members.append(.init("height", height)) }
    if let side { members.append(.init("side", side.rawValue)) }
    if let age { members.append(.init("age", age)) }
    if let group { members.append(.init("group", group)) }
    members += details.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }
    return .object(members)
  }

  /// Members unknown to this version become details, unless their value is empty, null, a list or
  /// an object.
  public init(checking json: JSON) throws(Fault) {
    guard case .object(let members) = json else {
      throw Fault(member: "", reason: "must be an object")
    }
    guard let id = members["id"]?.text, Self.isID(id) else {
      throw Fault(member: "id", reason: "must be a pseudonym, which \(Self.rule)")
    }
    self.init(id)
    if let height = json["height"] {
      guard let metres = height.number, Self.heights.contains(metres) else {
        throw Fault(
          member: "height",
          reason: "must be a height in metres, from \(Self.heights.lowerBound) to "
            + "\(Self.heights.upperBound)")
      }
      self.height = metres
    }
    if let side = json["side"] {
      guard let known = side.text.flatMap(Side.init(rawValue:)) else {
        throw Fault(member: "side", reason: "must be left, right or both")
      }
      self.side = known
    }
    age = try Self.text(json["age"], "age")
    group = try Self.text(json["group"], "group")
    for (name, value) in members where !Self.members.contains(name) {
      guard LineOfText.isFit(name, upTo: Self.longestName), !name.isEmpty else {
        throw Fault(
          member: PlainText.cleaned(String(name.prefix(Self.longestName))),
          reason: "must be a name of up to \(Self.longestName) characters on one line")
      }
      if let text = try Self.text(value, name) { details[name] = text }
    }
    guard details.count <= Self.mostDetails else {
      throw Fault(member: "", reason: "must not have more than \(Self.mostDetails) further members")
    }
  }

  package init?(json: JSON) {
    do throws(Fault) { try self.init(checking: json) } catch { return nil }
  }

  private static func text(_ value: JSON?, _ name: String) throws(Fault) -> String? {
    let text: String
    switch value {
    case .text(let value): text = value
    case .number(let value): text = NumberText.plain(value)
    case .bool(let value): text = value ? "true" : "false"
    case .null, .list, .object, nil: return nil
    }
    guard LineOfText.isFit(text, upTo: longestText) else {
      throw Fault(
        member: name, reason: "must be text of up to \(longestText) characters on one line")
    }
    return text.isEmpty ? nil : text
  }
}
