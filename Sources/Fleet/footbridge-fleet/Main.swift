internal import CommandLineTool
internal import FleetTool

@main
struct Main {
  static func main() { Footbridge.runProcess(of: FleetProgram.self) }
}
