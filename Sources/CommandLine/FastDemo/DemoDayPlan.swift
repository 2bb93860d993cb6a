internal import Simulation

/// The day of `demo --fast`: two walks, an evening without a network, a night, and a morning.
enum DemoDayPlan {
  /// Something that happens during a walk.
  struct Event: Sendable {
    /// The part of the world that it happens to.
    enum Kind: Sendable {
      case board(BoardFault)
      case daemon(DaemonFault)
      case receiver(isOn: Bool)
    }

    /// Minutes since the start of the walk.
    var minute: Double
    var text: String
    var kinds: [Kind]

    init(_ minute: Double, _ text: String, _ kinds: Kind...) {
      self.minute = minute
      self.text = text
      self.kinds = kinds
    }
  }

  /// A recording.
  struct Walk: Sendable {
    /// Its name, also of the folder with its exports.
    var name: String
    /// Hours since midnight.
    var hour: Double
    var minutes: Double
    var events: [Event]
  }

  /// The hour at which the computer is switched on, an hour after which the date is known.
  static let firstHour = 7.0

  /// An upload, and the state of the network.
  struct Upload: Sendable {
    /// Hours since midnight of the first day.
    var hour: Double
    var text: String
    var network: DemoNetwork.State
  }

  static let uploads = [
    Upload(hour: 19, text: "there is no network; someone starts an upload", network: .away),
    Upload(
      hour: 24 + 7.5, text: "the network loses answers; someone starts an upload",
      network: .losingAnswers),
    Upload(hour: 24 + 8, text: "all is well; someone starts an upload", network: .there),
  ]

  static let walks = [
    Walk(
      name: "morning", hour: 8, minutes: 25,
      events: [
        Event(4, "40 packets are lost on the air", .board(.drop(count: 40))),
        Event(9, "the board goes out of range for almost a minute", .board(.dropAll(seconds: 5))),
        Event(
          9.1, "its link drops", .board(.disconnect), .daemon(.heldByAnotherCentral(seconds: 45))),
        Event(15, "the board loses its power for a moment", .board(.reboot)),
        Event(19, "the receiver is unplugged", .receiver(isOn: false)),
        Event(20, "the receiver is plugged in again", .receiver(isOn: true)),
      ]),
    Walk(
      name: "afternoon", hour: 12.75, minutes: 15,
      events: [
        Event(4, "bluetoothd restarts", .daemon(.daemonGone(seconds: 4, keepsLinks: false))),
        Event(8, "the adapter is unplugged", .daemon(.adapterRemoved)),
        Event(8.5, "the adapter is plugged in again", .daemon(.adapterReturned(shift: 0))),
      ]),
  ]
}
