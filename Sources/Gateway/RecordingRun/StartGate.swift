/// Decides which boards a recording waits for before it starts, and which join later.
///
/// The boards start together, once all boards that may be in range are set up. The gate does not
/// wait for a board that was not found. That board starts separately when it appears.
struct StartGate: Sendable {
  /// Boards that the recording is waiting for before it starts.
  private var awaited: Set<UInt16>
  /// Boards that are set up but have not started.
  private var ready: Set<UInt16> = []
  private var started: Set<UInt16> = []
  private(set) var hasStarted = false

  init(for boards: some Sequence<UInt16>) {
    awaited = Set(boards)
  }

  /// Whether the recording can no longer start, because no board is ready or awaited.
  var isHopeless: Bool { !hasStarted && awaited.isEmpty && ready.isEmpty }

  /// Records that a board is set up. Returns the boards that start now.
  mutating func setUp(_ board: UInt16) -> [UInt16] {
    awaited.remove(board)
    if !started.contains(board) { ready.insert(board) }
    return open()
  }

  /// Records that a board lost its link. Before the recording starts, the board must then be set up
  /// again.
  mutating func lost(_ board: UInt16) {
    if ready.remove(board) != nil { awaited.insert(board) }
  }

  /// Records that a board was not found. Returns the boards that can start now because they no
  /// longer need to wait for it.
  mutating func missed(_ board: UInt16) -> [UInt16] {
    awaited.remove(board)
    return open()
  }

  /// Records that a missing board is now linked. Before the recording starts, the gate waits for
  /// the board again.
  mutating func appeared(_ board: UInt16) {
    if !hasStarted { awaited.insert(board) }
  }

  private mutating func open() -> [UInt16] {
    guard !ready.isEmpty, hasStarted || awaited.isEmpty else { return [] }
    hasStarted = true
    defer { ready = [] }
    started.formUnion(ready)
    return ready.sorted()
  }
}
