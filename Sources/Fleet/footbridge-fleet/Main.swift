internal import FleetTool
internal import Terminal

@main
struct Main {
  static func main() { FleetProgram.runProcess() }
}
