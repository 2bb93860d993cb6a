import BlueZ
@testable import Gateway
import Positioning
import TestSupport
import Testing
import Values

/// The recovery steps for several adapters and the receiver.
@Suite(.computation) struct LaddersTests {
  private let board = BoardAddress(value: 1)

  private func time(_ seconds: Int) -> BootTime {
    BootTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func adapter(_ number: Int, linked: [BoardAddress]) -> AdapterCondition {
    AdapterCondition(
      key: "adapter \(number)", path: "/org/bluez/hci\(number)", name: "hci\(number)",
      linked: linked, linkedSince: linked.isEmpty ? nil : 1)
  }

  /// Returns the steps taken for these adapters and this receiver within a few seconds.
  private func steps(
    of ladders: inout Ladders, in seconds: Range<Int>, _ adapters: [AdapterCondition] = [],
    sampleAge: Double? = nil, receiver: ReceiverState? = nil, reach: DaemonPlan.Recovery = .usb
  ) -> [String] {
    seconds.flatMap { second in
      ladders.next(
        adapters, sampleAge: { _ in sampleAge },
        receiver: receiver.map {
          Ladders.ReceiverCondition(state: $0, age: Double(second - seconds.lowerBound))
        }, reach: reach, at: time(second)
      ).map { step in
        switch step {
        case .power(let adapter, let reason): "\(second) power \(adapter.name): \(reason)"
        case .port(let adapter, _): "\(second) port \(adapter.name)"
        case .receiverPort: "\(second) receiver"
        }
      }
    }
  }

  @Test func `only the adapter whose boards are silent is reset`() {
    var ladders = Ladders()
    let all = [adapter(0, linked: [board]), adapter(1, linked: [])]
    #expect(
      steps(of: &ladders, in: 100..<150, all, sampleAge: 60) == [
        "115 power hci0: its boards send nothing", "135 port hci0",
      ])
    _ = steps(of: &ladders, in: 150..<160, all, sampleAge: 60)
    #expect(ladders.helplessAdapters == ["hci0": .silent([board])])
    _ = steps(of: &ladders, in: 160..<161, all, sampleAge: 1)
    #expect(ladders.helplessAdapters == [:])
  }

  @Test(arguments: [(DaemonPlan.Recovery.links, 0), (.adapter, 1), (.usb, 2)])
  func `the configuration limits the steps in a recovery attempt`(
    _ reach: DaemonPlan.Recovery, _ count: Int
  ) {
    var ladders = Ladders()
    let silent = [adapter(0, linked: [board])]
    #expect(
      steps(of: &ladders, in: 100..<160, silent, sampleAge: 60, receiver: .noFix, reach: reach)
        .count == count)
  }

  @Test
  func `the port of a silent receiver is reset; if this does not help, the receiver is reported`() {
    var ladders = Ladders()
    #expect(steps(of: &ladders, in: 0..<30, receiver: .lost) == ["15 receiver"])
    #expect(!ladders.isReceiverHelpless)
    #expect(steps(of: &ladders, in: 30..<60, receiver: .lost) == [])
    #expect(ladders.isReceiverHelpless)
    #expect(steps(of: &ladders, in: 60..<62, receiver: .noFix) == [])
    #expect(!ladders.isReceiverHelpless)
  }

  @Test func `a receiver has one minute in which to send its first sentence`() {
    var ladders = Ladders()
    #expect(steps(of: &ladders, in: 0..<80, receiver: .searching) == ["75 receiver"])
  }

  @Test(arguments: [ReceiverState.noFix, .stale, .unplugged, .noDaemon, .noDevice, .fix3D, .fixed])
  func `no recovery step is taken for a receiver that sends sentences or has no port`(
    _ state: ReceiverState
  ) {
    var ladders = Ladders()
    #expect(steps(of: &ladders, in: 0..<1_000, receiver: state) == [])
  }
}
