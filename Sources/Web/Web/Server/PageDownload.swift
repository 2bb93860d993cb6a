public import HTTPServer
internal import LinuxSystem

/// A file on its way to a page: produced on one thread, and sent by the server as fast as its
/// client reads.
public final class PageDownload: ServerStream {
  private struct State {
    var bytes: [UInt8] = []
    /// Whether everything was written.
    var isWhole = false
    /// Whether writing ended before the file was complete.
    var hasFailed = false
    /// Whether the client is gone.
    var hasLeft = false
    /// Bytes written.
    var count = 0
    var bell: (@Sendable () -> Void)?
  }

  /// The client has disconnected.
  struct Left: Error {}

  /// Most bytes that wait for the client, in addition to one piece.
  private static let room = 256 << 10

  private let state = Monitor(State())

  init() {}

  /// Appends a piece. Waits until the client has taken enough of the previous ones.
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

  /// Notes the end of writing, complete or failed.
  func finish(isWhole: Bool) {
    let bell = state.change { state in
      if isWhole { state.isWhole = true } else { state.hasFailed = true }
      return state.bell
    }
    bell?()
  }

  /// Whether so much was written that it took much memory.
  var isLarge: Bool { state.withLock { $0.count > 1 << 20 } }

  /// Whether the client has to notice that data are missing: writing failed, or the server stops
  /// before the client has everything.
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

  /// The client has disconnected or has everything.
  public func end() { state.change { $0.hasLeft = true } }
}
