@testable import BlueZ
import TestSupport
import Testing
import Values

/// Adapters that appear and disappear, are powered off and on, or share the boards between them.
@Suite(.computation) struct RadioAdapterTests {
  private let board = RadioPlay.first
  private let other = RadioPlay.second

  @Test func `an adapter that is off is powered on once, and then used`() {
    var play = RadioPlay()
    play.sight.adapters[0].isPowered = false
    play.look()
    #expect(play.deeds() == ["power hci0 on"])
    play.want()
    #expect(play.deeds() == [], "nothing is done before it is on")
    play.end(.power(adapter: "/org/bluez/hci0", true))
    play.sight.adapters[0].isPowered = true
    play.look()
    #expect(play.deeds() == ["start hci0"])
  }

  @Test func `an adapter that stays off is reported as an obstacle, with the reason`() {
    for (refusal, obstacle) in [
      (Refusal(.blocked, "Blocked through rfkill"), Obstacle.blocked),
      (Refusal(.other, "Failed"), .off), (Refusal(.denied, "no"), .denied("no")),
    ] {
      var play = RadioPlay()
      play.sight.adapters[0].isPowered = false
      play.look()
      play.want(board, Radio.Patience())
      #expect(play.radio.obstacle == nil, "it may come on yet")
      _ = play.deeds()
      play.end(.power(adapter: "/org/bluez/hci0", true), refusal)
      #expect(play.radio.obstacle == obstacle)
      #expect(play.deeds() == ["failed first obstacle(\(obstacleWords(obstacle)))"])
    }
  }

  @Test
  func `a bus that forbids scanning or connecting is reported as an obstacle`() {
    var play = RadioPlay()
    play.look()
    play.want(board, Radio.Patience())
    play.end(.startDiscovery(adapter: "/org/bluez/hci0"), Refusal(.denied, "no"))
    #expect(play.radio.obstacle == .denied("no"))
    #expect(play.deeds() == ["start hci0", "failed first obstacle(BlueZ.Obstacle.denied(\"no\"))"])
    play.look()
    #expect(play.radio.obstacle == .denied("no"), "it stays so while the adapter does")

    play = RadioPlay()
    play.look()
    play.want(board, Radio.Patience())
    play.end(.startDiscovery(adapter: "/org/bluez/hci0"))
    play.hear(board)
    play.end(.stopDiscovery(adapter: "/org/bluez/hci0"))
    play.end(.connect(device: RadioPlay.path(board)), Refusal(.denied, "no"))
    #expect(play.deeds().last == "failed first obstacle(BlueZ.Obstacle.denied(\"no\"))")
  }

  @Test
  func `the radio waits ten seconds for an adapter that accepts the power call but stays off`() {
    var play = RadioPlay()
    play.sight.adapters[0].isPowered = false
    play.look()
    play.end(.power(adapter: "/org/bluez/hci0", true))
    play.pass(9.9)
    #expect(play.radio.obstacle == nil)
    play.pass(0.2)
    #expect(play.radio.obstacle == .off)
  }

