import BlueZ
import BoardDriver
import DBus
import Foundation
import Gateway
import LinuxSystem
import MetaWearProtocol
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Upload
import Values

/// The complete daemon in a simulated world whose system clock can jump.
@Suite(.simulatedTime) struct GatewayDaemonTests {
  private let world: SimulatedWorld
  private let folder: TemporaryFolder
  private let log = Guarded<[LogEvent]>([])
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    world = try FieldRecording.world(boards: 2)
  }

  private func plan(_ change: (inout DaemonPlan) -> Void = { _ in }) -> DaemonPlan {
    var plan = DaemonPlan(in: world, store: store, scanSeconds: 45)
    change(&plan)
    return plan
  }

  /// Starts a daemon with this plan, and returns it with its task.
  private func start(
    _ plan: DaemonPlan, _ manager: ServiceManager = ServiceManager(environment: [:]),
    definitions: DaemonDefinitions? = nil, ports: USBPorts = USBPorts()
  ) -> (GatewayDaemon, Task<Void, Never>) {
    let log = log
    let daemon = GatewayDaemon(
      plan, version: "test", manager,
      DaemonReporter(agent: "test", log: { event in log.withLock { $0.append(event) } }) {
        ("\($0)", "try again")
      }, definitions: definitions, ports: ports)
    return (daemon, Task { await daemon.run() })
  }

  private func samples(_ daemon: GatewayDaemon) -> UInt64 {
    daemon.status.boards.flatMap(\.streams).reduce(0) { $0 + $1.received }
  }

  /// Waits until both boards have sent the given number of samples in the current session.
  private func stream(_ daemon: GatewayDaemon, _ count: UInt64 = 200) async throws {
    try await wait(for: "samples") {
      let boards = daemon.status.boards
      return boards.count == 2
        && boards.allSatisfy { $0.streams.contains { $0.received >= count } }
    }
  }

  /// Returns the sample count of each session in the store. Expects that every session is closed.
  private func stored() throws -> [Int] {
    let reader = try StoreReader(path: store)
    return try reader.sessions().map { session in
      #expect(session.end != nil)
      var count = 0
      for stream in try reader.streams(of: session.id) {
        for chunk in try reader.chunks(of: stream) { count += chunk.sampleCount }
      }
      return count
    }
  }

  @Test func `the daemon records until it is stopped, and stores everything within five seconds`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    #expect(daemon.status.works)
    #expect(daemon.status.recording.phase == .recording)
    let asked = GivenTime.now
    daemon.stop()
    await task.value
    #expect(GivenTime.now.seconds(since: asked) < 5)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test
  func `boards that appear late are recorded within a minute, and a fault is reported until then`()
    async throws
  {
    world.inject(.heldByAnotherCentral(seconds: 240))
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    let trouble = try #require(daemon.status.troubles.first)
    #expect(trouble.subject == "recording")
    #expect(!trouble.text.isEmpty)
    try await Pause.seconds(180)
    #expect(daemon.status.recording.restarts > 0)
    #expect(!daemon.status.works)
    try await Pause.seconds(60)
    let returned = GivenTime.now
    try await stream(daemon, 1)
    #expect(GivenTime.now.seconds(since: returned) < 60)
    daemon.stop()
    await task.value
    // An attempt that receives no sample leaves no session behind.
    #expect(try stored().count == 1)
  }

  @Test func `a board whose packets are all lost is reported as a fault within twelve seconds`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    world.inject(.dropAll(seconds: 30), into: 1)
    let lost = GivenTime.now
    try await wait(for: "a fault") { !daemon.status.works }
    #expect(GivenTime.now.seconds(since: lost) < 12)
    #expect(daemon.status.troubles.first?.subject == world.boards[1].name)
    try await wait(for: "the board") { daemon.status.works }
    daemon.stop()
    await task.value
  }

  /// Returns a service manager whose watchdog expires after a minute, and the time of the last
  /// keep-alive.
  private func watchdog() -> (ServiceManager, Guarded<BootTime?>) {
    let sign = Guarded<BootTime?>(nil)
    let manager = ServiceManager(watchdogSeconds: 60) { message in
      if message == .watchdog { sign.withLock { $0 = BootClock.now() } }
    }
    return (manager, sign)
  }

  @Test
  func `during a pause no samples are stored, even in the next session, until a resume command`()
    async throws
  {
    let (manager, sign) = watchdog()
    let (daemon, task) = start(plan { $0.sessionSeconds = 100 }, manager)
    try await stream(daemon)
    #expect(daemon.pause(true))
    try await wait(for: "the pause") { daemon.status.recording.pause != nil }
    // A repeated request continues the same pause.
    #expect(daemon.pause(true))
    try await Pause.seconds(3)
    let (first, kept) = (daemon.status.recording.session, samples(daemon))
    try await Pause.seconds(120)
    let status = daemon.status
    #expect(status.recording.session != first && status.recording.pause != nil)
    #expect(samples(daemon) == 0 && status.works && status.activity.hasPrefix("paused"))
    let told = try #require(sign.withLock { $0 })
    #expect(BootClock.now().seconds(since: told) < 30)
    #expect(daemon.pause(false))
    try await stream(daemon)
    #expect(daemon.status.recording.pause == nil)
    daemon.stop()
    await task.value
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions().sorted { $0.start < $1.start }
    #expect(try stored().first == Int(kept) && sessions.count == 2)
    for session in sessions {
      let lost = try reader.streams(of: session.id).map(\.lostCount)
      #expect(!lost.isEmpty && lost.allSatisfy { $0 > 500 }, "\(lost)")
    }
  }

  @Test
  func `a participant named at the start is used until the stop, but only if the name is known`()
    async throws
  {
    let known = Participant("P08", height: 1.6)
    let (daemon, task) = start(
      plan {
        $0.rule.time = .command
        $0.participant = "p07"
        $0.participants = [Participant("P07", side: .left), known]
      })
    #expect(throws: Participant.Unknown.self) { try daemon.start(participant: "P09") }
    #expect(daemon.status.recording.phase == .waiting)
    try daemon.start(participant: "p08")
    try await stream(daemon)
    #expect(daemon.status.recording.participant == "P08")
    try daemon.start(participant: "P08")
    let other = #expect(throws: GatewayDaemon.OtherParticipant.self) {
      try daemon.start(participant: "P07")
    }
    #expect(other?.message == "a session of 'P08' is being recorded")
    // The rejected command has no effect, and a start right after a stop begins another session.
    #expect(daemon.pause(true))
    #expect(throws: GatewayDaemon.OtherParticipant.self) { try daemon.start(participant: "P07") }
    try await wait(for: "the pause") { daemon.status.recording.pause != nil }
    daemon.take(.stop)
    #expect(!daemon.pause(true))
    #expect(daemon.status.recording.pause == nil && daemon.status.recording.phase == .ending)
    try daemon.start(participant: "P07")
    try await wait(for: "the next session") { daemon.status.recording.participant == "P07" }
    try await stream(daemon)
    daemon.take(.stop)
    try await wait(for: "the end") { daemon.status.recording.phase == .waiting }
    daemon.take(.start)
    try await stream(daemon)
    #expect(daemon.status.recording.participant == "P07")
    daemon.stop()
    await task.value
    let sessions = try StoreReader(path: store).sessions()
    let left = Participant("P07", side: .left)
    #expect(sessions.map(\.participant) == [known, left, left])
  }

  @Test(arguments: [nil, "P07"])
  func `if the open session's participant is edited, the status and the next session use the edit`(
    first: String?
  ) async throws {
    let (daemon, task) = start(
      plan {
        $0.rule.time = .command
        $0.sessionSeconds = 60
      })
    if let first { try daemon.start(participant: first) } else { daemon.take(.start) }
    try await stream(daemon)
    let session = try #require(daemon.status.recording.session)
    #expect(daemon.status.recording.participant == first)
    try StoreEditor(path: store).edit(
      session, [.participant(Participant("P08"))], at: BootClock.now(),
      utc: BootClock.systemTime())
    try await wait(for: "the edit") { daemon.status.recording.participant == "P08" }
    #expect(daemon.status.recording.session == session)
    // After the maximum duration, the gateway starts another session.
    try await wait(for: "the next session") {
      ![nil, session].contains(daemon.status.recording.session)
    }
    #expect(daemon.status.recording.participant == "P08")
    daemon.stop()
    await task.value
    let sessions = try StoreReader(path: store).sessions()
    #expect(sessions.prefix(2).map(\.participant?.id) == ["P08", "P08"])
  }

  @Test
  func `swapped boards are reported in the first twenty steps, until their labels are corrected`()
    async throws
  {
    func plan(_ labels: [String]) -> DaemonPlan {
      self.plan { plan in
        plan.rule.time = .command
        plan.participants = [Participant("P07")]
        for index in labels.indices {
          plan.boards[index].name = "b\(index)"
          plan.boards[index].placement = labels[index]
        }
      }
    }
    let labels = ["left ankle", "right ankle"]
    let (daemon, task) = start(plan(labels))
    try daemon.start(participant: "P07")
    try await wait(for: "the mountings of both boards") {
      let reader = try? StoreReader(path: store)
      let session = try? reader?.sessions().first
      let events = session.flatMap { try? reader?.events(of: $0.id) } ?? []
      return Set(events.filter { $0.kind == .mounting }.map(\.board)).count == 2
    }
    #expect(daemon.status.mountings.isEmpty)
    daemon.stop()
    await task.value
    // Before the next session, someone attaches the boards to the wrong legs.
    let (next, nextTask) = start(plan(labels.reversed()))
    try next.start(participant: "P07")
    try await wait(for: "the fault") { !next.status.mountings.isEmpty }
    let status = next.status
    let boards = world.boards.map(\.address)
    #expect(
      status.mountings.map(\.fault) == [MountingFault(.swapped, boards.reversed(), at: labels)])
    #expect(status.troubles.contains { $0.subject == "left ankle" && $0.level == .warning })
    let session = try #require(status.recording.session)
    let events = try StoreReader(path: store).events(of: session)
    let start = try #require(try StoreReader(path: store).session(session)).start
    let known = try #require(events.filter { $0.kind == .mounting }.map(\.time).max())
    // The simulated wearer takes 108 steps per minute.
    #expect(known.seconds(since: start) * 1.8 <= 20)
    try StoreEditor(path: store).edit(
      session, [.swap(boards[0], boards[1])], at: BootClock.now(), utc: BootClock.systemTime())
    try await wait(for: "the correction") { next.status.mountings.isEmpty }
    next.stop()
    await nextTask.value
  }

  @Test
  func `a pause ends with its recording, and is refused if nothing is being recorded`()
    async throws
  {
    let (daemon, task) = start(plan { $0.rule.time = .command })
    #expect(!daemon.pause(true))
    daemon.take(.start)
    try await stream(daemon)
    #expect(daemon.pause(true))
    try await wait(for: "the pause") { daemon.status.recording.pause != nil }
    daemon.take(.stop)
    try await wait(for: "the end") { daemon.status.recording.phase == .waiting }
    daemon.take(.start)
    try await stream(daemon)
    #expect(daemon.status.recording.pause == nil)
    daemon.stop()
    await task.value
  }

  @Test(arguments: [BoardFault.dropAll(seconds: 90), .hang(seconds: 90)])
  func `the watchdog expires if linked boards stay silent for a minute`(_ fault: BoardFault)
    async throws
  {
    let (manager, sign) = watchdog()
    let (daemon, task) = start(plan(), manager)
    try await stream(daemon)
    for board in 0..<2 { world.inject(fault, into: board) }
    try await Pause.seconds(80)
    let last = try #require(sign.withLock { $0 })
    #expect(BootClock.now().seconds(since: last) > 60)
    daemon.stop()
    await task.value
  }

  @Test(arguments: [
    DaemonFault.daemonGone(seconds: 200), .heldByAnotherCentral(seconds: 200), .adapterOff,
  ])
  func `the watchdog does not expire while no board can be linked`(_ fault: DaemonFault)
    async throws
  {
    let (manager, sign) = watchdog()
    let (daemon, task) = start(plan(), manager)
    try await stream(daemon)
    world.inject(fault)
    for _ in 0..<180 {
      try await Pause.seconds(1)
      let last = try #require(sign.withLock { $0 })
      #expect(BootClock.now().seconds(since: last) < 25)
    }
    daemon.stop()
    await task.value
  }

  @Test func `a session is closed after its maximum duration, and the next one begins`()
    async throws
  {
    let (daemon, task) = start(plan { $0.sessionSeconds = 60 })
    try await stream(daemon)
    let first = try #require(daemon.status.recording.session)
    try await wait(for: "another session") {
      daemon.status.recording.session.map { $0 != first } ?? false
    }
    daemon.stop()
    await task.value
    #expect(try stored().count == 2)
    #expect(daemon.status.recording.restarts == 0)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `commands start and stop a recording, and the daemon keeps running`() async throws {
    let (daemon, task) = start(plan { $0.rule.time = .command })
    try await Pause.seconds(30)
    #expect(daemon.status.recording.phase == .waiting)
    #expect(daemon.status.works)
    daemon.take(.start)
    try await stream(daemon)
    daemon.take(.stop)
    try await wait(for: "the end") { daemon.status.recording.phase == .waiting }
    try await Pause.seconds(30)
    #expect(try stored().count == 1)
    daemon.take(.start)
    try await stream(daemon)
    daemon.stop()
    await task.value
    #expect(try stored().count == 2)
  }

  @Test
  func `a new configuration either leaves the recording running or closes it and starts another`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    let first = daemon.status.recording.session
    daemon.take(plan { $0.uploads = .never }, keepsRecording: true)
    try await stream(daemon, samples(daemon) / 4 + 100)
    #expect(daemon.status.recording.session == first)
    daemon.take(
      plan { $0.recording.sensors = [SensorRequest(signal: "acceleration", rate: 50)] },
      keepsRecording: false)
    try await wait(for: "another session") {
      let session = daemon.status.recording.session
      return session != nil && session != first
    }
    #expect(daemon.status.boards.allSatisfy { $0.streams.map(\.signal) == ["acceleration"] })
    daemon.stop()
    await task.value
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test
  func `a stop remains in effect if a reload changes the hours but not whether to record now`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    daemon.take(.stop)
    try await wait(for: "the end") { daemon.status.recording.phase == .waiting }
    daemon.take(plan { $0.rule.hours = UploadHours("07:00-19:00") }, keepsRecording: true)
    try await Pause.seconds(60)
    #expect(daemon.status.recording.phase == .waiting && daemon.status.recording.isStopped)
    daemon.stop()
    await task.value
  }

  @Test
  func `without bluetoothd, the daemon reports this, waits, and records once bluetoothd is back`()
    async throws
  {
    world.inject(.daemonGone(seconds: 120, keepsLinks: false))
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    try await Pause.seconds(100)
    let returned = GivenTime.now
    try await stream(daemon, 1)
    #expect(GivenTime.now.seconds(since: returned) < 80)
    daemon.stop()
    await task.value
  }

  @Test
  func `a missing bluetoothd or adapter is reported within ten seconds, with its remedy`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    for (fault, cure, words) in [
      (DaemonFault.daemonGone(seconds: 25), nil, "systemctl start bluetooth"),
      (.adapterOff, DaemonFault.adapterOn, "bluetoothctl power on"),
      (.adapterRemoved, .adapterReturned(shift: 1), "plug one in"),
    ] {
      world.inject(fault)
      let lost = GivenTime.now
      try await wait(for: "a fault") { !daemon.status.works }
      let trouble = try #require(daemon.status.troubles.first)
      #expect(GivenTime.now.seconds(since: lost) < 10, "\(fault)")
      #expect(trouble.subject == "bluetooth", "\(trouble)")
      #expect(trouble.remedy.contains(words), "\(trouble)")
      try await Pause.seconds(20)
      // The remedy for the boards would be misleading in this case.
      #expect(daemon.status.troubles.map(\.subject) == ["bluetooth"], "\(fault)")
      if let cure { world.inject(cure) }
      let returned = GivenTime.now
      try await wait(for: "the boards") {
        let status = daemon.status
        // The remedy for the boards would not help while the boards reconnect, either.
        for trouble in status.troubles where trouble.level == .fault {
          #expect(
            trouble.subject == "bluetooth" || trouble.text == "it is reconnecting",
            "\(fault): \(trouble)")
        }
        return status.works
      }
      #expect(GivenTime.now.seconds(since: returned) < 60, "\(fault)")
    }
    daemon.stop()
    await task.value
  }

  /// Returns the recovery steps taken for the simulated adapter, as counted in the status and the
  /// metrics.
  private func adapterSteps(_ daemon: GatewayDaemon) -> HelpCounts.Device? {
    daemon.status.adapters.first { $0.name == "hci0" }?.help
  }

  @Test
  func `an adapter that loses every link is power-cycled, and the gateway works within a minute`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    for round in 1...2 {
      world.inject(.confusedAdapter(until: .powerCycle))
      let confused = GivenTime.now
      try await wait(for: "a fault") { !daemon.status.works }
      try await wait(for: "the boards") { daemon.status.works }
      #expect(GivenTime.now.seconds(since: confused) < 60)
      #expect(adapterSteps(daemon)?.switches == round)
      #expect(adapterSteps(daemon)?.resets == 0)
      #expect(
        daemon.status.metrics.contains(
          "footbridge_adapter_switches_total{adapter=\"hci0\"} \(round)\n"))
      // After samples have arrived for a minute, the next recovery attempt starts without a delay.
      try await Pause.seconds(90)
    }
    #expect(daemon.status.boards.allSatisfy { $0.help.links > 0 })
    #expect(daemon.status.recording.restarts == 0)
    daemon.stop()
    await task.value
    let told = log.withLock { log in log.count { $0.event == "switching adapter off and on" } }
    #expect(told == 2)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `stopping during a power cycle takes at most five seconds and leaves the adapter on`()
    async throws
  {
    // Stops the gateway at various points of a recovery attempt.
    for tenths in 0..<30 {
      let world = try FieldRecording.world(boards: 1)
      let store = folder.path + "/stop-\(tenths).sqlite"
      log.withLock { $0 = [] }
      let (daemon, task) = start(DaemonPlan(in: world, store: store, scanSeconds: 45))
      try await wait(for: "samples") { samples(daemon) > 100 }
      world.inject(.confusedAdapter(until: .powerCycle))
      try await wait(for: "a climb") {
        log.withLock { $0.contains { $0.event == "switching adapter off and on" } }
      }
      try await Pause.seconds(Double(tenths) / 10)
      let asked = GivenTime.now
      daemon.stop()
      await task.value
      #expect(GivenTime.now.seconds(since: asked) < 5, "\(tenths)")
      let client = try await BlueZRadio(world.bus, Radio.Settings(shape: .metaWear))
      #expect(await client.sight.adapters.map(\.isPowered) == [true], "\(tenths)")
      await client.close()
    }
  }

  /// Creates a kernel device tree with `hci0` either on USB or on another bus.
  private func tree(isOnUSB: Bool) throws -> String {
    let root = folder.path + "/tree"
    let device = root + "/sys/devices/" + (isOnUSB ? "usb1/1-2" : "platform/serial")
    for path in [device + "/hci0", root + "/sys/class/bluetooth", root + "/dev/bus/usb/001"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    if isOnUSB {
      try "1\n".write(toFile: device + "/busnum", atomically: true, encoding: .utf8)
      try "4\n".write(toFile: device + "/devnum", atomically: true, encoding: .utf8)
    }
    try "".write(toFile: root + "/dev/bus/usb/001/004", atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: root + "/sys/class/bluetooth/hci0", withDestinationPath: device + "/hci0")
    return root
  }

  @Test func `if an adapter needs a port reset, the recording continues within 75 seconds`()
    async throws
  {
    let root = try tree(isOnUSB: true)
    let (daemon, task) = start(
      plan(),
      ports: USBPorts(below: root) { [world] device in
        guard device.node == root + "/dev/bus/usb/001/004" else { return }
        world.inject(.adapterRemoved)
        world.inject(.adapterReturned(shift: 0))
      })
    try await stream(daemon)
    world.inject(.confusedAdapter(until: .replug))
    let confused = GivenTime.now
    try await wait(for: "a fault") { !daemon.status.works }
    try await wait(for: "the boards") { daemon.status.works }
    #expect(GivenTime.now.seconds(since: confused) < 75)
    #expect(adapterSteps(daemon)?.switches == 2)
    #expect(adapterSteps(daemon)?.resets == 1)
    daemon.stop()
    await task.value
    #expect(log.withLock { log in log.count { $0.event == "USB port is reset" } } == 1)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `an adapter that cannot be recovered is reported with all attempts and a remedy`()
    async throws
  {
    let root = try tree(isOnUSB: false)
    let (daemon, task) = start(plan(), ports: USBPorts(below: root))
    try await stream(daemon)
    // The adapter is listed even before any recovery step.
    #expect(daemon.status.adapters.map(\.name) == ["hci0"])
    #expect(adapterSteps(daemon) == HelpCounts.Device())
    world.inject(.confusedAdapter(until: .replug))
    try await wait(for: "the last rung") {
      daemon.status.adapters.contains { $0.complaint != nil }
    }
    let troubles = daemon.status.troubles.filter { $0.level == .fault }
    let trouble = try #require(troubles.first)
    // The boards have lost their links only because the adapter has failed.
    #expect(troubles.map(\.subject) == ["bluetooth"])
    #expect(trouble.text.hasPrefix("cannot connect to "), "\(trouble)")
    #expect(trouble.text.contains(" over hci0 ("), "\(trouble)")
    #expect(
      trouble.text.hasSuffix(
        "(switched off and on once, USB port not reset: it is not a USB device)"))
    #expect(
      trouble.remedy == "restart the computer; if that does not help, use a USB adapter")
    let switches = try #require(adapterSteps(daemon)?.switches)
    // The next recovery attempt follows after a delay. The delay before the attempt after that is
    // longer.
    try await Pause.seconds(1_000)
    let later = try #require(adapterSteps(daemon)?.switches)
    #expect((1...3).contains(later - switches), "\(later)")
    world.inject(.adapterRemoved)
    world.inject(.adapterReturned(shift: 0))
    try await wait(for: "the boards") { daemon.status.works }
    #expect(daemon.status.adapters.allSatisfy { $0.complaint == nil })
    #expect(log.withLock { log in log.count { $0.event == "USB port not reset" } } == 1)
    daemon.stop()
    await task.value
  }

  @Test func `the gateway does not power-cycle adapters if its configuration forbids it`()
    async throws
  {
    let (daemon, task) = start(plan { $0.recovery = .links })
    try await stream(daemon)
    world.inject(.confusedAdapter(until: .powerCycle))
    try await Pause.seconds(150)
    #expect(!daemon.status.works)
    #expect(adapterSteps(daemon) == HelpCounts.Device())
    // The configuration is reloaded while the recording continues.
    daemon.take(plan { $0.recovery = .adapter }, keepsRecording: true)
    try await wait(for: "the boards") { daemon.status.works }
    #expect(adapterSteps(daemon)?.switches == 1)
    daemon.stop()
    await task.value
  }

  @Test func `while one adapter recovers, no samples from boards on another adapter are lost`()
    async throws
  {
    let world = try FieldRecording.world(boards: 2, adapters: 2)
    let (daemon, task) = start(DaemonPlan(in: world, store: store, scanSeconds: 45))
    try await stream(daemon)
    // The radio assigns one board to each adapter.
    world.inject(.confusedAdapter(until: .powerCycle), adapter: 1)
    try await wait(for: "a lost link") { daemon.status.boards.contains { $0.help.links > 0 } }
    try await wait(for: "the boards") { daemon.status.works }
    try await stream(daemon, 1_000)
    let helped = daemon.status.boards.filter { $0.help.links > 0 }
    #expect(helped.count == 1)
    let other = try #require(daemon.status.boards.first { $0.help.links == 0 })
    #expect(other.streams.allSatisfy { $0.lost.isEmpty }, "\(other.streams)")
    let untouched = HelpCounts.Device()
    #expect(daemon.status.adapters.allSatisfy { $0.name == "hci1" || $0.help == untouched })
    daemon.stop()
    await task.value
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `silent sensors of boards that answer are reported, and no adapter is power-cycled`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    let world = world
    let silencing = Task {
      while (try? await Pause.seconds(0.2)) != nil {
        for board in world.boards.indices {
          world.inject(.haltSensor(.accelerometer), into: board)
          world.inject(.haltSensor(.gyroscope), into: board)
        }
      }
    }
    try await wait(for: "a fault") { !daemon.status.works }
    // A restarted sensor may send a packet before it falls silent.
    for _ in 1...30 {
      for trouble in daemon.status.troubles where trouble.level == .fault {
        #expect(trouble.text.hasPrefix("it responds, but sends no "), "\(trouble)")
        #expect(trouble.remedy.contains("reset the board with its button"), "\(trouble)")
      }
      try await Pause.seconds(3)
    }
    try await wait(for: "a fault of a board that answers") { !daemon.status.works }
    #expect(adapterSteps(daemon) == HelpCounts.Device())
    // This is more than a minute at 100 Hz.
    let streams = daemon.status.boards.flatMap(\.streams)
    #expect(streams.count == 4)
    #expect(streams.allSatisfy { $0.missing + $0.lost.values.reduce(0, +) > 6_000 }, "\(streams)")
    #expect(log.withLock { log in log.contains { $0.event == "sensor silent" } })
    silencing.cancel()
    await silencing.value
    try await wait(for: "the sensors") { daemon.status.works }
    #expect(daemon.status.boards.flatMap(\.streams).allSatisfy { $0.missing == 0 })
    daemon.stop()
    await task.value
  }

  @Test
  func `a board that disappears does not affect other boards, and no adapter is power-cycled`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    world.inject(.dropAll(seconds: 300), into: 1)
    try await Pause.seconds(400)
    #expect(adapterSteps(daemon) == HelpCounts.Device())
    #expect(daemon.status.works)
    daemon.stop()
    await task.value
    let lost = world.boardCounts[0].samplesLost
    #expect(lost == 0)
  }

  @Test
  func `a deleted store is a fault, and samples in its tail are recovered into the next store`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon, 2_500)
    let first = daemon.status.recording.session
    #expect(Folder.remove(file: store))
    let deleted = GivenTime.now
    try await wait(for: "a fault") { !daemon.status.works }
    #expect(GivenTime.now.seconds(since: deleted) < 10)
    let trouble = try #require(daemon.status.troubles.first)
    #expect(trouble.subject == "recording")
    #expect(
      trouble.text.hasPrefix("the file \(store) was deleted or replaced during the recording"))
    #expect(!trouble.remedy.isEmpty)
    try await stream(daemon)
    #expect(GivenTime.now.seconds(since: deleted) < 60)
    #expect(daemon.status.works)
    #expect(daemon.status.recording.session != first)
    daemon.stop()
    await task.value
    #expect(try stored().count == 2)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
    let closed = log.withLock { $0.filter { $0.event == "session closed" } }
    #expect(closed.first?.details.contains { $0.name == "stored" && $0.value == "0" } == true)
    #expect(closed.first?.details.contains { $0.name == "lost" && $0.value == "0" } == true)
    let sessions = try StoreReader(path: store).sessions()
    for session in sessions {
      let length = try #require(session.end).seconds(since: session.start)
      #expect(0..<60 ~= length, "\(length)")
    }
  }

  @Test func `if a store and its tail are both deleted, the log counts the lost samples`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon, 2_500)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(Folder.remove(file: folder.path + "/" + name))
    }
    try await wait(for: "a fault") { !daemon.status.works }
    try await stream(daemon)
    daemon.stop()
    await task.value
    let closed = log.withLock { $0.filter { $0.event == "session closed" } }
    func value(_ name: String) -> String? {
      closed.first?.details.first { $0.name == name }?.value
    }
    #expect(value("stored") == "0")
    #expect(value("held") == "0")
    let lost = try #require(value("lost").flatMap { Int($0) })
    #expect(value("reasons") == "store \(lost)")
    #expect(
      try stored().reduce(0, +) + lost
        == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `an invalid configuration is reported as a warning until a valid one is accepted`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    daemon.refuseConfiguration("2 faults", remedy: "f.conf:3: the key is unknown")
    let trouble = try #require(daemon.status.troubles.first)
    #expect(daemon.status.works)
    #expect(trouble.subject == "configuration")
    #expect(trouble.remedy == "f.conf:3: the key is unknown")
    daemon.take(plan(), keepsRecording: true)
    #expect(daemon.status.refusedConfiguration == nil)
    daemon.stop()
    await task.value
  }

  @Test func `a destination missing from the store is reported as a warning and logged once`()
    async throws
  {
    let (daemon, task) = start(plan { $0.destinations = ["home"] })
    try await stream(daemon)
    try await wait(for: "a warning") { daemon.status.unknownDestinations == ["home"] }
    try await Pause.seconds(20)
    #expect(daemon.status.works)
    #expect(log.withLock { $0.count { $0.event == "unknown destination" } } == 1)
    _ = try StoreEditor(path: store).addDestination(
      named: "home", place: "folder:\(folder.path)/there", settings: "{}",
      at: BootClock.systemTime())
    try await wait(for: "no warning") { daemon.status.unknownDestinations.isEmpty }
    daemon.stop()
    await task.value
  }

  @Test func `changing the clock by days does not affect a recording`() async throws {
    let time = try #require(SimulatedTime.current)
    let (daemon, task) = start(plan())
    try await stream(daemon)
    let session = daemon.status.recording.session
    for days in [30.0, -60] {
      time.stepClock(bySeconds: days * 86_400)
      let before = samples(daemon)
      try await Pause.seconds(20)
      #expect(daemon.status.works)
      // Two boards with two signals each, at 100 Hz.
      #expect(samples(daemon) - before > 7_500)
    }
    #expect(daemon.status.recording.session == session)
    #expect(daemon.status.recording.restarts == 0)
    daemon.stop()
    await task.value
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `the same failure is logged at most once every five minutes`() async throws {
    world.inject(.heldByAnotherCentral(seconds: 1_000))
    let (daemon, task) = start(plan())
    try await Pause.seconds(290)
    #expect(daemon.status.recording.restarts > 3)
    let reasons = log.withLock { log in
      log.filter { $0.event == "recording failed" }.flatMap(\.details).filter {
        $0.name == "reason"
      }
      .map(\.value)
    }
    #expect(!reasons.isEmpty)
    #expect(Set(reasons).count == reasons.count, "\(reasons)")
    daemon.stop()
    await task.value
  }

  @Test func `a file that is not a store is logged, and the recording is retried`() async throws {
    try Data("no store".utf8).write(to: URL(filePath: store))
    let (daemon, task) = start(plan())
    try await wait(for: "a second try") { daemon.status.recording.restarts > 1 }
    for event in ["boards not noted", "recording failed"] {
      #expect(log.withLock { $0.count { $0.event == event } } == 1, "\(event)")
    }
    #expect(daemon.status.activity == "retrying the recording")
    // The next recording will be paused, so the status must not hide the pause.
    #expect(daemon.pause(true))
    #expect(daemon.status.recording.pause != nil)
    #expect(daemon.pause(false))
    #expect(daemon.status.recording.pause == nil)
    daemon.stop()
    await task.value
  }

  @Test
  func `a store in use by another program is reported as a fault, and opened once it is unlocked`()
    async throws
  {
    var other: RecordingRun? = try RecordingRun(plan().nextRecording, log: { _ in })
    let run = try #require(other)
    let recording = Task { try await run.run() }
    try await wait(for: "the other recording") { !run.liveStatus.boards.isEmpty }
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    run.stop()
    _ = try await recording.value
    other = nil
    try await stream(daemon)
    #expect(daemon.status.works)
    daemon.stop()
    await task.value
  }

  /// Returns a daemon's definitions, which are pulled from this source. `applied` counts the sets
  /// that the daemon applies.
  private func definitions(
    from source: ScriptedDefinitions, content: String?, applied: Guarded<Int>
  ) -> DaemonDefinitions {
    var definitions = DaemonDefinitions(
      content: content, agent: "test", check: { _ in }, apply: { applied.withLock { $0 += 1 } })
    definitions.source = { _ in source }
    return definitions
  }

  private func addHome() throws {
    let settings = DestinationSettings(.http(url: "https://home.example"))
    try StoreEditor(path: store).addDestination(
      named: "home", place: settings.placeText, settings: settings.text,
      at: BootClock.systemTime())
  }

  /// Returns the plan of a daemon that only pulls definitions.
  private func pulling(_ pulls: Bool = true) -> DaemonPlan {
    plan {
      $0.rule.time = .command
      $0.uploads = .never
      $0.definitionsTime = pulls ? .daily : .never
    }
  }

  @Test
  func `definitions are pulled if the store has none, and the pull is retried after failures`()
    async throws
  {
    try Store.open(path: store).close()
    let away = ScriptedDefinitions.Answer.failure(Setback(.unavailable, "away"))
    let source = ScriptedDefinitions(away, away, ScriptedDefinitions.found("one"))
    let asked = { source.tags.withLock { $0.count } }
    let applied = Guarded(0)
    let (daemon, task) = start(
      pulling(), definitions: definitions(from: source, content: nil, applied: applied))
    // Without a destination, no request is sent. A destination is queried as soon as it is added.
    try await Pause.seconds(300)
    #expect(asked() == 0)
    daemon.take(pulling(false), keepsRecording: true)
    try addHome()
    try await Pause.seconds(60)
    #expect(asked() == 0)
    daemon.take(pulling(), keepsRecording: true)
    try await Pause.seconds(15)
    #expect(asked() == 1)
    // The delays are one minute after the first failure and two minutes after the second.
    try await Pause.seconds(65)
    #expect(asked() == 2)
    try await Pause.seconds(60)
    #expect(asked() == 2)
    try await Pause.seconds(75)
    #expect(asked() == 3)
    #expect(try StoreReader(path: store).definitions()?.content == "one")
    #expect(applied.withLock { $0 } == 1)
    // A repeated reason is logged once.
    let events = log.withLock { $0.map(\.event) }
    #expect(events.count { $0 == "definitions not pulled" } == 1, "\(events)")
    #expect(events.count { $0 == "definitions pulled" } == 1, "\(events)")
    // If another command changes the stored set, the change takes effect.
    #expect(try StoreEditor(path: store).forgetDefinitions())
    try await Pause.seconds(15)
    #expect(applied.withLock { $0 } == 2)
    daemon.stop()
    await task.value
  }

  @Test func `definitions older than a day are pulled again, and kept if that fails`()
    async throws
  {
    try Store.open(path: store).close()
    try addHome()
    let age: Int64 = 85_800
    let old = StoredDefinitions(
      source: "home", place: "http https://home.example",
      pulled: UTCTime(nanoseconds: BootClock.systemTime().nanoseconds - age * 1_000_000_000),
      tag: "\"a\"", content: "old")
    try StoreEditor(path: store).keep(old)
    let source = ScriptedDefinitions(
      .failure(Setback(.unavailable, "away")), ScriptedDefinitions.found("new"))
    let asked = { source.tags.withLock { $0 } }
    let applied = Guarded(0)
    let (daemon, task) = start(
      pulling(), definitions: definitions(from: source, content: "old", applied: applied))
    try await Pause.seconds(590)
    #expect(asked() == [])
    try await Pause.seconds(40)
    #expect(asked() == ["\"a\""])
    #expect(try StoreReader(path: store).definitions() == old)
    #expect(applied.withLock { $0 } == 0)
    try await Pause.seconds(65)
    #expect(asked().count == 2)
    #expect(try StoreReader(path: store).definitions()?.content == "new")
    #expect(applied.withLock { $0 } == 1)
    // The set is now up to date. No delay after a failure lasts this long.
    try await Pause.seconds(4_000)
    #expect(asked().count == 2)
    daemon.stop()
    await task.value
  }
}
