internal import CommandLineTool

@main
struct Main {
  static func main() { Footbridge.runProcess() }
}
