internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  /// The main thread only waits for the command's end. It is here before any other thread, so the
  /// signals it blocks are blocked in all of them.
  static func main() {
    SignalWatch.prepareProcess()
    ThisProcess.leaveNoCoreFile()
    let environment = Environment.variables
    let console = Console.standard(environment: environment)
    let watch = try? SignalWatch { number, isFromTerminal in
      guard let status = console.interrupt(by: number, fromTerminal: isFromTerminal) else {
        return
      }
      console.restoreCursor()
      ThisProcess.exitAtOnce(status.rawValue)
    }
    guard let watch, let ended = try? Mailbox<Int32>() else { ThisProcess.exit(1) }
    Task.detached {
      let status = await Footbridge.main(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
        console: console)
      _ = ended.post(status)
    }
    var polls = PollSet()
    polls.add(ended.bell.number)
    while true {
      polls.wait(seconds: nil)
      guard let status = ended.takeAll().first else { continue }
      // Until here signals are watched for.
      withExtendedLifetime(watch) { ThisProcess.exit(status) }
    }
  }
}
