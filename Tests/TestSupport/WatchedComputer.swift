package import LinuxSystem
package import Values

/// A computer whose disk operations are monitored. The computer calls `happens` before each
/// operation, or after a rename. If `happens` returns an error number, the operation fails with
/// this error.
package final class WatchedComputer: SimulatedComputer {
  private let happens: @Sendable (FileOperation) -> Int32?

  package init(_ happens: @escaping @Sendable (FileOperation) -> Int32?) {
    self.happens = happens
  }

  package func admit(_ operation: FileOperation, in folder: String) -> Int32? { happens(operation) }

  package var bootTime: BootTime { BootTime(nanoseconds: 0) }
  package var systemTime: UTCTime { UTCTime(nanoseconds: 0) }
  package var isSystemTimeSynchronised: Bool { true }
  package var bootID: UniqueID { UniqueID(high: 0, low: 0) }
  package func start(_ thread: SimulatedThread) {}
  package func join(_ thread: SimulatedThread) {}
  package func wake(_ sleeper: Pause.Sleeper, after seconds: Double) {}
  package func opened(_ descriptor: Int32) {}
  package func connected(_ descriptor: Int32, _ other: Int32) {}
  package func waits(for descriptor: Int32) {}
  package func watches(_ descriptor: Int32, in list: Int32) {}
  package func wrote(to descriptor: Int32) {}
  package func sent(on descriptor: Int32) {}
  package func takeStamp(of descriptor: Int32) -> UTCTime? { nil }
  package func closes(_ descriptor: Int32) {}
}
