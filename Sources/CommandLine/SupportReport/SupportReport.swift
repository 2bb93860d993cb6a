internal import LinuxSystem
internal import Terminal
internal import Values

/// A report for a person who helps: sections of text, each written even if another fails.
struct SupportReport: Sendable {
  struct Section: Sendable {
    /// Its heading.
    var title: String
    /// Seconds after which it times out.
    var patience: Double
    /// Its lines. An error becomes the content of the section.
    var lines: @Sendable () async throws -> [String]

    /// A section that waits for a bus, a program or a network.
    init(
      _ title: String, patience: Double, lines: @escaping @Sendable () async throws -> [String]
    ) {
      self.title = title
      self.patience = patience
      self.lines = lines
    }

    /// A section that reads from a disk, which may hold it up for ever.
    static func onThread(
      _ title: String, patience: Double, lines: @escaping @Sendable () throws -> [String]
    ) -> Section {
      Section(title, patience: patience) {
        let outcome = await Examination.onThread { Result { try lines() } }
        guard let outcome else { throw Complaint("the system is out of threads") }
        return try outcome.get()
      }
    }
  }

  /// The sections in their order.
  var sections: [Section]
  /// Takes the secrets out of all of them.
  var concealment: Concealment

  /// The whole text. `progress` gets the title of each section before it is written.
  func text(
    of computer: String, at time: UTCTime, progress: (String) -> Void
  ) async throws -> String {
    var lines = [
      "Report of \(Version.text) on \(computer), \(time.iso8601(decimals: 0))",
      "\(Concealment.mark) stands for secrets, wearers and fixed places. Read it before you send it.",
    ]
    for section in sections {
      progress(section.title)
      lines += ["", "== \(section.title) ==", ""]
      let own = await Self.lines(of: section)
      try Task.checkCancellation()
      lines += own.isEmpty ? ["nothing"] : own
    }
    // Log lines and names of boards come from outside; only line ends and tabs stay.
    let clean = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { line in
        line.split(separator: "\t", omittingEmptySubsequences: false)
          .map { TerminalText.harmless(String($0)) }.joined(separator: "  ")
      }
    // A comment of the configuration may have anything in it, and says nothing when it is hidden.
    let hidden = ["; \(Concealment.mark)", "# \(Concealment.mark)"]
    return concealment.concealed(clean.joined(separator: "\n"))
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !hidden.contains(String($0)) }.joined(separator: "\n") + "\n"
  }

  private enum Event: Sendable {
    case lines([String])
    case timeIsUp
  }

  /// The lines of a section, or the reason why it has none.
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
    case .timeIsUp?: return ["unavailable: no answer for \(DurationText.short(section.patience))"]
    case nil: return []
    }
  }
}
