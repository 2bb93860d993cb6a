@testable import BlueZ
import TestSupport
import Testing
import Values

/// The radio power-cycles an adapter at the request of the radio's owner.
@Suite(.computation) struct RadioRevivalTests {
  private let board = RadioPlay.first
  private let hci0 = "/org/bluez/hci0"

  private func revive(_ play: inout RadioPlay, resetsPort: Bool = false) {
    play.handle(.revive(adapter: hci0, resetsPort: resetsPort, reason: "its boards send nothing"))
  }

  /// Makes the daemon report the adapter as on or off, and completes the power call.
  private func power(_ play: inout RadioPlay, _ isOn: Bool) {
    play.sight.adapters[0].isPowered = isOn
    play.look()
    play.end(.power(adapter: hci0, isOn))
  }

  @Test
  func `links are ended before the adapter is powered off, and re-established once it is on again`()
  {
    var play = RadioPlay()
    play.bringUp()
    revive(&play)
    #expect(
      play.done() == [
        "\"switching adapter off and on\"", "down first", "disconnect hci0/first",
      ])
    #expect(play.radio.conditions.map(\.isBusy) == [true])
    play.set(isConnected: false)
    #expect(play.deeds() == [])
    play.end(.disconnect(device: RadioPlay.path(board)))
    #expect(play.deeds() == ["power hci0 off", "switched hci0"])
    power(&play, false)
    #expect(play.deeds() == ["power hci0 on"])
    power(&play, true)
    // The radio just had a link to the board, so no scan is needed.
    #expect(play.deeds() == ["connect hci0/first"])
    play.link()
    #expect(play.deeds() == ["up first hci0/first"])
    #expect(play.radio.conditions.map(\.isBusy) == [false])
  }

  @Test
  func `a daemon that does not end a link does not prevent the adapter from being powered off`() {
    var play = RadioPlay()
    play.bringUp()
    revive(&play)
    play.log = []
    play.pass(6)
    #expect(play.deeds() == ["power hci0 off", "switched hci0"])
  }

  @Test
  func `during shutdown, the radio powers no adapter off, and powers on an adapter that is off`() {
    var clearing = RadioPlay()
    clearing.bringUp()
    revive(&clearing)
    var off = clearing
    clearing.handle(.ending)
    clearing.log = []
    clearing.set(isConnected: false)
    clearing.end(.disconnect(device: RadioPlay.path(board)))
    clearing.pass(30)
    #expect(!clearing.done().contains("power hci0 off"))
    revive(&clearing)
    #expect(clearing.done() == [])
    off.pass(6)
    off.handle(.ending)
    off.log = []
    power(&off, false)
    #expect(off.deeds() == ["power hci0 on"])
    #expect(off.radio.conditions.map(\.isBusy) == [true])
    power(&off, true)
    #expect(off.radio.conditions.map(\.isBusy) == [false])
  }

  @Test func `the adapter's port is reset while the adapter is off`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.log = []
    revive(&play, resetsPort: true)
    #expect(play.deeds() == ["power hci0 off", "switched hci0"])
    power(&play, false)
    #expect(play.deeds() == ["reset port of hci0"])
    play.end(.resetPort(adapter: hci0))
    #expect(play.deeds() == ["power hci0 on"])
  }

  @Test func `an adapter that returns from a port reset under another name is powered on`() {
    var play = RadioPlay()
    play.look()
    play.want()
    revive(&play, resetsPort: true)
    power(&play, false)
    play.sight.adapters = []
    play.look()
    play.end(.resetPort(adapter: hci0))
    play.log = []
    play.sight.adapters = [RadioPlay.adapter(0, as: 3, isPowered: false)]
    play.look()
    #expect(play.deeds() == ["power hci3 on"])
  }

  @Test func `another program's link prevents the power cycle`() {
    var play = RadioPlay()
    play.bringUp()
    let stranger = RadioPlay.second
    play.hear(stranger)
    play.set(stranger, isConnected: true)
    play.log = []
    revive(&play)
    #expect(play.done() == [])
    #expect(play.radio.conditions.map(\.hasForeignLink) == [true])
  }

  @Test func `a link attempt in progress is cancelled before the power cycle`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: hci0))
    play.hear()
    play.end(.stopDiscovery(adapter: hci0))
    play.log = []
    revive(&play)
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.end(.connect(device: RadioPlay.path(board)), Refusal(.cancelled, "br-connection-canceled"))
    #expect(play.deeds() == ["power hci0 off", "switched hci0"])
  }

  @Test func `an adapter that does not power on is reported as stuck until it is on`() {
    var play = RadioPlay()
    play.look()
    play.want()
    revive(&play)
    power(&play, false)
    play.end(.power(adapter: hci0, true))
    play.pass(5)
    #expect(play.radio.conditions.map(\.isStuck) == [true])
    play.sight.adapters[0].isPowered = true
    play.look()
    #expect(play.radio.conditions.map(\.isStuck) == [false])
    #expect(play.radio.conditions.map(\.isOn) == [true])
  }

  @Test
  func `a board that is heard again but cannot be linked is listed as refused by its adapter`() {
    var play = RadioPlay()
    play.bringUp()
    play.pass(100)
    play.set(isConnected: false)
    play.end(.connect(device: RadioPlay.path(board)), Refusal(.transient, "le-connection-abort"))
    #expect(play.radio.conditions.first?.refused == [], "it may have gone away")
    play.pass(10)
    play.hear()
    #expect(play.radio.conditions.first?.refused == [board])
    play.link()
    #expect(play.radio.conditions.first?.refused == [])
    #expect(play.radio.conditions.first?.linked == [board])
  }
}
