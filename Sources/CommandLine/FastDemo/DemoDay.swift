internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Simulation
internal import Values

/// Runs a gateway's day in simulated time, while the user watches in real time.
///
/// A separate thread simulates the day. It shares messages and snapshots with the caller under a
/// lock.
final class DemoDay: Sendable {
  /// The options that the user chose for the day, and the paths of the store and the server folder.
  struct Setting: Sendable {
    var boards: Int
    var adapters: Int
    var sensors: [SensorRequest]
    var seed: UInt64
    var wearer: WearerKind
    /// The path of the store into which the day is recorded.
    var store: String
    /// The folder that simulates the upload server.
    var server: String
  }

  /// The day's result: its walks and uploads.
  struct Outcome: Sendable {
    var walks: [Walk] = []
    var arrivals = DemoNetwork.Arrivals()
    /// The simulated time, in seconds since the day's start.
    var seconds = 0.0

    /// The error that ended a recording early, either as a whole or for one board; `nil` if there
    /// was none.
    var failure: (any Error)? { walks.lazy.compactMap(\.recording.firstFailure).first }
    var hasFailed: Bool { failure != nil }

    /// The sample counts of one walk, at the boards and at the gateway.
    struct Walk: Sendable {
      var name: String
      /// The number of samples that the boards sent.
      var sent: UInt64
      /// The number of sent samples that the radio delivered to the gateway.
      var arrived: UInt64
      var recording: RecordingReport
    }
  }

  /// A message that is shown to the user once.
  enum News: Sendable {
    /// An event in the simulated world.
    case field(clock: String, String)
    case gateway(LogEvent)
  }

  /// A snapshot of the simulated day, for display.
  struct Scene: Sendable {
    /// The messages that were added since the last call to `look`.
    var news: [News] = []
    /// The current recording and its walk's index; `nil` between recordings.
    var recording: (walk: Int, status: LiveStatus)?
    var ending: Result<Outcome, any Error>?
  }

  private let scene = Guarded(Scene())
  private let stopping = StopFlag()
  private let thread: NamedThread

  /// Starts the simulation of a day on a separate thread.
  init(_ setting: Setting) throws(SystemError) {
    thread = try NamedThread("day") { [scene, stopping] in
      let ending = Result {
        let day = try SimulatedDay(setting, scene, stopping)
        defer { day.end() }
        return try day.live()
      }
      scene.withLock { $0.ending = ending }
    }
  }

  deinit {
    stop()
    thread.join()
  }

  /// Stops the current recording or upload, and ends the day.
  func stop() { stopping.raise() }

  /// Returns a snapshot of the day. A message is included in only one snapshot.
  func look() -> Scene {
    scene.withLock { scene in
      defer { scene.news = [] }
      return scene
    }
  }
}
