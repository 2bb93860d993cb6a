internal import Values

/// The changes that an export makes to the dataset. The hidden folder contains them, so that the
/// next export can complete or undo an export that was killed.
struct BidsPlan {
  /// The name of the file in the hidden folder.
  static let name = "plan.tsv"
  /// The names in the hidden folder of a replaced session and of its source data.
  static let formerNames = ["former-0", "former-1"]

  /// The labels of the session that is added.
  var place: BidsStudy.Place
  /// Its labels before, if it is replaced.
  var former: BidsStudy.Place?
  /// Whether the table of participants did not contain the participant.
  var addsParticipant: Bool

  /// The former labels, if they are others.
  var moved: BidsStudy.Place? { former == place ? nil : former }
}

extension BidsPlan {
  private static let header = ["change", "subject", "session"]

  var text: String {
    var table = TabTable(header: Self.header)
    table.append([addsParticipant ? "participant" : "session", place.subject, place.session])
    if let former { table.append(["former", former.subject, former.session]) }
    return table.text
  }

  /// Reads a plan; `nil` if the text is not a plan.
  init?(parsing text: String) {
    let table = TabTable(parsing: text)
    guard table.header == Self.header, let new = table.rows.first else { return nil }
    place = BidsStudy.Place(subject: new[1], session: new[2])
    addsParticipant = new[0] == "participant"
    former = table.rows.dropFirst().first.map { .init(subject: $0[1], session: $0[2]) }
  }
}
