internal import Inspection
internal import Terminal

@main
struct Main {
  static func main() { InspectCommand.runProcess() }
}
