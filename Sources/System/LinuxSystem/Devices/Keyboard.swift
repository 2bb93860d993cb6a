internal import Glibc

/// The keys of the terminal on standard input, each as it is pressed.
///
/// The terminal belongs to the shell. Its mode is restored when reading ends, before the process
/// stops (Ctrl-Z) and before it ends by a signal. In the background no key is read.
public final class Keyboard: Sendable {
  private let wake: WakeUp
  private let stopping: StopFlag
  private let thread: NamedThread

  /// Seconds between two checks whether the process is in the foreground again.
  private static let backgroundSeconds = 1.0
  /// Seconds for which the end waits for a caller that is still busy with a key.
  private static let patience = 4.0

  /// Calls `take` on a separate thread with the bytes of each read: usually those of one key, or
  /// all bytes of a short pasted text. The terminal echoes keys as for the shell if `echoes` is
  /// true, and otherwise not at all.
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
          // The terminal is gone.
          return
        }
      }
    }
  }

  deinit {
    end()
  }

  /// Stops reading keys, and restores the terminal for the shell.
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
    /// Whether keys are to be read.
    var isWanted = false
    /// Whether the terminal echoes them as it does for the shell.
    var echoes = false
    /// The mode that the shell had set; `nil` while it is in effect.
    var shells: termios?
  }

  private static let mode = Guarded(Mode())

  /// Sets the mode for keys, if they are wanted here and the process is in the foreground. Returns
  /// whether the mode is set.
  @discardableResult
  static func claim() -> Bool {
    mode.withLock { mode in
      guard mode.isWanted, isInForeground else { return false }
      guard mode.shells == nil else { return true }
      var keys = termios()
      guard unsafe tcgetattr(STDIN_FILENO, &keys) == 0 else { return false }
      let shells = keys
      // Keys that send signals continue to do so, and the output is unchanged.
      keys.c_lflag &= ~tcflag_t(ICANON | IEXTEN | (mode.echoes ? 0 : ECHO))
      var raw = keys
      unsafe cfmakeraw(&raw)
      // In raw mode a read waits for one byte.
      keys.c_cc = raw.c_cc
      guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0 else { return false }
      mode.shells = shells
      return true
    }
  }

  /// Restores the mode that the shell had set. Harmless if it is in effect.
  static func giveBack() {
    mode.withLock { mode in
      guard var shells = mode.shells else { return }
      mode.shells = nil
      // In the background the shell has its own mode, and setting one would stop the process.
      guard isInForeground else { return }
      _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &shells)
    }
  }

  /// Whether the terminal sends its keys to this process. A terminal that is not the controlling
  /// terminal has no background.
  private static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group < 0 || group == getpgrp()
  }
}
