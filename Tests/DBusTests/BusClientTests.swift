import DBus
import LinuxSystem
import Simulation
import Testing

@Suite struct BusClientTests {
  private let bus: PrivateBus
  private let service: EchoService
  private let client: BusClient

  init() throws {
    bus = try PrivateBus()
    service = try EchoService(bus.address)
    client = try BusClient(.at(bus.address))
  }

  private func call(
    _ member: String, _ arguments: [BusValue] = [], to name: String = EchoService.name,
    deadline: Double = 10
  ) async throws(BusError) -> [BusValue] {
    try await client.call(
      BusCall(
        member, on: "/echo", of: "org.example.Echo", at: name, arguments, deadline: deadline))
  }

  @Test func `values of every type come back as they were sent`() async throws {
    let sent: [BusValue] = [
      .byte(200), .boolean(true), .int16(-5), .uint16(65_535), .int32(-70_000),
      .uint32(4_000_000_000),
      .int64(.min), .uint64(.max), .double(-0.125), .string("grüße"), .objectPath("/a/b"),
      .signature("a{sv}"), .bytes([0, 1, 255]), .bytes([]), .strings(["x", ""]), .strings([]),
      .structure([.byte(1), .string("two")]), .variant(.array(of: "q", [.uint16(3)])),
      .properties(["Alias": .string("board"), "RSSI": .int16(-60)]), .properties([:]),
      .dictionary(
        key: "o", value: "a{sa{sv}}",
        [
          .init(
            key: .objectPath("/x"),
            value: .dictionary(
              key: "s", value: "a{sv}",
              [.init(key: .string("i"), value: .properties(["p": .boolean(false)]))]))
        ]),
    ]
    let received = try await call("Echo", sent)
    #expect(received.map(\.signature) == sent.map(\.signature))
    #expect(received.map { "\($0)" } == sent.map { "\($0)" })
  }

  @Test func `a descriptor that crossed the bus works and is closed with its box`() async throws {
    var far: DescriptorBox?
    let near = try OwnedDescriptor.packetSocketPair().split { far = DescriptorBox($0) }
    let box = try #require(far)
    let reply = try await call("Echo", [.descriptor(box)])
    do {
      guard let received = reply.first?.descriptor?.take() else {
        Issue.record("the answer holds no descriptor")
        return
      }
      let sent = received.send([1, 2, 3])
      #expect(sent == 3)
    }
    var buffer = [UInt8](repeating: 0, count: 8)
    let count = near.read(into: &buffer)
    #expect(count == 3)
    // Every copy of the other end is closed now, so the end of the stream is seen at last.
    let end = near.read(into: &buffer)
    #expect(end == 0 || end == -11)
  }

  @Test func `a refusal carries the service's name and words`() async throws {
    let error = await #expect(throws: BusError.self) { try await call("Refuse") }
    #expect(error?.name == "org.example.Error.No")
    #expect(error?.message == "not today")
    #expect(error?.operation == "Refuse on /echo")
  }

  @Test func `a call that nobody answers ends at its deadline`() async throws {
    let error = await #expect(throws: BusError.self) { try await call("Ignore", deadline: 0.2) }
    #expect(error?.kind == .timedOut)
  }

  @Test func `a call to a service that does not run says so`() async throws {
    let error = await #expect(throws: BusError.self) {
      try await call("Echo", to: "org.example.No")
    }
    #expect(error?.kind == .serviceUnknown)
  }

  @Test func `a waiting call fails at once when the bus goes away`() async throws {
    let answer = Task { try await call("Ignore", deadline: 60) }
    // The echo is answered after the waiting call was sent, so that one is on its way.
    _ = try await call("Echo")
    bus.stop()
    let error = await #expect(throws: BusError.self) { try await answer.value }
    #expect(error?.kind == .disconnected)
    let later = await #expect(throws: BusError.self) { try await call("Echo") }
    #expect(later?.kind == .disconnected)
  }

  @Test func `signals arrive in order, and the stream ends with the client`() async throws {
    let rule = "type='signal',interface='org.example.Echo'"
    _ = try await client.call(
      BusCall(
        "AddMatch", on: "/", of: "org.freedesktop.DBus", at: "org.freedesktop.DBus",
        [.string(rule)], deadline: 5))
    for number in 0..<50 { _ = try await call("Announce", [.int32(Int32(number))]) }
    client.close()
    var numbers: [Int] = []
    for await signal in client.signals where signal.member == "Announced" {
      numbers.append(signal.arguments.first?.integer ?? -1)
    }
    #expect(numbers == Array(0..<50))
  }

  @Test func `many callers at once each get their own answer`() async throws {
    let sum = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let answer = try await self.call("Echo", [.int32(Int32(number))])
          return answer.first?.integer == number
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(sum == 200)
  }

  @Test func `a bus that is not there is an error, not a crash`() {
    let error = #expect(throws: BusError.self) {
      _ = try BusConnection(.at("unix:path=/nonexistent/socket"))
    }
    #expect(error?.kind == .disconnected)
  }

  @Test func `a name that is taken is refused`() throws {
    let connection = try BusConnection(.at(bus.address))
    let error = #expect(throws: BusError.self) { try connection.own(EchoService.name) }
    #expect(error?.name == "org.freedesktop.DBus.Error.NameExists")
  }
}
