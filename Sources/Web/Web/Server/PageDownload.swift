public import HTTPServer
internal import LinuxSystem

/// Transfers a file that is being downloaded: one thread produces it, and the server sends it as
/// fast as the client reads.
public final class PageDownload: ServerStream {
  private struct State {
    var bytes: [UInt8] = []
    /// Whether the complete file was written.
    var isWhole = false
    /// Whether writing ended before the file was complete.
    var hasFailed = false
    /// Whether the client has disconnected.
    var hasLeft = false
    /// Number of bytes written so far.
    var count = 0
    var bell: (@Sendable () -> Void)?
  }

  /// Thrown after the client has disconnected.
  struct Left: Error {}

  /// Maximum number of bytes queued for the client, not counting the last piece.
  private static let room = 256 << 10

  private let state = Monitor(State())

  init() {}

  /// Appends a piece. Waits until the client has read enough of the previous pieces.
  public func write(_ bytes: Span<UInt8>) throws {
    var piece: [UInt8] = []
    piece.reserveCapacity(bytes.count)
    for index in bytes.indices { piece.append(bytes[index]) }
    let mayWrite = state.wait { [room = Self.room] state -> Bool? in
      state.hasLeft ? false : state.bytes.count < room ? true : nil
    }
    guard mayWrite ?? false else { throw Left() }
    let bell = state.change { [piece] state in
      state.bytes += piece
      state.count += piece.count
      return state.bell
    }
    bell?()
  }

  /// Records that writing has ended, successfully or not.
  func finish(isWhole: Bool) {
    let bell = state.change { state in
      if isWhole { state.isWhole = true } else { state.hasFailed = true }
      return state.bell
    }
    bell?()
  }

  /// Whether the download was so large that it may have used a lot of memory.
  var isLarge: Bool { state.withLock { $0.count > 1 << 20 } }

  /// Whether to abort the response, so that the client notices that the response is incomplete.
  /// True if writing failed, or if the server stops before the client has received everything.
  public var isBroken: Bool { state.withLock { !($0.isWhole && $0.bytes.isEmpty) } }

  public func begin(_ bell: @escaping @Sendable () -> Void) {
    state.withLock { $0.bell = bell }
  }

  public func next(upTo count: Int) -> [UInt8]? {
    state.change { state in
      if state.bytes.isEmpty { return state.isWhole || state.hasFailed ? nil : [] }
      let piece = Array(state.bytes.prefix(count))
      state.bytes.removeFirst(piece.count)
      return piece
    }
  }

  /// Records that the client has disconnected or has received everything.
  public func end() { state.change { $0.hasLeft = true } }
}
