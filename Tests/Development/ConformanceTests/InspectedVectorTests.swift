import Foundation
import MetaWearProtocol
import TestSupport
import Testing

@testable import Inspection

/// The inspector's explanations of the packets in the vectors.
@Suite(.computation) struct InspectedVectorTests {
  private static let chips: [String: (ModuleID, ModuleInfo)] = [
    "MMA8452Q": (.accelerometer, ModuleInfo(implementation: 0, revision: 1)),
    "BMI160": (.accelerometer, ModuleInfo(implementation: 1, revision: 2)),
    "BMA255": (.accelerometer, ModuleInfo(implementation: 3, revision: 2)),
    "BMI270": (.accelerometer, ModuleInfo(implementation: 4, revision: 0)),
  ]

  /// Returns the modules of the chip named in a vector's context, or those of the MetaMotion RL if
  /// no chip is named.
  private static func modules(_ context: [String: Any]) -> ModuleTable {
    let chip = context["chip"] as? String ?? "BMI160"
    var modules = ModuleTable()
    modules[.accelerometer] = (chips[chip] ?? chips["BMI160"])?.1
    modules[.gyroscope] = ModuleInfo(implementation: chip == "BMI270" ? 1 : 0, revision: 1)
    return modules
  }

  /// Returns the packets of a vector in order, each with its direction.
  private static func packets(_ vector: [String: Any]) -> [(Direction, String)] {
    func list(_ key: String) -> [String] { vector[key] as? [String] ?? [] }
    func single(_ key: String) -> [String] { (vector[key] as? String).map { [$0] } ?? [] }
    let steps = vector["steps"] as? [[String: String]] ?? []
    return (single("bytes") + list("commands")).map { (.toBoard, $0) }
      + steps.compactMap { step in
        step["tx"].map { (.toBoard, $0) } ?? step["rx"].map { (.fromBoard, $0) }
      }
      + (single("notification") + list("notifications") + list("module_replies"))
      .map { (.fromBoard, $0) }
  }

  @Test func `the inspector explains every packet from the test vectors`() throws {
    let folder = "\(VectorFolderTests.folder)/metawear"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      try Test.cancel("there are no vectors at \(folder); set FOOTBRIDGE_VECTORS to their folder")
    }
    var explained = 0
    for name in names.sorted() where name.hasSuffix(".json") {
      let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      for vector in try #require(file["vectors"] as? [[String: Any]]) {
        let id = vector["id"] as? String ?? "?"
        var inspector = Inspector(
          modules: Self.modules(vector["context"] as? [String: Any] ?? [:]))
        for (place, packet) in Self.packets(vector).enumerated() {
          let explanation = inspector.explain(
            CapturedPacket(
              place: .line(place + 1), direction: packet.0, bytes: try bytes(packet.1)))
          explained += 1
          #expect(
            explanation.isUnderstood, "\(id): \(packet.1): \(explanation.statement.sentence)")
          #expect(!explanation.statement.sentence.contains("unknown"), "\(id): \(packet.1)")
        }
      }
    }
    #expect(explained > 0)
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    var reader = CaptureReader()
    let item = try #require(reader.read(Array((text + "\n").utf8)).first)
    guard case .packet(let packet) = item else { throw CocoaError(.fileReadCorruptFile) }
    return packet.bytes
  }
}
