internal import Recording
public import Terminal
public import Values

/// Collects the keys that the user presses in a live view. A completed entry results in an action.
public struct KeyEntry: Sendable {
  /// The actions that the user can select with keys.
  public enum Offer: Sendable {
    /// Record hazards and remarks, and pause or end the recording.
    case recording
    /// End the view.
    case view
  }

  /// The action that results from a completed entry.
  public enum Action: Hashable, Sendable {
    /// Record a hazard, which the user encountered when the entry began.
    case hazard(name: String, intensity: Int, at: BootTime)
    /// Record a remark about the moment at which the entry began. `isCut` means that the remark was
    /// truncated.
    case note(String, isCut: Bool = false, at: BootTime)
    /// Begin the task with this id; if the id is empty, end the running task.
    case task(String, at: BootTime)
    /// Pause the recording, or resume it.
    case pause(at: BootTime)
    /// End the recording or the view.
    case end
  }

  /// An entry's state while the user types.
  enum State: Hashable, Sendable {
    /// No entry has begun. Next states: `choosing`, `writing`, `ending`.
    case idle
    /// The user encountered a hazard, and has not chosen its name yet. Next states: `grading` after
    /// the hazard's number, or `idle`.
    case choosing(since: BootTime)
    /// The user has chosen a hazard. Next states: `idle` after the intensity, or `choosing` after
    /// Backspace.
    case grading(name: String, since: BootTime)
    /// The user is writing a remark. Once the remark is truncated, further characters are ignored.
    /// Next states: `idle`, `ending`.
    case writing(String, isCut: Bool, since: BootTime)
    /// The user is writing a task's id. Next state: `idle`.
    case tasking(String, since: BootTime)
    /// The user ended the recording or view. This state is final, so a further key does not act
    /// like a second Ctrl-C.
    case ending
  }

  let offer: Offer
  private(set) var state = State.idle
  private var message: (lines: [ViewLine], end: BootTime)?

  /// Seconds for which a response is shown.
  static let answerSeconds = 5.0
  /// Seconds for which an error and its remedy are shown.
  static let errorSeconds = 12.0

  public init(_ offer: Offer) {
    self.offer = offer
  }

  /// Processes the keys that one read returned at `now`. Returns the completed actions.
  ///
  /// A read usually contains one key or an entire paste. In pasted text, a line break becomes a
  /// space, and no letter ends or pauses a recording. Keys that a slow connection delivers together
  /// look like pasted text, so the response asks the user to press the key again.
  public mutating func take(_ keys: [KeyDecoder.Key], at now: BootTime) -> [Action] {
    keys.indices.compactMap { position in
      take(
        keys[position], at: now, isAlone: keys.count == 1, isLast: position == keys.count - 1)
    }
  }

  private mutating func take(
    _ key: KeyDecoder.Key, at now: BootTime, isAlone: Bool, isLast: Bool
  ) -> Action? {
    switch (state, key) {
    case (.ending, _): return nil
    case (.idle, .scalar(let scalar)):
      return begin(scalar, at: now, isAlone: isAlone)
    case (.idle, _): return nil
    case (_, .escape): state = .idle
    case (.choosing(let since), .scalar(let digit)):
      guard let number = Self.digit(digit), Hazard.usualNames.indices.contains(number - 1) else {
        break
      }
      state = .grading(name: Hazard.usualNames[number - 1], since: since)
    case (.grading(let name, let since), .scalar(let digit)):
      guard let intensity = Self.digit(digit), Hazard.intensities.contains(intensity) else { break }
      state = .idle
      return .hazard(name: name, intensity: intensity, at: since)
    case (.grading(_, let since), .backspace): state = .choosing(since: since)
    case (.choosing, .backspace): state = .idle
    case (.choosing, .enter), (.grading, .enter): break
    case (.tasking(let id, let since), .enter) where isLast:
      state = .idle
      return .task(id, at: since)
    case (.tasking(let id, let since), .backspace):
      state = id.isEmpty ? .idle : .tasking(String(id.dropLast()), since: since)
    case (.tasking(let id, let since), .scalar(let scalar)):
      let longer = id + String(Character(scalar))
      if TaskLog.isID(longer) { state = .tasking(longer, since: since) }
    case (.tasking, .enter): break
    case (.writing(let text, let isCut, let since), .enter) where isLast:
      state = .idle
      return Self.note(text, isCut, since)
    case (.writing(let text, _, let since), .backspace):
      state = .writing(String(text.dropLast()), isCut: false, since: since)
    case (.writing(_, isCut: true, _), _): break
    case (.writing(let text, _, let since), .enter): write(" ", after: text, since: since)
    case (.writing(let text, _, let since), .scalar(let scalar)):
      write(scalar, after: text, since: since)
    }
    return nil
  }

  /// Returns the note that is being written when the recording ends. The note is stored even
  /// without Enter.
  public mutating func finish() -> Action? {
    defer { state = .ending }
    guard case .writing(let text, let isCut, let since) = state else { return nil }
    return Self.note(text, isCut, since)
  }

  private static func note(_ text: String, _ isCut: Bool, _ since: BootTime) -> Action? {
    let words = text.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : .note(words, isCut: isCut, at: since)
  }

