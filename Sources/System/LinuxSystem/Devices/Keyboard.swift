internal import Glibc

/// Reads key presses from the terminal on standard input.
///
/// The terminal belongs to the shell. The terminal's original mode is restored when reading ends,
/// before Ctrl-Z stops the process, and before a signal ends it. A background process does not read
/// keys.
public final class Keyboard: Sendable {
  private let wake: WakeUp
  private let stopping: StopFlag
  private let thread: NamedThread

  /// Seconds between checks for whether the process is back in the foreground.
  private static let backgroundSeconds = 1.0
  /// Seconds that `end()` waits at most for the thread, which may still be handling a key.
  private static let patience = 4.0

  /// Calls `take` on a separate thread with each read's bytes: usually one key, or all of a short
  /// pasted text. If `echoes` is true, the terminal echoes keys as it does for the shell.
  /// Otherwise, nothing is echoed.
  public init(
    echoes: Bool = false, _ take: @escaping @Sendable (_ bytes: [UInt8]) -> Void
  ) throws(SystemError) {
    let wake = try WakeUp()
    let stopping = StopFlag()
    self.wake = wake
    self.stopping = stopping
    Self.mode.withLock { mode in
      mode.isWanted = true
      mode.echoes = echoes
    }
    thread = try NamedThread("keys") {
      var polls = PollSet()
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while !stopping.isRaised {
        let isOurs = Self.claim()
        polls.removeAll()
        polls.add(wake.number)
        polls.add(isOurs ? STDIN_FILENO : PollSet.nobody)
        polls.wait(seconds: isOurs ? nil : Self.backgroundSeconds)
        // Reading in the background would stop the process.
        guard !stopping.isRaised, isOurs, polls.isReady(1), Self.isInForeground else { continue }
        let count = Self.read(into: &buffer)
        if count > 0 {
          take(Array(buffer[..<count]))
        } else if !SerialLine.isNothingYet(count) {
          // The terminal has disappeared.
          return
        }
      }
    }
  }

  deinit {
    end()
  }

  /// Stops reading keys and restores the terminal for the shell.
  public func end() {
    Self.mode.withLock { $0.isWanted = false }
    stopping.raise()
    wake.ring()
    Self.giveBack()
    thread.join(within: Self.patience)
  }

  private static func read(into buffer: inout [UInt8]) -> Int {
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe Glibc.read(STDIN_FILENO, bytes.baseAddress, bytes.count)
    }
    return count < 0 ? -Int(errno) : count
  }

  // MARK: The mode of the terminal, one per process

  private struct Mode {
    /// Whether the program has asked to read keys.
    var isWanted = false
    var echoes = false
    /// The shell's terminal mode, which must be restored later; `nil` while that mode is in effect.
    var shells: termios?
  }

  private static let mode = Guarded(Mode())

  /// Switches the terminal to key-reading mode, if the program has asked for keys and is in the
  /// foreground. Returns whether that mode is in effect.
  @discardableResult
  static func claim() -> Bool {
    mode.withLock { mode in
      guard mode.isWanted, isInForeground else { return false }
      guard mode.shells == nil else { return true }
      var keys = termios()
      guard unsafe tcgetattr(STDIN_FILENO, &keys) == 0 else { return false }
      let shells = keys
      // Keys such as Ctrl-C still send signals, and the output mode is unchanged.
      keys.c_lflag &= ~tcflag_t(ICANON | IEXTEN | (mode.echoes ? 0 : ECHO))
      var raw = keys
      unsafe cfmakeraw(&raw)
      // Like raw mode, these settings make a read wait until at least one byte is available.
      keys.c_cc = raw.c_cc
      guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0 else { return false }
      mode.shells = shells
      return true
    }
  }

  /// Restores the terminal mode that the shell had set. Does nothing if that mode is already in
  /// effect.
  static func giveBack() {
    mode.withLock { mode in
      guard var shells = mode.shells else { return }
      mode.shells = nil
      // If this process is in the background, the shell has already set its own mode. Changing the
      // mode would stop this process.
      guard isInForeground else { return }
      _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &shells)
    }
  }

  /// Whether this process receives the terminal's key presses. A process can be in the background
  /// only on its controlling terminal.
  public static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group < 0 || group == getpgrp()
  }
}
