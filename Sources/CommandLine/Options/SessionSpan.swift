internal import Recording
internal import Terminal
internal import Values

/// The duration of a session so far, to check typed moments.
struct SessionSpan {
  let session: Session
  /// The end of the session, or the latest stored time; `nil` where it is unknown or does not
  /// matter.
  let latest: BootTime?
  /// The name of the session in messages.
  let name: String

  /// Views show tenths of a second, so a typed end may be that much too late.
  private static let rounding = 0.1

  /// The moment that an option names, which must be within the session.
  func instant(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    try begun(reached(time, of: option), of: option)
  }

  /// The moment that an option names, which may be after the session but not before it.
  func reached(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard time >= session.start else { throw complaint("began later", option) }
    return time
  }

  /// The moment that an option names, which may be before the session but not after it.
  func begun(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard let latest else { return time }
    // A typed year may be further away than the clock reaches.
    guard time <= latest.advanced(bySeconds: Self.rounding) else {
      let length = NumberText.fixed(latest.seconds(since: session.start), decimals: 1)
      throw complaint("is only \(length) s long", option)
    }
    return min(time, latest)
  }

  private func complaint(_ what: String, _ option: String) -> Complaint {
    Complaint(
      "session \(name) \(what)", remedy: "give \(option) a time within it", status: .usage)
  }
}
