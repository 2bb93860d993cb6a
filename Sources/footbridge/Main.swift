internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  static func main() {
    ThisProcess.occupyClosedStreams()
    SignalWatch.prepareProcess()
    ThisProcess.leaveNoCoreFile()
    let environment = Environment.variables
    let console = Console.standard(environment: environment)
    let watch = try? SignalWatch(leave: {
      console.restoreCursor()
      // After a stop, the shell has written below the view.
      console.finishPainting()
    }) { number, isFromTerminal in
      guard let status = console.interrupt(by: number, fromTerminal: isFromTerminal) else {
        return
      }
      console.restoreCursor()
      ThisProcess.exitAtOnce(status.rawValue)
    }
    guard let watch else { ThisProcess.exit(1) }
    // Until the end signals are watched for.
    withExtendedLifetime(watch) {
      ThisProcess.run {
        await Footbridge.main(
          arguments: ThisProcess.arguments, unreadable: ThisProcess.unreadableArgument,
          environment: environment, console: console)
      }
    }
  }
}
