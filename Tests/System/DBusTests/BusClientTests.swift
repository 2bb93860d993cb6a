import DBus
import LinuxSystem
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct BusClientTests {
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

  @Test func `values of every type are returned unchanged over the bus`() async throws {
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

  @Test func `a descriptor passed over the bus can be used`() async throws {
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
    // Nothing more arrives: either the stream has ended, or the service still holds a copy.
    let end = near.read(into: &buffer)
    #expect(end == 0 || end == -11)
  }

  @Test func `an error reply contains the service's error name and message`() async throws {
    let error = await #expect(throws: BusError.self) { try await call("Refuse") }
    #expect(error?.name == "org.example.Error.No")
    #expect(error?.message == "not today")
    #expect(error?.operation == "Refuse on /echo")
  }

  @Test func `an unanswered call fails at its deadline`() async throws {
    let error = await #expect(throws: BusError.self) { try await call("Ignore", deadline: 0.2) }
    #expect(error?.kind == .timedOut)
  }

  @Test func `a call to a missing service fails with the error for an unknown service`()
    async throws
  {
    let error = await #expect(throws: BusError.self) {
      try await call("Echo", to: "org.example.No")
    }
    #expect(error?.kind == .serviceUnknown)
  }

  @Test func `a waiting call fails at once when the connection to the bus is lost`() async throws {
    let answer = Task { try await call("Ignore", deadline: 60) }
    // The echo is answered after the waiting call was sent, so that call is already in transit.
    _ = try await call("Echo")
    bus.stop()
    let error = await #expect(throws: BusError.self) { try await answer.value }
    #expect(error?.kind == .disconnected)
    let later = await #expect(throws: BusError.self) { try await call("Echo") }
    #expect(later?.kind == .disconnected)
  }

  @Test func `signals are passed to their handlers in order`() async throws {
    let (numbers, post) = AsyncStream<Int>.makeStream()
    let rule = SignalRule(
      "Announced", of: "org.example.Echo", from: EchoService.name, path: "/echo")
    let elsewhere = SignalRule(
      "Announced", of: "org.example.Echo", from: EchoService.name, path: "/elsewhere")
    try await client.listen(to: rule) { post.yield($0.arguments.first?.integer ?? -1) }
    try await client.listen(to: elsewhere) { _ in post.yield(-2) }
    for number in 0..<100 { _ = try await call("Announce", [.int32(Int32(number))]) }
    client.close()
    post.finish()
    var received: [Int] = []
    for await number in numbers { received.append(number) }
    #expect(received == Array(0..<100))
  }

  @Test func `a changed property's bytes are found among other changes`() async throws {
    let (values, post) = AsyncStream<[UInt8]>.makeStream()
    let rule = SignalRule(
      "Announced", of: "org.example.Echo", from: EchoService.name, path: "/echo",
      firstArgument: "org.example.Value")
    try await client.listen(toMessages: rule) { message in
      message.withChangedBytes(of: "Value") { bytes in
        post.yield(bytes.indices.map { bytes[$0] })
      }
    }
    func announce(_ interface: String, _ changes: [String: BusValue]) async throws {
      let arguments: [BusValue] = [.string(interface), .properties(changes), .strings([])]
      _ = try await call("Announce", arguments)
    }
    try await announce(
      "org.example.Value", ["Notifying": .boolean(true), "Value": .bytes([1, 2])])
    try await announce("org.example.Other", ["Value": .bytes([3])])
    try await announce("org.example.Value", ["Value": .bytes([])])
    try await announce("org.example.Value", ["Value": .string("text")])
    try await announce("org.example.Value", ["Notifying": .boolean(false)])
    _ = try await call("Announce", [.string("org.example.Value"), .bytes([4])])
    _ = try await call("Announce", [.string("org.example.Value")])
    _ = try await call("Announce")
    try await announce("org.example.Value", ["Later": .byte(0), "Value": .bytes([5])])
    client.close()
    post.finish()
    var received: [[UInt8]] = []
    for await value in values { received.append(value) }
    #expect(received == [[1, 2], [], [5]])
  }

  @Test func `an object that a client serves answers calls until it is withdrawn`() async throws {
    let server = try BusClient(.at(bus.address))
    server.serve("/agent") { call in
      call.member == "Sum"
        ? .values([.int32(Int32(call.arguments.compactMap(\.integer).reduce(0, +)))])
        : .refusal(name: "org.example.Error.No", message: "not \(call.member)")
    }
    // The server connected last, so its unique name has the highest number in the bus's list.
    let names = try await server.call(
      BusCall(
        "ListNames", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
        at: "org.freedesktop.DBus", deadline: 5))
    let unique = try #require(
      names.first?.texts?.filter { $0.hasPrefix(":") }.max { left, right in
        (Double(left.dropFirst(3)) ?? 0) < (Double(right.dropFirst(3)) ?? 0)
      })
    func ask(_ member: String) async throws(BusError) -> [BusValue] {
      try await client.call(
        BusCall(
          member, on: "/agent", of: "org.example.Agent", at: unique, [.int32(2), .int32(3)],
          deadline: 5))
    }
    let sum = try await ask("Sum")
    #expect(sum.first?.integer == 5)
    let refused = await #expect(throws: BusError.self) { try await ask("Product") }
    #expect(refused?.message == "not Product")
    server.serve("/agent", nil)
    let gone = await #expect(throws: BusError.self) { try await ask("Sum") }
    #expect(gone?.kind == .unknownObject)
  }

  @Test func `many concurrent calls each get their own reply`() async throws {
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

  @Test func `a missing bus causes an error instead of a crash`() {
    let error = #expect(throws: BusError.self) {
      _ = try BusConnection(.at("unix:path=/nonexistent/socket"))
    }
    #expect(error?.kind == .disconnected)
  }

  @Test func `waiting for a hanging bus can be cancelled`() async throws {
    let listener = try TCPListener()
    let address = BusAddress.at("tcp:host=127.0.0.1,port=\(listener.port)")
    let attempt = Task { _ = try await BusClient.connect(address) }
    // The connection attempt is in progress once the silent bus has accepted it.
    var connection: TCPConnection?
    repeat {
      try await Task.sleep(for: .milliseconds(10))
      connection = listener.accept()
    } while connection == nil
    attempt.cancel()
    await #expect(throws: CancellationError.self) { try await attempt.value }
    _ = consume connection
  }

  @Test func `a name that another client already owns is rejected`() throws {
    let connection = try BusConnection(.at(bus.address))
    let error = #expect(throws: BusError.self) { try connection.own(EchoService.name) }
    #expect(error?.name == "org.freedesktop.DBus.Error.NameExists")
  }
}
