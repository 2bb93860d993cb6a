import Foundation
import TestSupport
import Testing

/// Runs the recipes in `docs/recipes.md` whose programs are installed.
@Suite(.realTime) struct RecipesTests {
  /// A block of code in a recipe.
  private struct Block: CustomStringConvertible {
    var recipe: String
    var language: String
    var code: String
    var description: String { "\(recipe), \(language)" }
  }

  private static func blocks() throws -> [Block] {
    let document = try String(contentsOfFile: Repository.path("docs/recipes.md"), encoding: .utf8)
    var (recipe, blocks, isOpen) = ("", [Block](), false)
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") {
        recipe = String(line.dropFirst(3))
      } else if line.hasPrefix("```") {
        isOpen.toggle()
        if isOpen {
          blocks.append(Block(recipe: recipe, language: "\(line.dropFirst(3))", code: ""))
        }
      } else if isOpen {
        blocks[blocks.count - 1].code += line + "\n"
      }
    }
    return blocks
  }

  @Test func `every recipe whose programs are installed runs`() async throws {
    let scratch = try Scratch()
    let demo = try await Program.run(
      Program.footbridge,
      [
        "demo", "--boards", "2", "--seconds", "12", "--json", "--keep", scratch.path + "/demo",
        "--sensor", "corrected_acceleration", "--sensor", "corrected_angular_velocity", "--sensor",
        "quaternion",
      ], environment: scratch.environment)
    try #require(demo.status == 0, "\(demo.errors)")
    try FileManager.default.moveItem(
      atPath: scratch.path + "/demo/footbridge.sqlite", toPath: scratch.path + "/walk.sqlite")
    var environment = scratch.environment.merging(Repository.pythonPath) { $1 }
    let programs = URL(filePath: Program.footbridge).deletingLastPathComponent().path
    environment["PATH"] = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")

    var ran = Set<String>()
    for block in try Self.blocks() {
      let interpreter = ["sh": "sh", "r": "Rscript"][block.language] ?? Repository.python
      let file = scratch.path + "/recipe"
      try block.code.write(toFile: file, atomically: true, encoding: .utf8)
      let outcome = try await Program.run(
        "/bin/sh", ["-c", "cd \"$1\" && exec \"$2\" recipe", "sh", scratch.path, interpreter],
        environment: environment)
      if outcome.status == 127 || outcome.errors.contains("ModuleNotFoundError") {
        print("recipe \(block): not run, because its program is not installed")
        continue
      }
      #expect(outcome.status == 0, "\(block): \(outcome.output)\(outcome.errors)")
      ran.insert(block.recipe)
    }
    #expect(ran.isSuperset(of: ["OpenSim", "QGIS", "R"]))
    for name in ["walk.sto", "walk.geojson", "walk.csv"] {
      #expect(FileManager.default.fileExists(atPath: scratch.path + "/" + name), "\(name)")
    }
  }
}
