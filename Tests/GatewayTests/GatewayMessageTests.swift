import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Upload
import Values

@testable import Gateway

/// Gateway messages with rare causes, each with its remedy.
@Suite(.computation) struct GatewayMessageTests {
  private func remedy(of event: LogEvent) -> String? {
    event.details.first { $0.name == "remedy" }?.value
  }

  @Test func `a recording that has ended without a reason is reported as a fault`() throws {
    var status = try GatewayStatusTests.status()
    status.recording.phase = .retrying
    status.recording.failure = nil
    status.judge()
    #expect(!status.works)
    #expect(
      status.troubles.contains { $0.subject == "recording" && $0.text == "it has ended" },
      "\(status.troubles.map(\.text))")
  }

  @Test func `a change in free space is logged, with a remedy only if too little space is left`() {
    for (state, severity) in [
      (SpacePolicy.State.ok, LogEvent.Severity.notice), (.low, .warning), (.full, .warning),
    ] {
      let events = LogEvent.remarks(on: StoreWriter.Space(state: state, dropped: Store.Dropped()))
      #expect(events.map(\.event) == ["space"] && events.map(\.severity) == [severity])
      #expect(
        events.map(remedy)
          == [
            state == .ok
              ? nil : "free some space; 'footbridge store space' shows what can be deleted"
          ])
    }
    let dropped = LogEvent.remarks(
      on: StoreWriter.Space(state: .low, dropped: Store.Dropped(chunks: 2, unsent: 1)))
    #expect(dropped.map(\.event) == ["recordings deleted", "space"])
  }

  @Test(arguments: [
    (
      ClockTable.Disagreement.seconds(-3.2), "the system clock is 3 s ahead of the satellites",
      "set the clock, or enable NTP; the session's date comes from the satellites"
    ),
    (
      .seconds(90), "the system clock is 90 s behind the satellites",
      "set the clock, or enable NTP; the session's date comes from the satellites"
    ),
    (
      .weekRollover(turns: 1),
      "the receiver's week number rolled over: its date is off by 1024 weeks",
      "look for newer receiver firmware; the date has been corrected"
    ),
  ])
  func `if two clocks disagree, the log names the clock that must be corrected`(
    _ disagreement: ClockTable.Disagreement, _ reason: String, _ remedy: String
  ) {
    let event = LogEvent(disagreement)
    #expect(event.event == "clocks disagree" && event.severity == .warning)
    #expect(event.details.first { $0.name == "reason" }?.value == reason)
    #expect(self.remedy(of: event) == remedy)
  }

  // MARK: Definitions

  private func store(
    in folder: TemporaryFolder, tokenFile: String? = nil
  ) throws -> String {
    let store = folder.path + "/store.sqlite"
    try Store.open(path: store).close()
    var settings = DestinationSettings(.http(url: "https://home.example"))
    if let tokenFile { settings.credentials = .token(file: tokenFile) }
    try StoreEditor(path: store).addDestination(
      named: "home", place: settings.placeText, settings: settings.text,
      at: UTCTime(nanoseconds: 1))
    return store
  }

  @Test func `a destination is not asked for definitions if its token file is missing`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try store(in: folder, tokenFile: folder.path + "/none")
    let pull = DefinitionsPull(
      store: store, check: { _ in },
      source: { try DestinationFactory.definitions($0, agent: "footbridge/test") })
    let failure = await #expect(throws: DefinitionsPull.Failure.self) {
      _ = try await pull.run(from: [])
    }
    let message = failure?.message ?? ""
    #expect(message.hasPrefix("cannot request the definitions from home: "), "\(message)")
    #expect(failure?.remedy.isEmpty == false && failure?.isUnreachable == false)
    #expect(try StoreReader(path: store).failedPull()?.reason == message)
  }

  @Test func `if a definition set is older than the previous one, the log recommends https`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try store(in: folder)
    let source = ScriptedDefinitions(
      ScriptedDefinitions.found(#"{"updated_at": "2026-05-11T09:30:00Z"}"#),
      ScriptedDefinitions.found(#"{"updated_at": "2026-05-10T09:30:00Z"}"#))
    let events = Guarded<[LogEvent]>([])
    for _ in 0..<2 {
      let pull = DefinitionsPull(
        store: store, check: { _ in },
        doubted: { why in events.withLock { $0.append(DefinitionsPull.event(ofDoubt: why)) } },
        source: { _ in source })
      _ = try await pull.run(from: [])
    }
    let logged = events.withLock { $0 }
    #expect(logged.map(\.event) == ["older definitions"])
    #expect(
      logged.first?.details.first?.value
        == "the new set is dated 2026-05-10T09:30:00Z, and the previous set is dated "
        + "2026-05-11T09:30:00Z")
    #expect(
      logged.map(remedy)
        == ["unless someone restored an earlier set, use an address with 'https'"])
  }

  @Test
  func `a destination that is not a Firestore database is rejected where Firestore is required`() {
    let settings = DestinationSettings(.http(url: "https://home.example"))
    #expect(
      throws: UploadError(
        "the destination is not a Firestore database",
        remedy: "specify a destination that was added with '--firestore'")
    ) { _ = try DestinationFactory.firestorePlace(settings) }
  }

  // MARK: USB

  @Test(.realTime)
  func `if an adapter's USB port cannot be reset, the reason is reported, with a remedy`()
    async throws
  {
    let folder = try TemporaryFolder()
    let root = folder.path
    let device = root + "/sys/devices/usb1/1-2"
    try Folder.make(device + "/hci0")
    try Folder.make(root + "/sys/class/bluetooth")
    try "1\n".write(toFile: device + "/busnum", atomically: true, encoding: .utf8)
    try "4\n".write(toFile: device + "/devnum", atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: root + "/sys/class/bluetooth/hci0", withDestinationPath: device + "/hci0")
    let ports = USBPorts(below: root) { _ throws(SystemError) in
      throw SystemError("reset the USB device", number: EACCES)
    }
    let install =
      "install udev/60-footbridge-gps.rules and udev/61-footbridge-bluetooth.rules, and start the "
      + "service with the unit file of this release"
    #expect(throws: LiveStatus.Obstacle.notOnUSB) {
      _ = try ports.device(ofAdapter: "hci1").get()
    }
    // The file used to reset the device does not exist yet.
    let obstacle = #expect(throws: LiveStatus.Obstacle.self) {
      _ = try ports.device(ofAdapter: "hci0").get()
    }
    #expect(obstacle?.remedy == install)
    try Folder.make(root + "/dev/bus/usb/001")
    try "".write(toFile: root + "/dev/bus/usb/001/004", atomically: true, encoding: .utf8)
    let found = try ports.device(ofAdapter: "hci0").get()
    let refusal = await ports.reset(found)
    #expect(refusal?.text == "cannot reset the USB device: Permission denied")
    #expect(refusal?.remedy == install)
  }
}
