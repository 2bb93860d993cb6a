import LinuxSystem
@testable import Positioning
import TestSupport
import Testing
import Values

@Suite(.computation) struct SpeedHuntTests {
  private func at(_ seconds: Double) -> BootTime { ReceiverWatchTests.at(seconds) }

  @Test
  func `the search begins with the port's own line speed and tries each speed for 3 s`() {
    var hunt = SpeedHunt(first: [.baud38400], at: at(0))
    #expect(hunt.speed == .baud38400)
    var changes: [SerialSpeed] = []
    for second in 1...27 {
      if let speed = hunt.next(at: at(Double(second))) {
        #expect(second % 3 == 0)
        changes.append(speed)
      }
    }
    #expect(
      changes == [
        .baud4800, .baud9600, .baud19200, .baud57600, .baud115200, .baud230400, .baud460800,
        .baud921600, .baud38400,
      ])
    #expect(hunt.isExhausted && !hunt.isHunting)
  }

  @Test func `an attempt at a line speed ends early after nine thousand bytes without a sentence`()
  {
    var hunt = SpeedHunt(first: [.baud9600], at: at(0))
    hunt.heard(bytes: 8_999, hasSentence: false, at: at(0.5))
    #expect(hunt.next(at: at(0.5)) == nil)
    hunt.heard(bytes: 1, hasSentence: false, at: at(0.5))
    #expect(hunt.next(at: at(0.5)) == .baud4800)
  }

  @Test
  func `a sentence ends the search for the line speed; ten seconds without one restart it`() {
    var hunt = SpeedHunt(first: [.baud9600], at: at(0))
    hunt.heard(bytes: 60, hasSentence: true, at: at(2.9))
    #expect(hunt.hasFound && !hunt.isHunting)
    hunt.heard(bytes: 20_000, hasSentence: false, at: at(5))
    #expect(hunt.next(at: at(12.8)) == nil)
    #expect(hunt.next(at: at(12.9)) == .baud4800)
    #expect(!hunt.hasFound && hunt.isTrying)
    // The receiver sent sentences before, so its silence is significant.
    #expect(!hunt.isHunting)
  }

  @Test func `a configured line speed is always kept`() {
    var hunt = SpeedHunt(only: .baud115200)
    hunt.heard(bytes: 100_000, hasSentence: false, at: at(100))
    #expect(hunt.next(at: at(1_000)) == nil)
    #expect(hunt.due == nil)
    #expect(hunt.speed == .baud115200 && !hunt.isTrying)
  }

  @Test
  func `line speeds that were found are stored in a file that drops its oldest entries`() throws {
    let folder = try TemporaryFolder()
    let memory = SpeedMemory(path: folder.path + "/speeds")
    #expect(memory.speed(of: "/dev/a b") == nil)
    memory.note(.baud9600, of: "/dev/a b")
    memory.note(.baud4800, of: "/dev/c")
    memory.note(.baud38400, of: "/dev/a b")
    #expect(memory.speed(of: "/dev/a b") == .baud38400)
    #expect(SpeedMemory(path: folder.path + "/speeds").speed(of: "/dev/c") == .baud4800)
    for number in 0..<40 { memory.note(.baud9600, of: "/dev/\(number)") }
    #expect(memory.speed(of: "/dev/c") == nil)
    #expect(memory.speed(of: "/dev/39") == .baud9600)
  }

  @Test func `a line speed file that cannot be written is ignored`() {
    let memory = SpeedMemory(path: "/nowhere/at/all")
    memory.note(.baud9600, of: "/dev/a")
    #expect(memory.speed(of: "/dev/a") == nil)
  }
}
