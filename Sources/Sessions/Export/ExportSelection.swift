public import Recording
public import Values

/// The part of a session to export. By default, everything is exported.
public struct ExportSelection: Hashable, Sendable {
  /// The boards to export; all if `nil`.
  public var boards: Set<BoardAddress>?
  /// The names of the signals to export; all if `nil`.
  public var signals: Set<String>?
  /// Start of the export, inclusive; `nil` for the first sample.
  public var from: BootTime?
  /// End of the export, exclusive, so that consecutive time ranges share no sample; `nil` for the
  /// end of the session.
  public var to: BootTime?

  public init(
    boards: Set<BoardAddress>? = nil, signals: Set<String>? = nil, from: BootTime? = nil,
    to: BootTime? = nil
  ) {
    self.boards = boards
    self.signals = signals
    self.from = from
    self.to = to
  }

  public func includes(_ stream: SourceStream) -> Bool {
    boards?.contains(stream.board.address) ?? true
      && signals?.contains(stream.description.signal) ?? true
  }

  /// Whether a hazard, a fix or a note at this time is exported.
  public func includes(_ time: BootTime) -> Bool {
    from.map { $0 <= time } ?? true && to.map { time < $0 } ?? true
  }

  /// Whether an event of a selected board or of the whole session is exported. A time range that
  /// ends with a task also includes the event that ends the task.
  public func includes(_ event: SessionEvent) -> Bool {
    if let boards, let board = event.board, !boards.contains(board) { return false }
    return includes(event.time) || event.kind == .taskEnd && event.time == to
  }

  /// Whether the selection includes any part of the time between two instants.
  func overlaps(_ start: BootTime, _ end: BootTime) -> Bool {
    from.map { $0 <= end } ?? true && to.map { start < $0 } ?? true
  }

  var isUnbounded: Bool { from == nil && to == nil }
}