  @Test func `rfkill or powered off by user: the radio waits until the adapter is on again`() {
    var play = RadioPlay()
    play.bringUp()
    play.sight.adapters[0].isPowered = false
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    #expect(play.done() == ["\"adapter is off\"", "down first"])
    // The user powered the adapter off, so the radio never tries to link, however long the adapter
    // stays off.
    play.pass(3_600)
    #expect(play.done() == [])
    play.sight.adapters[0].isPowered = true
    play.hear()
    #expect(
      play.done() == ["\"adapter is on again\"", "\"connecting\"", "connect hci0/first"])
  }

  @Test
  func `USB adapter replug, new hciN: the radio powers the adapter on and links its board again`() {
    var play = RadioPlay()
    play.bringUp()
    play.sight.adapters = []
    play.sight.devices = []
    play.look()
    #expect(play.done() == ["\"adapter is gone\"", "down first"])
    play.pass(60)
    #expect(play.deeds() == [])
    // The adapter has the same address but a new name. Like some real adapters, it is off when it
    // is plugged in.
    play.sight.adapters = [RadioPlay.adapter(0, as: 3, isPowered: false)]
    play.look()
    #expect(play.done() == ["\"adapter has returned\"", "power hci3 on"])
    play.end(.power(adapter: "/org/bluez/hci3", true))
    play.sight.adapters[0].isPowered = true
    play.look()
    #expect(play.deeds() == ["start hci3"])
    play.end(.startDiscovery(adapter: "/org/bluez/hci3"))
    play.hear(on: 3)
    play.link(on: 3)
    #expect(play.deeds() == ["stop hci3", "connect hci3/first", "up first hci3/first"])
  }

  @Test
  func `bluetoothd restart: surviving links are taken over, and other boards are searched for`() {
    for linksSurvive in [false, true] {
      var play = RadioPlay()
      play.bringUp()
      let before = play.sight
      play.sight = Sight()
      play.look()
      #expect(play.done() == ["\"bluetoothd is gone\"", "down first"])
      play.pass(20)
      #expect(play.deeds() == [], "there is nobody to ask")
      play.sight = Sight(isDaemonPresent: true, adapters: before.adapters)
      if linksSurvive { play.sight.devices = before.devices }
      play.look()
      #expect(
        play.done() == [
          "\"bluetoothd is back\"",
          linksSurvive ? "\"link found\"" : "start hci0",
        ] + (linksSurvive ? ["up first hci0/first"] : []), "links survive: \(linksSurvive)")
    }
  }

  @Test func `a failed call to a vanished daemon is ignored`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: "/org/bluez/hci0"))
    play.hear()
    play.end(.stopDiscovery(adapter: "/org/bluez/hci0"))
    let before = play.sight
    play.sight = Sight()
    play.look()
    _ = play.done()
    play.end(
      .connect(device: RadioPlay.path(board)), Refusal(.daemonLost, "it hung up"))
    #expect(play.done() == [])
    play.sight = before
    play.hear()
    #expect(play.deeds() == ["connect hci0/first"])
  }

  @Test func `if an adapter is chosen by its address, no other adapter is used`() {
    let second = BoardAddress(value: 0x001b_dc00_0001)
    var play = RadioPlay(adapters: 2, chosen: [second])
    play.look()
    play.want()
    #expect(play.deeds() == ["start hci1"])
    play.hear(on: 0, rssi: -40)
    play.end(.startDiscovery(adapter: "/org/bluez/hci1"))
    #expect(play.deeds() == [], "what the other one hears is of no use")
    play.sight.adapters.remove(at: 1)
    play.look()
    #expect(play.radio.obstacle == .noAdapter)
  }

  @Test
  func `a chosen adapter that is missing is reported once, and the other chosen adapters are used`()
  {
    let second = BoardAddress(value: 0x001b_dc00_0001)
    var play = RadioPlay(chosen: [second, BoardAddress(value: 0x001b_dc00_0000)])
    play.look()
    play.want()
    play.look()
    #expect(play.log.filter { $0.contains("adapter not found") }.count == 1)
    #expect(play.log.contains { $0.contains("start hci0") })
    #expect(play.radio.obstacle == nil)
  }

  @Test func `an adapter that is off and was not chosen is not powered on`() {
    var play = RadioPlay(adapters: 2)
    play.sight.adapters[0].isPowered = false
    play.look()
    play.want()
    #expect(play.deeds() == ["start hci1"])
  }

  @Test func `boards are distributed among the adapters and linked in parallel`() {
    var play = RadioPlay(adapters: 2)
    for adapter in 0...1 {
      play.hear(board, on: adapter)
      play.hear(other, on: adapter, rssi: adapter == 0 ? -50 : -70)
    }
    play.want(board)
    play.want(other)
    #expect(play.deeds() == ["connect hci0/first", "connect hci1/second"])
  }

  @Test
  func `boards on an adapter are linked one at a time, after linked boards' sessions are notified`()
  {
    var play = RadioPlay()
    play.bringUp()
    play.hear(other)
    play.want(other)
    #expect(play.deeds() == ["disturbed first", "connect hci0/second"])
    let third = BoardAddress(value: 7)
    play.hear(third)
    play.want(third)
    #expect(play.deeds() == [])
    play.link(other)
    #expect(
      play.deeds() == [
        "up second hci0/second", "disturbed first second", "connect hci0/\(third)",
      ])
  }

  @Test
  func `the number of boards per adapter is limited, and reaching the limit is reported once`() {
    var play = RadioPlay(slots: 1)
    play.bringUp()
    play.hear(other)
    play.want(other)
    #expect(play.done() == ["\"no room for another board\""])
    #expect(play.radio.boardsWithoutRoom == [other])
    play.pass(30)
    play.hear(other)
    #expect(play.done() == [])
    play.handle(.release(board))
    play.set(board, isConnected: false)
    play.end(.disconnect(device: RadioPlay.path(board)))
    #expect(play.deeds() == ["disconnect hci0/first", "left first", "connect hci0/second"])
    #expect(play.radio.boardsWithoutRoom.isEmpty)
  }

  @Test func `a board moves to another adapter if its own adapter's controller is full`() {
    var play = RadioPlay(adapters: 2)
    for adapter in 0...1 { play.hear(board, on: adapter, rssi: adapter == 0 ? -40 : -80) }
    play.want(board)
    #expect(play.deeds() == ["connect hci0/first"])
    play.end(
      .connect(device: RadioPlay.path(board)),
      Refusal(.noSlot, "le-connection-concurrent-connection-limit"))
    #expect(play.deeds() == ["connect hci1/first"])
  }

  @Test func `if the only controller is full, linking a board is retried after four seconds`() {
    var play = RadioPlay()
    play.hear()
    play.want()
    play.end(
      .connect(device: RadioPlay.path(board)), Refusal(.noSlot, "le-connection-memory-allocation"))
    _ = play.deeds()
    play.pass(3.9)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["connect hci0/first"])
  }

  @Test func `a board whose adapter is lost is searched for on another adapter`() {
    var play = RadioPlay(adapters: 2)
    play.hear(board, on: 0)
    play.want(board)
    play.link(board, on: 0)
    _ = play.done()
    play.sight.adapters.remove(at: 0)
    play.sight.devices.removeAll { $0.adapterPath == "/org/bluez/hci0" }
    play.look()
    #expect(play.deeds() == ["down first", "start hci1"])
  }

  private func obstacleWords(_ obstacle: Obstacle) -> String {
    // Swift prints a nested enum case in this form.
    switch obstacle {
    case .blocked: "BlueZ.Obstacle.blocked"
    case .off: "BlueZ.Obstacle.off"
    case .denied(let text): "BlueZ.Obstacle.denied(\"\(text)\")"
    case .noAdapter: "BlueZ.Obstacle.noAdapter"
    case .daemonMissing: "BlueZ.Obstacle.daemonMissing"
    }
  }
}
