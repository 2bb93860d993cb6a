/// Decides which boards a recording waits for before it starts, and which join later. It is a
/// value.
///
/// Boards start together, once all that may be in reach are set up. The gate does not wait for a
/// board that was not found: that board starts by itself when it appears.
struct StartGate: Sendable {
  /// Boards that the start waits for.
  private var awaited: Set<UInt16>
  /// Boards that are set up and have not started.
  private var ready: Set<UInt16> = []
  private var started: Set<UInt16> = []
  private(set) var hasStarted = false

  init(for boards: some Sequence<UInt16>) {
    awaited = Set(boards)
  }

  /// Whether no board is left to start a recording with.
  var isHopeless: Bool { !hasStarted && awaited.isEmpty && ready.isEmpty }

  /// Notes that a board is set up. Returns the boards that start now.
  mutating func setUp(_ board: UInt16) -> [UInt16] {
    awaited.remove(board)
    if !started.contains(board) { ready.insert(board) }
    return open()
  }

  /// Notes that a board lost its link. Before the start it must be set up again.
  mutating func lost(_ board: UInt16) {
    if ready.remove(board) != nil { awaited.insert(board) }
  }

  /// Notes that a board was not found. Returns the boards that start now, since they need not wait
  /// for it.
  mutating func missed(_ board: UInt16) -> [UInt16] {
    awaited.remove(board)
    return open()
  }

  /// Notes that a missing board is linked now. Before the start the gate waits for it again.
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
