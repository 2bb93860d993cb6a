public import Values

/// Counts of the recovery steps for boards, adapters and the receiver since the gateway started.
public struct HelpCounts: Hashable, Sendable {
  public struct Board: Hashable, Sendable {
    /// The number of times the board's sensors were restarted or set up again after they sent
    /// nothing.
    public var starts = 0
    /// The number of times the board's link was lost or stopped delivering data. Each time, the
    /// board is reconnected.
    public var links = 0

    public init() {}
  }

  /// Counts of the recovery steps for one adapter or receiver.
  public struct Device: Hashable, Sendable {
    /// Number of times the adapter was power-cycled.
    public var switches = 0
    public var resets = 0
    /// The reason why the last reset of the device's USB port failed, or `nil` if it succeeded.
    public var problem: LiveStatus.Obstacle?

    public init() {}
  }

  public var boards: [BoardAddress: Board] = [:]
  /// The adapters' counts, by adapter name.
  public var adapters: [String: Device] = [:]
  public var receiver = Device()

  public init() {}
}
