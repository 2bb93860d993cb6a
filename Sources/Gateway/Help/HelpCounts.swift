public import Values

/// The steps by which the gateway helped its boards, adapters and receiver, since it started.
public struct HelpCounts: Hashable, Sendable {
  /// The steps for one board.
  public struct Board: Hashable, Sendable {
    /// Times at which its sensors were started or set up again, because they sent nothing.
    public var starts = 0
    /// Times at which it was linked again, because its link was lost or carried nothing.
    public var links = 0

    /// No steps.
    public init() {}
  }

  /// The steps for one adapter or receiver.
  public struct Device: Hashable, Sendable {
    /// Times at which it was switched off and on.
    public var switches = 0
    /// Resets of its USB port.
    public var resets = 0
    /// Why its USB port could not be reset at the last try; `nil` if it could.
    public var problem: LiveStatus.Obstacle?

    /// No steps.
    public init() {}
  }

  /// The steps for boards, by address.
  public var boards: [BoardAddress: Board] = [:]
  /// The steps for adapters, by name.
  public var adapters: [String: Device] = [:]
  /// The steps for the receiver.
  public var receiver = Device()

  /// No steps.
  public init() {}
}
