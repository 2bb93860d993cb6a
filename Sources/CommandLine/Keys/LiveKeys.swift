internal import LinuxSystem
internal import Terminal
internal import Values

/// Reads and processes the keys that the user presses in a live view.
final class LiveKeys: Sendable {
  private let entry: Guarded<KeyEntry>
  private let keyboard: Keyboard
  private let console: Console
  private let perform: @Sendable (KeyEntry.Action) throws -> String?

  /// Starts reading keys from the console. Returns `nil` unless input and output are both
  /// terminals. `changed` is called after each change to the entry. On a terminal that cannot be
  /// repainted, the entry is printed instead.
  ///
  /// `perform` returns the response to show. If `perform` waits for the disk, only the handling of
  /// keys is delayed. Ending a recording with a key has the same effect as pressing Ctrl-C.
  init?(
    _ offer: KeyEntry.Offer, on console: Console, changed: @escaping @Sendable () -> Void,
    perform: @escaping @Sendable (KeyEntry.Action) throws -> String? = { _ in nil }
  ) {
    guard StandardInput.isTerminal, console.isTerminal || StandardInput.isAnswered else {
      return nil
    }
    let entry = Guarded(KeyEntry(offer))
    let decoder = Guarded(KeyDecoder())
    let isPainted = console.isTerminal
    let said = Guarded<[String]>([])
    let tell: @Sendable () -> Void = {
      guard !isPainted else { return changed() }
      let lines = entry.withLock { entry in
        entry.isWithinText
          ? [] : entry.lines(width: console.width, at: BootClock.now()).map(\.text)
      }
      let before = said.withLock { said in
        defer { if !lines.isEmpty { said = lines } }
        return said
      }
      guard !lines.isEmpty, lines != before else { return }
      // The terminal has echoed a key on the current line, so printing starts on a new line.
      console.say(((before.isEmpty ? [] : [""]) + lines).joined(separator: "\n"))
    }
    let keyboard = try? Keyboard(echoes: !isPainted) { bytes in
      let now = BootClock.now()
      let keys = decoder.withLock { $0.keys(of: bytes) }
      let actions = entry.withLock { $0.take(keys, at: now) }
      if isPainted || actions.isEmpty { tell() }
      for action in actions {
        if action == .end {
          _ = console.interrupt(by: SignalWatch.interrupt)
          continue
        }
        do {
          guard let answer = try perform(action) else { continue }
          entry.withLock { $0.answer(answer, at: BootClock.now()) }
        } catch {
          entry.withLock { $0.fail(Complaint(explaining: error), at: BootClock.now()) }
        }
        tell()
      }
    }
    guard let keyboard else { return nil }
    tell()
    self.entry = entry
    self.keyboard = keyboard
    self.console = console
    self.perform = perform
  }

  /// Returns the lines to show below the view.
  func lines(width: Int, isPaused: Bool = false) -> [ViewLine] {
    entry.withLock { $0.lines(width: width, at: BootClock.now(), isPaused: isPaused) }
  }

  /// Stops reading keys, and stores the note that is being written.
  func end() {
    keyboard.end()
    guard let note = entry.withLock({ $0.finish() }) else { return }
    do {
      if let answer = try perform(note) { console.say(answer) }
    } catch {
      console.complain(Complaint(explaining: error))
    }
  }
}
