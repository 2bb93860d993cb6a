import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Three ways to use a simulation: lines that the user pastes, lines that a shell evaluates, and a
/// program that runs inside the simulation.
@Suite(.realTime) struct SimulateUseTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Environment variables with which scripts find the program under test and its temporary files.
  private var environment: [String: String] {
    let folder = URL(fileURLWithPath: Program.footbridge).deletingLastPathComponent().path
    return scratch.environment.merging([
      "PATH": "\(folder):/usr/bin:/bin", "FOOTBRIDGE_STORE": scratch.path + "/store.sqlite",
    ]) { $1 }
  }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments, environment: environment)
  }

  /// Runs a script that can find `footbridge`.
  private func shell(_ script: String, by shell: String = "sh") async throws -> Program.Outcome {
    try await Program.run("/bin/\(shell)", ["-c", script], environment: environment)
  }

  // MARK: Lines to paste

  @Test
  func `'simulate' prints lines that connect a shell and footbridge's commands to the simulation`()
    async throws
  {
    let program = try Program(
      Program.footbridge, ["simulate", "--gps", "--boards", "2"], environment: environment)
    #expect(await program.line { $0 == "Press Ctrl-C to end the simulation." } != nil)
    let use = program.lines.filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    try #require(use.count == 5, "\(program.lines)")
    #expect(use[0].hasPrefix("export DBUS_SYSTEM_BUS_ADDRESS='unix:path=\(scratch.path)"))
    #expect(use[1] == "export FOOTBRIDGE_SIMULATION_STORE=\(scratch.path)/store.sqlite")
    #expect(use[2].hasPrefix("export FOOTBRIDGE_SIMULATION_GPS=/dev/pts/"))
    #expect(use[3] == "footbridge scan")
    #expect(
      use[4].hasPrefix("footbridge record C8:4B:AA:97:50:05 C8:4B:AA:98:51:08 --gps /dev/pts/"))
    let pasted = try await shell(
      use[..<3].joined(separator: "\n") + "\n\(use[3]) --seconds 2\n\(use[4]) --seconds 1")
    #expect(pasted.status == 0, "\(pasted)")
    #expect(pasted.output.contains("C8:4B:AA:98:51:08"), "\(pasted)")
    program.signal(SIGINT)
    #expect(await program.wait().status == 130)
    scratch.expectNothingLeft()
  }

  @Test func `if footbridge is not in PATH, the printed lines contain its path`() async throws {
    let program = try Program(
      Program.footbridge, ["simulate"],
      environment: scratch.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 })
    #expect(
      await program.line { $0.hasPrefix("  /") && $0.hasSuffix("/footbridge scan") } != nil,
      "\(program.lines)")
    program.signal(SIGTERM)
    _ = await program.wait()
  }

  // MARK: Lines for a shell

  @Test(arguments: ["sh", "bash"])
  func `if a shell evaluates the printed lines, the simulation ends together with the shell`(
    name: String
  ) async throws {
    let outcome = try await shell(
      """
      eval "$(footbridge simulate --shell --gps)" || exit
      echo $FOOTBRIDGE_SIMULATION_PID
      test -c "$FOOTBRIDGE_SIMULATION_GPS" || echo "no receiver"
      footbridge scan --seconds 1 --json >/dev/null
      footbridge scan --seconds 2
      """, by: name)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("C8:4B:AA:97:50:05"), "\(outcome)")
    #expect(outcome.errors.contains("event=\"simulated board\" board=C8:4B:AA:97:50:05"))
    #expect(outcome.errors.contains("end=\"kill $FOOTBRIDGE_SIMULATION_PID\""))
    #expect(!outcome.output.contains("no receiver"), "\(outcome)")
    try await expectEnd(of: outcome)
  }

  /// Expects that the process with the id in the first line ends and leaves no files behind.
  private func expectEnd(of outcome: Program.Outcome) async throws {
    let line = outcome.output.split(separator: "\n").first
    let id = try #require(line.flatMap { Int32($0) }, "\(outcome)")
    // The simulation's parent has ended. In a container, possibly no process reaps the simulation,
    // so a zombie counts as ended.
    try await wait(for: "the simulation ends") {
      let state = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
      return state.map { $0.contains(") Z ") } ?? true
    }
    scratch.expectNothingLeft()
  }

  @Test(arguments: [
    "cd / && footbridge simulate --shell", "timeout 60 footbridge simulate --shell",
    "footbridge simulate --shell 2>&1 -q", "(footbridge simulate --shell; true)",
  ])
  func `a simulation lasts as long as the shell that uses it, whichever way the shell was started`(
    command: String
  ) async throws {
    let outcome = try await shell(
      """
      eval "$( \(command) )"
      echo $FOOTBRIDGE_SIMULATION_PID
      footbridge scan --seconds 1 >/dev/null
      footbridge scan --seconds 2
      """)
    #expect(outcome.output.contains("C8:4B:AA:97:50:05"), "\(outcome)")
    try await expectEnd(of: outcome)
  }

  @Test func `a simulation in the background can be ended by its process id`() async throws {
    let outcome = try await shell(
      """
      eval "$(footbridge simulate --shell)"
      echo $FOOTBRIDGE_SIMULATION_PID
      kill $FOOTBRIDGE_SIMULATION_PID
      while test -n "$(ls "$TMPDIR")"; do sleep 0.05; done
      """)
    #expect(outcome.status == 0, "\(outcome)")
    try await expectEnd(of: outcome)
  }

  @Test
  func
    `if the simulation cannot start, a shell that evaluates its output gets only the exit status`()
    async throws
  {
    let outcome = try await shell(
      "lines=$(footbridge simulate --shell --wearer /nowhere.csv); echo \"$? $lines\"")
    #expect(outcome.output == "1 \n", "\(outcome)")
    #expect(outcome.errors.contains("error: "), "\(outcome)")
    scratch.expectNothingLeft()
  }

  @Test func `a simulation ends if no process reads the lines it prints`() async throws {
    let outcome = try await shell("footbridge simulate --shell | true; echo $?")
    #expect(outcome.output == "0\n", "\(outcome)")
    try await wait(for: "the simulation ends") {
      scratch.busDaemons.isEmpty
        && (try? FileManager.default.contentsOfDirectory(atPath: scratch.path + "/tmp")) == []
    }
  }

  // MARK: A program in the simulation

  /// The environment variables of a user whose computer has an installed gateway. None of them
  /// names a store.
  private var besideGateway: [String: String] {
    environment.merging(["FOOTBRIDGE_STORE": "", "XDG_DATA_HOME": scratch.path + "/home"]) { $1 }
  }

  @Test func `simulated sessions are stored neither in the user's store nor in the gateway's`()
    async throws
  {
    let simulated = scratch.path + "/home/footbridge/simulation.sqlite"
    let recorded = try await Program.run(
      Program.footbridge,
      ["simulate", "--", Program.footbridge, "record", "--seconds", "1"],
      environment: besideGateway)
    #expect(recorded.status == 0, "\(recorded)")
    #expect(
      recorded.errors.contains("event=\"store of the simulation\" path=\(simulated)"),
      "\(recorded)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: scratch.path + "/home/footbridge")
    #expect(files == ["simulation.sqlite"])
    // Even in a simulation, a configuration applies if the user names it.
    let configuration = scratch.path + "/f.conf"
    try "[store]\npath = \(scratch.path)/named.sqlite\n".write(
      toFile: configuration, atomically: true, encoding: .utf8)
    let named = try await Program.run(
      Program.footbridge, ["simulate", "--", Program.footbridge, "sessions"],
      environment: besideGateway.merging(["FOOTBRIDGE_CONFIG": configuration]) { $1 })
    #expect(named.errors.contains("there is no store at \(scratch.path)/named.sqlite"))
    let gateway = try await Program.run(
      Program.footbridge, ["simulate", "--", Program.footbridge, "run"],
      environment: besideGateway.merging(["FOOTBRIDGE_CONFIG": ""]) { $1 })
    #expect(gateway.status == 2)
    #expect(
      gateway.errors.contains("the gateway on this computer does not use simulated boards"),
      "\(gateway)")
  }

  @Test func `'gps' and 'doctor' use the simulated receiver automatically`() async throws {
    let positions = try await run(
      "simulate", "--gps", "--", Program.footbridge, "gps", "--seconds", "3", "--json")
    #expect(positions.status == 0, "\(positions)")
    #expect(positions.output.contains("/dev/pts/") || positions.errors.contains("/dev/pts/"))
    let doctor = try await run(
      "simulate", "--gps", "--", Program.footbridge, "doctor", "--offline")
    #expect(doctor.output.contains("/dev/pts/"), "\(doctor)")
    #expect(!doctor.output.contains("no GPS receiver is plugged in"), "\(doctor)")
  }

  @Test
  func `if a program runs inside the simulation, only that program writes to standard output`()
    async throws
  {
    let outcome = try await run(
      "simulate", "--gps", "--", "sh", "-c",
      #"test -c "$FOOTBRIDGE_SIMULATION_GPS" && footbridge scan --seconds 2 && echo "$1" -- "$2""#,
      "sh", "two  words", "")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("C8:4B:AA:97:50:05"))
    #expect(outcome.output.hasSuffix("two  words -- \n"))
    #expect(!outcome.output.contains("DBUS") && !outcome.output.contains("Ctrl-C"))
    scratch.expectNothingLeft()
  }

  @Test func `the exit status of 'simulate' is that of the program it runs`() async throws {
    #expect(try await run("simulate", "--", "true").status == 0)
    #expect(try await run("simulate", "--", "sh", "-c", "exit 42").status == 42)
    let killed = try await run("simulate", "--", "sh", "-c", "kill -KILL $$")
    #expect(killed.status == 128 + SIGKILL)
    #expect(killed.output == "" && killed.errors == "")
    scratch.expectNothingLeft()
  }

  @Test func `a program that cannot be started is reported with a remedy`() async throws {
    let unknown = try await run("simulate", "--", "no-such-program", "--help")
    #expect(unknown.status == 127)
    #expect(
      unknown.errors == """
        error: cannot start no-such-program: No such file or directory
               install the program, or give its path: no folder in PATH contains it

        """)
    let file = scratch.path + "/it's a file"
    #expect(FileManager.default.createFile(atPath: file, contents: Data()))
    let denied = try await run("simulate", "--", file)
    #expect(denied.status == 126)
    #expect(
      denied.errors == """
        error: cannot start '\(scratch.path)/it'\\''s a file': Permission denied
               make it executable with 'chmod +x '\(scratch.path)/it'\\''s a file'', or give another program

        """)
    scratch.expectNothingLeft()
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal is forwarded to the program, which decides how it ends`(signal: Int32) async throws
  {
    let program = try Program(
      Program.footbridge,
      [
        "simulate", "--", "sh", "-c",
        "trap 'echo told; exit 5' TERM INT HUP; echo ready; while :; do sleep 0.05; done",
      ], environment: environment)
    #expect(await program.line { $0 == "ready" } != nil)
    program.signal(signal)
    let outcome = await program.wait()
    #expect(outcome.status == 5, "\(outcome)")
    #expect(outcome.output == "ready\ntold\n")
    scratch.expectNothingLeft()
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid"),
      "SKIPPED: there is no setsid"))
  func `Ctrl-C reaches the program once, and 'simulate' ends after the program has ended`()
    async throws
  {
    let terminal = try PseudoTerminal()
    // The script continues for a while after each signal, so it would also receive a second one.
    let script = """
      heard=0; trap 'heard=$((heard + 1)); echo interrupt' INT; trap 'heard=$((heard + 1))' QUIT
      echo ready; while [ $heard -lt 2 ]; do sleep 0.05; done; sleep 0.5; echo "heard $heard"; exit 5
      """
    let program = try Program(
      "/bin/sh",
      [
        "-c",
        #"exec setsid --ctty --wait sh -c 'stty isig; exec "$@" >&3' sh "$@" 3>&1 <"$0" >"$0""#,
        terminal.path, Program.footbridge, "simulate", "--", "sh", "-c", script,
      ], environment: environment)
    #expect(await program.line { $0 == "ready" } != nil)
    #expect(terminal.controller.write([3]) == 1)
    #expect(await program.line { $0 == "interrupt" } != nil)
    // The same applies to Ctrl-\, because some programs survive it. `simulate` must not end before
    // such a program.
    #expect(terminal.controller.write([28]) == 1)
    let outcome = await program.wait()
    #expect(outcome.output == "ready\ninterrupt\nheard 2\n", "\(outcome)")
    #expect(outcome.status == 5, "\(outcome)")
    scratch.expectNothingLeft()
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-send"),
      "SKIPPED: there is no dbus-send"))
  func `unsupported commands that the program sends to a board are reported at the end`()
    async throws
  {
    let outcome = try await run(
      "simulate", "--", "sh", "-c",
      #"""
      dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --dest=org.bluez \
        /org/bluez/hci0/dev_C8_4B_AA_97_50_05/service0020/char0023 \
        org.bluez.GattCharacteristic1.StartNotify
      """#)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("event=complaint"), "\(outcome.errors)")
  }
}
