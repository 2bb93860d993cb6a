public import Recording
public import Values

/// The part of a session that is exported: all of it, unless a field is set.
public struct ExportSelection: Hashable, Sendable {
  /// The boards; all if `nil`.
  public var boards: Set<BoardAddress>?
  /// The names of the signals; all if `nil`.
  public var signals: Set<String>?
  /// Samples from this instant on; from the first if `nil`.
  public var from: BootTime?
  /// Samples before this instant, which itself is excluded: consecutive stretches share no sample.
  /// To the last if `nil`.
  public var to: BootTime?

  /// The samples of these boards and signals between these instants.
  public init(
    boards: Set<BoardAddress>? = nil, signals: Set<String>? = nil, from: BootTime? = nil,
    to: BootTime? = nil
  ) {
    self.boards = boards
    self.signals = signals
    self.from = from
    self.to = to
  }

  /// Whether samples of the stream are exported.
  public func includes(_ stream: SourceStream) -> Bool {
    boards?.contains(stream.board.address) ?? true
      && signals?.contains(stream.description.signal) ?? true
  }

  /// Whether an event at an instant is exported.
  public func includes(_ time: BootTime) -> Bool {
    from.map { $0 <= time } ?? true && to.map { time < $0 } ?? true
  }

  /// Whether a part of the time from one instant to another is exported.
  func overlaps(_ start: BootTime, _ end: BootTime) -> Bool {
    from.map { $0 <= end } ?? true && to.map { start < $0 } ?? true
  }

  /// Whether all instants are exported.
  var isUnbounded: Bool { from == nil && to == nil }
}
