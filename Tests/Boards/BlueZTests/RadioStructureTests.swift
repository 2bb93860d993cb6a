import DBus
import Recording
import TestSupport
import Testing

@testable import BlueZ

/// The radio's handling of a device with unexpected attributes.
@Suite(.computation) struct RadioStructureTests {
  private let board = RadioPlay.first
  private let device = RadioPlay.path(RadioPlay.first)
  private let hci0 = "/org/bluez/hci0"

  /// Returns a radio with a linked board that has these attributes.
  private func linked(_ structure: Structure, _ patience: Radio.Patience? = nil) -> RadioPlay {
    var play = RadioPlay()
    play.hear()
    play.want(board, patience)
    play.set(isConnected: true, isResolved: true, structure: structure)
    play.end(.connect(device: device))
    _ = play.done()
    return play
  }

  @Test func `ServicesResolved true but objects missing: the radio reads the objects again`() {
    var play = linked(.incomplete)
    play.pass(0.6)
    #expect(play.deeds() == ["reread"], "one look half a second later")
    play.set(structure: .complete)
    play.end(.reread)
    #expect(play.deeds() == ["up first hci0/first"])
  }

  @Test
  func `changed GATT table after firmware update: the device is removed, found and linked again`() {
    var play = linked(.incomplete)
    play.pass(0.6)
    play.end(.reread)
    #expect(
      play.done() == ["reread", "\"attributes are incomplete\"", "disconnect hci0/first"])
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    play.end(.disconnect(device: device))
    #expect(play.deeds() == ["remove hci0/first"])
    play.sight.devices = []
    play.look()
    play.end(.remove(device: device, adapter: hci0))
    #expect(play.deeds() == ["start hci0"], "only a device that is heard again is linked")
    play.end(.startDiscovery(adapter: hci0))
    play.pass(1)
    play.hear()
    play.link()
    #expect(play.deeds() == ["stop hci0", "connect hci0/first", "up first hci0/first"])
  }

  @Test func `the radio removes a device from bluetoothd at most once an hour`() {
    var play = linked(.incomplete)
    play.radio.boards[board]?.removedAt = play.now - 3_599
    play.pass(0.6)
    play.end(.reread)
    let deeds = play.deeds()
    #expect(deeds == ["reread", "disconnect hci0/first"])
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    play.end(.disconnect(device: device))
    #expect(!play.deeds().contains("remove hci0/first"))
    play = linked(.incomplete)
    play.radio.boards[board]?.removedAt = play.now - 3_601
    play.pass(0.6)
    play.end(.reread)
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    play.end(.disconnect(device: device))
    #expect(play.deeds().contains("remove hci0/first"))
  }

  @Test
  func `a bootloader or a device that is not a MetaWear board is reported to the waiting caller`() {
    for (structure, kind) in [(Structure.bootloader, "bootloader"), (.foreign, "foreign")] {
      var play = linked(structure, Radio.Patience())
      play.pass(0.6)
      play.end(.reread)
      #expect(
        play.deeds() == ["reread", "failed first \(kind)", "disconnect hci0/first"])
      play.set(isConnected: false, isResolved: false, structure: .unknown)
      play.end(.disconnect(device: device))
      #expect(play.deeds() == ["left first"])
    }
  }

  @Test
  func `a board in its bootloader is linked again for a caller without a time or attempt limit`() {
    var play = linked(.bootloader)
    play.pass(0.6)
    play.end(.reread)
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    play.end(.disconnect(device: device))
    play.pass(1)
    play.hear()
    #expect(play.deeds().last == "connect hci0/first")
  }

  @Test
  func `if AcquireNotify got no reply, the daemon must forget the device before the next link`() {
    var play = RadioPlay()
    play.bringUp()
    play.handle(.renew(board))
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    play.end(.disconnect(device: device))
    #expect(play.deeds() == ["disconnect hci0/first", "remove hci0/first"])
    // An old daemon may crash during the removal. The radio then waits for the daemon's return as
    // usual.
    play.sight = Sight()
    play.look()
    play.end(.remove(device: device, adapter: hci0), Refusal(.daemonLost, "it hung up"))
    #expect(play.deeds() == [])
    play.sight = Sight(isDaemonPresent: true, adapters: [RadioPlay.adapter(0)])
    play.look()
    #expect(play.deeds() == ["start hci0"])
  }
}

/// The meaning of the daemon's error texts, and the choice between descriptor and signals.
@Suite(.computation) struct RefusalTests {
  private func kind(_ name: String, _ text: String) -> Refusal.Kind {
    Refusal(BusError(name: name, message: text, operation: "Connect on /x")).kind
  }