  private mutating func begin(
    _ scalar: Unicode.Scalar, at now: BootTime, isAlone: Bool
  ) -> Action? {
    switch (scalar, offer) {
    case ("q", _), ("e", .recording), ("p", .recording), ("t", .recording):
      guard isAlone else {
        answer(
          "\(scalar) arrived together with other keys, as in pasted text: press it again", at: now)
        return nil
      }
      message = nil
      if scalar == "p" { return .pause(at: now) }
      if scalar == "t" {
        state = .tasking("", since: now)
        return nil
      }
      state = .ending
      return .end
    case ("h", .recording): state = .choosing(since: now)
    case ("n", .recording): state = .writing("", isCut: false, since: now)
    default: return nil
    }
    message = nil
    return nil
  }

  private mutating func write(_ scalar: Unicode.Scalar, after text: String, since: BootTime) {
    let longer = text + String(Character(scalar))
    guard !LineOfText.isFit(longer) else {
      state = .writing(longer, isCut: false, since: since)
      return
    }
    // A character that consists of several scalars is either kept whole or omitted.
    let isWhole = longer.count > text.count
    state = .writing(isWhole ? text : String(text.dropLast()), isCut: true, since: since)
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    ("0"..."9").contains(scalar) ? Int(scalar.value - 0x30) : nil
  }

  // MARK: On the screen

  /// Shows a response for a few seconds, in place of the available keys.
  public mutating func answer(_ text: String, at now: BootTime) {
    message = ([ViewLine(text)], now.advanced(bySeconds: Self.answerSeconds))
  }

  /// Shows an error and its remedy for a few seconds.
  public mutating func fail(_ complaint: Complaint, at now: BootTime) {
    let lines = complaint.description.split(separator: "\n").map { ViewLine(String($0), .notable) }
    message = (lines, now.advanced(bySeconds: Self.errorSeconds))
  }

  /// Whether the user has typed part of a remark.
  var isWithinText: Bool {
    if case .writing(let text, _, _) = state { !text.isEmpty } else { false }
  }

  /// Returns the lines that show which keys the user can press next, at most `width` columns wide.
  /// While the recording is paused, one of the keys resumes it.
  public func lines(width: Int, at now: BootTime, isPaused: Bool = false) -> [ViewLine] {
    let lines: [ViewLine]
    if state == .idle, let message, now < message.end {
      lines = message.lines.flatMap { line in
        TerminalText.wrapped(line.text, to: width).map { ViewLine($0, line.style) }
      }
    } else {
      lines = prompt(width, isPaused).map { ViewLine($0) }
    }
    return lines.map { ViewLine(TerminalText.cut($0.text, to: width), $0.style) }
  }

  private func prompt(_ width: Int, _ isPaused: Bool) -> [String] {
    switch (state, offer) {
    case (.idle, .view): return ["q ends the view"]
    case (.idle, .recording):
      return Self.shortest(
        than: width,
        [
          "keys:", "h notes a hazard", "n adds a note", "t tasks",
          isPaused ? "p resumes" : "p pauses",
          "e ends the recording",
        ], ["h hazard", "n note", "t task", isPaused ? "p resume" : "p pause", "e end"])
    case (.choosing, _):
      let names = Hazard.usualNames
      return Self.shortest(
        than: width, lines: 2, ["hazard:"] + Self.numbered(names) + ["Esc goes back"],
        Self.numbered(names.map { String($0.prefix { $0 != " " }) }) + ["Esc back"])
    case (.grading(let name, _), _):
      return Self.shortest(
        than: width, ["\(name):", "how bad is it, from 0 (nothing) to 3?", "Esc goes back"],
        ["\(name), 0 to 3?", "Esc back"])
    case (.writing(let text, let isCut, _), _):
      let room = max(1, width - "note: ".count - 1)
      return ["note: " + TerminalText.end(of: text, within: room) + "_"]
        + Self.shortest(
          than: width,
          [
            isCut ? "the note is full" : "", "Enter saves it", "Backspace deletes",
            "Esc discards it",
          ]
          .filter { !$0.isEmpty },
          [isCut ? "full: Enter saves" : "Enter saves", "Esc discards"])
    case (.tasking(let id, _), _):
      return ["task: \(id)_"]
        + Self.shortest(
          than: width,
          [id.isEmpty ? "Enter ends the running task" : "Enter begins it", "Esc goes back"],
          [id.isEmpty ? "Enter ends" : "Enter begins", "Esc back"])
    case (.ending, _): return ["ending …"]
    }
  }

  private static func numbered(_ names: [String]) -> [String] {
    names.enumerated().map { "\($0 + 1) \($1)" }
  }

  /// Wraps `words` into lines. If that needs more lines than allowed, wraps `fewer` instead.
  private static func shortest(
    than width: Int, lines most: Int = 1, _ words: [String], _ fewer: [String]
  ) -> [String] {
    let lines = TerminalText.wrapped(words, to: width, between: "  ")
    let fits = lines.count <= most && lines.allSatisfy { TerminalText.width(of: $0) <= width }
    return fits ? lines : TerminalText.wrapped(fewer, to: width, between: "  ")
  }
}
