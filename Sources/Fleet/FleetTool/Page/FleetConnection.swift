internal import Fleet
internal import LinuxSystem
internal import Recording
internal import Terminal
internal import Values
internal import Web

/// A connection to a fleet's database, used by one thread to serve pages. It is opened on the first
/// read, and reopened after a failure.
final class FleetConnection {
  /// Seconds after a failure during which further reads fail at once. Otherwise, many requests
  /// could wait for the database.
  private static let awaySeconds = 1.0

  private let open: () throws -> DatabaseIntake
  private var intake: DatabaseIntake?
  private var failure: (fault: PageFault, at: BootTime)?

  init(_ open: @escaping () throws -> DatabaseIntake) { self.open = open }

  /// Runs a read on the database. If the database was unavailable at the previous read, reopens it
  /// first.
  func reading<Value>(
    _ body: (DatabaseIntake) throws(StoreError) -> Value
  ) throws(PageFault) -> Value {
    if let failure, BootClock.now().seconds(since: failure.at) < Self.awaySeconds {
      throw failure.fault
    }
    failure = nil
    do throws(PageFault) {
      let intake = try opened()
      do throws(StoreError) {
        return try body(intake)
      } catch {
        throw PageFault(ofFleet: error)
      }
    } catch {
      if error.status == 503 {
        intake = nil
        failure = (error, BootClock.now())
      }
      throw error
    }
  }

  private func opened() throws(PageFault) -> DatabaseIntake {
    if let intake { return intake }
    do {
      let opened = try open()
      intake = opened
      return opened
    } catch let error as StoreError {
      throw PageFault(ofFleet: error)
    } catch {
      let complaint = Complaint(explaining: error)
      throw PageFault(503, complaint.message, remedy: complaint.remedy, after: 10)
    }
  }
}
