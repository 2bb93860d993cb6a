@testable import BoardDriver
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// Surveys of simulated boards, some of which ignore queries for absent modules.
@Suite(.computation) struct BoardSurveyTests {
  /// Runs a complete survey of a board. Returns the result and all packets written.
  private func play(
    _ survey: BoardSurvey, on model: BoardModel, absent: SimulatedBoard.AbsentModuleAnswer,
    isDead: Bool = false
  ) -> (survey: BoardSurvey, end: BoardSurvey.Step, written: [Command]) {
    var survey = survey
    var board = SimulatedBoard(
      model, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    board.absentModuleAnswer = absent
    board.linkUp()
    var time = 0.0
    var written: [Command] = []
    var step = survey.begin()
    while case .ask(let commands) = step {
      written += commands
      var answers: [SimulatedNotification] = []
      for command in commands where !isDead { board.receive(command.bytes, at: time) }
      time += 0.1
      board.advance(to: time, into: &answers)
      var next: BoardSurvey.Step?
      for answer in answers where next == nil { next = survey.take(answer.bytes) }
      step = next ?? survey.timeout()
    }
    #expect(board.complaints == [])
    return (survey, step, written)
  }

  @Test(arguments: BoardModel.all)
  func `a survey finds a board's modules and, if the board reports it, its battery charge`(
    _ model: BoardModel
  ) {
    let played = play(
      BoardSurvey(ModuleID.allCases, andBattery: true), on: model, absent: .headerOnly)
    #expect(played.end == .finished)
    #expect(played.survey.modules == model.modules)
    #expect(
      (played.survey.battery?.percent == 99) == model.modules.has(.settings, revision: 3))
  }

  @Test(arguments: BoardModel.all)
  func `a board that does not answer queries about absent modules is still surveyed completely`(
    _ model: BoardModel
  ) {
    let played = play(
      BoardSurvey(ModuleID.allCases, andBattery: true), on: model, absent: .silence)
    #expect(played.end == .finished)
    #expect(played.survey.modules == model.modules)
  }

  @Test(arguments: BoardModel.all)
  func `a survey sends only queries and the connection parameters`(_ model: BoardModel) {
    let played = play(
      BoardSurvey(ModuleID.allCases, andBattery: true), on: model, absent: .headerOnly)
    for command in played.written where !command.header.isRead {
      #expect(command == Settings.prefer(.fast))
    }
  }

  @Test func `only the requested modules are queried, starting with the settings module`() {
    let played = play(
      BoardSurvey([.led, .settings], andBattery: false), on: .metaMotionS, absent: .headerOnly)
    #expect(played.survey.modules.modules == [.led, .settings])
    #expect(
      played.written == [
        .readModuleInfo(.settings), Settings.prefer(.fast), .readModuleInfo(.led),
      ])
  }

  @Test func `a survey of a board that never replies ends after three queries`() {
    let played = play(
      BoardSurvey(ModuleID.allCases, andBattery: true), on: .metaMotionS, absent: .headerOnly,
      isDead: true)
    #expect(played.end == .silent)
    #expect(played.written == Array(repeating: .readModuleInfo(.settings), count: 3))
  }
}
