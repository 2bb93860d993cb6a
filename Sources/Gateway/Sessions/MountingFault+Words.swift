public import Recording
internal import Values

/// A mounting fault in words.
extension MountingFault {
  /// The board's label. If two boards are swapped, the left board's label.
  public var subject: String { places.first ?? "" }

  /// The fault as a clause in which "it" refers to the board.
  public var text: String {
    switch kind {
    case .swapped: "it seems to be swapped with \(places.last ?? "")"
    case .upsideDown: "it is upside down compared with the participant's last session"
    case .turned:
      "it is turned by \(degrees ?? 0)° compared with the participant's last session"
    case .loose: "its strap is loose: it moves on the body"
    }
  }

  /// An instruction for the user. `session` is the session as written on the command line.
  public func remedy(in session: String) -> String {
    switch kind {
    case .swapped:
      "check which side each board is on; if they are swapped, correct the labels with "
        + "'footbridge session edit \(session) --swap "
        + boards.map(\.description).joined(separator: ",") + "'"
    case .upsideDown, .turned: "attach it as in the last session"
    case .loose: "tighten the strap"
    }
  }
}
