internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  /// The main thread only waits for the command's end. It is here before any other thread, so the
  /// signals it blocks are blocked in all of them.
  static func main() {
    SignalWatch.prepareProcess()
    guard let ended = try? Mailbox<Int32>() else { ThisProcess.exit(1) }
    Task.detached {
      let environment = Environment.variables
      let status = await Footbridge.main(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
        commands: .standard, console: .standard(environment: environment))
      _ = ended.post(status)
    }
    var polls = PollSet()
    polls.add(ended.bell.number)
    while true {
      polls.wait(seconds: nil)
      if let status = ended.takeAll().first { ThisProcess.exit(status) }
    }
  }
}
