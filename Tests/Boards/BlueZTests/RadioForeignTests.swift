import DBus
import Recording
import TestSupport
import Testing

@testable import BlueZ
import Values

/// Links and pairings made by other programs on this computer are left alone.
@Suite(.computation) struct RadioForeignTests {
  private let board = RadioPlay.first
  private let device = RadioPlay.path(RadioPlay.first)
  private let hci0 = "/org/bluez/hci0"

  @Test
  func `another program's link to a foreign device is not ended, and the caller gets an error`() {
    var play = RadioPlay()
    play.hear()
    play.set(isConnected: true, isResolved: true, structure: .foreign)
    play.want(board, Radio.Patience())
    play.pass(0.6)
    play.end(.reread)
    play.pass(100)
    #expect(play.deeds() == ["reread", "failed first foreign", "left first"])
  }

  @Test func `an existing link is ended if the board's attributes are incomplete`() {
    var play = RadioPlay()
    play.hear()
    play.set(isConnected: true, isResolved: true, structure: .incomplete)
    play.want(board)
    // The device was removed ten minutes ago, so the radio must not remove it again yet.
    play.radio.boards[board]?.removedAt = play.now - 600
    play.pass(0.6)
    play.end(.reread)
    #expect(play.deeds() == ["reread", "disconnect hci0/first"])
  }

  @Test
  func `an adapter with a connected mouse is not power-cycled, even if discovery is wedged`() {
    var play = RadioPlay()
    play.hear(RadioPlay.second)
    play.set(RadioPlay.second, isConnected: true)
    play.want()
    for _ in 1...6 {
      play.end(.startDiscovery(adapter: hci0), Refusal(.underWay, "Operation already in progress"))
      play.end(.stopDiscovery(adapter: hci0))
      play.pass(0.5)
    }
    let done = play.done()
    #expect(!done.contains("power hci0 off"))
    #expect(done.last == "\"discovery is refused\"")
  }

  @Test func `a paired headset is foreign, but a paired board without attributes is incomplete`() {
    var tree = ObjectTree()
    for (services, expected) in [
      (["0000110b-0000-1000-8000-00805f9b34fb"], Structure.foreign),
      ([RadioPlay.service], .incomplete),
    ] {
      tree.removeAll()
      let properties: [String: BusValue] = [
        "Address": .string(board.description), "Adapter": .objectPath(hci0),
        "Connected": .boolean(true), "ServicesResolved": .boolean(true), "Paired": .boolean(true),
        "UUIDs": .array(of: "s", services.map { .string($0) }),
      ]
      let isTaken = tree.apply(
        BusSignal(
          "InterfacesAdded", from: "/", of: BlueZName.objectManager,
          [
            .objectPath(device),
            .dictionary(
              key: "s", value: "a{sv}",
              [BusValue.Entry(key: .string(BlueZName.device), value: .properties(properties))]),
          ]))
      #expect(isTaken)
      #expect(tree.structure(ofDevice: device, RadioPlay.shape) == expected)
    }
  }
}
