import Foundation
import PackagePlugin

/// Generates one Swift file for each `.varlink` file of a target, by `varlink-generate`.
@main
struct VarlinkGenerator: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let tool = try context.tool(named: "varlink-generate").url
    let interfaces = target.sourceModule?.sourceFiles(withSuffix: ".varlink").map(\.url) ?? []
    return interfaces.map { interface in
      let name = interface.deletingPathExtension().lastPathComponent
      let output = context.pluginWorkDirectoryURL.appending(component: name + ".swift")
      return .buildCommand(
        displayName: "Generating the Swift of \(name)", executable: tool, arguments: [interface.path, output.path],
        inputFiles: [interface], outputFiles: [output])
    }
  }
}
