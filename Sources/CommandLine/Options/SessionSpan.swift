internal import Recording
internal import Terminal
internal import Values

/// How long a session has lasted so far, held against instants that somebody names.
struct SessionSpan {
  let session: Session
  /// Its end, or how far it has come; `nil` where that is not known, or does not matter.
  let latest: BootTime?
  /// How messages name it.
  let name: String

  /// Views show tenths of a second: who names the end as they show it may be that much beyond it.
  private static let rounding = 0.1

  /// The instant that an option names, which has to be within the session.
  func instant(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    try begun(reached(time, of: option), of: option)
  }

  /// The instant that an option names, which may be after the session but not before it.
  func reached(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard time >= session.start else { throw complaint("began later", option) }
    return time
  }

  /// The instant that an option names, which may be before the session but not after it.
  func begun(_ time: BootTime, of option: String) throws(Complaint) -> BootTime {
    guard let latest else { return time }
    // A year that somebody names may be farther from it than a clock reaches.
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
