import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct BoardModelTests {
  @Test(arguments: BoardModel.all)
  func `a client recognises every model by its number and modules`(_ model: BoardModel) {
    #expect(Model(number: model.modelNumber, modules: model.modules).description == model.name)
    #expect(model.modules.accelerometer != nil)
  }

  @Test(arguments: BoardModel.all)
  func `a model is found by either of its names, in upper or lower case`(_ model: BoardModel) {
    #expect(BoardModel(named: model.name) == model)
    #expect(BoardModel(named: model.shortName.lowercased()) == model)
    #expect(BoardModel(named: model.name + "x") == nil)
  }

  @Test func `no two models have a name in common`() {
    #expect(Set(BoardModel.all.map(\.name)).count == BoardModel.all.count)
    #expect(Set(BoardModel.all.map(\.shortName)).count == BoardModel.all.count)
  }

  @Test func `each model has the chips that distinguish it from the others`() {
    #expect(BoardModel.metaMotionS.modules.chips[.accelerometer] == "BMI270")
    #expect(BoardModel.metaMotionRL.modules.chips[.accelerometer] == "BMI160")
    #expect(BoardModel.metaMotionC.modules.chips[.barometer] == "BMP280")
    #expect(BoardModel.metaWearC.modules.modules.contains(.magnetometer) == false)
    #expect(BoardModel.metaWearR.modules.chips == [.accelerometer: "MMA8452Q"])
    #expect(
      BoardModel.metaEnvironment.modules.chips == [
        .accelerometer: "BMA255", .barometer: "BME280", .humidity: "BME280",
        .colour: "TCS34725",
      ])
  }

  @Test(arguments: BoardModel.all)
  func `a board describes each module, and sends two bytes or nothing for an absent one`(
    _ model: BoardModel
  ) throws {
    for answer in SimulatedBoard.AbsentModuleAnswer.allCases {
      var client = SimulatedBoardClient(model)
      client.board.absentModuleAnswer = answer
      for module in ModuleID.allCases {
        let answers = try client.ask(ModuleInfoRequest(module))
        switch (model.modules[module], answer) {
        case (let info?, _): #expect(answers == [.moduleInfo(module, info)])
        case (nil, .headerOnly): #expect(answers == [.moduleInfo(module, nil)])
        case (nil, .silence): #expect(answers == [])
        }
      }
      #expect(client.board.complaints == [])
    }
  }

  @Test(arguments: BoardModel.all)
  func `every motion sensor of a model can be streamed without complaints`(_ model: BoardModel)
    throws
  {
    for sensor in model.modules.motionSensors {
      var client = SimulatedBoardClient(model, clockFactor: 1)
      let configuration = try #require(sensor.configuration(nearestRate: 50, range: 4))
      try client.start(
        sensor, rate: configuration.rate.hertz, range: configuration.range.limit,
        subscribing: sensor.sampleRegister)
      let expected = 4 * configuration.rate.hertz
      let samples = try client.hear(seconds: 4).count
      #expect(abs(Double(samples) - expected) < 5, "\(sensor.chipName)")
      #expect(client.board.complaints == [])
      #expect(client.write(sensor.readConfiguration).count == 1)
    }
  }
}
