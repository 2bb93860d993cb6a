internal import Recording
internal import Terminal
internal import Values

/// The time span of a session so far, used to check the times that a user enters.
struct SessionSpan {
  let session: Session
  /// The session's end, or an open session's latest stored time; `nil` if it is unknown or not
  /// needed.
  let latest: BootTime?
  /// The session's name in messages.
  let name: String

  /// The tolerance in seconds. Views show tenths of a second, so an end time copied from a view may
  /// be slightly too late.
  private static let rounding = 0.1

  /// Returns the moment given with an option. Throws if the moment is outside the session.
  func instant(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    try begun(reached(time, of: option), of: option)
  }

  /// Returns the moment given with an option. Throws if the moment is before the session; it may be
  /// after the end.
  func reached(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard time >= session.start else { throw complaint("began later", option) }
    return time
  }

  /// Returns the moment given with an option. Throws if the moment is after the session; it may be
  /// before the start.
  func begun(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard let latest else { return time }
    // Subtracting the times could overflow, because a typed year may be outside the clock's range.
    guard time <= latest.advanced(bySeconds: Self.rounding) else {
      let length = NumberText.fixed(latest.seconds(since: session.start), decimals: 1)
      throw complaint("is only \(length) s long", option)
    }
    return min(time, latest)
  }

  private func complaint(_ what: String, _ option: String) -> Complaint {
    Complaint(
      "session \(name) \(what)", remedy: "set \(option) to a time within the session",
      status: .usage)
  }
}
