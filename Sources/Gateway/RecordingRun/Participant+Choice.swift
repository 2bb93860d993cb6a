public import Recording
public import Values

extension Participant {
  /// The error for an invalid pseudonym, or for one that the definitions do not list.
  public struct Unknown: Remediable, Hashable {
    public var message: String
    public var remedy: String
  }

  /// Returns the listed participant with this pseudonym, ignoring case, or `nil` if there is none.
  public static func find(_ id: String, among participants: [Participant]) -> Participant? {
    participants.first { $0.id == id }
      ?? participants.first { $0.id.lowercased() == id.lowercased() }
  }

  /// Returns the participant that a user chose by pseudonym. Without a list, every pseudonym is
  /// accepted.
  public static func chosen(
    _ id: String, among participants: [Participant]
  ) throws(Unknown) -> Participant {
    guard isID(id) else {
      throw Unknown(message: "'\(id)' is not a pseudonym", remedy: "a pseudonym \(rule)")
    }
    guard !participants.isEmpty else { return Participant(id) }
    if let found = find(id, among: participants) { return found }
    let known = participants.prefix(mostNamed).map(\.id).joined(separator: ", ")
    let more = participants.count > mostNamed ? " and \(participants.count - mostNamed) more" : ""
    throw Unknown(
      message: "the definitions list no participant '\(id)'",
      remedy: "choose one of \(known)\(more), or add the participant to the definitions")
  }

  /// The maximum number of pseudonyms that an error message lists.
  private static let mostNamed = 10
}
