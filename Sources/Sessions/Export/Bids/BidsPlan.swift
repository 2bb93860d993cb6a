internal import Values

/// The changes that an export makes to the dataset. They are stored in the hidden folder, so the
/// next export can complete or undo an export that was killed.
struct BidsPlan {
  static let name = "plan.tsv"
  /// The names that a replaced session and its source data get in the hidden folder.
  static let formerNames = ["former-0", "former-1"]

  /// The labels of the session that is being added.
  var place: BidsStudy.Place
  /// The previous labels of the session, if the dataset already contained it.
  var former: BidsStudy.Place?
  /// Whether the participant is new to the table of participants.
  var addsParticipant: Bool

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

  init?(parsing text: String) {
    let table = TabTable(parsing: text)
    guard table.header == Self.header, let new = table.rows.first else { return nil }
    place = BidsStudy.Place(subject: new[1], session: new[2])
    addsParticipant = new[0] == "participant"
    former = table.rows.dropFirst().first.map { .init(subject: $0[1], session: $0[2]) }
  }
}
