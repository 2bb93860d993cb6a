internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Simulation
internal import Values

/// A day of the gateway in simulated time, while a person watches in real time.
///
/// A thread of its own simulates the day, and leaves news and views behind a lock.
final class DemoDay: Sendable {
  /// The user's choices for the day, and its folders.
  struct Setting: Sendable {
    var boards: Int
    var adapters: Int
    var sensors: [SensorRequest]
    var seed: UInt64
    var wearer: WearerKind
    /// Path of the store.
    var store: String
    /// The folder that stands for the place where recordings are uploaded to.
    var server: String
  }

  /// The result of the day: its walks and uploads.
  struct Outcome: Sendable {
    var walks: [Walk] = []
    var arrivals = DemoNetwork.Arrivals()
    /// Simulated seconds.
    var seconds = 0.0

    /// The reason why a recording or one of its boards ended early.
    var failure: (any Error)? { walks.lazy.compactMap(\.recording.firstFailure).first }
    var hasFailed: Bool { failure != nil }

    /// One walk, counted at both ends.
    struct Walk: Sendable {
      var name: String
      /// Samples that the boards sent.
      var sent: UInt64
      /// The samples of these that the radio delivered to the gateway.
      var arrived: UInt64
      var recording: RecordingReport
    }
  }

  /// A piece of news, shown once.
  enum News: Sendable {
    /// Something happened in the field.
    case field(clock: String, String)
    /// The gateway reports something.
    case gateway(LogEvent)
  }

  /// The day at one moment, as a watcher sees it.
  struct Scene: Sendable {
    /// The news since the last call of `look`.
    var news: [News] = []
    /// The recording under way, and its place among the walks.
    var recording: (walk: Int, status: LiveStatus)?
    var ending: Result<Outcome, any Error>?
  }

  private let scene = Guarded(Scene())
  private let stopping = StopFlag()
  private let thread: NamedThread

  /// Begins a day.
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

  /// Ends the recording or the upload under way, and the day with it.
  func stop() { stopping.raise() }

  /// The day now; each piece of news comes once.
  func look() -> Scene {
    scene.withLock { scene in
      defer { scene.news = [] }
      return scene
    }
  }
}
