internal import Values

extension SessionRecord {
  /// Calls a function for each string that a person, a board or another program supplied. The
  /// arguments are the string, its name, and whether multiple lines are allowed. The strings of
  /// streams are excluded, since `StreamDescription.fault` checks them.
  public mutating func changeTexts(
    _ change: (_ text: inout String, _ what: String, _ mayHaveLines: Bool) -> Void
  ) {
    change(&session.wearer, "wearer", false)
    session.participant?.changeTexts { change(&$0, "description of the participant", false) }
    change(&session.gateway, "gateway's name", false)
    change(&session.note, "note", true)
    for index in boards.indices {
      boards[index].changeTexts { change(&$0, $1, false) }
    }
    for board in placements.keys {
      change(&placements[board, default: ""], "placement of a board", false)
    }
    for index in hazards.indices { change(&hazards[index].name, "name of a hazard", false) }
    for index in annotations.indices { change(&annotations[index].text, "remark", true) }
    // Some events contain an error message, or an edited note.
    for index in events.indices { change(&events[index].text, "text of an event", true) }
  }

  /// The record with each control character replaced by a visible symbol.
  public var cleaned: SessionRecord {
    var record = self
    record.changeTexts { text, _, mayHaveLines in
      text = PlainText.cleaned(text, mayHaveLines: mayHaveLines)
    }
    return record
  }
}

extension Participant {
  fileprivate mutating func changeTexts(_ change: (inout String) -> Void) {
    change(&id)
    for text in [\Participant.age, \.group] {
      guard var changed = self[keyPath: text] else { continue }
      change(&changed)
      self[keyPath: text] = changed
    }
    for name in details.keys { change(&details[name, default: ""]) }
  }
}

extension BoardIdentity {
  /// Calls `change` with each string that describes the board, and with the string's name.
  public mutating func changeTexts(_ change: (_ text: inout String, _ what: String) -> Void) {
    change(&name, "name of a board")
    change(&model, "model of a board")
    change(&firmware, "firmware of a board")
  }
}
