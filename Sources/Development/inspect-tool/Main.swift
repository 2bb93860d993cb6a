internal import CommandLineTool
internal import Inspection

@main
struct Main {
  static func main() { Footbridge.runProcess(of: InspectCommand.self) }
}
