internal import LinuxSystem
internal import Sharing
internal import Values

/// Many simulated gateways on one thread, each with its own connection.
final class LivePlayers {
  private struct Player {
    var client: MQTTClient?
    var host: Int
    var isConnected = false
    var begun = BootTime(nanoseconds: 0)
    /// The time of the next connection attempt or status message.
    var due: BootTime
    var isSilent = false
  }

  /// The maximum number of concurrent connection attempts.
  private static let mostConnecting = 100

  private let hosts: [BrokerAddress.Host]
  private let options: LiveOptions
  private var players: [Player] = []
  private var chance = Chance()
  /// The number of messages acknowledged by brokers.
  private(set) var acknowledged = 0
  private(set) var sent = 0
  /// The number of connections that were lost.
  private(set) var lost = 0

  init(_ hosts: [BrokerAddress.Host], _ options: LiveOptions) {
    self.hosts = hosts
    self.options = options
    let now = BootClock.now()
    players = (0..<options.gateways).map { Player(host: $0 % hosts.count, due: now) }
  }

  static func name(_ number: Int) -> String { "g\(number)" }

  private var random: Double { Double(chance.next() >> 11) / Double(1 << 53) }

  var areConnected: Bool { players.allSatisfy { $0.isConnected || $0.isSilent } }

  func connect(_ stopping: StopFlag) throws {
    let limit = BootClock.now().advanced(bySeconds: 180)
    while !areConnected {
      guard !stopping.isRaised, BootClock.now() < limit else {
        throw MeasurementError("\(players.count { !$0.isConnected }) gateways could not connect")
      }
      turn(tells: false)
    }
    let now = BootClock.now()
    // Each gateway sends on its own schedule, as real gateways do.
    for index in players.indices {
      players[index].due = now.advanced(bySeconds: random * Double(options.interval))
    }
  }

  /// Makes all gateways send their status repeatedly until `end`.
  func tell(until end: BootTime, _ stopping: StopFlag) {
    while BootClock.now() < end, !stopping.isRaised { turn(tells: true) }
  }

  /// Makes every tenth gateway stop sending without prior notice.
  func silence() {
    for index in stride(from: 0, to: players.count, by: 10) {
      players[index].isSilent = true
      players[index].isConnected = false
      players[index].client = nil
    }
  }

  private func turn(tells: Bool) {
    var polls = PollSet()
    var numbers: [Int] = []
    var connecting = players.count { $0.client != nil && !$0.isConnected }
    var now = BootClock.now()
    for index in players.indices where !players[index].isSilent {
      if players[index].client == nil, now >= players[index].due, connecting < Self.mostConnecting {
        connecting += 1
        connect(index, now)
      }
      guard let client = players[index].client else { continue }
      if !players[index].isConnected {
        take(client.begin(), index, now)
        if now.seconds(since: players[index].begun) > 10 { drop(index, now) }
      } else if tells, now >= players[index].due {
        players[index].due = players[index].due.advanced(bySeconds: Double(options.interval))
        tell(index, client)
      }
      if players[index].isConnected, client.socket >= 0 {
        polls.add(client.socket, forWriting: client.wantsToWrite)
        numbers.append(index)
      }
    }
    polls.wait(seconds: 0.01)
    now = BootClock.now()
    for (position, index) in numbers.enumerated() where polls.isReady(position) {
      guard let client = players[index].client else { continue }
      take(client.turn(isReadable: polls.isReadable(position)), index, now)
    }
  }

  private func connect(_ index: Int, _ now: BootTime) {
    players[index].begun = now
    players[index].client = try? MQTTClient(
      hosts[players[index].host], isEncrypted: false, authorityFile: nil, user: nil, password: nil)
    if players[index].client == nil { drop(index, now) }
  }

  /// Reconnects a gateway to the next broker node after a random delay.
  private func drop(_ index: Int, _ now: BootTime) {
    if players[index].isConnected { lost += 1 }
    players[index].client = nil
    players[index].isConnected = false
    players[index].host = (players[index].host + 1) % hosts.count
    players[index].due = now.advanced(bySeconds: random)
  }

  private func take(_ events: [MQTTClient.Event]?, _ index: Int, _ now: BootTime) {
    guard let events else { return drop(index, now) }
    for event in events {
      switch event {
      case .connected: players[index].isConnected = true
      case .refused: drop(index, now)
      case .published: acknowledged += 1
      case .subscribed, .message: break
      }
    }
  }

  private func tell(_ index: Int, _ client: MQTTClient) {
    let status = SharedStatus(
      state: "recording", works: true, version: "0.1.0",
      boards: [
        .init(name: "left", state: "streaming", battery: 87),
        .init(name: "right", state: "streaming", battery: 64),
      ], session: nil, waitingChunks: 3)
    let times = LiveTimes(
      sent: BootClock.systemTime(), validity: Double(options.validity), isClockSynchronised: true)
    let topic = LiveTopic(fleet: "bench", gateway: Self.name(index), .status)
    if client.publish(status.payload(times), on: topic.text) != nil { sent += 1 }
  }
}