  @Test(arguments: [
    ("Failed", "le-connection-abort-by-local", Refusal.Kind.transient),
    ("Failed", "br-connection-canceled", .cancelled),
    ("Failed", "Operation already in progress", .underWay),
    ("InProgress", "In Progress", .underWay),
    ("Failed", "le-connection-concurrent-connection-limit", .noSlot),
    ("Failed", "le-connection-memory-allocation", .noSlot),
    ("Failed", "le-connection-busy", .noSlot),
    ("Failed", "le-connection-refused", .transient),
    ("Failed", "Not connected", .linkLost), ("Failed", "No ATT transport", .linkLost),
    ("Failed", "Operation failed with ATT error: 0x0e", .peer(0x0e)),
    ("Failed", "No discovery started", .nothingToStop),
    ("Failed", "No notify session started", .nothingToStop),
    ("NotReady", "Resource Not Ready", .off), ("Blocked", "rfkill", .blocked),
    ("NotPermitted", "Notify acquired", .held), ("NotPermitted", "Not paired", .notPaired),
    ("NotConnected", "Not Connected", .linkLost), ("NotSupported", "", .notSupported),
    ("AlreadyExists", "Already Exists", .alreadyDone), ("DoesNotExist", "", .gone),
    ("InvalidArguments", "", .invalid), ("Failed", "something new", .other),
  ])
  func `each of the daemon's error names and messages has one meaning`(
    name: String, text: String, expected: Refusal.Kind
  ) {
    #expect(kind("org.bluez.Error." + name, text) == expected)
  }

  @Test func `each of the bus's own errors has one meaning`() {
    let prefix = "org.freedesktop.DBus.Error."
    #expect(kind(prefix + "UnknownObject", "") == .gone)
    #expect(kind(prefix + "UnknownMethod", "") == .gone)
    #expect(kind(prefix + "NoReply", "") == .unanswered)
    #expect(kind(prefix + "ServiceUnknown", "") == .daemonLost)
    #expect(kind(prefix + "Disconnected", "") == .daemonLost)
    #expect(kind(prefix + "AccessDenied", "") == .denied)
  }

  @Test
  func `AcquireNotify never answers: the device is removed; if unsupported, signals are used`() {
    let way = SubscriptionWay.descriptor
    func next(_ kind: Refusal.Kind, _ text: String = "", isNotifying: Bool = false)
      -> SubscriptionWay.Next
    {
      way.next(after: Refusal(kind, text), isNotifying: isNotifying)
    }
    #expect(next(.unanswered) == .renewal, "the daemon believes that it gave it away")
    #expect(next(.notSupported) == .signals)
    #expect(next(.underWay) == .signals)
    #expect(next(.gone) == .signals)
    #expect(next(.linkLost) == .linkLost)
    #expect(next(.notPaired) == .pairing)
    #expect(next(.peer(0x0f)) == .pairing)
    #expect(next(.other) == .failure)
  }

  @Test
  func `two gateways on one adapter: notifications acquired by the other gateway are detected`() {
    for way in [SubscriptionWay.descriptor, .signals] {
      let held = Refusal(.held, "Notify acquired")
      #expect(way.next(after: held, isNotifying: true) == .held)
      let busy = Refusal(.underWay, "In Progress")
      #expect(way.next(after: busy, isNotifying: true) == .held)
    }
  }
}

@Suite(.computation) struct WriteOrderTests {
  @Test func `every ninth write requests a response`() {
    var order = WriteOrder(flags: ["write", "write-without-response"])
    var kinds: [Bool] = []
    for _ in 0..<18 {
      let asRequest = order.isRequest(false)
      kinds.append(asRequest)
      order.wrote(asRequest: asRequest)
    }
    let eight = Array(repeating: false, count: 8)
    #expect(kinds == eight + [true] + eight + [true])
  }

  @Test
  func `a write that requests an acknowledgement resets the count of unacknowledged writes`() {
    var order = WriteOrder(flags: ["write", "write-without-response"])
    for _ in 0..<7 { order.wrote(asRequest: false) }
    #expect(order.isRequest(true))
    order.wrote(asRequest: true)
    for _ in 0..<8 {
      #expect(!order.isRequest(false))
      order.wrote(asRequest: false)
    }
    #expect(order.isRequest(false))
  }

  @Test func `if a characteristic supports only one kind of write, that kind is used`() {
    let commands = WriteOrder(flags: ["write-without-response"])
    #expect(!commands.isRequest(true))
    let requests = WriteOrder(flags: ["write"])
    #expect(requests.isRequest(false))
  }

  @Test
  func `a write is repeated up to fifty times if the daemon is busy, but not after other refusals`()
  {
    var order = WriteOrder(flags: ["write"])
    var offers = 0
    while order.isOfferedAgain(after: Refusal(.underWay, "In Progress")), offers < 100 {
      offers += 1
    }
    #expect(offers == 50)
    let isOffered = order.isOfferedAgain(after: Refusal(.linkLost, "Not connected"))
    #expect(!isOffered)
  }
}
