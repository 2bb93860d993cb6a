@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct FootbridgeTests {
  @Test func `the version is printed on one line`() async {
    #expect(
      await Outcome.of("--version")
        == Outcome(status: 0, output: "footbridge 0.1.0 (development build)\n"))
  }

  @Test func `'--version' prints the version without constructing the list of commands`() async {
    func commands() -> [Terminal.Command] {
      Issue.record("the commands were made")
      return []
    }
    let output = MemorySink()
    let status = await Commands.main(
      arguments: ["--version"], environment: [:], commands: commands(),
      console: Console(output: output, errors: MemorySink()))
    #expect(status == 0 && output.text == "footbridge 0.1.0 (development build)\n")
  }

  @Test(arguments: Terminal.ExitStatus.allCases)
  func `the program exits with the status of its command`(_ status: Terminal.ExitStatus)
    async
  {
    #expect(
      await Outcome.of("demo", commands: Commands.demo { _, _ in status }).status == status.rawValue
    )
  }

  @Test func `each exit status has a fixed number`() {
    #expect(
      Terminal.ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 130, 143])
  }

  @Test func `if a command runs another program, footbridge exits with that program's status`()
    async
  {
    for status in [Int32(0), 9, 137] {
      let commands = Commands.demo { _, _ in .ofProgram(status) }
      #expect(await Outcome.of("demo", commands: commands).status == status)
    }
  }

  @Test func `an error is shown with its remedy and sets the exit status`() async {
    let commands = Commands.demo { _, _ in
      throw Complaint(
        "cannot use adapter hci0: it is switched off",
        remedy: "switch it on with 'bluetoothctl power on'", status: .unavailable)
    }
    #expect(
      await Outcome.of("demo", commands: commands)
        == Outcome(
          status: 3,
          errors: """
            error: cannot use adapter hci0: it is switched off
                   switch it on with 'bluetoothctl power on'

            """))
  }

  @Test func `a system error is shown with the system's message and a remedy`() async {
    let commands = Commands.demo { _, _ in throw SystemError("open /dev/ttyUSB0", number: 2) }
    #expect(
      await Outcome.of("demo", commands: commands)
        == Outcome(
          status: 1,
          errors: """
            error: cannot open /dev/ttyUSB0: No such file or directory
                   check that the path exists

            """))
  }

  @Test func `if the reader closes the pipe, the program ends silently and successfully`() async {
    let errors = MemorySink()
    let status = await Commands.main(
      arguments: ["--help"], environment: [:], commands: Commands.probes,
      console: Console(output: MemorySink(failing: .closed), errors: errors))
    #expect(status == 0)
    #expect(errors.text == "")
  }

  @Test func `a full disk on standard output is reported`() async {
    let errors = MemorySink()
    let failure = OutputError.failed(SystemError("write to standard output", number: 28))
    let status = await Commands.main(
      arguments: ["--version"], environment: [:], commands: Commands.probes,
      console: Console(output: MemorySink(failing: failure), errors: errors))
    #expect(status == 1)
    #expect(
      errors.text == """
        error: cannot write to standard output: No space left on device
               free some space on that disk, or redirect standard output

        """)
  }

  @Test
  func `the cursor reappears after a command that returns, and after one that throws an error`()
    async
  {
    let endings: [@Sendable (any Verb, Console) async throws -> Terminal.ExitStatus] = [
      { _, console in
        console.paint(["view"])
        return .interrupted
      },
      { _, console in
        console.paint(["view"])
        throw Complaint("the store is gone")
      },
    ]
    for ending in endings {
      let output = MemorySink(terminal: TerminalSize(columns: 80, rows: 24))
      _ = await Commands.main(
        arguments: ["demo"], environment: [:], commands: Commands.demo(ending),
        console: Console(output: output, errors: MemorySink()))
      var screen = TinyTerminal()
      screen.feed(output.text)
      #expect(screen.lines == ["view"])
      #expect(screen.cursorIsVisible)
    }
  }
}
