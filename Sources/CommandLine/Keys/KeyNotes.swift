internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Stores the hazards, notes and tasks that the user enters with keys during a recording.
struct KeyNotes: Sendable {
  let path: String

  /// Records a hazard, a remark or a task in the current session; `current` is `nil` before the
  /// first sample of the session. Returns the response to show.
  func perform(_ action: KeyEntry.Action, in current: UniqueID?) throws -> String? {
    switch action {
    case .hazard(let name, let intensity, let pressed):
      let session = try session(current)
      let time = max(pressed, session.start)
      try HazardReport.note(
        [(name: name, intensity: intensity)], in: session.id, at: time, keepsTime: false, path)
      return "\(name) \(intensity) noted at \(Self.clock(pressed))"
    case .note(let text, let isCut, let pressed):
      let session = try session(current)
      let time = max(pressed, session.start)
      try StoreEditor(path: path).annotate(Annotation(time: time, text: text), session: session.id)
      return "note saved at \(Self.clock(pressed))"
        + (isCut ? ", truncated after \(NumberText.grouped(text.utf8.count)) bytes" : "")
    case .task(let id, let pressed):
      let session = try session(current)
      let time = max(pressed, session.start)
      // If the definitions cannot be read, every id is accepted.
      let tasks = (try? PulledDefinitions.read(store: path))?.definitions.plan.timedTasks ?? []
      let task = id.isEmpty ? nil : try StudyTask.id(for: id, among: tasks)
      try TaskReport.note(
        task.map { .begin($0) } ?? .end(nil, stoppedBecause: nil), in: session.id, at: time, path)
      return (task.map { "task \($0) began" } ?? "task ended") + " at \(Self.clock(pressed))"
    case .pause, .end: return nil
    }
  }

  private func session(_ id: UniqueID?) throws -> Session {
    guard let id, let session = try StoreReader(path: path).session(id) else {
      throw Complaint(
        "there is no session before the first sample", remedy: "enter it again once samples arrive")
    }
    return session
  }

  /// Formats a time on the boot clock as the local time of day.
  private static func clock(_ time: BootTime) -> String {
    let now = BootClock.pair()
    let utc = now.utc.nanoseconds &+ (time.nanoseconds &- now.boot.nanoseconds)
    return LocalTime.clock(at: UTCTime(nanoseconds: utc))
  }
}
