internal import Gateway
internal import LinuxSystem

/// Prints samples as they come, until the reader of standard output has gone.
///
/// Called by one thread with the samples, and asked by others whether it still works.
final class SampleOutput: Sendable {
  private let text: SampleText?
  private let console: Console
  private let held = Guarded<OutputError?>(nil)

  /// Prints in a form; `nil` for none.
  init(_ text: SampleText?, on console: Console) throws(OutputError) {
    self.text = text
    self.console = console
    if let heading = text?.heading { try console.print(heading) }
  }

  /// Why nothing can be printed any more.
  var failure: OutputError? { held.withLock { $0 } }

  /// Prints a line for each sample, in one piece.
  func take(_ samples: [LiveSample]) {
    guard let text, failure == nil else { return }
    do throws(OutputError) {
      try console.print(samples.map(text.line).joined(separator: "\n"))
    } catch {
      held.withLock { $0 = error }
    }
  }
}
