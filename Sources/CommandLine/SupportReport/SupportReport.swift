internal import LinuxSystem
internal import Terminal
internal import Values

/// A report for diagnosing a problem. The report consists of sections, and a failure in one section
/// does not affect the others.
struct SupportReport: Sendable {
  struct Section: Sendable {
    var title: String
    /// The section's timeout in seconds.
    var patience: Double
    /// Returns the section's lines. If it throws, the error becomes the section's content.
    var lines: @Sendable () async throws -> [String]

    /// Creates a section with lines from a bus, a program or a network.
    init(
      _ title: String, patience: Double, lines: @escaping @Sendable () async throws -> [String]
    ) {
      self.title = title
      self.patience = patience
      self.lines = lines
    }

    /// Creates a section that reads from a disk. It runs on a separate thread, because the disk may
    /// block it forever.
    static func onThread(
      _ title: String, patience: Double, lines: @escaping @Sendable () throws -> [String]
    ) -> Section {
      Section(title, patience: patience) {
        let outcome = await Examination.onThread { Result { try lines() } }
        guard let outcome else { throw Complaint("the system cannot create a thread") }
        return try outcome.get()
      }
    }
  }

  /// The sections, in the order in which they are written.
  var sections: [Section]
  /// Removes the secrets from all sections.
  var concealment: Concealment

  /// Returns the report's whole text. `progress` is called with the title of each section before
  /// its lines are collected.
  func text(
    of computer: String, at time: UTCTime, progress: (String) -> Void
  ) async throws -> String {
    var lines = [
      "Report of \(Version.text) on \(computer), \(time.iso8601(decimals: 0))",
      "\(Concealment.mark) replaces secrets, participants, wearers and fixed places. "
        + "Read this report before you send it.",
    ]
    for section in sections {
      progress(section.title)
      lines += ["", "== \(section.title) ==", ""]
      let own = await Self.lines(of: section)
      try Task.checkCancellation()
      lines += own.isEmpty ? ["nothing"] : own
    }
    // Log lines and board names come from external sources, so all control characters except line
    // ends and tabs are removed.
    let clean = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { line in
        line.split(separator: "\t", omittingEmptySubsequences: false)
          .map { TerminalText.harmless(String($0)) }.joined(separator: "  ")
      }
    // A comment in the configuration may contain anything, so it is removed completely.
    let hidden = ["; \(Concealment.mark)", "# \(Concealment.mark)"]
    return concealment.concealed(clean.joined(separator: "\n"))
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !hidden.contains(String($0)) }.joined(separator: "\n") + "\n"
  }

  private enum Event: Sendable {
    case lines([String])
    case timeIsUp
  }

  /// Returns a section's lines, or the reason why it has none.
  private static func lines(of section: Section) async -> [String] {
    let events = EventQueue<Event>()
    let work = Task {
      do {
        events.post(.lines(try await section.lines()))
      } catch {
        let complaint = Complaint(explaining: error)
        let remedy = complaint.remedy.split(separator: "\n").map { "  \($0)" }
        events.post(.lines(["unavailable: \(complaint.message)"] + remedy))
      }
    }
    let watch = Task {
      try? await Pause.seconds(section.patience)
      if !Task.isCancelled { events.post(.timeIsUp) }
    }
    defer {
      work.cancel()
      watch.cancel()
    }
    switch await events.next() {
    case .lines(let lines)?: return lines
    case .timeIsUp?:
      return ["unavailable: no response within \(DurationText.short(section.patience))"]
    case nil: return []
    }
  }
}
