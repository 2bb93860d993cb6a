internal import Simulation

/// The day of `demo --fast`: two walks, an evening without a network, a night, and a morning.
enum DemoDayPlan {
  /// An event during a walk, such as a board fault.
  struct Event: Sendable {
    /// The part of the simulated world that an event affects.
    enum Kind: Sendable {
      case board(BoardFault)
      case daemon(DaemonFault)
      case receiver(isOn: Bool)
    }

    /// Minutes from the walk's start to the event.
    var minute: Double
    var text: String
    var kinds: [Kind]

    init(_ minute: Double, _ text: String, _ kinds: Kind...) {
      self.minute = minute
      self.text = text
      self.kinds = kinds
    }
  }

  /// A walk that the gateway records.
  struct Walk: Sendable {
    /// The walk's name, also used for the folder with its exports.
    var name: String
    /// Hours from midnight to the walk's start.
    var hour: Double
    var minutes: Double
    var events: [Event]
  }

  /// The hour of day at which the computer is switched on. The computer obtains the date an hour
  /// later.
  static let firstHour = 7.0

  /// An upload of the recordings, and the network's state during the upload.
  struct Upload: Sendable {
    /// Hours from midnight of the first day to the upload.
    var hour: Double
    var text: String
    var network: DemoNetwork.State
  }

  static let uploads = [
    Upload(hour: 19, text: "the network is down; someone starts an upload", network: .away),
    Upload(
      hour: 24 + 7.5, text: "the network loses responses; someone starts an upload",
      network: .losingAnswers),
    Upload(hour: 24 + 8, text: "the network is up; someone starts an upload", network: .there),
  ]

  static let walks = [
    Walk(
      name: "morning", hour: 8, minutes: 25,
      events: [
        Event(4, "40 packets are lost over the air", .board(.drop(count: 40))),
        Event(9, "the board is out of range for almost a minute", .board(.dropAll(seconds: 5))),
        Event(
          9.1, "its link drops", .board(.disconnect), .daemon(.heldByAnotherCentral(seconds: 45))),
        Event(15, "the board loses power for a moment", .board(.reboot)),
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
