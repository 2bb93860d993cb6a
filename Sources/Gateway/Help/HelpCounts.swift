public import Values

/// Recovery steps of the gateway for its boards, adapters and receiver since it started.
public struct HelpCounts: Hashable, Sendable {
  public struct Board: Hashable, Sendable {
    /// Restarts or new setups of its sensors after they sent nothing.
    public var starts = 0
    /// Reconnections after its link was lost or carried no data.
    public var links = 0

    public init() {}
  }

  /// The steps for one adapter or receiver.
  public struct Device: Hashable, Sendable {
    /// Times it was switched off and on.
    public var switches = 0
    public var resets = 0
    /// The reason why the last reset of its USB port failed; `nil` if it succeeded.
    public var problem: LiveStatus.Obstacle?

    public init() {}
  }

  public var boards: [BoardAddress: Board] = [:]
  /// By name.
  public var adapters: [String: Device] = [:]
  public var receiver = Device()

  public init() {}
}
